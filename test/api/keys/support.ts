// The dashboard without its login: the endpoints of /v1/keys as an owner calls them, over HTTP and with all that surrounds them. The secret key
// stands for the session.

import { keys } from '../../../src/api/keys/routes.ts'
import { slices } from '../../../src/app.ts'
import type { Account, Endpoint } from '../../../src/http/endpoint/endpoint.ts'

const OWNER: Account = {
  id: 'acct_owner',
  email: 'owner@example.com',
  name: 'Ada',
  role: 'owner',
  canWriteLive: true,
  canIssueTokens: true,
}

const atTheDashboard = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  access: 'secret',
  handle: (context) => endpoint.handle({ ...context, caller: { ...context.caller, account: OWNER } }),
})

export const dashboardSlices = slices.map((slice) =>
  slice === keys ? { ...keys, endpoints: keys.endpoints.map(atTheDashboard) } : slice,
)
