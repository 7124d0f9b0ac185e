// What the tests of discounts share: a shop to call, the whole body of a discount, refusals, and a look into the tables.

import { expect } from 'vitest'
import type { Discount } from '../../../src/api/discounts/schema.ts'
import { type Db, statement } from '../../../src/db/db.ts'
import type { Answer, TestApp } from '../../support/app.ts'

/** Where the tests' clock stands at first: 2026-01-02T03:04:05Z. */
export const START = 1_767_323_045

export const UNKNOWN_ID = `code_${'0'.repeat(26)}`

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export async function openShop(app: TestApp, draft: { currency?: string } = {}) {
  const { id, keys } = await app.merchant(draft)
  const call = (method: Method, path: string, body?: unknown, key = keys.sandbox.secret): Promise<Answer> =>
    app.call(method, `/v1/${path}`, {
      key,
      headers: { 'x-forwarded-proto': key.includes('_test_') ? 'http' : 'https' },
      ...(body === undefined ? {} : { body }),
    })
  const succeed = async (status: number, ...request: Parameters<typeof call>) => {
    const answer = await call(...request)
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    return answer.body
  }
  return {
    id,
    keys,
    call,
    product: async (name: string) => ((await succeed(201, 'POST', 'products', { name, price: 10 })) as Discount).id,
    create: async (body: Record<string, unknown> = {}) =>
      (await succeed(201, 'POST', 'discounts', { type: 'percentage', value: 10, ...body })) as Discount,
    update: async (id: string, body: unknown) => (await succeed(200, 'PUT', `discounts/${id}`, body)) as Discount,
    get: async (id: string, key?: string) => (await succeed(200, 'GET', `discounts/${id}`, undefined, key)) as Discount,
    /** Sends what must be refused, and checks that no byte of any row changed and no event was written. */
    refused: async (...request: Parameters<typeof call>) => {
      const before = await stateOf(app.db, id)
      const answer = await call(...request)
      expect(await stateOf(app.db, id)).toEqual(before)
      return [answer.status, answer.body]
    },
  }
}

export const shown = (more: Record<string, unknown> = {}) => ({
  id: expect.stringMatching(/^code_[0-9A-Za-z]{26}$/),
  code: 'SUMMER',
  type: 'percentage',
  value: 10,
  product_ids: [],
  limit: null,
  used: 0,
  expires: null,
  description: null,
  meta: null,
  created: START,
  updated: START,
  ...more,
})

/** The whole body of a refusal that names one field. */
export const refusal = (type: 'unprocessable_entity' | 'not_valid', field: string, sentence: string) => [
  422,
  { error: { type, message: sentence, errors: { [field]: [sentence] } }, status_code: 422 },
]

export const malformed = (field: string, rule: string) => refusal('unprocessable_entity', field, `${field} ${rule}`)
export const notValid = (field: string, rule: string) => refusal('not_valid', field, `${field} ${rule}`)

export const TAKEN = notValid('code', 'is taken by another discount; in upper or lower case it must be unique.')

export const PERCENTAGE_RULE =
  'must be a percentage above 0 and at most 100, with up to 4 decimals: a number or a decimal string such as 12.5.'

const selectRows = statement<{ row: string }>(
  'test.discount_rows',
  'select d::text as row from discounts d where merchant_id = $1 order by id',
)

const selectEvents = statement<{ name: string; kind: string; sandbox: null; payload: unknown; response_code: number }>(
  'test.discount_events',
  `select name, kind, sandbox, payload, response_code from events
   where merchant_id = $1 and kind = 'discount' order by created_at, id`,
)

export const eventsOf = (db: Db, merchantId: number) => db.many(selectEvents, [merchantId])

const stateOf = async (db: Db, merchantId: number) => [
  await db.many(selectRows, [merchantId]),
  await eventsOf(db, merchantId),
]

const setUses = statement(
  'test.set_discount_uses',
  `insert into discount_uses (merchant_id, discount_id, is_sandbox, used) values ($1, $2, $3, $4)
   on conflict (merchant_id, discount_id, is_sandbox) do update set used = excluded.used`,
)

/** As captures of this mode would have. */
export const use = (db: Db, merchantId: number, id: string, isSandbox: boolean, used: number) =>
  db.run(setUses, [merchantId, id, isSandbox, used])
