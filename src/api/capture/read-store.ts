// The SQL that reads what a capture needs beside the totals of its token, in one statement: what its products ask for and deliver,
// what its body chooses, where it is taxed, who buys, and the gateways. And what whoever opens the page of a token has to know first.

import { jsonText } from '../../db/columns.ts'
import { type Db, lookup } from '../../db/db.ts'
import { type NamedTaxPlace, type TaxedInRow, taxedIn } from '../checkouts/read-store.ts'
import { type TokenAt, tokenValues } from '../checkouts/store.ts'
import type { LineRow } from '../lines/line.ts'
import { faceColumns } from '../merchants/read-store.ts'
import type { LinkShopRow } from '../merchants/store.ts'
import { type OfferRow as GatewayRow, offerRowsJson } from '../payment-methods/store.ts'
import { type ProductRow, productRows } from '../products/read-store.ts'
import type { Combination } from '../products/variants/schema.ts'
import { VARIANT_COLUMNS } from '../products/variants/store.ts'
import { type ApplicableZone, isTaxedByRegion, taxZoneJson } from '../tax/store.ts'
import { type DeclineStanding, type SlotDemand, STANDING_JSON, slotValues } from './declines/store.ts'
import type { AttemptRow } from './store.ts'

const PRODUCT_FIELDS = [
  'id',
  'collects_fullname',
  'collects_shipping_address',
  'collects_billing_address',
  'extra_fields',
  'thank_you_url',
  'lifespan',
] as const

/** A file of a digital product, as the order will keep it. */
type PackageRow = { asset_id: string; name: string; ext: string; size_in_bytes: number; is_sample: boolean }

export type CapturedProductRow = Pick<ProductRow, (typeof PRODUCT_FIELDS)[number] | 'variant_groups'> & {
  packages: PackageRow[]
}

export type CaptureFacts = {
  /** In the order of the lines, each once; deleted ones are missing. Groups only of the products that were asked for. */
  products: CapturedProductRow[]
  gateways: GatewayRow[]
  /** By the ids of lines: the variant of the choice that was asked for. Where there is none the line is missing. */
  variants: Record<string, NonNullable<LineRow['variant']>>
  /** Where it is taxed, as far as it is known, and by which zone. */
  taxed_in: TaxedInRow
  tax_zone: ApplicableZone | null
  is_taxed_by_region: boolean
  /** Null when there is none of this id in this mode. */
  customer: { id: string; email: string } | null
  cart_meta: Record<string, unknown> | null
  /** Whether the token has a code or a card, also one that cannot be used any more. */
  has_discount: boolean
  has_gift_card: boolean
  /** True if the link of a cart has made the token. */
  is_hosted: boolean
  /** How many payments of the token, and from the networks of the request, were declined. */
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

// PostgreSQL works out only those columns of a product that are asked for, and the groups only where they are.
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
   cross join lateral ${taxedIn(TAX_PLACES)} taxed_in
   where checkout.merchant_id = :merchant_id and checkout.id = :checkout_id and checkout.is_sandbox = :is_sandbox and checkout.expires_at > :now`,
)

/** A line whose variant has to be looked up: by its id, or by the options. */
export type LineChoice = {
  readonly line_id: string
  readonly product_id: string
  readonly options: Combination
  readonly variant_id: string | null
}

type FactsQuery = {
  readonly productIds: readonly string[]
  /** The products whose variant groups are needed. */
  readonly groupsOf: readonly string[]
  readonly choices: readonly LineChoice[]
  /** The places that may decide where it is taxed, the strongest first. */
  readonly taxPlaces: readonly NamedTaxPlace[]
  readonly customerId: string | null
  readonly slots: SlotDemand
}

/** Null when the token has expired meanwhile. */
export const findCaptureFacts = (db: Db, token: TokenAt, query: FactsQuery) =>
  db.maybe(find, {
    ...tokenValues(token),
    // Read as for a secret key; whether a product is still for sale shows from the line.
    is_secret: true,
    product_ids: query.productIds,
    groups_of: query.groupsOf,
    choices: jsonText(query.choices),
    tax_places: jsonText(query.taxPlaces.map((place, nth) => ({ ...place, nth }))),
    customer_id: query.customerId,
    ...slotValues(query.slots, token.now),
  })

/** The shop of a token, and how the token stands, for who knows nothing but its address. */
export type OpenedRow = LinkShopRow & {
  /** The mode that the token is of; null where there is none, and no order of it. */
  is_sandbox: boolean | null
  /** Whether it has not expired. */
  is_alive: boolean
  /** True if the link of a cart has made it, so that everybody who has opened the link knows it. */
  is_of_link: boolean
  order_id: string | null
  /** The attempt that made the order. */
  paid_by: string | null
  /** The attempt to pay for it that was not released. */
  attempt_id: string | null
  attempt_state: AttemptRow['state'] | null
}

// Tokens go after a week, and their orders stay: a receipt is opened for as long as there is an order. Orders say whether a link made their token; for
// those of earlier releases the token says it, as long as it is there.
const findOpened = lookup<OpenedRow>(
  'checkouts.find_for_page',
  `select ${faceColumns('coalesce(placed.is_sandbox, checkout.is_sandbox, false)')}, m.full_sandbox,
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

/** Null where there is no such merchant. */
export const findOpenedCheckout = (db: Db, merchantId: number, checkoutId: string, now: Date) =>
  db.maybe(findOpened, { merchant_id: merchantId, checkout_id: checkoutId, now })
