// The methods of a zone: merging a request body into them, filtering them by place and products, and converting them for pricing.

import { newId } from '../../lib/ids.ts'
import { newOrCurrent } from '../../lib/json.ts'
import { parseAmount } from '../../lib/money.ts'
import type { Problems } from '../../lib/problems.ts'
import type { ShippingBands, ShippingRate } from '../../pricing/shipping.ts'
import type { MethodBody } from './schema.ts'
import type { MethodRow, ShippingOfferRow } from './store.ts'

/** Defaults of a new method. */
const BLANK: Omit<MethodRow, 'id'> = {
  description: '',
  price: 0,
  on_own: 0,
  with_others: 0,
  min_order_value: null,
  max_order_value: null,
  min_weight: null,
  max_weight: null,
}

/** The sent list replaces the old one. A method with a sent id keeps the fields that are not sent. */
export function resolveMethods(
  entries: readonly MethodBody[],
  current: readonly MethodRow[],
  currency: string,
  problems: Problems,
  now: Date,
): MethodRow[] {
  const usedIds = new Set<string>()
  return entries.map((entry, index) => {
    const path = `methods.${index}`
    const currentMethod = current.find(({ id }) => id === entry.id)
    if (entry.id === undefined) requireFields(entry, path, problems)
    else if (!currentMethod) problems.refused(`${path}.id`, 'is not a method of this zone')
    else if (usedIds.has(currentMethod.id)) problems.refused(`${path}.id`, 'is listed twice')
    if (currentMethod) usedIds.add(currentMethod.id)
    const method = mergeMethod(
      currentMethod ?? { ...BLANK, id: newId('shippingMethod', now) },
      entry,
      path,
      currency,
      problems,
    )
    refuseEmptyRanges(method, path, problems)
    return method
  })
}

/** Checks the required fields of a new method. The schema cannot: an entry with a known id may leave both out. */
function requireFields(entry: MethodBody, path: string, problems: Problems) {
  for (const field of ['description', 'price'] as const)
    if (entry[field] === undefined) problems.malformed(`${path}.${field}`, 'is required')
}

function mergeMethod(
  current: MethodRow,
  changes: MethodBody,
  path: string,
  currency: string,
  problems: Problems,
): MethodRow {
  const amountOf = (field: 'price' | 'on_own' | 'with_others') => parseField(field, changes[field], current[field]) ?? 0
  const limit = (field: 'min_order_value' | 'max_order_value') => parseField(field, changes[field], current[field])
  const parseField = (field: string, value: number | string | null | undefined, before: number | null) => {
    if (value === undefined) return before
    if (value === null) return null
    const name = `${path}.${field}`
    const parsed = parseAmount(value, currency, { field: name })
    if (parsed.ok) return parsed.minor
    problems.malformedAs({ [name]: [parsed.reason] })
    return null
  }
  return {
    id: current.id,
    description: changes.description ?? current.description,
    price: amountOf('price'),
    on_own: amountOf('on_own'),
    with_others: amountOf('with_others'),
    min_order_value: limit('min_order_value'),
    max_order_value: limit('max_order_value'),
    min_weight: newOrCurrent(changes.min_weight, current.min_weight),
    max_weight: newOrCurrent(changes.max_weight, current.max_weight),
  }
}

const RANGES = [
  ['min_order_value', 'max_order_value'],
  ['min_weight', 'max_weight'],
] as const

/** Refuses a range with its end before its start. Such a method would never be offered, without any hint why. */
function refuseEmptyRanges(method: MethodRow, path: string, problems: Problems) {
  for (const [least, most] of RANGES) {
    const [from, to] = [method[least], method[most]]
    if (from !== null && to !== null && from > to)
      problems.refused(`${path}.${most}`, `must not be below ${path}.${least}`)
  }
}

/**
 * True if the zone of an offer serves all physical products: each names it, or names no zones. One zone must serve them all, because an
 * order is shipped by one method. Without physical products every zone matches.
 */
export const servesAll = (
  { zone_id: zoneId }: Pick<ShippingOfferRow, 'zone_id'>,
  products: Iterable<{ readonly is_sent: boolean; readonly shipping_zone_ids: readonly string[] | null }>,
): boolean =>
  [...products].every(({ is_sent: isSent, shipping_zone_ids: ids }) => !isSent || ids === null || ids.includes(zoneId))

/**
 * The destination. `region` is a code from `normalizeRegion`. Null means that the address has no known region, so methods limited to
 * regions are not offered. Undefined means that only the country is chosen so far, so methods for any part of it are offered.
 */
export type ShippingDestination = { readonly country: string; readonly region: string | null | undefined }

export function isOfferedIn(
  offer: Pick<ShippingOfferRow, 'countries' | 'regions'>,
  { country, region }: ShippingDestination,
): boolean {
  if (!offer.countries.includes(country)) return false
  const regions = offer.regions[country]
  if (regions === undefined || region === undefined) return true
  return region !== null && regions.includes(region)
}

/** Converts a method for `shippingPrice` and `isInBand`. */
export const rateOf = (
  method: Omit<ShippingOfferRow, 'zone_id' | 'countries' | 'regions'>,
): ShippingRate & ShippingBands => ({
  price: method.price,
  onOwn: method.on_own,
  withOthers: method.with_others,
  minOrderValue: method.min_order_value,
  maxOrderValue: method.max_order_value,
  minWeight: method.min_weight,
  maxWeight: method.max_weight,
})
