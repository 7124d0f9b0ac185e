// What the tests of attributes share: bodies to begin with, the form of refusals, a look into the tables, and the rules
// about keys that every endpoint of this resource keeps.

import { expect, it } from 'vitest'
import type { Attribute } from '../../../src/api/attributes/schema.ts'
import { newKey, type OpenedMerchant } from '../../../src/api/merchants/merchant.ts'
import { type Db, statement } from '../../../src/db/db.ts'
import type { Answer, CallOptions, TestApp } from '../../support/app.ts'
import { FORBIDDEN, type Keys, type Method, missing, NO_ROUTE, START, unauthorized } from '../../support/shop.ts'

export const TYPES = ['short_text', 'long_text', 'options', 'number', 'checkbox', 'date', 'radio'] as const
export const ENUM_SENTENCE = `type must be one of ${TYPES.join(', ')}.`

export const ATTRIBUTE_ID = /^attr_[0-9A-Za-z]{26}$/
export const OPTION_ID = /^atop_[0-9A-Za-z]{26}$/

export const UNKNOWN_ID = `attr_${'0'.repeat(26)}`

/** The least a new attribute must have. */
export const draft = (more: Record<string, unknown> = {}) => ({
  name: 'Material',
  description: 'What it is made of.',
  type: 'short_text',
  ...more,
})

/** The attribute that `draft()` becomes. */
export const shown = (more: Record<string, unknown> = {}) => ({
  id: expect.stringMatching(ATTRIBUTE_ID),
  name: 'Material',
  description: 'What it is made of.',
  type: 'short_text',
  required: false,
  is_public: true,
  is_multiselect: false,
  default_value: null,
  meta: null,
  created: START,
  updated: START,
  options: [],
  ...more,
})

export async function create(app: TestApp, key: string, more: Record<string, unknown> = {}): Promise<Attribute> {
  const answer = await app.call('POST', '/v1/attributes', { key, body: draft(more) })
  expect(answer, answer.text).toMatchObject({ status: 201 })
  return answer.body as Attribute
}

export const NOT_FOUND = missing('attribute')

/** Ids that no attribute has, as they stand in a path. */
export const MALFORMED_IDS = [
  '0',
  '-1',
  'null',
  'attr_',
  'ATTR_00000000000000000000000000',
  `prod_${'0'.repeat(26)}`,
  `attr_${'0'.repeat(27)}`,
  'attr_%F0%9F%98%80',
  'attr_%E2%80%AE',
  "attr_'%20or%201=1--",
  '%25',
  '..%2Fattributes',
  '%20',
  'x'.repeat(100),
]

const selectRows = statement<{ row: string }>(
  'test.attribute_rows',
  'select a::text as row from attributes a where merchant_id = :merchant_id order by id',
)

/** Every attribute of a merchant as PostgreSQL's own text: equal texts mean that no byte was changed. */
export const rowsOf = async (db: Db, merchantId: number): Promise<string[]> =>
  (await db.many(selectRows, { merchant_id: merchantId })).map(({ row }) => row)

export type StoredEvent = {
  id: string
  name: string
  kind: string
  sandbox: boolean | null
  payload: Attribute
  response_code: number
  created_at: Date
}

const selectEvents = statement<StoredEvent>(
  'test.attribute_events',
  `select id, name, kind, sandbox, payload, response_code, created_at
   from events where merchant_id = :merchant_id order by created_at, id`,
)

export const eventsOf = (db: Db, merchantId: number) => db.many(selectEvents, { merchant_id: merchantId })

const shops = new WeakMap<TestApp, Promise<OpenedMerchant>>()

/** One merchant for the tests that need none of their own: opening one hashes a password, which takes a while. */
export function shopOf(app: TestApp): Promise<OpenedMerchant> {
  const shop = shops.get(app) ?? app.merchant()
  shops.set(app, shop)
  return shop
}

type Request = { method: Method; url: string; body?: unknown }

/** Registers the tests that hold for every endpoint that needs the secret key. A refusal leaves the tables alone. */
export function itNeedsTheSecretKey(app: TestApp, request: (id: string) => Request) {
  async function attempt(keyOf: (keys: Keys) => string | undefined) {
    const { id: merchantId, keys } = await shopOf(app)
    const attribute = await create(app, keys.sandbox.secret)
    const before = { rows: await rowsOf(app.db, merchantId), events: await eventsOf(app.db, merchantId) }
    const { method, url, body } = request(attribute.id)
    const key = keyOf(keys)
    const options: CallOptions = { ...(key === undefined ? {} : { key }), ...(body === undefined ? {} : { body }) }
    const answer = await app.call(method, url, options)
    expect({ rows: await rowsOf(app.db, merchantId), events: await eventsOf(app.db, merchantId) }).toEqual(before)
    return answer
  }

  const isRefused = (answer: Answer, message: string) => {
    expect(answer.body).toEqual(unauthorized(message))
    expect(answer.status).toBe(401)
  }

  it('refuses a request without a key', async () => {
    isRefused(await attempt(() => undefined), 'Send your API key in the X-Authorization header.')
  })

  it('refuses a key that nobody has', async () => {
    const { text } = newKey({ isSecret: true, isSandbox: true })
    isRefused(await attempt(() => text), 'This API key is not valid. It may have been mistyped or revoked.')
  })

  it('refuses a key that is not written like one', async () => {
    const message = 'This API key is not valid. It may have been mistyped or revoked.'
    isRefused(await attempt(({ sandbox }) => `${sandbox.secret}0`), message)
    isRefused(await attempt(({ sandbox }) => sandbox.secret.toUpperCase()), message)
  })

  it('refuses the live secret key over plain HTTP', async () => {
    isRefused(
      await attempt(({ live }) => live.secret),
      'Live keys work over HTTPS only. Use HTTPS, or a sandbox key (pk_test_…, sk_test_…).',
    )
  })

  it('forbids the public key', async () => {
    const answer = await attempt(({ sandbox }) => sandbox.public)
    expect(answer.body).toEqual(FORBIDDEN)
    expect(answer.status).toBe(403)
  })
}

/** Registers the tests that hold for every endpoint with an id in its path. */
export function itFindsNoOther(app: TestApp, request: (id: string) => Request) {
  it("answers another merchant's attribute with the bytes of an unknown id, and leaves it alone", async () => {
    const mine = await app.merchant()
    const other = await app.merchant()
    const foreign = await create(app, other.keys.sandbox.secret)
    const before = { rows: await rowsOf(app.db, other.id), events: await eventsOf(app.db, other.id) }
    const ask = (id: string) => {
      const { method, url, body } = request(id)
      return app.call(method, url, { key: mine.keys.sandbox.secret, ...(body === undefined ? {} : { body }) })
    }
    const answer = await ask(foreign.id)
    expect(answer.body).toEqual(NOT_FOUND)
    expect(answer.status).toBe(404)
    expect(answer.text).toBe((await ask(UNKNOWN_ID)).text)
    expect({ rows: await rowsOf(app.db, other.id), events: await eventsOf(app.db, other.id) }).toEqual(before)
    expect(await eventsOf(app.db, mine.id)).toEqual([])
  })

  it('finds nothing under an id that is not written like one', async () => {
    const { keys } = await shopOf(app)
    for (const id of MALFORMED_IDS) {
      const { method, url, body } = request(id)
      const answer = await app.call(method, url, { key: keys.sandbox.secret, ...(body === undefined ? {} : { body }) })
      expect([id, answer.status, answer.body]).toEqual([id, 404, NOT_FOUND])
    }
  })

  it('finds nothing under an id longer than any, or with U+0000 in it', async () => {
    const { keys } = await shopOf(app)
    for (const id of ['x'.repeat(2_000), 'attr_%00']) {
      const { method, url, body } = request(id)
      const answer = await app.call(method, url, { key: keys.sandbox.secret, ...(body === undefined ? {} : { body }) })
      expect([answer.status, answer.body]).toEqual([404, NO_ROUTE])
    }
  })
}
