// The SQL by which carts, checkouts and captures know discounts: a code that can be used now, alone or as part of their reads.

import { type Guarded, type Guess, guarded, guess } from '../../db/attempts.ts'
import { type Database, statement } from '../../db/db.ts'

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
