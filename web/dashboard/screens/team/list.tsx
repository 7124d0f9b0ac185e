// The team of the shop: members, roles and open invitations.

import { useState } from 'preact/hooks'
import { Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Menu, type MenuEntry } from '../../parts/page/menu.tsx'
import { Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { Badge, Status, When } from '../../parts/show/values.tsx'
import { useMay, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { InviteDialog, LinkDialog, RemoveDialog, RoleDialog } from './dialogs.tsx'
import { type InvitedMember, type Member, memberName, ROLE_DETAILS } from './member.ts'

type OpenDialog = { readonly name: 'role' | 'remove' | 'reinvite'; readonly member: Member }

export function TeamList() {
  const query = useQuery<{ data: readonly Member[] }>('/team')
  const may = useMay()
  const [isInviting, setInviting] = useState(false)
  const [invitation, setInvitation] = useState<InvitedMember | null>(null)
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  const close = () => {
    setInviting(false)
    setOpenDialog(null)
  }
  const onInvited = (member: InvitedMember) => {
    close()
    if (member.invitation_url !== null) setInvitation(member)
  }
  return (
    <Page
      title="Team"
      intro="Everybody has a login of their own, and may do what their role may."
      actions={
        may('team.invite') && (
          <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite somebody
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ data }) => (
          <Table
            caption="Team"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { label: 'Who', cell: (member) => <Who member={member} /> },
              { label: 'Role', cell: ({ role }) => ROLE_DETAILS[role].name },
              { label: 'State', cell: ({ state }) => <Status state={state} /> },
              {
                label: 'Second factor',
                cell: ({ has_second_factor: has }) =>
                  has ? <Badge tone="good">Second factor</Badge> : <span class="hint">Password only</span>,
              },
              {
                label: 'Last here',
                cell: ({ seen }) => (seen === null ? 'Never here' : <When at={seen} />),
              },
              {
                label: 'Actions',
                phone: 'aside',
                isNumber: true,
                cell: (member) => <Actions member={member} team={data} onOpen={setOpenDialog} />,
              },
            ]}
          />
        )}
      </Loaded>
      <Roles />
      {isInviting && <InviteDialog onInvited={onInvited} onClose={close} />}
      {openDialog?.name === 'reinvite' && (
        <InviteDialog member={openDialog.member} onInvited={onInvited} onClose={close} />
      )}
      {openDialog?.name === 'role' && <RoleDialog member={openDialog.member} onClose={close} />}
      {openDialog?.name === 'remove' && <RemoveDialog member={openDialog.member} onClose={close} />}
      {invitation !== null && <LinkDialog member={invitation} onClose={() => setInvitation(null)} />}
    </Page>
  )
}

function Who({ member }: { member: Member }) {
  const { account } = useSession()
  return (
    <span class="who-line">
      <span>
        {memberName(member)}
        {member.id === account.id && <span class="hint"> (you)</span>}
      </span>
      {member.name !== '' && <span class="hint">{member.email}</span>}
    </span>
  )
}

type ActionsProps = { member: Member; team: readonly Member[]; onOpen: (opened: OpenDialog) => void }

function Actions({ member, team, onOpen }: ActionsProps) {
  const may = useMay()
  const { account } = useSession()
  const isLastOwner =
    member.role === 'owner' &&
    member.state === 'active' &&
    !team.some(({ id, role, state }) => id !== member.id && role === 'owner' && state === 'active')
  if (isLastOwner) return <span class="hint">The last owner cannot leave</span>
  const entries: (MenuEntry | false)[] = [
    member.state === 'invited' &&
      may('team.invite') && {
        label: 'Invite again',
        icon: 'mail',
        onPress: () => onOpen({ name: 'reinvite', member }),
      },
    may('team.update') && { label: 'Change the role', onPress: () => onOpen({ name: 'role', member }) },
    may('team.remove') && {
      label: member.id === account.id ? 'Leave the shop' : 'Remove',
      icon: 'close',
      isDangerous: true,
      onPress: () => onOpen({ name: 'remove', member }),
    },
  ]
  return (
    <Menu
      label={`Actions for ${memberName(member)}`}
      entries={entries.filter((entry) => entry !== false)}
      kind="quiet"
    />
  )
}

/** Explains the rights of each role. */
function Roles() {
  return (
    <Section title="What each role may">
      <dl class="roles">
        {Object.values(ROLE_DETAILS).map(({ name, may, mayNot }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {may} {mayNot !== '' && <span class="hint">{mayNot}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
