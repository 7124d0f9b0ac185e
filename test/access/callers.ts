// All callers, and the expected outcome of each on each class of routes: the table from decisions 2 and 10.3.

import { issueSession } from '../../src/api/customers/login/session.ts'
import { createKey, revokeKey } from '../../src/api/merchants/merchant.ts'
import { slices } from '../../src/app.ts'
import { allowedModesOf, canRunOperation, ROLES } from '../../src/dashboard/roles.ts'
import type { Role } from '../../src/http/endpoint/endpoint.ts'
import { sessionKeys } from '../../src/keys/session-keys.ts'
import { Browser, HERE, join, type SessionView } from '../dashboard/support.ts'
import type { TestApp } from '../support/app.ts'
import type { Ids, World } from './objects.ts'
import type { Row } from './table-row.ts'

export const refusal = (status: 401 | 403, message: string) => ({
  status,
  text: JSON.stringify({
    error: { type: status === 401 ? 'unauthorized' : 'forbidden', message },
    status_code: status,
  }),
})
export type Refusal = ReturnType<typeof refusal>

const NO_KEY = refusal(401, 'Send your API key in the X-Authorization header.')
const WRONG_KEY = refusal(401, 'This API key is not valid. It may have been mistyped or revoked.')
const NEEDS_HTTPS = refusal(401, 'Live keys work over HTTPS only. Use HTTPS, or a sandbox key (pk_test_…, sk_test_…).')
/** The customer can fix this, so the message is for shoppers. */
const BAD_TOKEN = {
  status: 401 as const,
  text: JSON.stringify({
    error: {
      type: 'unauthorized',
      message: 'Please log in again.',
      code: 'login_over',
      params: {},
      errors: {
        Authorization: ["The customer's token is not valid, or its 24 hours are over. Let the customer log in again."],
      },
    },
    status_code: 401,
  }),
}
const NEEDS_SESSION = refusal(
  403,
  'No key may do this: whoever had one could make others. Log in to the dashboard and do it there.',
)
const LOGGED_OUT = refusal(401, 'You are not logged in, or your session has expired. Log in to continue.')
const NEEDS_SECRET = refusal(403, 'A public key may not do this; use the secret key, from a server.')
const NEEDS_TOKEN = refusal(
  403,
  "A public key may not do this; send the customer's token as Authorization: Bearer, or the secret key.",
)
export const OTHER_CUSTOMER = refusal(403, 'This token is that of another customer.')

/**
 * `served`: as the merchant who owns the objects. `customer`: the same, but only on the customer's own path. `otherMode`: as the same
 * merchant in the other mode. `stranger`: as another merchant. Otherwise the refusal, for any object.
 */
export type Outcome = 'served' | 'customer' | 'otherMode' | 'stranger' | Refusal

export type Caller = {
  readonly name: string
  /** The request comes over HTTPS, through a trusted proxy. */
  readonly isHttps?: true
  /** Sends a key and a token at once. On routes that check only the key, another caller already covers that key. */
  readonly hasBoth?: true
  /** `ids`: the requested objects; a token is made for their customer. */
  headers(ids: Ids): Promise<Record<string, string>> | Record<string, string>
  readonly at: Readonly<Record<'public' | 'secret' | 'customer' | 'session', Outcome>>
  /** Calls below /dashboard/api with a session. Operations that its role may not use are refused on every route. */
  readonly role?: { readonly name: Role; readonly is_sandbox: boolean; readonly people: () => readonly Person[] } | null
}

/** A team member; refusals name members who may help. */
type Person = { readonly name: string; readonly role: Role }

export const isBySession = ({ role }: Caller): boolean => role !== undefined

const OPERATIONS = new Map(
  slices.flatMap((slice) => slice.endpoints.map(({ method, path, operation }) => [`${method} ${path}`, operation])),
)

/** Routes that need no key refuse nobody. */
export function outcomeOf({ at, role }: Caller, { access, route }: Pick<Row, 'access' | 'route'>): Outcome {
  if (access === 'open' || access === 'plain') return 'served'
  if (!role) return at[access]
  const operation = OPERATIONS.get(route) ?? ''
  return canRunOperation(role.name, operation, role.is_sandbox) ? at[access] : refusedRole(role, operation)
}

function refusedRole({ name, is_sandbox, people }: NonNullable<Caller['role']>, operation: string): Refusal {
  const roles = ROLES.filter((role) => canRunOperation(role, operation, is_sandbox))
  const listed = roles.length === 1 ? roles[0] : `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`
  const live = allowedModesOf(name, operation) === 'sandbox' ? ' with live data' : ''
  const message = `As ${name} you may not do this${live}: ${listed} may.`
  const may = { roles, people: people().filter((person) => roles.includes(person.role)) }
  return { status: 403, text: JSON.stringify({ error: { type: 'forbidden', message }, status_code: 403, may }) }
}

const everywhere = (outcome: Outcome) => ({
  public: outcome,
  secret: outcome,
  customer: outcome,
  session: typeof outcome === 'object' ? outcome : NEEDS_SESSION,
})

const bySession = (outcome: Outcome) => ({ ...everywhere(outcome), session: outcome })

const HOUR_MS = 3_600_000

export async function callersOf(app: TestApp, world: World): Promise<Caller[]> {
  const { shop, stranger } = world
  const { sandbox, live } = shop.keys
  const revoked = await revokedKey(app, shop.id)
  const keys = sessionKeys(app.db, app.clock, { revision: 0, isFresh: () => false })
  const issued = new Map<string, Promise<string>>()
  const token = (customerId: string, { merchant_id = shop.id, is_sandbox = true, hoursAgo = 0 } = {}) => {
    const clock = { now: () => new Date(app.clock.now().getTime() - hoursAgo * HOUR_MS) }
    const name = JSON.stringify([customerId, merchant_id, is_sandbox, hoursAgo])
    const jwt =
      issued.get(name) ?? issueSession({ sessionKeys: keys }, { merchant_id, is_sandbox, customerId }, clock.now())
    issued.set(name, jwt)
    return jwt
  }
  const own = async ({ customer = world.customer }: Ids) => token(customer)
  const bearer = (jwt: string, key?: string) => ({
    authorization: `Bearer ${jwt}`,
    ...(key === undefined ? {} : { 'x-authorization': key }),
  })
  const key = (text: string) => () => ({ 'x-authorization': text })

  // The first token creates the signing key, which must not look like a change by a request.
  await token(world.customer)

  const noKeyBut = (outcome: Outcome) => ({ public: NO_KEY, secret: NO_KEY, customer: outcome, session: NO_KEY })
  const publicKey = (outcome: Outcome) => ({
    public: outcome,
    secret: NEEDS_SECRET,
    customer: NEEDS_TOKEN,
    session: NEEDS_SESSION,
  })

  return [
    { name: 'no key', headers: () => ({}), at: everywhere(NO_KEY) },
    { name: 'a malformed key', headers: key('sk_test_nonsense'), at: everywhere(WRONG_KEY) },
    { name: 'a revoked key', headers: key(revoked), at: everywhere(WRONG_KEY) },
    { name: 'the public key', headers: key(sandbox.public), at: publicKey('served') },
    { name: 'the secret key', headers: key(sandbox.secret), at: everywhere('served') },
    { name: 'the public key of the other mode', isHttps: true, headers: key(live.public), at: publicKey('otherMode') },
    { name: 'the secret key of the other mode', isHttps: true, headers: key(live.secret), at: everywhere('otherMode') },
    {
      name: 'a live secret key over plain HTTP, though the client claims HTTPS',
      headers: () => ({ 'x-authorization': live.secret, 'x-forwarded-proto': 'https' }),
      at: everywhere(NEEDS_HTTPS),
    },
    { name: 'a live public key over plain HTTP', headers: key(live.public), at: everywhere(NEEDS_HTTPS) },
    { name: "another merchant's public key", headers: key(stranger.keys.sandbox.public), at: publicKey('stranger') },
    { name: "another merchant's secret key", headers: key(stranger.keys.sandbox.secret), at: everywhere('stranger') },
    { name: "the secret key as the customer's token", headers: () => bearer(sandbox.secret), at: noKeyBut(BAD_TOKEN) },
    {
      name: 'the secret key as a password',
      headers: () => ({ authorization: `Basic ${Buffer.from(`${sandbox.secret}:`).toString('base64')}` }),
      at: everywhere(NO_KEY),
    },
    { name: "the customer's token", headers: async (ids) => bearer(await own(ids)), at: noKeyBut('customer') },
    {
      name: "the customer's token beside what is no key",
      headers: async (ids) => bearer(await own(ids), 'undefined'),
      at: { public: WRONG_KEY, secret: WRONG_KEY, customer: 'customer', session: WRONG_KEY },
    },
    {
      name: "the customer's token beside the public key",
      hasBoth: true,
      headers: async (ids) => bearer(await own(ids), sandbox.public),
      at: { public: 'served', secret: NEEDS_SECRET, customer: 'customer', session: NEEDS_SESSION },
    },
    {
      name: "another customer's token",
      headers: async () => bearer(await token(world.otherCustomer)),
      at: noKeyBut(OTHER_CUSTOMER),
    },
    {
      name: "another customer's token beside the secret key",
      hasBoth: true,
      headers: async () => bearer(await token(world.otherCustomer), sandbox.secret),
      at: { public: 'served', secret: 'served', customer: OTHER_CUSTOMER, session: NEEDS_SESSION },
    },
    {
      name: "the token of another merchant's customer",
      headers: async () => bearer(await token(world.foreignCustomer, { merchant_id: stranger.id })),
      at: noKeyBut(OTHER_CUSTOMER),
    },
    {
      name: 'the token of a customer of the other mode',
      isHttps: true,
      headers: async () => bearer(await token(world.liveCustomer, { is_sandbox: false })),
      at: noKeyBut(OTHER_CUSTOMER),
    },
    {
      name: 'a live token over plain HTTP',
      headers: async ({ customer = world.customer }) => bearer(await token(customer, { is_sandbox: false })),
      at: noKeyBut(NEEDS_HTTPS),
    },
    {
      name: 'a token that has expired',
      headers: async ({ customer = world.customer }) => bearer(await token(customer, { hoursAgo: 24 })),
      at: noKeyBut(BAD_TOKEN),
    },
    {
      name: 'a token that has expired, beside the secret key',
      hasBoth: true,
      headers: async ({ customer = world.customer }) => bearer(await token(customer, { hoursAgo: 24 }), sandbox.secret),
      at: { public: 'served', secret: 'served', customer: BAD_TOKEN, session: NEEDS_SESSION },
    },
    {
      name: 'a token that somebody else has signed',
      headers: async (ids) => bearer(withOtherSignature(await own(ids))),
      at: noKeyBut(BAD_TOKEN),
    },
    ...(await sessionsOf(app, world)),
  ]
}

/** Callers logged in to the dashboard: one for each role, in both modes if they differ. */
async function sessionsOf(app: TestApp, { shop, stranger }: World): Promise<Caller[]> {
  const owner = new Browser(app)
  await owner.logIn(shop.dashboard.email, shop.dashboard.password)
  const foreign = new Browser(app)
  await foreign.logIn(stranger.dashboard.email, stranger.dashboard.password)
  const people: Person[] = [{ name: shop.dashboard.email, role: 'owner' }]
  const browsers = new Map<Role, Browser>([['owner', owner]])
  for (const role of ['manager', 'packer', 'developer'] as const) {
    // Advance the clock, so that refusals name them in this order.
    app.clock.advance(1)
    const browser = await join(app, owner, role)
    const { account } = (await browser.send('GET', '/dashboard/api/session')).body as SessionView
    browsers.set(role, browser)
    people.push({ name: account.name, role })
  }
  const column = (
    role: Role,
    is_sandbox: boolean,
    outcome: Outcome,
    browser = browsers.get(role) as Browser,
  ): Caller => ({
    name: `the session of ${browser === foreign ? "another merchant's" : 'the'} ${role}${is_sandbox ? '' : ', live'}`,
    role: { name: role, is_sandbox, people: () => people },
    headers: () => ({
      cookie: [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; '),
      origin: HERE,
      'sec-fetch-site': 'same-origin',
      'x-csrf-token': browser.csrf,
      'x-mode': is_sandbox ? 'sandbox' : 'live',
    }),
    at: bySession(outcome),
  })
  return [
    {
      name: 'no session',
      role: null,
      headers: () => ({ origin: HERE, 'sec-fetch-site': 'same-origin' }),
      at: bySession(LOGGED_OUT),
    },
    ...ROLES.map((role) => column(role, true, 'served')),
    column('owner', false, 'otherMode'),
    column('developer', false, 'otherMode'),
    column('owner', true, 'stranger', foreign),
  ]
}

/** Returns a key that has just been revoked. */
async function revokedKey(app: TestApp, merchant_id: number): Promise<string> {
  const { id, text } = await createKey(app, merchant_id, { isSecret: true, is_sandbox: true })
  const works = async () => (await app.call('GET', '/v1/merchants', { key: text })).status === 200
  if (!(await works())) throw new Error('The key that is to be revoked has never worked.')
  await revokeKey(app, merchant_id, id)
  for (let asked = 0; asked < 1_000 && (await works()); asked++) await new Promise((resolve) => setTimeout(resolve, 20))
  return text
}

function withOtherSignature(jwt: string): string {
  const [head = '', claims = '', signature = ''] = jwt.split('.')
  return [head, claims, [...signature].reverse().join('')].join('.')
}
