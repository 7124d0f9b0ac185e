// The SQL that keeps what the shopper, or an integration, has chosen for a checkout token. Each statement is one conditional
// change: it touches nothing when the token does not exist in this mode, has expired or has been bought, and tells so.

import { type Db, statement } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'
import type { AdjustmentRow, ExternalMethodRow, ExternalTaxRow } from './read-store.ts'

// Which checkout token a statement is about: the values that name it, and the conditions that it is alive and may still be changed.

/** Which token, and the moment by which it must not have expired. */
export type TokenAt = {
  readonly merchantId: number
  readonly isSandbox: boolean
  readonly id: string
  readonly now: Date
}

/** $1 to $4 of every statement that is about a token. */
export const tokenValues = ({ merchantId, isSandbox, id, now }: TokenAt) => [merchantId, isSandbox, id, now]

/** The condition on the checkouts row. */
export const ALIVE = 'merchant_id = $1 and id = $3 and is_sandbox = $2 and expires_at > $4'

/** Whether it has been bought. What is shown of the checkout must then stay what was paid for. */
export const HAS_ORDER = 'exists (select from orders placed where placed.merchant_id = $1 and placed.checkout_id = $3)'

/** The condition on the checkouts row under which a choice may be saved. */
export const CHANGEABLE = `${ALIVE} and not ${HAS_ORDER}`

const saved = async (changed: Promise<number>): Promise<boolean> => (await changed) === 1

const setShipping = statement(
  'checkouts.set_shipping',
  `update checkouts
   set shipping_country = $5, shipping_region = $6, shipping_method_id = $7, updated_at = $4
   where ${CHANGEABLE}`,
)

/**
 * Where it goes and by which method, null for none yet. `region` as `normalizeRegion` gives it: null when the address names none that
 * is known, undefined while only the country has been chosen.
 */
export const saveShipping = (
  db: Db,
  token: TokenAt,
  choice: { country: string | null; region: string | null | undefined; methodId: string | null },
) =>
  saved(
    db.run(setShipping, [
      ...tokenValues(token),
      choice.country,
      choice.region === null ? '' : (choice.region ?? null),
      choice.methodId,
    ]),
  )

const setTaxZone = statement(
  'checkouts.set_tax_zone',
  `update checkouts
   set tax_country = $5, tax_region = $6, tax_postal_code = $7, tax_ip_address = $8, updated_at = $4
   where ${CHANGEABLE}`,
)

export type TaxPlaceChoice = {
  country: string | null
  region: string | null
  postalCode: string | null
  ipAddress: string | null
}

export const saveTaxZone = (db: Db, token: TokenAt, { country, region, postalCode, ipAddress }: TaxPlaceChoice) =>
  saved(db.run(setTaxZone, [...tokenValues(token), country, region, postalCode, ipAddress]))

const setDiscount = statement(
  'checkouts.set_discount',
  `update checkouts set discount_id = $5, updated_at = $4 where ${CHANGEABLE}`,
)

/** Null takes the discount away. */
export const saveDiscount = (db: Db, token: TokenAt, discountId: string | null) =>
  saved(db.run(setDiscount, [...tokenValues(token), discountId]))

const setGiftCard = statement(
  'checkouts.set_gift_card',
  `update checkouts set gift_card_id = $5, updated_at = $4 where ${CHANGEABLE}`,
)

/** Null takes the gift card away. */
export const saveGiftCard = (db: Db, token: TokenAt, giftCardId: string | null) =>
  saved(db.run(setGiftCard, [...tokenValues(token), giftCardId]))

const setCustomerSetPrice = statement(
  'checkouts.set_customer_set_price',
  `update checkouts set customer_set_price = $5, updated_at = $4 where ${CHANGEABLE}`,
)

/** Null goes back to the least that is accepted. Whether the amount is accepted is for `payWhatYouWantProblem` to say. */
export const saveCustomerSetPrice = (db: Db, token: TokenAt, amount: Minor | null) =>
  saved(db.run(setCustomerSetPrice, [...tokenValues(token), amount]))

const setExternals = statement(
  'checkouts.set_externals',
  `update checkouts
   set external_methods = case when $5 then $6::json else external_methods end,
     external_tax = case when $7 then coalesce(external_tax, '{}') || $8::jsonb else external_tax end,
     adjustments = case when $9 then $10::json else adjustments end,
     meta = case when $11 then $12::json else meta end,
     updated_at = $4
   where ${CHANGEABLE}`,
)

/** What an integration sets: null clears, what is left out stays, of `tax` also each of its two fields. */
export type Externals = {
  methods?: ExternalMethodRow[] | null
  tax?: ExternalTaxRow | null
  adjustments?: AdjustmentRow[] | null
  meta?: Record<string, unknown> | null
}

/** One statement, so that two integrations that set different parts at once both succeed. */
export const saveExternals = (db: Db, token: TokenAt, { methods, tax, adjustments, meta }: Externals) =>
  saved(
    db.run(setExternals, [...tokenValues(token), ...sent(methods), ...sent(tax), ...sent(adjustments), ...sent(meta)]),
  )

/** Whether there is a new value, and its JSON: the client would send a list as a PostgreSQL array. */
const sent = (value: unknown) => [
  value !== undefined,
  value === undefined || value === null ? null : JSON.stringify(value),
]
