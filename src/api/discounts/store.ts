// The SQL of discount records. How carts and checkouts see discounts is in applied-store.ts.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { Page } from '../../lib/page.ts'
import type { AppliedDiscountRow } from './applied-store.ts'

export type DiscountRow = AppliedDiscountRow & {
  usage_limit: number | null
  /** In the mode that was asked for. */
  used: number
  expires: number | null
  description: string | null
  meta: Record<string, unknown> | null
  created: number
  updated: number
}

/** What a discount is made of. */
export type DiscountFields = Omit<DiscountRow, 'id' | 'used' | 'created' | 'updated'>

/** Whose discounts, and in which mode their uses are counted. */
type Viewer = { readonly merchantId: number; readonly isSandbox: boolean }

// In every statement `$2` is the mode.
const ROW = `discounts.id, discounts.code, discounts.type, discounts.value, discounts.product_ids,
  discounts.usage_limit,
  coalesce((
    select uses.used
    from discount_uses uses
    where uses.merchant_id = discounts.merchant_id and uses.discount_id = discounts.id and uses.is_sandbox = $2
  ), 0) as used,
  unix_seconds(discounts.expires_at) as expires, discounts.description, discounts.meta,
  unix_seconds(discounts.created_at) as created, unix_seconds(discounts.updated_at) as updated`

const find = statement<DiscountRow>(
  'discounts.find',
  `select ${ROW} from discounts where discounts.merchant_id = $1 and discounts.id = $3`,
)

export const findDiscount = (db: Db, { merchantId, isSandbox }: Viewer, id: string) =>
  db.maybe(find, [merchantId, isSandbox, id])

/** `text`: an id, or part of a code; empty: any. `isExpired` by the moment `now`; null: both. */
export type DiscountFilter = { readonly text: string; readonly isExpired: boolean | null; readonly now: Date }

const FILTERED = `from discounts
   where discounts.merchant_id = $1
     and ($3::text = '' or discounts.id = $3 or position(lower($3 collate "C") in lower(discounts.code)) > 0)
     and ($4::boolean is null or (discounts.expires_at is not null and discounts.expires_at <= $5) = $4)`

const list = statement<{ total: number; rows: DiscountRow[] }>(
  'discounts.list',
  `select
     (select count(*) ${FILTERED}) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${ROW} ${FILTERED} order by discounts.id limit $6 offset $7
       ) page
     ), '[]') as rows`,
)

/** One page, oldest first, and the count of all that match, in one round trip. */
export const listDiscounts = (
  db: Db,
  { merchantId, isSandbox }: Viewer,
  { text, isExpired, now }: DiscountFilter,
  { limit, offset }: Page,
) => db.one(list, [merchantId, isSandbox, text, isExpired, now, limit, offset])

const insert = statement<DiscountRow>(
  'discounts.insert',
  `insert into discounts (
     merchant_id, id, code, type, value, product_ids, usage_limit, expires_at, description, meta, created_at, updated_at
   )
   values ($1, $3, $4, $5, $6, $7, $8, to_timestamp($9), $10, $11, $12, $12)
   returning ${ROW}`,
)

export const insertDiscount = (
  tx: Tx,
  { merchantId, isSandbox }: Viewer,
  id: string,
  discount: DiscountFields,
  now: Date,
) => tx.one(insert, [merchantId, isSandbox, id, ...columns(discount), now])

const lock = statement<DiscountRow>(
  'discounts.lock',
  `select ${ROW} from discounts where discounts.merchant_id = $1 and discounts.id = $3 for update`,
)

export const lockDiscount = (tx: Tx, { merchantId, isSandbox }: Viewer, id: string) =>
  tx.maybe(lock, [merchantId, isSandbox, id])

const update = statement<DiscountRow>(
  'discounts.update',
  `update discounts
   set code = $4, type = $5, value = $6, product_ids = $7, usage_limit = $8, expires_at = to_timestamp($9),
     description = $10, meta = $11, updated_at = $12
   where discounts.merchant_id = $1 and discounts.id = $3
   returning ${ROW}`,
)

export const updateDiscountRow = (
  tx: Tx,
  { merchantId, isSandbox }: Viewer,
  id: string,
  discount: DiscountFields,
  now: Date,
) => tx.one(update, [merchantId, isSandbox, id, ...columns(discount), now])

const remove = statement<DiscountRow>(
  'discounts.delete',
  `delete from discounts where discounts.merchant_id = $1 and discounts.id = $3 returning ${ROW}`,
)

export const deleteDiscountRow = (tx: Tx, { merchantId, isSandbox }: Viewer, id: string) =>
  tx.maybe(remove, [merchantId, isSandbox, id])

const columns = (discount: DiscountFields) => [
  discount.code,
  discount.type,
  discount.value,
  discount.product_ids,
  discount.usage_limit,
  discount.expires,
  discount.description,
  discount.meta === null ? null : JSON.stringify(discount.meta),
]
