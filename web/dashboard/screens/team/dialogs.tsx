// Dialogs to invite somebody, to change a role, and to remove somebody.

import { useState } from 'preact/hooks'
import type { InvitedMember, TeamMember } from '../../../../src/dashboard/views.ts'
import { call } from '../../api.ts'
import { type Change, del, post, put, type Request } from '../../parts/form/change.ts'
import { Field, Select } from '../../parts/form/field.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { OnceDialog } from '../../parts/page/once-dialog.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { type Role, useSession } from '../../session.tsx'
import { memberName, ROLE_DETAILS, ROLE_OPTIONS } from './member.ts'

type InviteProps = {
  /** Set for a repeated invitation. The previous link then stops working. */
  readonly member?: TeamMember
  /** With the link, if nobody gets it by mail. It is shown once, and this dialog closes. */
  readonly onLink: (member: InvitedMember) => void
  readonly onClose: () => void
}

export function InviteDialog({ member, onLink, onClose }: InviteProps) {
  const { merchant } = useSession()
  const [role, setRole] = useState<Role>(member?.role ?? 'packer')
  return (
    <ActionDialog
      title={member === undefined ? 'Invite somebody' : `Invite ${memberName(member)} again`}
      verb={member === undefined ? 'Invite' : 'Invite again'}
      says={[
        `Mails a link to join ${merchant.name}. Where this server sends no mail, you get the link to hand over.`,
        ...(member === undefined ? [] : ['The link before opens nothing any more.']),
      ]}
      request={post('/team')}
      onDone={(invited: InvitedMember) => {
        if (invited.invitation_url === null) showToast(`A link is on its way to ${invited.email}`)
        else onLink(invited)
      }}
      onClose={onClose}
    >
      <Field
        name="email"
        label="E-mail"
        type="email"
        {...(member === undefined ? { isFocused: true } : { value: member.email, isFixed: true })}
      />
      <Field name="name" label="Name" value={member?.name ?? ''} maxLength={100} />
      <RoleSelect initial={member?.role ?? 'packer'} role={role} onChange={setRole} />
    </ActionDialog>
  )
}

type RoleProps = { readonly initial: Role; readonly role: Role; readonly onChange: (role: Role) => void }

/** The hint says what the chosen role may do. */
function RoleSelect({ initial, role, onChange }: RoleProps) {
  const { may, mayNot } = ROLE_DETAILS[role]
  return (
    <Select
      name="role"
      label="Role"
      value={initial}
      options={ROLE_OPTIONS}
      hint={`${may} ${mayNot}`.trim()}
      onChange={(value) => onChange(value as Role)}
    />
  )
}

/** Without a mail server the owner hands over the link. */
export function LinkDialog({ member, onClose }: { member: InvitedMember; onClose: () => void }) {
  return (
    <OnceDialog
      title={`Invitation for ${memberName(member)}`}
      what="Link"
      text={member.invitation_url ?? ''}
      intro={`This server sends no mail: hand this link to ${member.email} yourself. Whoever opens it first joins as ${member.role}.`}
      onClose={onClose}
    />
  )
}

type MemberProps = { readonly member: TeamMember; readonly onClose: () => void }

/** A change of my own membership logs me out: the page is loaded again, and nothing of it is read before. */
function memberChange(isMe: boolean, request: Request, done: string): Change<unknown> & { staysOpen: boolean } {
  const { method, path, body } = request
  return isMe
    ? { run: () => call(method, path, { body }), onDone: () => location.assign('/dashboard'), staysOpen: true }
    : { request, done, staysOpen: false }
}

export function RoleDialog({ member, onClose }: MemberProps) {
  const { account } = useSession()
  const [role, setRole] = useState<Role>(member.role)
  const isMe = member.id === account.id
  return (
    <ActionDialog
      title={`Change the role of ${memberName(member)}`}
      verb={role === member.role ? 'Change the role' : `Make ${isMe ? 'me' : memberName(member)} ${role}`}
      isReady={role !== member.role}
      says={[
        isMe
          ? 'You are logged out everywhere, and log in again as what you are then.'
          : `${memberName(member)} is logged out everywhere, and has to log in again.`,
      ]}
      {...memberChange(isMe, put(`/team/${member.id}`, { role }), `${memberName(member)} is ${role} now`)}
      onClose={onClose}
    >
      <RoleSelect initial={member.role} role={role} onChange={setRole} />
    </ActionDialog>
  )
}

export function RemoveDialog({ member, onClose }: MemberProps) {
  const { account, merchant } = useSession()
  const isMe = member.id === account.id
  return (
    <ActionDialog
      title={isMe ? `Leave ${merchant.name}` : `Remove ${memberName(member)}`}
      verb={isMe ? 'Leave the shop' : `Remove ${memberName(member)}`}
      isDangerous
      says={
        member.state === 'invited'
          ? ['The link of the invitation opens nothing any more.']
          : [
              isMe
                ? 'You are logged out at once, and cannot come back by yourself.'
                : `${memberName(member)} is logged out at once and cannot log in any more.`,
              'Notes and what was done stay as they are. API keys stay too: revoke those that were theirs.',
            ]
      }
      {...memberChange(isMe, del(`/team/${member.id}`), `${memberName(member)} is removed`)}
      onClose={onClose}
    />
  )
}
