// Prices a checkout: the only place that builds the input of price() from a token. Live totals, helpers and capture all use it, so that
// none can show or charge another amount. Also reads the destination of a checkout.

import { countryName, listSubdivisions, normalizeRegion, regionRule } from '../../geo/places.ts'
import type { Minor } from '../../lib/money.ts'
import { keepValidChoice } from '../../pricing/pay-what-you-want.ts'
import { type PriceInput, type PriceTotals, price } from '../../pricing/price.ts'
import { isInBand, shippingPrice } from '../../pricing/shipping.ts'
import { toDiscountInput } from '../discounts/store.ts'
import { toLineInput } from '../lines/line.ts'
import { taxSettings } from '../merchants/settings.ts'
import { isOfferedIn, rateOf, type ShippingDestination } from '../shipping/methods.ts'
import type { ShippingOfferRow } from '../shipping/store.ts'
import { taxRates } from '../tax/rate.ts'
import type { CheckoutRow } from './read-store.ts'

/** A way to ship all of it, with its price for this token. */
export type ShippingMethod = {
  readonly id: string
  readonly description: string
  readonly price: Minor
  /** Set by an integration, which has checked the address itself; offered in every place. */
  readonly isExternal: boolean
} & Pick<ShippingOfferRow, 'countries' | 'regions'>

export type PricedCheckout = {
  readonly totals: PriceTotals
  /** Every method that can ship the goods, to any destination. Empty if nothing is shipped. */
  readonly methods: readonly ShippingMethod[]
  /** Methods for the known destination; all of them if it is unknown. */
  readonly offered: readonly ShippingMethod[]
  /** The chosen method if it is still offered, otherwise null. */
  readonly method: ShippingMethod | null
}

export function priceCheckout(row: CheckoutRow): PricedCheckout {
  const input = withoutShipping(row)
  const methods = methodsOf(row, input)
  const offered = filterOfferedMethods(methods, placeOf(row))
  const method = offered.find(({ id }) => id === row.shipping_method_id) ?? null
  return { totals: price({ ...input, shipping: method?.price ?? 0 }), methods, offered, method }
}

/** Methods offered in a place; all of them if it is unknown. */
export const filterOfferedMethods = (
  methods: readonly ShippingMethod[],
  place: ShippingDestination | null,
): readonly ShippingMethod[] =>
  place === null ? methods : methods.filter((method) => method.isExternal || isOfferedIn(method, place))

function withoutShipping(row: CheckoutRow): PriceInput {
  const { included_in_price, on_shipping } = taxSettings(row)
  const lines = row.lines.map((line) => ({
    ...toLineInput(line),
    // Nothing is known of a deleted product, and it costs nothing.
    isDigital: row.deliveries[line.product_id]?.is_digital ?? false,
  }))
  return {
    lines,
    discount: row.discount && toDiscountInput(row.discount),
    shipping: 0,
    tax: { rates: taxRates(row.tax_zone?.rates ?? []), isIncluded: included_in_price, isOnShipping: on_shipping },
    externalTax: row.external_tax?.line_items?.map(({ id, breakdown }) => ({ lineId: id, breakdown })) ?? null,
    adjustments: (row.adjustments ?? []).map(({ amount, is_taxable }) => ({ amount, isTaxable: is_taxable })),
    giftCardBalance: row.gift_card?.balance ?? null,
    customerSetPrice: keepValidChoice(lines, row.customer_set_price),
  }
}

function methodsOf(row: CheckoutRow, input: PriceInput): ShippingMethod[] {
  if (!needsShipping(row)) return []
  const { units, weight } = sumShippedGoods(row)
  const external = (row.external_methods ?? []).map((method) => ({
    id: method.id,
    description: method.description,
    price: method.price,
    isExternal: true,
    countries: [],
    regions: {},
  }))
  // Bands depend on the price of the goods, which shipping does not change.
  const { subtotal, amountSaved } = price(input)
  const order = { orderValue: subtotal - amountSaved, weight }
  const own = row.offers
    .filter((offer) => isInBand(rateOf(offer), order) && !external.some(({ id }) => id === offer.id))
    .map((offer) => ({
      id: offer.id,
      description: offer.description,
      price: shippingPrice(rateOf(offer), units),
      isExternal: false,
      countries: offer.countries,
      regions: offer.regions,
    }))
  return [...own, ...external]
}

/** Number of units to ship, and their total weight in grams. */
export function sumShippedGoods({ lines, deliveries }: CheckoutRow): { units: number; weight: number } {
  let [units, weight] = [0, 0]
  for (const { product_id: productId, quantity } of lines) {
    const delivery = deliveries[productId]
    if (!delivery?.is_physical) continue
    units += quantity
    weight += quantity * (delivery.weight_grams ?? 0)
  }
  return { units, weight }
}

// Destination of a checkout: the place as a shopper names it and as a token stores it, and if anything is shipped.

/** A place as a shopper names it. */
export type NamedPlace = { readonly country: string; readonly region?: string | undefined }

/** Null if the country does not exist. A form sends an empty region for a field that was left blank. */
export function readPlace({ country, region = '' }: NamedPlace): ShippingDestination | null {
  const code = country.toUpperCase()
  if (countryName(code) === undefined) return null
  return { country: code, region: region === '' ? undefined : normalizeRegion(code, region) }
}

/** Rule for the region, as the end of a sentence. Null if the region is valid, or if the country has no list of regions. */
export const findRegionProblem = ({ country, region }: ShippingDestination): string | null =>
  region === null && (listSubdivisions(country) ?? []).length > 0 ? regionRule(country) : null

/** Destination, as far as it is known. */
const placeOf = ({
  shipping_country: country,
  shipping_region: region,
}: Pick<CheckoutRow, 'shipping_country' | 'shipping_region'>): ShippingDestination | null =>
  country === null ? null : { country, region: region === '' ? null : (region ?? undefined) }

/**
 * True if shipping is required: something is physical, and a zone of the shop or an integration offers shipping. Without any offer, no
 * answer of the shopper could be right.
 */
export const needsShipping = ({
  deliveries,
  has_zones: hasZones,
  external_methods: externalMethods,
}: Pick<CheckoutRow, 'deliveries' | 'has_zones' | 'external_methods'>): boolean =>
  (hasZones || (externalMethods ?? []).length > 0) && Object.values(deliveries).some(({ is_physical }) => is_physical)
