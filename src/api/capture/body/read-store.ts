// The SQL that reads the facts of a capture. One statement reads everything that a capture needs besides the row of its
// token. Another reads the hold of a waiting attempt. A third reads the shop of a token for the hosted checkout.

import { toJsonColumn } from '../../../db/columns.ts'
import { type Db, lookup, type Shop, statement } from '../../../db/db.ts'
import { type NamedTaxPlace, type TaxationPlaceRow, taxationPlaceSql } from '../../checkouts/read-store.ts'
import { type TokenAt, tokenValues } from '../../checkouts/store.ts'
import { APPLIED_DISCOUNT_JSON, type AppliedDiscountRow, usableDiscount } from '../../discounts/store.ts'
import { type AppliedGiftCardRow, appliedGiftCardJson } from '../../gift-cards/store.ts'
import type { LineRow } from '../../lines/line.ts'
import { merchantProfileColumns } from '../../merchants/read-store.ts'
import type { LinkShopRow } from '../../merchants/store.ts'
import { type OfferRow as GatewayRow, offerRowsJson } from '../../payment-methods/store.ts'
import { type ProductRow, productRows } from '../../products/read-store.ts'
import type { Combination } from '../../products/variants/schema.ts'
import { VARIANT_COLUMNS } from '../../products/variants/store.ts'
import { type ApplicableZone, isTaxedByRegion, taxZoneJson } from '../../tax/store.ts'
import { type DeclineStanding, type SlotDemand, STANDING_JSON, toSlotValues } from '../declines/store.ts'
import type { AttemptKey, AttemptRow } from '../store.ts'

const PRODUCT_FIELDS = [
  'id',
  'collects_fullname',
  'collects_shipping_address',
  'collects_billing_address',
  'extra_fields',
  'thank_you_url',
  'lifespan',
] as const

/** A file of a digital product, as the order will store it. */
type PackageRow = { asset_id: string; name: string; ext: string; size_in_bytes: number; is_sample: boolean }

export type CapturedProductRow = Pick<ProductRow, (typeof PRODUCT_FIELDS)[number] | 'variant_groups'> & {
  packages: PackageRow[]
}

export type CaptureFacts = {
  /**
   * Each product once, in the order of the lines, without deleted ones. Only those in `groupsOf` have their variant
   * groups.
   */
  products: CapturedProductRow[]
  gateways: GatewayRow[]
  /** The variant of each new choice, by line id. A choice without a variant has no entry. */
  variants: Record<string, NonNullable<LineRow['variant']>>
  /** The place that decides the tax, and its tax zone. */
  taxed_in: TaxationPlaceRow
  tax_zone: ApplicableZone | null
  is_taxed_by_region: boolean
  /** Null if this mode has no customer with this id. */
  customer: { id: string; email: string } | null
  cart_meta: Record<string, unknown> | null
  /** True if the token has a code or a gift card, even one that can no longer be used. */
  has_discount: boolean
  has_gift_card: boolean
  /** True if the link of a cart made the token. */
  is_hosted: boolean
  /** Declined payments of the token and of the networks of the request. */
  declines: DeclineStanding
}

const PACKAGES = `coalesce((
           select json_agg(json_build_object(
             'asset_id', package.asset_id, 'name', coalesce(package.name, a.filename), 'ext', a.file_extension,
             'size_in_bytes', a.file_size, 'is_sample', package.is_sample
           ) order by package.position)
           from product_packages package
           join assets a on a.merchant_id = :merchant_id and a.id = package.asset_id
           where package.merchant_id = :merchant_id and package.product_id = shown.id
         ), '[]')`

// PostgreSQL computes only the selected columns of a product, and variant groups only for the products in `groups_of`.
const PRODUCTS = `coalesce((
       select json_agg(
         json_build_object(${PRODUCT_FIELDS.map((field) => `'${field}', shown.${field}`).join(', ')},
           'variant_groups', case when shown.id = any(:groups_of) then shown.variant_groups else '[]' end,
           'packages', ${PACKAGES}
         )
         order by array_position(:product_ids::text[], shown.id)
       )
       from (${productRows('product.id = any(:product_ids)')}) shown
     ), '[]')`

const VARIANTS = `coalesce((
       select json_object_agg(wanted.line_id, to_json(shown))
       from json_to_recordset(:choices::json) as wanted (line_id text, product_id text, options jsonb, variant_id text)
       cross join lateral (
         select ${VARIANT_COLUMNS}
         from variants variant
         left join stock own on own.merchant_id = :merchant_id and own.item_id = variant.id and own.is_sandbox = :is_sandbox
         where variant.merchant_id = :merchant_id and variant.product_id = wanted.product_id
           and (variant.id = wanted.variant_id
             or wanted.variant_id is null and md5(variant.options::text) = md5(wanted.options::text))
       ) shown
     ), '{}')`

const TAX_PLACES = `json_to_recordset(:tax_places::json)
         as listed (nth integer, country text, region text, postal_code text, ip_address text)`

const find = lookup<CaptureFacts>(
  'checkouts.find_capture_facts',
  `select ${PRODUCTS} as products,
     ${offerRowsJson(':merchant_id')} as gateways,
     ${VARIANTS} as variants,
     to_json(taxed_in) as taxed_in,
     ${taxZoneJson({ country: 'taxed_in.country', region: 'taxed_in.region', postalCode: 'taxed_in.postal_code' })} as tax_zone,
     ${isTaxedByRegion('taxed_in.country')} as is_taxed_by_region,
     (
       select json_build_object('id', customer.id, 'email', customer.email)
       from customers customer
       where customer.merchant_id = :merchant_id and customer.id = :customer_id and customer.is_sandbox = :is_sandbox
     ) as customer,
     (
       select cart.meta from carts cart
       where cart.merchant_id = :merchant_id and cart.id = checkout.cart_id and cart.is_sandbox = :is_sandbox
     ) as cart_meta,
     checkout.discount_id is not null as has_discount,
     checkout.gift_card_id is not null as has_gift_card,
     checkout.is_hosted,
     ${STANDING_JSON} as declines
   from checkouts checkout
   cross join lateral ${taxationPlaceSql(TAX_PLACES)} taxed_in
   where checkout.merchant_id = :merchant_id and checkout.id = :checkout_id and checkout.is_sandbox = :is_sandbox and checkout.expires_at > :now`,
)

/** A line with a variant to look up, by id or by options. */
export type LineChoice = {
  readonly line_id: string
  readonly product_id: string
  readonly options: Combination
  readonly variant_id: string | null
}

type FactsQuery = {
  readonly productIds: readonly string[]
  /** Products whose variant groups are needed. */
  readonly groupsOf: readonly string[]
  readonly choices: readonly LineChoice[]
  /** Places that may decide the tax, the strongest first. */
  readonly taxPlaces: readonly NamedTaxPlace[]
  readonly customerId: string | null
  readonly slots: SlotDemand
}

/** Null if the token has expired. */
export const findCaptureFacts = (db: Db, token: TokenAt, query: FactsQuery) =>
  db.maybe(find, {
    ...tokenValues(token),
    // Reads products that are not for sale, too. The lines of the token decide if a product can still be bought.
    is_secret: true,
    product_ids: query.productIds,
    groups_of: query.groupsOf,
    choices: toJsonColumn(query.choices),
    tax_places: toJsonColumn(query.taxPlaces.map((place, nth) => ({ ...place, nth }))),
    customer_id: query.customerId,
    ...toSlotValues(query.slots, token.now),
  })

/** The hold of a waiting attempt. The code and the gift card are as the release will leave them. */
export type WaitingHold = {
  /** Null if it will not be usable after the release. */
  discount: AppliedDiscountRow | null
  gift_card: AppliedGiftCardRow | null
  /** True if it is also applied to the token. Otherwise only the body of the attempt named it. */
  is_discount_applied: boolean
  is_gift_card_applied: boolean
  /** Held quantity of each stock item. */
  stock: Record<string, number>
}

const findHold = statement<WaitingHold>(
  'capture.find_held',
  `select
     (
       select ${APPLIED_DISCOUNT_JSON('discount')}
       from discounts discount
       where discount.merchant_id = :merchant_id and discount.id = attempt.discount_id
         and ${usableDiscount('discount', { now: ':now', is_sandbox: 'attempt.is_sandbox', without: '1' })}
     ) as discount,
     ${appliedGiftCardJson({
       merchant_id: ':merchant_id',
       is_sandbox: 'attempt.is_sandbox',
       now: ':now',
       giftCardId: 'attempt.gift_card_id',
       returned: 'attempt.gift_card_credit',
     })} as gift_card,
     coalesce(checkout.discount_id = attempt.discount_id, false) as is_discount_applied,
     coalesce(checkout.gift_card_id = attempt.gift_card_id, false) as is_gift_card_applied,
     coalesce((
       select json_object_agg(held.item_id, held.quantity)
       from held_stock held
       where held.merchant_id = :merchant_id and held.attempt_id = attempt.id
     ), '{}') as stock
   from capture_attempts attempt
   join checkouts checkout on checkout.merchant_id = attempt.merchant_id and checkout.id = attempt.checkout_id
   where attempt.merchant_id = :merchant_id and attempt.id = :id
     and (attempt.state = 'waiting') is true`,
)

/** Null if the attempt is no longer waiting. */
export const findWaitingHold = (db: Db, { merchant_id, id }: AttemptKey, now: Date) =>
  db.maybe(findHold, { merchant_id, id, now })

/** The shop and the state of a token, for a visitor who only has its URL. */
export type OpenedRow = LinkShopRow & {
  /** Null if neither the token nor its order exists. */
  is_sandbox: boolean | null
  /** True if the token has not expired. */
  is_alive: boolean
  /** True if the link of a cart made the token. Everybody who opened the link knows the token. */
  is_of_link: boolean
  order_id: string | null
  /** Id of the attempt that made the order. */
  paid_by: string | null
  /** The token's attempt that is not released, if any. */
  attempt_id: string | null
  attempt_state: AttemptRow['state'] | null
}

// Tokens are deleted after a week, but their orders stay, and so do the receipts. An order knows if a link made its token. Orders of earlier
// releases do not, so the token is read too.
const findOpened = lookup<OpenedRow>(
  'checkouts.find_for_page',
  `select ${merchantProfileColumns('coalesce(placed.is_sandbox, checkout.is_sandbox, false)')}, m.full_sandbox,
     coalesce(placed.is_sandbox, checkout.is_sandbox) as is_sandbox,
     coalesce(checkout.expires_at > :now, false) as is_alive,
     coalesce(checkout.is_hosted, false) or coalesce(placed.content ->> 'is_of_link' = 'true', false) as is_of_link,
     placed.id as order_id, placed.attempt_id as paid_by,
     attempt.id as attempt_id, attempt.state as attempt_state
   from merchants m
   left join checkouts checkout on checkout.merchant_id = :merchant_id and checkout.id = :checkout_id
   left join orders placed on placed.merchant_id = :merchant_id and placed.checkout_id = :checkout_id
   left join capture_attempts attempt on attempt.merchant_id = :merchant_id and attempt.checkout_id = :checkout_id
     and attempt.state <> 'released'
   where m.merchant_id = :merchant_id`,
)

/** Null if the merchant does not exist. */
export const findOpenedCheckout = (db: Db, { merchant_id }: Shop, checkoutId: string, now: Date) =>
  db.maybe(findOpened, { merchant_id, checkout_id: checkoutId, now })
