// The SQL of discount records. How carts and checkouts see discounts is in applied-store.ts.

import { type Database, type Db, statement, type Tx } from '../../db/db.ts'
import type { Page } from '../../lib/page.ts'
import { type Guarded, type Guess, guarded, guess } from '../../limits/guesses.ts'

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

// The SQL that counts how often a discount is used. A use is counted here and nowhere else, by the capture that holds it.

type Use = { readonly merchantId: number; readonly isSandbox: boolean; readonly discountId: string }

// The condition stands in the upsert itself: of a hundred captures at once, each sees the uses that the one before has counted.
const count = statement(
  'discounts.count_use',
  `insert into discount_uses as uses (merchant_id, discount_id, is_sandbox, used)
   select discount.merchant_id, discount.id, $3, 1
   from discounts discount
   where discount.merchant_id = $1 and discount.id = $2 and (discount.expires_at is null or discount.expires_at > $4)
   on conflict (merchant_id, discount_id, is_sandbox) do update
   set used = uses.used + 1
   where uses.used < (
     select coalesce(discount.usage_limit, uses.used + 1)
     from discounts discount
     where discount.merchant_id = $1 and discount.id = $2
   )`,
)

/** False, and nothing is counted, when the discount is used up, has expired or is gone. */
export const countDiscountUse = async (tx: Tx, { merchantId, isSandbox, discountId }: Use, now: Date) =>
  (await tx.run(count, [merchantId, discountId, isSandbox, now])) === 1

const uncount = statement(
  'discounts.uncount_use',
  `update discount_uses
   set used = used - 1
   where merchant_id = $1 and discount_id = $2 and is_sandbox = $3 and used > 0`,
)

/** Gives a use back. Nothing happens when the discount has been deleted meanwhile. */
export const uncountDiscountUse = (tx: Tx, { merchantId, isSandbox, discountId }: Use) =>
  tx.run(uncount, [merchantId, discountId, isSandbox])

// The SQL by which carts, checkouts and captures know discounts: a code that can be used now, alone or as part of their reads.

export type AppliedDiscountRow = {
  id: string
  code: string
  type: 'percentage' | 'fixed'
  /** fixed: minor units. percentage: ten-thousandths of a percent, 12.5 % is 125000. */
  value: number
  /** Empty: every product. */
  product_ids: string[]
}

/** An AppliedDiscountRow as JSON, of the discounts row that is called `alias`. */
export const APPLIED_DISCOUNT_JSON = (alias: string) =>
  `json_build_object('id', ${alias}.id, 'code', ${alias}.code, 'type', ${alias}.type, 'value', ${alias}.value,
     'product_ids', ${alias}.product_ids)`

type UsableSql = { readonly now: string; readonly isSandbox: string; readonly without?: string }

/**
 * The condition that the discounts row called `alias` has neither expired nor been used up. `now` and `isSandbox` are SQL: `$3`; so is
 * `without`, the number of uses that are about to be given back.
 */
export const usableDiscount = (alias: string, { now, isSandbox, without }: UsableSql) =>
  `(${alias}.expires_at is null or ${alias}.expires_at > ${now})
     and (${alias}.usage_limit is null or ${alias}.usage_limit > coalesce((
       select uses.used${without === undefined ? '' : ` - ${without}`}
       from discount_uses uses
       where uses.merchant_id = ${alias}.merchant_id and uses.discount_id = ${alias}.id and uses.is_sandbox = ${isSandbox}
     ), 0))`

/** What price() takes. */
export const discountInput = ({ type, value, product_ids }: AppliedDiscountRow) => ({
  type,
  value,
  productIds: product_ids,
})

type Wanted = { readonly merchantId: number; readonly isSandbox: boolean; readonly code: string; readonly now: Date }

// Lower case by the rules of "C", as in the index: in a Turkish database `lower('I')` would be another letter.
const usableByCode = (code: string, now: string, isSandbox: string) =>
  `select discount.id, discount.code, discount.type, discount.value, discount.product_ids
   from discounts discount
   where discount.merchant_id = $1 and lower(discount.code) = lower(${code}::text collate "C")
     and ${usableDiscount('discount', { now, isSandbox })}`

const guessUsable = statement<Guarded<AppliedDiscountRow>>(
  'discounts.guess_usable',
  guarded(usableByCode('$5', '$3', '$6')),
)

/**
 * By its code in any case. What a shopper enters may be a guess: a failure counts against the subjects, and too many are a
 * `tooManyRequests`.
 */
export const guessDiscount = (
  db: Database,
  { merchantId, isSandbox, code, now, subjects }: Wanted & Pick<Guess, 'subjects'>,
): Promise<AppliedDiscountRow | null> => guess(db, guessUsable, { merchantId, subjects, now }, [code.trim(), isSandbox])
