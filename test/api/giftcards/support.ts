// What the tests of gift cards share: a shop to call, the whole body of a card, refusals, and a look into the ledger.

import { expect } from 'vitest'
import type { GiftCard } from '../../../src/api/gift-cards/schema.ts'
import { type Db, statement } from '../../../src/db/db.ts'
import type { Answer, TestApp } from '../../support/app.ts'

/** Where the tests' clock stands at first: 2026-01-02T03:04:05Z. */
export const START = 1_767_323_045

export const UNKNOWN_ID = `gift_${'0'.repeat(26)}`

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Shop = Awaited<ReturnType<typeof openShop>>

/** `app` must trust every proxy: live keys are told over "HTTPS". */
export async function openShop(app: TestApp, draft: { currency?: string } = {}) {
  const { id, keys } = await app.merchant(draft)
  const call = (method: Method, path: string, body?: unknown, key = keys.sandbox.secret): Promise<Answer> =>
    app.call(method, `/v1/giftcards${path}`, {
      key,
      headers: { 'x-forwarded-proto': key.includes('_test_') ? 'http' : 'https' },
      ...(body === undefined ? {} : { body }),
    })
  const succeed = async (status: number, ...request: Parameters<typeof call>) => {
    const answer = await call(...request)
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    return answer.body as GiftCard
  }
  return {
    id,
    keys,
    call,
    create: (body: Record<string, unknown> = {}) => succeed(201, 'POST', '', { value: 50, ...body }),
    update: (card: string, body: unknown, key?: string) => succeed(200, 'PUT', `/${card}`, body, key),
    get: (card: string, key?: string) => succeed(200, 'GET', `/${card}`, undefined, key),
    remove: (card: string, key?: string) => succeed(204, 'DELETE', `/${card}`, undefined, key),
    /** Sends what must be refused, and checks that no byte of any row changed and no event was written. */
    refused: async (...request: Parameters<typeof call>) => {
      const before = await stateOf(app.db, id)
      const answer = await call(...request)
      expect(await stateOf(app.db, id)).toEqual(before)
      return [answer.status, answer.body]
    },
  }
}

export const usd = (raw: number, formatted: string) => ({
  raw,
  formatted,
  formatted_with_symbol: `$${formatted}`,
  formatted_with_code: `${formatted} USD`,
})

/** The card that `create()` makes when the clock stands where it began. */
export const shown = (more: Record<string, unknown> = {}) => ({
  id: expect.stringMatching(/^gift_[0-9A-Za-z]{26}$/),
  code: expect.stringMatching(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/),
  initial_value: usd(50, '50.00'),
  balance: usd(50, '50.00'),
  held: usd(0, '0.00'),
  note: null,
  expires: null,
  meta: null,
  created: START,
  updated: START,
  ...more,
})

/** The whole answer of a refusal that names one field. */
const refusal = (type: string, field: string, rule: string) => {
  const sentence = `${field} ${rule}`
  return [422, { error: { type, message: sentence, errors: { [field]: [sentence] } }, status_code: 422 }]
}

export const malformed = (field: string, rule: string) => refusal('unprocessable_entity', field, rule)

export const TAKEN = refusal(
  'not_valid',
  'code',
  'is taken by another gift card; in upper or lower case it must be unique.',
)

export const NOT_FOUND = [
  404,
  { error: { type: 'not_found', message: 'There is no gift card with that id.' }, status_code: 404 },
]

const selectState = statement<{ row: string }>(
  'test.gift_card_state',
  `select c::text as row from gift_cards c where merchant_id = $1
   union all select b::text from gift_card_balances b where merchant_id = $1
   union all select e::text from gift_card_entries e where merchant_id = $1
   union all select v::text from events v where merchant_id = $1
   order by row`,
)

/** Every row of a merchant that has to do with gift cards, as PostgreSQL's own text. */
export const stateOf = (db: Db, merchantId: number) => db.many(selectState, [merchantId])

export type Entry = { is_sandbox: boolean; amount: number; reason: string; subject_id: string | null }

const selectEntries = statement<Entry>(
  'test.gift_card_entries',
  `select is_sandbox, amount, reason, subject_id from gift_card_entries
   where merchant_id = $1 and gift_card_id = $2
   order by is_sandbox desc, id`,
)

/** Those of the sandbox first, each mode's in the order they were written. */
export const entriesOf = (db: Db, merchantId: number, id: string) => db.many(selectEntries, [merchantId, id])

const selectSums = statement<{ is_sandbox: boolean; balance: number; sum: number }>(
  'test.gift_card_sums',
  `select b.is_sandbox, b.balance, (
     select coalesce(sum(e.amount), 0)::bigint from gift_card_entries e
     where e.merchant_id = b.merchant_id and e.gift_card_id = b.gift_card_id and e.is_sandbox = b.is_sandbox
   ) as sum
   from gift_card_balances b where b.merchant_id = $1 and b.gift_card_id = $2
   order by b.is_sandbox desc`,
)

/** `[sandbox, live]` in minor units; fails where the ledger does not explain a balance. */
export async function balancesOf(db: Db, merchantId: number, id: string): Promise<number[]> {
  const rows = await db.many(selectSums, [merchantId, id])
  for (const { balance, sum } of rows) expect(sum).toBe(balance)
  return rows.map(({ balance }) => balance)
}

type StoredEvent = { name: string; kind: string; sandbox: boolean | null; payload: unknown; response_code: number }

const selectEvents = statement<StoredEvent>(
  'test.gift_card_events',
  `select name, kind, sandbox, payload, response_code from events where merchant_id = $1 order by created_at, id`,
)

export const eventsOf = (db: Db, merchantId: number) => db.many(selectEvents, [merchantId])
