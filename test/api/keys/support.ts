// The dashboard without its login: the endpoints of /v1/keys as a person of a certain role calls them, over HTTP and with all that surrounds
// them. The secret key stands for the session.

import { keys } from '../../../src/api/keys/routes.ts'
import { slices } from '../../../src/app.ts'
import type { Account, Endpoint } from '../../../src/http/endpoint/endpoint.ts'

type Role = Account['role']

/** Whoever is at the dashboard at the moment. */
export const person: { role: Role } = { role: 'owner' }

const accountOf = (role: Role): Account => ({
  id: `acct_${role}`,
  email: `${role}@example.com`,
  name: 'Ada',
  role,
  canWriteLive: role === 'owner',
  canIssueTokens: role === 'owner',
})

const atTheDashboard = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  access: 'secret',
  handle: (context) => endpoint.handle({ ...context, caller: { ...context.caller, account: accountOf(person.role) } }),
})

export const dashboardSlices = slices.map((slice) =>
  slice === keys ? { ...keys, endpoints: keys.endpoints.map(atTheDashboard) } : slice,
)
