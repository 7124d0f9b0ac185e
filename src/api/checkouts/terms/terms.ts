// The terms for an address: what a checkout of one product, or of an example product, would offer and charge there.
// It makes up a token for this place in memory, and `priceCheckout` computes the rest as for real tokens.

import { notFound } from '../../../lib/errors.ts'
import { type Minor, parseAmount, priceOf } from '../../../lib/money.ts'
import { Problems } from '../../../lib/problems.ts'
import { isInBand } from '../../../pricing/shipping.ts'
import type { LineRow } from '../../lines/line.ts'
import { taxSettings } from '../../merchants/settings.ts'
import { isOfferedIn, rateOf, type ShippingDestination, servesAll } from '../../shipping/methods.ts'
import type { ShippingOfferRow } from '../../shipping/store.ts'
import { viewRate } from '../../tax/rate.ts'
import { viewAppliedZone } from '../../tax/zone.ts'
import { type CheckoutContext, createCheckoutRow } from '../checkout.ts'
import { findRegionProblem, needsShipping, priceCheckout, readPlace, sumShippedGoods } from '../price.ts'
import { type CheckoutRow, type CheckoutSourceRow, findProductToBuy, findTerms, type TermsRow } from '../read-store.ts'
import type { AddressTerms, TermsQuery } from './schema.ts'

const LINE_ID = 'item_tried'

export async function computeAddressTerms(context: CheckoutContext, query: TermsQuery): Promise<AddressTerms> {
  const { db, clock, caller } = context
  const problems = new Problems()
  const place = placeOf(query, problems)
  const priceOfOne = amountOf(query, caller.currency, problems)
  problems.throwIfMalformed()
  const postalCode = query.postal_zip_code?.trim() || null
  const terms = await findTerms(db, caller, { ...place, region: place.region ?? null, postalCode })
  const source = await goodsOf(context, terms, query, priceOfOne)
  const row: CheckoutRow = {
    ...createCheckoutRow(source, clock.now()),
    shipping_country: place.country,
    // In the format of a token: null if none was named.
    shipping_region: place.region === null ? '' : (place.region ?? null),
    taxed_in: { country: place.country, region: place.region ?? null, postal_code: postalCode, ip_address: null },
    tax_zone: terms.tax_zone,
    is_taxed_by_region: terms.is_taxed_by_region,
  }
  return viewTerms(row, terms, place, caller.currency, query.product_id === undefined)
}

/** Returns an empty place if it was refused. */
function placeOf({ country, region }: TermsQuery, problems: Problems): ShippingDestination {
  const place = readPlace({ country: country.trim(), region: region?.trim() })
  if (place === null) problems.malformed('country', 'must be the ISO 3166-1 code of a country, such as US')
  const wrong = place && findRegionProblem(place)
  if (wrong) problems.malformedAs({ region: [`region ${wrong}`] })
  return place ?? { country: '', region: null }
}

/** Price of one unit of the example product. A real product has its own price and weight. */
function amountOf(query: TermsQuery, currency: string, problems: Problems): Minor {
  if (query.product_id !== undefined)
    for (const field of ['price', 'weight'] as const)
      if (query[field] !== undefined)
        problems.malformed(field, 'must not be sent with product_id: the product has its own')
  const amount = parseAmount(query.price ?? 0, currency, { field: 'price' })
  if (amount.ok) return amount.minor
  problems.malformedAs({ price: [amount.reason] })
  return 0
}

async function goodsOf(
  { db, caller }: CheckoutContext,
  { settings, has_zones, offers }: TermsRow,
  { product_id: productId, quantity = 1, weight = 0 }: TermsQuery,
  price: Minor,
): Promise<CheckoutSourceRow> {
  if (productId !== undefined) {
    const choice = { options: {}, quantity, lineId: LINE_ID }
    const source = await findProductToBuy(db, caller, 'product_id', productId, choice)
    if (source === null) throw notFound('product')
    return source
  }
  const line = exampleLine(price, quantity)
  return {
    settings,
    has_zones,
    offers,
    lines: [line],
    deliveries: { [line.product_id]: { is_physical: true, is_digital: false, weight_grams: weight } },
    discount: null,
    cart_id: null,
    cart_revision: null,
    discount_id: null,
    meta: null,
  }
}

/** A line with this quantity of an example product. */
const exampleLine = (price: Minor, quantity: number): LineRow => ({
  id: LINE_ID,
  product_id: 'prod_tried',
  name: '',
  quantity,
  options: {},
  groups: [],
  variant: null,
  open_stock: null,
  image: null,
  product: {
    id: 'prod_tried',
    name: '',
    sku: null,
    permalink: '',
    description: '',
    price,
    meta: null,
    is_active: true,
    is_tax_exempt: false,
    is_pay_what_you_want: false,
    is_inventory_managed: false,
    is_sent: true,
    weight_grams: null,
    shipping_zone_ids: null,
    collects_fullname: false,
    collects_shipping_address: false,
    collects_billing_address: false,
    packages: [],
    extra_fields: [],
    version: 0,
    stamp: 0,
    is_digital: false,
    image: null,
    variant_groups: [],
    available: 0,
  },
})

function viewTerms(
  row: CheckoutRow,
  { zones, offers, tax_zone: taxZone, is_taxed_by_region: isTaxedByRegion }: TermsRow,
  place: ShippingDestination,
  currency: string,
  isExample: boolean,
): AddressTerms {
  const show = (amount: Minor) => priceOf(amount, currency)
  const { totals, offered } = priceCheckout(row)
  const zonesHere = zones.filter((zone) => isOfferedIn(zone, place))
  const zoneOf = (id: string) => offers.find((offer) => offer.id === id)?.zone_id ?? ''
  const others = needsShipping(row)
    ? offers.filter((offer) => isOfferedIn(offer, place) && !offered.some(({ id }) => id === offer.id))
    : []
  const [line] = row.lines
  return {
    country: place.country,
    region: place.region ?? null,
    postal_zip_code: row.taxed_in.postal_code,
    depends_on_region:
      place.region === undefined &&
      (isTaxedByRegion || zonesHere.some(({ regions }) => regions[place.country] !== undefined)),
    goods: {
      product_id: isExample ? null : (line?.product_id ?? null),
      name: isExample ? null : (line?.product?.name ?? null),
      quantity: line?.quantity ?? 0,
      weight: sumShippedGoods(row).weight,
      is_shipped: needsShipping(row),
    },
    subtotal: show(totals.subtotal),
    tax_amount: show(totals.tax.amount),
    total_with_tax: show(totals.totalWithTax),
    zones: zonesHere.map(({ id, name }) => ({ id, name })),
    methods: offered.map((method) => {
      const { totals: methodTotals } = priceCheckout({ ...row, shipping_method_id: method.id })
      return {
        id: method.id,
        description: method.description,
        zone_id: zoneOf(method.id),
        price: show(methodTotals.shipping),
        tax_amount: show(methodTotals.tax.amount),
        total_with_tax: show(methodTotals.totalWithTax),
      }
    }),
    not_offered: others.map((offer) => ({
      id: offer.id,
      description: offer.description,
      zone_id: offer.zone_id,
      reason: reasonOf(offer, row, totals.subtotal - totals.amountSaved),
    })),
    tax: {
      zone: taxZone && viewAppliedZone(taxZone),
      rates: (taxZone?.rates ?? []).map(viewRate),
      included_in_price: taxSettings(row).included_in_price,
      on_shipping: taxSettings(row).on_shipping,
    },
  }
}

/** Reason why a method of this place is not offered. */
function reasonOf(offer: ShippingOfferRow, row: CheckoutRow, orderValue: Minor): 'order_value' | 'weight' | 'product' {
  const products = row.lines.flatMap(({ product }) => product ?? [])
  if (!servesAll(offer, products)) return 'product'
  const bands = { ...rateOf(offer), minWeight: null, maxWeight: null }
  return isInBand(bands, { orderValue, weight: 0 }) ? 'weight' : 'order_value'
}
