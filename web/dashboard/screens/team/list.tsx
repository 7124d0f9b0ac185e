// The team of the shop: members, roles and open invitations.

import { useState } from 'preact/hooks'
import type { InvitedMember, Team, TeamMember } from '../../../../src/dashboard/views.ts'
import { Table } from '../../parts/list/table.tsx'
import { DialogButton } from '../../parts/page/dialog.tsx'
import { Menu, type MenuEntry } from '../../parts/page/menu.tsx'
import { Loaded, Page, Section } from '../../parts/page/page.tsx'
import { Badge, Status, When } from '../../parts/show/values.tsx'
import { useSession } from '../../session.tsx'
import { InviteDialog, LinkDialog, RemoveDialog, RoleDialog } from './dialogs.tsx'
import { memberName, ROLE_DETAILS } from './member.ts'

export function TeamList() {
  const [invitation, setInvitation] = useState<InvitedMember | null>(null)
  return (
    <Page
      title="Team"
      intro="Everybody has a login of their own, and may do what their role may."
      actions={
        <DialogButton
          words="Invite somebody"
          kind="primary"
          icon="plus"
          permission="team.invite"
          dialog={(close) => <InviteDialog onLink={setInvitation} onClose={close} />}
        />
      }
    >
      <Loaded<Team> of="/team">
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
                cell: (member) => <Actions member={member} team={data} onLink={setInvitation} />,
              },
            ]}
          />
        )}
      </Loaded>
      <Roles />
      {invitation !== null && <LinkDialog member={invitation} onClose={() => setInvitation(null)} />}
    </Page>
  )
}

function Who({ member }: { member: TeamMember }) {
  const { account } = useSession()
  return (
    <>
      <p>
        {memberName(member)}
        {member.id === account.id && <span class="hint"> (you)</span>}
      </p>
      {member.name !== '' && <p class="hint">{member.email}</p>}
    </>
  )
}

type ActionsProps = {
  readonly member: TeamMember
  readonly team: Team['data']
  readonly onLink: (invited: InvitedMember) => void
}

function Actions({ member, team, onLink }: ActionsProps) {
  const { account } = useSession()
  const isLastOwner =
    member.role === 'owner' &&
    member.state === 'active' &&
    !team.some(({ id, role, state }) => id !== member.id && role === 'owner' && state === 'active')
  if (isLastOwner) return <span class="hint">The last owner cannot leave</span>
  const inviteAgain: MenuEntry = {
    label: 'Invite again',
    icon: 'mail',
    permission: 'team.invite',
    dialog: (close) => <InviteDialog member={member} onLink={onLink} onClose={close} />,
  }
  return (
    <Menu
      label={`Actions for ${memberName(member)}`}
      kind="quiet"
      entries={[
        ...(member.state === 'invited' ? [inviteAgain] : []),
        {
          label: 'Change the role',
          permission: 'team.update',
          dialog: (close) => <RoleDialog member={member} onClose={close} />,
        },
        {
          label: member.id === account.id ? 'Leave the shop' : 'Remove',
          icon: 'close',
          isDangerous: true,
          permission: 'team.remove',
          dialog: (close) => <RemoveDialog member={member} onClose={close} />,
        },
      ]}
    />
  )
}

/** Explains the rights of each role. */
function Roles() {
  return (
    <Section title="What each role may">
      <dl class="roles stack">
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
