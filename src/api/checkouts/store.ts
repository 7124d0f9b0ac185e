// SQL that writes checkout tokens and saves the choices of a shopper or an integration.
// Each change is one conditional statement. It changes nothing if the token is missing in this mode, has expired or has an order, and it
// reports that.

import { toJsonColumn } from '../../db/columns.ts'
import { type Db, type Scope, type Statement, statement, type Values } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'
import type { LineRow } from '../lines/line.ts'
import {
  type AdjustmentRow,
  type DetailsRow,
  detailsValues,
  type ExternalMethodRow,
  type ExternalTaxRow,
  type TaxationPlaceRow,
  TOKEN_DETAILS_SQL,
  type TokenDetailsScope,
} from './read-store.ts'

/** A token, and the time at which it must not have expired. */
export type TokenAt = Scope & { readonly id: string; readonly now: Date }

/** Query parameters that every statement about a token takes. */
export const tokenValues = ({ merchant_id, is_sandbox, id, now }: TokenAt) => ({
  merchant_id,
  is_sandbox,
  checkout_id: id,
  now,
})

/** SQL condition on the checkouts row: the token is of this mode and has not expired. */
export const CHECKOUT_IS_ALIVE =
  'merchant_id = :merchant_id and id = :checkout_id and is_sandbox = :is_sandbox and expires_at > :now'

/** SQL: true if the token has been ordered. The checkout must then keep showing what was paid for. */
export const CHECKOUT_HAS_ORDER =
  'exists (select 1 from orders placed where placed.merchant_id = :merchant_id and placed.checkout_id = :checkout_id)'

/** SQL condition on the checkouts row under which a choice can be saved. */
const CHANGEABLE = `${CHECKOUT_IS_ALIVE} and not ${CHECKOUT_HAS_ORDER}`

const findId = statement<{ id: string }>('checkouts.find_id', `select id from checkouts where ${CHECKOUT_IS_ALIVE}`)

export const hasCheckout = async (db: Db, token: TokenAt): Promise<boolean> =>
  (await db.maybe(findId, tokenValues(token))) !== null

const setSql = (assignments: string) => `update checkouts set ${assignments}, updated_at = :now where ${CHANGEABLE}`

/** False if the token cannot be changed. */
const save = async (db: Db, token: TokenAt, change: Statement<never>, values: Values): Promise<boolean> =>
  (await db.run(change, { ...tokenValues(token), ...values })) === 1

const setShipping = statement(
  'checkouts.set_shipping',
  setSql('shipping_country = :country, shipping_region = :region, shipping_method_id = :method_id'),
)

/**
 * Saves the destination and the method; null for none yet. `region` comes from `normalizeRegion`. It is null if the address names no known
 * region, and undefined while only the country is chosen.
 */
export const saveShipping = (
  db: Db,
  token: TokenAt,
  choice: { country: string | null; region: string | null | undefined; methodId: string | null },
) =>
  save(db, token, setShipping, {
    country: choice.country,
    region: choice.region === null ? '' : (choice.region ?? null),
    method_id: choice.methodId,
  })

const setTaxZone = statement(
  'checkouts.set_tax_zone',
  setSql('tax_country = :country, tax_region = :region, tax_postal_code = :postal_code, tax_ip_address = :ip_address'),
)

export const saveTaxZone = (db: Db, token: TokenAt, place: TaxationPlaceRow) => save(db, token, setTaxZone, place)

const setDiscount = statement('checkouts.set_discount', setSql('discount_id = :discount_id'))

/** Null removes the discount. */
export const saveDiscount = (db: Db, token: TokenAt, discountId: string | null) =>
  save(db, token, setDiscount, { discount_id: discountId })

const setGiftCard = statement('checkouts.set_gift_card', setSql('gift_card_id = :gift_card_id'))

/** Null removes the gift card. */
export const saveGiftCard = (db: Db, token: TokenAt, giftCardId: string | null) =>
  save(db, token, setGiftCard, { gift_card_id: giftCardId })

const setCustomerSetPrice = statement('checkouts.set_customer_set_price', setSql('customer_set_price = :amount'))

/** Null returns to the minimum. The caller checks the amount with `payWhatYouWantProblem`. */
export const saveCustomerSetPrice = (db: Db, token: TokenAt, amount: Minor | null) =>
  save(db, token, setCustomerSetPrice, { amount })

const setExternals = statement(
  'checkouts.set_externals',
  setSql(`external_methods = case when :sets_methods then :methods::json else external_methods end,
     external_tax = case when :sets_tax then coalesce(external_tax, '{}') || :tax::jsonb else external_tax end,
     adjustments = case when :sets_adjustments then :adjustments::json else adjustments end,
     meta = case when :sets_meta then :meta::json else meta end`),
)

/** Data that an integration sets. Null clears a part, and an omitted part stays; omitted fields of `tax` stay too. */
export type IntegrationData = {
  methods?: ExternalMethodRow[] | null
  tax?: ExternalTaxRow | null
  adjustments?: AdjustmentRow[] | null
  meta?: Record<string, unknown> | null
}

/** One statement, so that two integrations can set different parts at the same time. */
export const saveIntegrationData = (db: Db, token: TokenAt, { methods, tax, adjustments, meta }: IntegrationData) =>
  save(db, token, setExternals, {
    sets_methods: methods !== undefined,
    methods: toJsonColumn(methods),
    sets_tax: tax !== undefined,
    tax: toJsonColumn(tax),
    sets_adjustments: adjustments !== undefined,
    adjustments: toJsonColumn(adjustments),
    sets_meta: meta !== undefined,
    meta: toJsonColumn(meta),
  })

// Returns the details that are shown besides the totals, so that making a token takes no further round trip.
const insert = statement<DetailsRow>(
  'checkouts.insert',
  `with token as (
     insert into checkouts (
       merchant_id, id, is_sandbox, cart_id, cart_revision, discount_id, meta, created_at, updated_at, expires_at
     )
     values (:merchant_id, :id, :is_sandbox, :cart_id, :cart_revision, :discount_id, :meta, :now, :now, :expires_at)
   ),
   bought as (
     insert into checkout_lines (merchant_id, checkout_id, id, product_id, name, options, quantity)
     select :merchant_id, :id, entry.id, entry.product_id, entry.name, entry.options, entry.quantity
     from json_to_recordset(:lines) as entry (id text, product_id text, name text, options jsonb, quantity integer)
   )
   ${TOKEN_DETAILS_SQL}`,
)

export type NewCheckout = {
  id: string
  cartId: string | null
  cartRevision: number | null
  discountId: string | null
  meta: Record<string, unknown> | null
  expiresAt: Date
  lines: readonly Pick<LineRow, 'id' | 'product_id' | 'name' | 'options' | 'quantity'>[]
}

/** Writes the token with its lines, and returns the details that are shown besides its totals. */
export const insertCheckout = (db: Db, at: TokenDetailsScope, token: NewCheckout) =>
  db.one(insert, { ...detailsValues(at, token.lines), ...newValues(token) })

/** Query parameters of a new token, without its scope and time. */
export const newValues = ({ id, cartId, cartRevision, discountId, meta, expiresAt, lines }: NewCheckout) => ({
  id,
  cart_id: cartId,
  cart_revision: cartRevision,
  discount_id: discountId,
  meta: toJsonColumn(meta),
  expires_at: expiresAt,
  lines: toJsonColumn(
    lines.map(({ id, product_id, name, options, quantity }) => ({ id, product_id, name, options, quantity })),
  ),
})
