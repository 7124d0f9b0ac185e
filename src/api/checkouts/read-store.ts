// The SQL that reads all that the totals of a checkout depend on, in one statement: of a token, and of the cart or the product
// that a token is about to be made from.

import { type Db, statement } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'
import { type GoodsRow, goodsJson, type LineRow, withLines } from '../carts/read-store.ts'
import { APPLIED_DISCOUNT_JSON, type AppliedDiscountRow, usableDiscount } from '../discounts/store.ts'
import { type AppliedGiftCardRow, appliedGiftCardJson } from '../gift-cards/store.ts'
import { FACE_JSON, type FaceRow } from '../merchants/read-store.ts'
import type { StoredSettings } from '../merchants/settings.ts'
import { type OfferRow as GatewayRow, offerRowsJson } from '../payment-methods/store.ts'
import { type ProductRow, productRows, type Sight, sightValues } from '../products/read-store.ts'
import { type OfferRow, offersJson } from '../shipping/store.ts'
import { type ApplicableZone, isTaxedByRegion, taxZoneJson } from '../tax/store.ts'

/** How a product is delivered. */
export type DeliveryRow = { is_physical: boolean; weight_grams: number | null }

/** What is bought, and what the merchant's settings make of it. */
export type BasketRow = {
  settings: StoredSettings
  /** The one that applies now: a code that has expired or is used up is none. */
  discount: AppliedDiscountRow | null
  lines: LineRow[]
  /** By the ids of the products; a deleted one is missing. */
  deliveries: Record<string, DeliveryRow>
  /** Methods that serve all that is to be shipped, wherever to. */
  offers: OfferRow[]
}

/** What an integration has set, in minor units and millionths. */
export type ExternalMethodRow = { id: string; description: string; price: Minor }
/** Replaces our own tax once it has lines. */
export type ExternalTaxRow = {
  provider?: string
  line_items?: { id: string; breakdown: { type: string; rate: number; amount: Minor }[] }[]
}
export type AdjustmentRow = { description: string | null; amount: Minor; is_taxable: boolean }

export type TaxedInRow = {
  country: string | null
  region: string | null
  postal_code: string | null
  ip_address: string | null
}

export type CheckoutRow = BasketRow & {
  id: string
  cart_id: string | null
  created: number
  updated: number
  expires: number
  meta: Record<string, unknown> | null
  shipping_country: string | null
  /** Null: not said. Empty: one was said that is not known. */
  shipping_region: string | null
  shipping_method_id: string | null
  /** Where it is taxed, as far as it is known, and by which zone. */
  taxed_in: TaxedInRow
  tax_zone: ApplicableZone | null
  /** Whether the merchant has zones for parts of the country that it is taxed in. */
  is_taxed_by_region: boolean
  /** The one that pays now: one that is spent or has expired is none. */
  gift_card: AppliedGiftCardRow | null
  customer_set_price: Minor | null
  external_methods: ExternalMethodRow[] | null
  external_tax: ExternalTaxRow | null
  adjustments: AdjustmentRow[] | null
}

const productIdsOf = (table: string, where: string) =>
  `array(select line.product_id from ${table} line where line.merchant_id = $1 and ${where})`

/** A row as it is read; `withLines` makes the one of it that everybody else knows. */
type Read<Row extends BasketRow> = Omit<Row, 'lines'> & { goods: GoodsRow }

/** The columns of a BasketRow as it is read but for its discount, of the lines that `where` picks of `table`. The merchant is called `m`. */
const basket = (table: string, where: string) => `m.settings,
     ${goodsJson(table, where)} as goods,
     coalesce((
       select json_object_agg(bought.id, json_build_object(
         'is_physical', bought.is_physical, 'weight_grams', bought.weight_grams
       ))
       from products bought
       where bought.merchant_id = $1 and bought.id = any(${productIdsOf(table, where)})
     ), '{}') as deliveries,
     ${offersJson(productIdsOf(table, where))} as offers`

/** The discount of this id, if it can be used at the moment $5. */
const discountJson = (id: string) => `(
       select ${APPLIED_DISCOUNT_JSON('discount')}
       from discounts discount
       where discount.merchant_id = $1 and discount.id = ${id}
         and ${usableDiscount('discount', { now: '$5', isSandbox: '$2' })}
     )`

/**
 * Where the token called `checkout` is taxed: where it is sent, once that is known, else as was said for the tax alone. What was said
 * for the tax still tells more of the same place, unless it names another region: a method is chosen by country and region, and rates
 * may go by the postal code. capture/tax-place.ts does the same with what a body says, and leaves it as it is where nothing is sent and
 * the region is known: what was shown must be what is charged.
 */
const TAXED_IN = `(
     select place.country, place.region,
       case when place.is_as_said then checkout.tax_postal_code end as postal_code,
       case when place.is_as_said then checkout.tax_ip_address end as ip_address
     from (
       select known.country, known.region,
         checkout.tax_country = known.country
           and (checkout.tax_region is null or checkout.tax_region = known.region) as is_as_said
       from (
         select coalesce(checkout.shipping_country, checkout.tax_country) as country,
           case
             when checkout.shipping_country is null then checkout.tax_region
             when checkout.shipping_region is null and checkout.tax_country = checkout.shipping_country
               then checkout.tax_region
             else nullif(checkout.shipping_region, '')
           end as region
       ) known
     ) place
   )`

const find = statement<Read<CheckoutRow>>(
  'checkouts.find',
  `select checkout.id, checkout.cart_id, unix_seconds(checkout.created_at) as created,
     unix_seconds(checkout.updated_at) as updated, unix_seconds(checkout.expires_at) as expires, checkout.meta,
     checkout.shipping_country, checkout.shipping_region, checkout.shipping_method_id,
     to_json(taxed_in) as taxed_in,
     ${taxZoneJson({ country: 'taxed_in.country', region: 'taxed_in.region', postalCode: 'taxed_in.postal_code' })} as tax_zone,
     ${isTaxedByRegion('taxed_in.country')} as is_taxed_by_region,
     ${appliedGiftCardJson({ merchantId: '$1', isSandbox: '$2', now: '$5', giftCardId: 'checkout.gift_card_id' })} as gift_card,
     checkout.customer_set_price, checkout.external_methods, checkout.external_tax, checkout.adjustments,
     ${discountJson('checkout.discount_id')} as discount,
     ${basket('checkout_lines', 'line.checkout_id = $4')}
   from checkouts checkout
   join merchants m on m.merchant_id = checkout.merchant_id
   cross join lateral ${TAXED_IN} taxed_in
   where checkout.merchant_id = $1 and checkout.id = $4 and checkout.is_sandbox = $2 and checkout.expires_at > $5`,
)

/** Null when there is none in this mode, or it has expired. */
export async function findCheckout(db: Db, sight: Sight, id: string, now: Date): Promise<CheckoutRow | null> {
  const found = await db.maybe(find, [...sightValues(sight), id, now])
  return found && withLines(found)
}

/** What a token is made from. */
export type SourceRow = BasketRow & {
  cart_id: string | null
  /** Kept also while it cannot be used. */
  discount_id: string | null
  meta: Record<string, unknown> | null
}

const findInCart = statement<Read<SourceRow>>(
  'checkouts.find_in_cart',
  `select cart.id as cart_id, cart.discount_id, cart.meta,
     ${discountJson('cart.discount_id')} as discount,
     ${basket('cart_lines', 'line.cart_id = $4')}
   from carts cart
   join merchants m on m.merchant_id = cart.merchant_id
   where cart.merchant_id = $1 and cart.id = $4 and cart.is_sandbox = $2 and cart.expires_at > $5`,
)

/** One statement: lines that are added or removed meanwhile are in the token all or not at all. Null when there is no such cart. */
export async function findCartToBuy(db: Db, sight: Sight, id: string, now: Date): Promise<SourceRow | null> {
  const found = await db.maybe(findInCart, [...sightValues(sight), id, now])
  return found && withLines(found)
}

/** One line of one product, as a table of lines. */
const lineOfProduct = (condition: string) => `(
       select sold.merchant_id, $5::text as id, sold.id as product_id, sold.name, '{}'::jsonb as options, 1 as quantity
       from products sold
       where sold.merchant_id = $1 and (sold.is_active or $3) and ${condition}
     )`

const productSource = (condition: string) =>
  `select null as cart_id, null as discount_id, null::json as meta, null::json as discount,
     ${basket(lineOfProduct(condition), 'true')}
   from merchants m
   where m.merchant_id = $1`

const findOneProduct = {
  product_id: statement<Read<SourceRow>>('checkouts.find_product', productSource('sold.id = $4')),
  permalink: statement<Read<SourceRow>>('checkouts.find_product_by_permalink', productSource('sold.permalink = $4')),
}

/** `lineId` is that of the line to be. Null when there is no such product. */
export const findProductToBuy = async (
  db: Db,
  sight: Sight,
  by: keyof typeof findOneProduct,
  value: string,
  lineId: string,
): Promise<SourceRow | null> => {
  const found = withLines(await db.one(findOneProduct[by], [...sightValues(sight), value, lineId]))
  return found.lines.length === 0 ? null : found
}

// The SQL of what a checkout token shows and asks beside its totals: its products, the merchant, the gateways. It comes with the
// very statement that writes a new token, so that making one costs no round trip for it.

const PRODUCT_FIELDS = [
  'id',
  'description',
  'price',
  'is_active',
  'is_tax_exempt',
  'is_pay_what_you_want',
  'is_inventory_managed',
  'is_sold_out',
  'is_physical',
  'collects_fullname',
  'collects_shipping_address',
  'collects_billing_address',
  'packages',
  'extra_fields',
] as const

/** A group with all that can be chosen of it. */
type ChoicesRow = {
  id: string
  name: string
  options: { id: string; name: string; price_delta: number }[]
}

export type CheckoutProductRow = Pick<ProductRow, (typeof PRODUCT_FIELDS)[number]> & { variant_groups: ChoicesRow[] }

export type DetailsRow = {
  /** In the order of the lines, each once; deleted ones are missing. */
  products: CheckoutProductRow[]
  merchant: FaceRow
  gateways: GatewayRow[]
  /** Whether there is a code that can be used, for anything of what is bought. */
  has_available_discounts: boolean
}

// Not the groups as products show them: looking for the assets of each option took most of a token's time, and none of them is shown.
const CHOICES = `coalesce((
         select json_agg(
           json_build_object('id', its_group.id, 'name', its_group.name, 'options', coalesce((
             select json_agg(
               json_build_object('id', choice.id, 'name', choice.name, 'price_delta', choice.price_delta)
               order by choice.position
             )
             from variant_options choice
             where choice.merchant_id = $1 and choice.product_id = shown.id and choice.group_id = its_group.id
           ), '[]'))
           order by its_group.position
         )
         from variant_groups its_group
         where its_group.merchant_id = $1 and its_group.product_id = shown.id
       ), '[]')`

// PostgreSQL works out only those columns of a product that are asked for here.
const DETAILS = `select
     coalesce((
       select json_agg(
         json_build_object(${PRODUCT_FIELDS.map((field) => `'${field}', shown.${field}`).join(', ')},
           'variant_groups', ${CHOICES}
         )
         order by array_position($4::text[], shown.id)
       )
       from (${productRows('product.id = any($4)')}) shown
     ), '[]') as products,
     ${FACE_JSON} as merchant,
     ${offerRowsJson('$1')} as gateways,
     exists (
       select from discounts discount
       where discount.merchant_id = $1 and ${usableDiscount('discount', { now: '$5', isSandbox: '$2' })}
         and (discount.product_ids = '{}' or discount.product_ids && $4)
     ) as has_available_discounts
   from merchants m
   where m.merchant_id = $1`

/** For whom, in which mode and at which moment. */
export type DetailsAt = { readonly merchantId: number; readonly isSandbox: boolean; readonly now: Date }

// As to a secret key: a product that is no longer active still stands in the token, and nothing else that it would show is read.
const detailsValues = ({ merchantId, isSandbox, now }: DetailsAt, productIds: readonly string[]) => [
  merchantId,
  isSandbox,
  true,
  [...new Set(productIds)],
  now,
]

const selectDetails = statement<DetailsRow>('checkouts.find_details', DETAILS)

export const findDetails = (db: Db, at: DetailsAt, productIds: readonly string[]) =>
  db.one(selectDetails, detailsValues(at, productIds))

const insert = statement<DetailsRow>(
  'checkouts.insert',
  `with token as (
     insert into checkouts (
       merchant_id, id, is_sandbox, cart_id, discount_id, meta, created_at, updated_at, expires_at
     )
     values ($1, $6, $2, $7, $8, $9, $5, $5, $10)
   ),
   bought as (
     insert into checkout_lines (merchant_id, checkout_id, id, product_id, name, options, quantity)
     select $1, $6, entry.id, entry.product_id, entry.name, entry.options, entry.quantity
     from json_to_recordset($11) as entry (id text, product_id text, name text, options jsonb, quantity integer)
   )
   ${DETAILS}`,
)

export type NewCheckout = {
  id: string
  cartId: string | null
  discountId: string | null
  meta: Record<string, unknown> | null
  expiresAt: Date
  lines: readonly Pick<LineRow, 'id' | 'product_id' | 'name' | 'options' | 'quantity'>[]
}

/** Writes the token with its lines, and gives what is shown beside its totals. */
export const insertCheckout = (db: Db, at: DetailsAt, token: NewCheckout) =>
  db.one(insert, [
    ...detailsValues(
      at,
      token.lines.map(({ product_id }) => product_id),
    ),
    token.id,
    token.cartId,
    token.discountId,
    token.meta === null ? null : JSON.stringify(token.meta),
    token.expiresAt,
    JSON.stringify(
      token.lines.map(({ id, product_id, name, options, quantity }) => ({ id, product_id, name, options, quantity })),
    ),
  ])
