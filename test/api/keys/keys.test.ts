// /v1/keys: what a person at the dashboard sees of the shop's keys, makes and revokes; and that a secret key stands nowhere but in the answer
// that made it.

import { describe, expect, it } from 'vitest'
import { keys as keyRoutes } from '../../../src/api/keys/routes.ts'
import { createKey } from '../../../src/api/merchants/merchant.ts'
import { slices } from '../../../src/app.ts'
import type { DashboardAccount, Endpoint } from '../../../src/http/endpoint/endpoint.ts'
import { versions } from '../../../src/versions/index.ts'
import { testApp } from '../../support/app.ts'
import { administer, cloneDatabase, patient } from '../../support/database.ts'
import { atOnce, missing, replyOf, START } from '../../support/shop.ts'

// The endpoints as an owner at the dashboard calls them, over HTTP and with all that surrounds them. The secret key stands for the session.
const OWNER: DashboardAccount = {
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

const dashboardSlices = slices.map((slice) =>
  slice === keyRoutes ? { ...keyRoutes, endpoints: keyRoutes.endpoints.map(atTheDashboard) } : slice,
)

const connection = await cloneDatabase()
const app = await testApp({ connection, slices: dashboardSlices, versions, requestLog: 'all', trustProxy: () => true })
/** Where nobody has logged in. */
const other = await testApp({ connection })

type Key = {
  id: string
  type: string
  sandbox: boolean
  key: string | null
  last_four: string
  created: number
  last_used: number | null
}

async function openShop() {
  const { id, keys } = await app.merchant()
  const key = keys.sandbox.secret
  const call = (method: 'GET' | 'POST' | 'DELETE', path = '', body?: unknown, headers: Record<string, string> = {}) =>
    app.call(method, `/v1/keys${path}`, { key, headers, body })
  return {
    id,
    keys,
    key,
    call,
    list: async () => ((await call('GET')).body as { data: Key[] }).data,
    make: async (type: string, sandbox: boolean) => (await call('POST', '', { type, sandbox })).body as Key,
  }
}

const worksAt = async (at: typeof app, key: string) =>
  (await at.call('GET', '/v1/merchants', { key, headers: { 'x-forwarded-proto': 'https' } })).status

describe('the list of keys', () => {
  it('shows those in use of both modes, public ones in full and of secret ones the last four', async () => {
    const { keys, call, list } = await openShop()
    const { status, headers } = await call('GET')
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    const shown = (type: 'public' | 'secret', sandbox: boolean) => {
      const text = keys[sandbox ? 'sandbox' : 'live'][type]
      const [key, last_four] = [type === 'public' ? text : null, text.slice(-4)]
      return { id: expect.stringMatching(/^key_/), type, sandbox, key, last_four, created: START, last_used: null }
    }
    expect(await list()).toEqual([
      shown('public', false),
      shown('secret', false),
      shown('public', true),
      shown('secret', true),
    ])
  })
})

describe('a key that is made', () => {
  it.each([
    ['public', true, /^pk_test_[0-9A-Za-z]{40}$/],
    ['secret', true, /^sk_test_[0-9A-Za-z]{40}$/],
    ['public', false, /^pk_[0-9A-Za-z]{40}$/],
    ['secret', false, /^sk_[0-9A-Za-z]{40}$/],
  ] as const)(
    '%s, sandbox %s, is told in full by the answer and opens the shop at once',
    async (type, sandbox, form) => {
      const { call, list } = await openShop()
      const { status, body, headers } = await call('POST', '', { type, sandbox })
      const { id, key } = body as Key
      expect([status, headers['cache-control']]).toEqual([201, 'no-store'])
      expect(body).toEqual({
        ...{ id: expect.stringMatching(/^key_/), type, sandbox, key: expect.stringMatching(form) },
        ...{ last_four: key?.slice(-4), created: START, last_used: null },
      })
      expect(await worksAt(app, key ?? '')).toBe(200)
      const listed = (await list()).find((each) => each.id === id)
      expect(listed).toEqual({ ...(body as Key), key: type === 'secret' ? null : key })
    },
  )

  it('stands readable in no table, not in events, the request log or the answers that are kept, and not in our log', async () => {
    const { call, key: session } = await openShop()
    const made = await call('POST', '', { type: 'secret', sandbox: true }, { 'idempotency-key': 'twice' })
    const { id, key } = made.body as Key
    expect(made.status).toBe(201)
    const logged = () =>
      administer(connection, "select response_body from request_log where url = '/v1/keys' and method = 'POST'")
    await expect
      .poll(async () => (await logged()).rows.some((row) => String(row.response_body).includes(id)), {
        timeout: patient(5_000),
      })
      .toBe(true)
    const tables = await administer(
      connection,
      "select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')",
    )
    const holding: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await administer(
        connection,
        `select 1 from "${name}" r where position('${key?.slice(8)}' in r::text) > 0 limit 1`,
      )
      if (rows.length > 0) holding.push(name)
    }
    expect(holding).toEqual([])
    expect(app.logged.join('')).not.toContain(key?.slice(8))
    // So that a repeated request has no answer to be given again, and makes another key, which the list shows.
    const again = await call('POST', '', { type: 'secret', sandbox: true }, { 'idempotency-key': 'twice' })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, undefined])
    expect((again.body as Key).key).not.toBe(key)
    expect(await worksAt(app, session)).toBe(200)
  })
})

it('of many keys that are made at the same moment, none is above the hundred', async () => {
  const { id, call, list } = await openShop()
  for (let made = 4; made < 98; made++) await createKey(app, id, { isSecret: false, is_sandbox: true })
  const told = await atOnce(8, () => call('POST', '', { type: 'public', sandbox: true }))
  expect(told.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422, 422, 422, 422])
  const rule = 'type cannot be added: the shop has 100 keys. Revoke the keys that nobody uses.'
  expect(told.find(({ status }) => status === 422)?.body).toMatchObject({ error: { errors: { type: [rule] } } })
  expect(await list()).toHaveLength(100)
})

describe('a key that is revoked', () => {
  it('opens nothing any more, in no process, within a second, and is gone from the list', async () => {
    const { call, list, make } = await openShop()
    const { id, key } = await make('secret', true)
    expect([await worksAt(app, key ?? ''), await worksAt(other, key ?? '')]).toEqual([200, 200])
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    for (const at of [app, other])
      await expect.poll(() => worksAt(at, key ?? ''), { timeout: patient(1_000), interval: 20 }).toBe(401)
    expect((await list()).some((each) => each.id === id)).toBe(false)
    expect(await replyOf(call('DELETE', `/${id}`))).toEqual([404, missing('key')])
  })

  it('may be the last of its kind', async () => {
    const { call, list } = await openShop()
    const live = (await list()).filter(({ sandbox }) => !sandbox)
    for (const { id } of live) expect((await call('DELETE', `/${id}`)).status).toBe(204)
    expect((await list()).map(({ sandbox }) => sandbox)).toEqual([true, true])
  })
})
