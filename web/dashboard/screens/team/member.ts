// The name of a member of the team, and texts about the roles.

import type { TeamMember } from '../../../../src/dashboard/views.ts'
import type { Role } from '../../session.tsx'

export const memberName = ({ name, email }: Pick<TeamMember, 'name' | 'email'>): string => (name === '' ? email : name)

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
