// SQL that reads checkout tokens. One statement reads all that the totals depend on: of a token, or of the cart or product that a token is
// made from. Another reads what a token shows of its shop.

import { toJsonColumn } from '../../db/columns.ts'
import { type Db, lookup, type Scope, statement } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'
import { type CartAt, cartIsAliveSql, cartValues, discountJson } from '../carts/read-store.ts'
import { type AppliedDiscountRow, hasUsableDiscount } from '../discounts/store.ts'
import { type AppliedGiftCardRow, appliedGiftCardJson } from '../gift-cards/store.ts'
import { loadGoods } from '../lines/goods.ts'
import type { LineRow } from '../lines/line.ts'
import { type GoodsRow, type LiveGoods, liveGoodsJson } from '../lines/read-store.ts'
import { MERCHANT_PROFILE_JSON, type MerchantProfileRow, merchantSettingsSql } from '../merchants/read-store.ts'
import type { StoredSettings } from '../merchants/settings.ts'
import { type OfferRow as GatewayRow, offerRowsJson } from '../payment-methods/store.ts'
import type { Combination } from '../products/variants/schema.ts'
import { servesAll } from '../shipping/methods.ts'
import { hasZones, OFFERS_JSON, type ShippingOfferRow, ZONES_JSON } from '../shipping/store.ts'
import { type ApplicableZone, isTaxedByRegion, taxZoneJson } from '../tax/store.ts'

/** Delivery of a product. */
type DeliveryRow = { is_physical: boolean; is_digital: boolean; weight_grams: number | null }

/** The goods, with the settings of the merchant that apply to them. */
type BasketRow = {
  settings: StoredSettings
  /** The discount that applies now; null if its code has expired or is used up. */
  discount: AppliedDiscountRow | null
  lines: LineRow[]
  /** Keyed by product id; deleted products are missing. */
  deliveries: Record<string, DeliveryRow>
  /** True if the shop ships to any place. */
  has_zones: boolean
  /** Methods that can ship all of the physical goods, to any destination. */
  offers: ShippingOfferRow[]
}

/** Data set by an integration, in minor units and millionths. */
export type ExternalMethodRow = { id: string; description: string; price: Minor }
/** Replaces the shop's own tax once it has lines. */
export type ExternalTaxRow = {
  provider?: string
  line_items?: { id: string; breakdown: { type: string; rate: number; amount: Minor }[] }[]
}
export type AdjustmentRow = { description: string | null; amount: Minor; is_taxable: boolean }

export type TaxationPlaceRow = {
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
  /** Null: not stated. Empty: a region was stated, but it is unknown. */
  shipping_region: string | null
  shipping_method_id: string | null
  /** Place of taxation, as far as it is known, and the zone that applies there. */
  taxed_in: TaxationPlaceRow
  tax_zone: ApplicableZone | null
  /** True if the merchant has zones for parts of the country of taxation. */
  is_taxed_by_region: boolean
  /** The gift card that pays now; null if it is spent or has expired. */
  gift_card: AppliedGiftCardRow | null
  customer_set_price: Minor | null
  external_methods: ExternalMethodRow[] | null
  external_tax: ExternalTaxRow | null
  adjustments: AdjustmentRow[] | null
}

/** Scope of a read. With `isSecret`, products that are not for sale are visible too. */
type ReadScope = Scope & { readonly isSecret: boolean }

const readValues = ({ merchant_id, is_sandbox, isSecret }: ReadScope) => ({
  merchant_id,
  is_sandbox,
  is_secret: isSecret,
})

/** A row as the SQL returns it. `withBasket` completes it for all other code. */
type Read<Row extends BasketRow> = Omit<Row, 'lines' | 'deliveries'> & { goods: LiveGoods }

/** SQL: the columns of a BasketRow without its discount. `from` provides the rows aliased `line`; the merchant is aliased `m`. */
const basket = (from: string) => `${merchantSettingsSql()} as settings,
     ${liveGoodsJson(from)} as goods,
     ${hasZones} as has_zones,
     ${OFFERS_JSON} as offers`

/** Adds the lines with all that they show, and keeps only the shop's offers that serve all products. */
async function withBasket<Row extends { goods: LiveGoods; offers: ShippingOfferRow[] }>(
  db: Db,
  scope: ReadScope,
  { goods, ...row }: Row,
) {
  const { lines, products } = await loadGoods(db, scope, goods)
  const deliveries: Record<string, DeliveryRow> = {}
  for (const { id, is_sent, is_digital, weight_grams } of products.values())
    deliveries[id] = { is_physical: is_sent, is_digital, weight_grams }
  const offers = row.offers.filter((offer) => servesAll(offer, products.values()))
  return { ...row, lines, deliveries, offers }
}

/** A place that was named. Its region is null if none was named, and empty if the named one is unknown. */
export type NamedTaxPlace = TaxationPlaceRow & { readonly country: string }

/**
 * SQL: the place of taxation as TaxationPlaceRow. The from clause `places` lists named places in the order of `nth`; the first one decides.
 * Naming only a country must not avoid the taxes of its regions. So the next place that names a region of the same country completes it.
 * Any other place with a postal code completes it too, unless it names another region. Methods are chosen by country and region, while
 * rates may depend on the postal code.
 */
export const taxationPlaceSql = (places: string) => `(
     with named as (
       select nth, country, region, postal_code, ip_address from ${places} where country is not null
     ),
     place as (
       select first.country, (
           select region from named where country = first.country and region is not null order by nth limit 1
         ) as region
       from (select (select country from named order by nth limit 1) as country) first
     ),
     same as (
       select named.nth, named.postal_code, named.ip_address
       from named
       join place on place.country = named.country and coalesce(named.region, '') in ('', place.region)
     )
     select place.country, nullif(place.region, '') as region,
       (select postal_code from same where postal_code is not null order by nth limit 1) as postal_code,
       (select ip_address from same where ip_address is not null order by nth limit 1) as ip_address
     from place
   )`

/**
 * SQL: the place of taxation of the token aliased `checkout`. It is the destination once that is known, and otherwise the place that was
 * set for tax only.
 * The result is that of `taxationPlaceSql` for these two places, in a form that costs the planner nothing.
 */
const TOKEN_TAXED_IN = `(
     select place.country, nullif(place.region, '') as region,
       case when place.is_said then checkout.tax_postal_code end as postal_code,
       case when place.is_said then checkout.tax_ip_address end as ip_address
     from (
       select sent.country, sent.region,
         checkout.tax_country = sent.country and coalesce(checkout.tax_region, '') in ('', sent.region) as is_said
       from (
         select coalesce(checkout.shipping_country, checkout.tax_country) as country,
           case when checkout.shipping_country is null then checkout.tax_region
             when checkout.shipping_country = checkout.tax_country then coalesce(checkout.shipping_region, checkout.tax_region)
             else checkout.shipping_region end as region
       ) sent
     ) place
   )`

const find = lookup<Read<CheckoutRow>>(
  'checkouts.find',
  `select checkout.id, checkout.cart_id, unix_seconds(checkout.created_at) as created,
     unix_seconds(checkout.updated_at) as updated, unix_seconds(checkout.expires_at) as expires, checkout.meta,
     checkout.shipping_country, checkout.shipping_region, checkout.shipping_method_id,
     to_json(taxed_in) as taxed_in,
     ${taxZoneJson({ country: 'taxed_in.country', region: 'taxed_in.region', postalCode: 'taxed_in.postal_code' })} as tax_zone,
     ${isTaxedByRegion('taxed_in.country')} as is_taxed_by_region,
     ${appliedGiftCardJson({ merchant_id: ':merchant_id', is_sandbox: ':is_sandbox', now: ':now', giftCardId: 'checkout.gift_card_id' })} as gift_card,
     checkout.customer_set_price, checkout.external_methods, checkout.external_tax, checkout.adjustments,
     ${discountJson('checkout.discount_id')} as discount,
     ${basket('from checkout_lines line where line.merchant_id = :merchant_id and line.checkout_id = :id')}
   from checkouts checkout
   join merchants m on m.merchant_id = checkout.merchant_id
   cross join lateral ${TOKEN_TAXED_IN} taxed_in
   where checkout.merchant_id = :merchant_id and checkout.id = :id and checkout.is_sandbox = :is_sandbox and checkout.expires_at > :now`,
)

/** Null if there is none in this mode or it has expired. It is one statement, which can share its round trip with others. */
export const findBareCheckout = (db: Db, scope: ReadScope, id: string, now: Date) =>
  db.maybe(find, { ...readValues(scope), id, now })

/** The token with all that its lines show. */
export const completeCheckout = (db: Db, scope: ReadScope, bare: Read<CheckoutRow>): Promise<CheckoutRow> =>
  withBasket(db, scope, bare)

/** Null if there is none in this mode or it has expired. */
export async function findCheckout(db: Db, scope: ReadScope, id: string, now: Date): Promise<CheckoutRow | null> {
  const bare = await findBareCheckout(db, scope, id, now)
  return bare && completeCheckout(db, scope, bare)
}

/** Source that a token is made from. */
export type CheckoutSourceRow = BasketRow & {
  cart_id: string | null
  /** Revision of the cart that was read. */
  cart_revision: number | null
  /** Set even while the discount cannot be used. */
  discount_id: string | null
  meta: Record<string, unknown> | null
}

const findInCart = lookup<Read<CheckoutSourceRow> & { is_alive: boolean }>(
  'checkouts.find_in_cart',
  `select cart.id as cart_id, cart.revision as cart_revision, cart.discount_id, cart.meta,
     ${cartIsAliveSql('cart')} as is_alive,
     ${discountJson('cart.discount_id')} as discount,
     ${basket('from cart_lines line where line.merchant_id = :merchant_id and line.cart_id = :cart_id')}
   from carts cart
   join merchants m on m.merchant_id = cart.merchant_id
   where cart.merchant_id = :merchant_id and cart.id = :cart_id`,
)

/**
 * One statement, so that a concurrent change of the lines is in the token completely or not at all. Null if there is no such cart; `empty`
 * if nothing was ever written to it.
 */
export async function findCartToBuy(
  db: Db,
  scope: ReadScope,
  cart: CartAt,
): Promise<CheckoutSourceRow | 'empty' | null> {
  const cartRow = await db.maybe(findInCart, { ...readValues(scope), ...cartValues(cart) })
  if (cartRow === null) return cart.life && 'empty'
  const { is_alive: isCart, ...source } = cartRow
  return isCart ? withBasket(db, scope, source) : null
}

/** Choice for a product; options may still be missing. */
export type ProductChoice = { readonly options: Combination; readonly quantity: number }

/** SQL: one line of one product, as a table of lines. */
const lineOfProduct = (condition: string) => `(
       select sold.merchant_id, :line_id::text as id, sold.id as product_id, sold.name,
         :options::jsonb as options, :quantity::integer as quantity
       from products sold
       where sold.merchant_id = :merchant_id and (sold.is_active or :is_secret) and ${condition}
     )`

const selectProduct = (condition: string) =>
  `select null as cart_id, null::integer as cart_revision, null as discount_id, null::json as meta, null::json as discount,
     ${basket(`from ${lineOfProduct(condition)} line`)}
   from merchants m
   where m.merchant_id = :merchant_id`

const findOneProduct = {
  product_id: statement<Read<CheckoutSourceRow>>('checkouts.find_product', selectProduct('sold.id = :value')),
  permalink: statement<Read<CheckoutSourceRow>>(
    'checkouts.find_product_by_permalink',
    selectProduct('sold.permalink = :value'),
  ),
}

/** `lineId` is the id of the future line. Null if there is no such product. */
export const findProductToBuy = async (
  db: Db,
  scope: ReadScope,
  by: keyof typeof findOneProduct,
  value: string,
  { lineId, options, quantity }: ProductChoice & { readonly lineId: string },
): Promise<CheckoutSourceRow | null> => {
  const row = await db.one(findOneProduct[by], {
    ...readValues(scope),
    value,
    line_id: lineId,
    options: toJsonColumn(options),
    quantity,
  })
  return row.goods.lines.length === 0 ? null : withBasket(db, scope, row)
}

export type CheckoutProductRow = GoodsRow & { is_sold_out: boolean }

export type DetailsRow = {
  merchant: MerchantProfileRow
  gateways: GatewayRow[]
  /** True if there is a usable code for any of the goods. */
  has_available_discounts: boolean
}

/** SQL that takes the parameters of `detailsValues`. */
export const TOKEN_DETAILS_SQL = `select
     ${MERCHANT_PROFILE_JSON} as merchant,
     ${offerRowsJson(':merchant_id')} as gateways,
     ${hasUsableDiscount(':product_ids')} as has_available_discounts
   from merchants m
   where m.merchant_id = :merchant_id`

/** Scope of a token, and the time at which it is shown. */
export type TokenDetailsScope = Scope & { readonly now: Date }

export const detailsValues = (
  { merchant_id, is_sandbox, now }: TokenDetailsScope,
  lines: readonly Pick<LineRow, 'product_id'>[],
) => ({
  merchant_id,
  is_sandbox,
  product_ids: [...new Set(lines.map(({ product_id }) => product_id))],
  now,
})

const selectDetails = lookup<DetailsRow>('checkouts.find_details', TOKEN_DETAILS_SQL)

export const findDetails = (db: Db, at: TokenDetailsScope, lines: readonly Pick<LineRow, 'product_id'>[]) =>
  db.one(selectDetails, detailsValues(at, lines))

/** All that the shop's terms for a place depend on, for any goods. */
export type TermsRow = Pick<BasketRow, 'settings' | 'has_zones' | 'offers'> &
  Pick<CheckoutRow, 'tax_zone' | 'is_taxed_by_region'> & {
    /** Oldest first, including zones without methods. */
    zones: (Pick<ShippingOfferRow, 'countries' | 'regions'> & { id: string; name: string })[]
  }

const selectTerms = statement<TermsRow>(
  'checkouts.find_terms',
  `select ${merchantSettingsSql()} as settings, ${hasZones} as has_zones, ${OFFERS_JSON} as offers, ${ZONES_JSON} as zones,
     ${taxZoneJson({ country: ':country::text', region: ':region::text', postalCode: ':postal_code::text' })} as tax_zone,
     ${isTaxedByRegion(':country::text')} as is_taxed_by_region
   from merchants m
   where m.merchant_id = :merchant_id`,
)

type TermsPlace = { readonly country: string; readonly region: string | null; readonly postalCode: string | null }

export const findTerms = (db: Db, { merchant_id, is_sandbox }: Scope, { country, region, postalCode }: TermsPlace) =>
  db.one(selectTerms, {
    merchant_id,
    is_sandbox,
    country,
    region,
    postal_code: postalCode,
  })
