// SQL of discounts: the records, their uses, which ones are usable, and fragments for the discount of a cart or a checkout. Lists are in
// list-store.ts.

import { columns } from '../../db/columns.ts'
import { addToCount } from '../../db/counts.ts'
import { type Scope, statement, type Tx } from '../../db/db.ts'
import { deleteRecord, findRecord, lockRecord } from '../../db/record-store.ts'
import { BY_KEY, keyOf, TIMES } from '../../db/records.ts'
import { type GuardedRow, guardedLookupSql } from '../../limits/store.ts'

/** The fields of a discount that carts, checkouts and captures need. */
export type AppliedDiscountRow = {
  id: string
  code: string
  type: 'percentage' | 'fixed'
  /** fixed: minor units. percentage: ten-thousandths of a percent, 12.5 % is 125000. */
  value: number
  /** Empty for every product. */
  product_ids: string[]
}

export type DiscountRow = AppliedDiscountRow & {
  usage_limit: number | null
  /** Uses in the requested mode. */
  used: number
  expires: number | null
  description: string | null
  meta: Record<string, unknown> | null
  created: number
  updated: number
}

/** Columns that a merchant sets. */
export type DiscountColumns = Omit<DiscountRow, 'id' | 'used' | 'created' | 'updated'>

const COLUMNS = columns<Exclude<keyof DiscountColumns, 'expires'>>(
  ['code', 'type', 'value', 'product_ids', 'usage_limit', 'description', 'meta'],
  ['meta'],
)

/** The row without its uses, which are in another table. Returned by changes. */
const OWN = `id, ${COLUMNS.names}, unix_seconds(expires_at) as expires, ${TIMES}`

// The modes share discounts, but count uses separately.
export const DISCOUNT_ROW = `${OWN},
  coalesce((
    select uses.used
    from discount_uses uses
    where uses.merchant_id = :merchant_id and uses.discount_id = discounts.id and uses.is_sandbox = :is_sandbox
  ), 0) as used`

export const findDiscount = findRecord<DiscountRow, Scope>('discounts.find', 'discounts', DISCOUNT_ROW)

const insert = statement<DiscountRow>(
  'discounts.insert',
  `insert into discounts (merchant_id, id, ${COLUMNS.names}, expires_at, created_at, updated_at)
   values (:merchant_id, :id, ${COLUMNS.parameters}, to_timestamp(:expires), :now, :now)
   returning ${OWN}, 0 as used`,
)

export async function insertDiscount(tx: Tx, scope: Scope, id: string, discount: DiscountColumns, now: Date) {
  const row = await tx.one(insert, valuesOf(scope, id, discount, now))
  tx.withCommit(addToUsable, keyOf(scope, id))
  addToCount(tx, scope, 'discounts', 1)
  return row
}

export const lockDiscount = lockRecord<DiscountRow, Scope>('discounts.lock', 'discounts', DISCOUNT_ROW)

const update = statement<Omit<DiscountRow, 'used'>>(
  'discounts.update',
  `update discounts
   set ${COLUMNS.assignments}, expires_at = to_timestamp(:expires), updated_at = :now
   where ${BY_KEY}
   returning ${OWN}`,
)

/** Updates a locked discount. The argument is the row as read with the lock. */
export const updateDiscountRow = async (
  tx: Tx,
  scope: Scope,
  { id, used }: DiscountRow,
  discount: DiscountColumns,
  now: Date,
): Promise<DiscountRow> => {
  const row = await tx.one(update, valuesOf(scope, id, discount, now))
  tx.withCommit(removeFromUsable, { ...keyOf(scope, id), modes: [false, true] })
  tx.withCommit(addToUsable, keyOf(scope, id))
  return { ...row, used }
}

const valuesOf = (scope: Scope, id: string, discount: DiscountColumns, now: Date) => ({
  ...scope,
  id,
  ...COLUMNS.values(discount),
  expires: discount.expires,
  now,
})

export const deleteDiscountRow = deleteRecord('discounts.delete', 'discounts')

// The table usable_discounts has a row per mode and product of each code that is not used up. Writers hold the lock of the discount and use
// a later statement, which sees the rows of earlier holders.

const addToUsable = statement(
  'discounts.offer',
  `insert into usable_discounts (merchant_id, is_sandbox, for_product, expires_at, discount_id)
   select discount.merchant_id, mode.is_sandbox, product.id, coalesce(discount.expires_at, 'infinity'), discount.id
   from discounts discount
   cross join (values (false), (true)) mode (is_sandbox)
   cross join lateral unnest(case when discount.product_ids = '{}' then array[''] else discount.product_ids end) product (id)
   where discount.merchant_id = :merchant_id and discount.id = :id
     and (discount.usage_limit is null or discount.usage_limit > coalesce((
       select uses.used
       from discount_uses uses
       where uses.merchant_id = :merchant_id and uses.discount_id = discount.id and uses.is_sandbox = mode.is_sandbox
     ), 0))
   on conflict do nothing`,
)

const removeFromUsable = statement(
  'discounts.withdraw',
  `delete from usable_discounts
   where merchant_id = :merchant_id and discount_id = :id and is_sandbox = any(:modes::boolean[])`,
)

/** SQL condition that some code is usable at `:now` for one of the products. `productIds` is SQL for an array of ids. */
export const hasUsableDiscount = (productIds: string) => `exists (
       select 1
       from unnest(array_append(${productIds}::text[], '')) as bought (id)
       cross join lateral (
         select 1
         from usable_discounts usable
         where usable.merchant_id = :merchant_id and usable.is_sandbox = :is_sandbox
           and usable.for_product = bought.id and usable.expires_at > :now
         limit 1
       ) found
     )`

/** The uses after the change, and the limit of the code. */
type UsesRow = { used: number; limit: number | null }

// The lock gives the newest limit. The update itself contains the condition, so that concurrent captures each see the uses counted before.
const LOCKED_DISCOUNT = `held as materialized (
     select usage_limit, expires_at
     from discounts
     where merchant_id = :merchant_id and id = :discount_id
     for no key update
   )`

const countUse = statement<UsesRow>(
  'discounts.count_use',
  `with ${LOCKED_DISCOUNT}
   update discount_uses uses
   set used = uses.used + 1
   from held
   where uses.merchant_id = :merchant_id and uses.discount_id = :discount_id and uses.is_sandbox = :is_sandbox
     and (held.expires_at is null or held.expires_at > :now)
     and (held.usage_limit is null or uses.used < held.usage_limit)
   returning uses.used, held.usage_limit as limit`,
)

const openUses = statement(
  'discounts.open_uses',
  `insert into discount_uses (merchant_id, discount_id, is_sandbox, used)
   select discount.merchant_id, discount.id, :is_sandbox, 0
   from discounts discount
   where discount.merchant_id = :merchant_id and discount.id = :discount_id
   on conflict (merchant_id, discount_id, is_sandbox) do nothing`,
)

/** Counts a use by a capture. False, without counting, if the discount is used up, expired or deleted. */
export async function countDiscountUse(tx: Tx, scope: Scope, discountId: string, now: Date): Promise<boolean> {
  const values = { ...scope, discount_id: discountId, now }
  let uses = await tx.maybe(countUse, values)
  if (uses === null) {
    // The first use inserts the row that later uses update. Of two concurrent first uses, one waits here and counts after the other.
    await tx.run(openUses, values)
    uses = await tx.maybe(countUse, values)
  }
  if (uses === null) return false
  if (uses.limit !== null && uses.used >= uses.limit)
    tx.withCommit(removeFromUsable, { ...keyOf(scope, discountId), modes: [scope.is_sandbox] })
  return true
}

const uncountUse = statement<UsesRow>(
  'discounts.uncount_use',
  `with ${LOCKED_DISCOUNT}
   update discount_uses uses
   set used = uses.used - 1
   from held
   where uses.merchant_id = :merchant_id and uses.discount_id = :discount_id and uses.is_sandbox = :is_sandbox and uses.used > 0
   returning uses.used, held.usage_limit as limit`,
)

/** Undoes a use. Does nothing if the discount was deleted meanwhile. */
export async function uncountDiscountUse(tx: Tx, scope: Scope, discountId: string): Promise<void> {
  const uses = await tx.maybe(uncountUse, { ...scope, discount_id: discountId })
  if (uses !== null && uses.limit !== null && uses.used < uses.limit)
    tx.withCommit(addToUsable, keyOf(scope, discountId))
}

/** An AppliedDiscountRow as JSON, from the discounts row named `alias`. */
export const APPLIED_DISCOUNT_JSON = (alias: string) =>
  `json_build_object('id', ${alias}.id, 'code', ${alias}.code, 'type', ${alias}.type, 'value', ${alias}.value,
     'product_ids', ${alias}.product_ids)`

type UsableSql = { readonly now: string; readonly is_sandbox: string; readonly without?: string }

/**
 * Condition that the discounts row named `alias` has neither expired nor been used up. The arguments are SQL, such as `:now`. `without` is
 * the number of uses about to be returned.
 */
export const usableDiscount = (alias: string, { now, is_sandbox, without }: UsableSql) =>
  `(${alias}.expires_at is null or ${alias}.expires_at > ${now})
     and (${alias}.usage_limit is null or ${alias}.usage_limit > coalesce((
       select uses.used${without === undefined ? '' : ` - ${without}`}
       from discount_uses uses
       where uses.merchant_id = :merchant_id and uses.discount_id = ${alias}.id and uses.is_sandbox = ${is_sandbox}
     ), 0))`

/** The input of price(). */
export const toDiscountInput = ({ type, value, product_ids }: AppliedDiscountRow) => ({
  type,
  value,
  productIds: product_ids,
})

// Lower case with the collation "C", as in the index. A Turkish database would turn `lower('I')` into another letter.
const USABLE_BY_CODE = `select discount.id, discount.code, discount.type, discount.value, discount.product_ids
   from discounts discount
   where discount.merchant_id = :merchant_id and lower(discount.code) = lower(:code::text collate "C")
     and ${usableDiscount('discount', { now: ':now', is_sandbox: ':is_sandbox' })}`

/** Finds a usable discount by its code, in any case, within the limits on guessing. For `tryCode`. */
export const guessUsableDiscount = statement<GuardedRow<AppliedDiscountRow>>(
  'discounts.guess_usable',
  guardedLookupSql(USABLE_BY_CODE),
)
