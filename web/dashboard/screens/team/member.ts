// Members of a team as the API of the dashboard returns them, and texts about their roles.

import type { Role } from '../../session.tsx'

export type Member = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly state: 'active' | 'invited'
  readonly has_second_factor: boolean
  readonly seen: number | null
}

/** The link is null if it was mailed. */
export type InvitedMember = Member & { readonly invitation_url: string | null }

export const memberName = ({ name, email }: Pick<Member, 'name' | 'email'>): string => (name === '' ? email : name)

export const ROLE_DETAILS: Readonly<
  Record<Role, { readonly name: string; readonly may: string; readonly mayNot: string }>
> = {
  owner: { name: 'Owner', may: 'Everything, also inviting others and making live keys.', mayNot: '' },
  manager: {
    name: 'Manager',
    may: 'Orders, refunds, products, customers, discounts, shipping, reports, webhooks.',
    mayNot: 'Not the team, API keys, or setting up ways to pay.',
  },
  packer: {
    name: 'Packer',
    may: 'Sees orders, products and customers; ships, writes notes, sends receipts again.',
    mayNot: 'No refunds, no reports, no settings.',
  },
  developer: {
    name: 'Developer',
    may: 'Everything in the sandbox; webhooks, events, request log and sandbox keys; reads what is live.',
    mayNot: 'Changes nothing live but webhooks, and makes no live keys.',
  },
}

export const ROLE_OPTIONS = (Object.keys(ROLE_DETAILS) as Role[]).map(
  (role) => [role, ROLE_DETAILS[role].name] as const,
)
