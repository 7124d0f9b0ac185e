// What the tests of gift cards share: a shop to call, the whole body of a card, refusals, and a look into the ledger.

import { expect } from 'vitest'
import type { GiftCard } from '../../../src/api/gift-cards/schema.ts'
import type { Db } from '../../../src/db/db.ts'
import type { TestApp } from '../../support/app.ts'
import { rowTexts, selectRows, sql } from '../../support/rows.ts'
import {
  type Body,
  expectUnchanged,
  matching,
  missing,
  notValidField,
  openShopAt,
  price,
  replyOf,
  START,
} from '../../support/shop.ts'

export const UNKNOWN_ID = `gift_${'0'.repeat(26)}`

export type Shop = Awaited<ReturnType<typeof openShop>>

/** `app` must trust every proxy: live keys are told over "HTTPS". */
export async function openShop(app: TestApp, draft: { currency?: string } = {}) {
  const shop = await openShopAt(app, 'giftcards', draft)
  const { id, call, succeed } = shop
  return {
    ...shop,
    /** With its value in both modes, as a live key makes it. */
    create: (body: Body = {}, key = shop.keys.live.secret) =>
      succeed<GiftCard>(201, 'POST', '', { value: 50, ...body }, key),
    update: (card: string, body: unknown, key?: string) => succeed<GiftCard>(200, 'PUT', `/${card}`, body, key),
    get: (card: string, key?: string) => succeed<GiftCard>(200, 'GET', `/${card}`, undefined, key),
    remove: (card: string, key?: string) => succeed<unknown>(204, 'DELETE', `/${card}`, undefined, key),
    /** Sends what must be refused, and checks that no byte of any row changed and no event was written. */
    refused: (...request: Parameters<typeof call>) =>
      expectUnchanged(
        () => stateOf(app.db, id),
        () => replyOf(call(...request)),
      ),
  }
}

/** The card that `create()` makes when the clock stands where it began. */
export const shown = (more: Body = {}) => ({
  id: matching('gift_'),
  code: expect.stringMatching(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/),
  initial_value: price(50, '50.00'),
  balance: price(50, '50.00'),
  held: price(0, '0.00'),
  note: null,
  expires: null,
  meta: null,
  created: START,
  updated: START,
  ...more,
})

export const TAKEN = notValidField('code', 'is taken by another gift card; it must be unique, regardless of case.')

export const NOT_FOUND = [404, missing('gift card')]

/** Every row of a merchant that has to do with gift cards. */
export const stateOf = (db: Db, merchant_id: number) =>
  rowTexts(db, merchant_id, 'gift_cards', 'gift_card_balances', 'gift_card_entries', 'events')

export type Entry = { is_sandbox: boolean; amount: number; reason: string; subject_id: string | null }

/** Those of the sandbox first, each mode's in the order they were written. */
export const entriesOf = (db: Db, merchant_id: number, id: string) =>
  selectRows<Entry>(
    db,
    'is_sandbox, amount, reason, subject_id from gift_card_entries',
    { merchant_id, gift_card_id: id },
    'order by is_sandbox desc, id',
  )

const selectSums = sql<{ is_sandbox: boolean; balance: number; sum: number }>`
  select b.is_sandbox, b.balance, (
    select coalesce(sum(e.amount), 0)::bigint from gift_card_entries e
    where e.merchant_id = b.merchant_id and e.gift_card_id = b.gift_card_id and e.is_sandbox = b.is_sandbox
  ) as sum
  from gift_card_balances b where b.merchant_id = :merchant_id and b.gift_card_id = :gift_card_id
  order by b.is_sandbox desc`

/** `[sandbox, live]` in minor units; fails where the ledger does not explain a balance. */
export async function balancesOf(db: Db, merchant_id: number, id: string): Promise<number[]> {
  const rows = await db.many(selectSums, { merchant_id, gift_card_id: id })
  for (const { balance, sum } of rows) expect(sum).toBe(balance)
  return rows.map(({ balance }) => balance)
}
