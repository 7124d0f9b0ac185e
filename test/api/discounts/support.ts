// What the tests of discounts share: a shop to call, the whole body of a discount, refusals, and a look into the tables.

import type { Discount } from '../../../src/api/discounts/schema.ts'
import type { Db } from '../../../src/db/db.ts'
import type { TestApp } from '../../support/app.ts'
import { rowTexts, sql } from '../../support/rows.ts'
import {
  type Body,
  eventsOf as eventsOfShop,
  expectUnchanged,
  matching,
  notValidField,
  openShopAt,
  replyOf,
  START,
} from '../../support/shop.ts'

export const UNKNOWN_ID = `code_${'0'.repeat(26)}`

export async function openShop(app: TestApp, draft: { currency?: string } = {}) {
  const shop = await openShopAt(app, '', draft)
  const { id, call, succeed } = shop
  return {
    ...shop,
    product: async (name: string) => (await succeed<Discount>(201, 'POST', 'products', { name, price: 10 })).id,
    create: (body: Body = {}) =>
      succeed<Discount>(201, 'POST', 'discounts', { type: 'percentage', value: 10, ...body }),
    update: (id: string, body: unknown) => succeed<Discount>(200, 'PUT', `discounts/${id}`, body),
    get: (id: string, key?: string) => succeed<Discount>(200, 'GET', `discounts/${id}`, undefined, key),
    /** Sends what must be refused, and checks that no byte of any row changed and no event was written. */
    refused: (...request: Parameters<typeof call>) =>
      expectUnchanged(
        () => stateOf(app.db, id),
        () => replyOf(call(...request)),
      ),
  }
}

export const shown = (more: Body = {}) => ({
  id: matching('code_'),
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

export const TAKEN = notValidField('code', 'is taken by another discount; it must be unique, regardless of case.')

export const PERCENTAGE_RULE =
  'must be a percentage above 0 and at most 100, with up to 4 decimals: a number or a decimal string such as 12.5.'

export const eventsOf = (db: Db, merchant_id: number) => eventsOfShop(db, merchant_id, 'discount')

const stateOf = async (db: Db, merchant_id: number) => [
  await rowTexts(db, merchant_id, 'discounts'),
  await eventsOf(db, merchant_id),
]

const setUses = sql`
  insert into discount_uses (merchant_id, discount_id, is_sandbox, used) values (:merchant_id, :discount_id, :is_sandbox, :used)
  on conflict (merchant_id, discount_id, is_sandbox) do update set used = excluded.used`

/** As captures of this mode would have. */
export const use = (db: Db, merchant_id: number, id: string, is_sandbox: boolean, used: number) =>
  db.run(setUses, { merchant_id, discount_id: id, is_sandbox, used })
