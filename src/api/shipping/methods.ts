// The methods of a zone: what becomes of them by a body, which are offered in a place, and what pricing needs of one.

import { newId } from '../../lib/ids.ts'
import { sentOr } from '../../lib/json.ts'
import { parseAmount } from '../../lib/money.ts'
import type { Problems } from '../../lib/problems.ts'
import type { ShippingBands, ShippingRate } from '../../pricing/shipping.ts'
import type { SentMethod } from './schema.ts'
import type { MethodRow, OfferRow } from './store.ts'

/** A method before anything is known of it. */
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

/** The list sent replaces the old one. A method is kept where its id is sent, and keeps what is not sent with it. */
export function resolveMethods(
  sent: readonly SentMethod[],
  current: readonly MethodRow[],
  currency: string,
  problems: Problems,
  now: Date,
): MethodRow[] {
  const kept = new Set<string>()
  return sent.map((entry, index) => {
    const path = `methods.${index}`
    const named = current.find(({ id }) => id === entry.id)
    if (entry.id === undefined) requireFields(entry, path, problems)
    else if (!named) problems.refused(`${path}.id`, 'is not a method of this zone')
    else if (kept.has(named.id)) problems.refused(`${path}.id`, 'stands in the list twice')
    if (named) kept.add(named.id)
    const method = mergeMethod(named ?? { ...BLANK, id: newId('shippingMethod', now) }, entry, path, currency, problems)
    refuseEmptyBands(method, path, problems)
    return method
  })
}

/** What every new method has. The schema cannot say it: an entry that names a known method may leave both out. */
function requireFields(entry: SentMethod, path: string, problems: Problems) {
  for (const field of ['description', 'price'] as const)
    if (entry[field] === undefined) problems.malformed(`${path}.${field}`, 'is required')
}

function mergeMethod(
  current: MethodRow,
  sent: SentMethod,
  path: string,
  currency: string,
  problems: Problems,
): MethodRow {
  const amount = (field: 'price' | 'on_own' | 'with_others') => read(field, sent[field], current[field]) ?? 0
  const bound = (field: 'min_order_value' | 'max_order_value') => read(field, sent[field], current[field])
  const read = (field: string, value: number | string | null | undefined, before: number | null) => {
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
    description: sent.description ?? current.description,
    price: amount('price'),
    on_own: amount('on_own'),
    with_others: amount('with_others'),
    min_order_value: bound('min_order_value'),
    max_order_value: bound('max_order_value'),
    min_weight: sentOr(sent.min_weight, current.min_weight),
    max_weight: sentOr(sent.max_weight, current.max_weight),
  }
}

const BANDS = [
  ['min_order_value', 'max_order_value'],
  ['min_weight', 'max_weight'],
] as const

/** A band that ends before it begins would make a method that is never offered, and nobody would know why. */
function refuseEmptyBands(method: MethodRow, path: string, problems: Problems) {
  for (const [least, most] of BANDS) {
    const [from, to] = [method[least], method[most]]
    if (from !== null && to !== null && from > to)
      problems.refused(`${path}.${most}`, `must not be below ${path}.${least}`)
  }
}

/**
 * Whether the zone of an offer serves all that is bought: a physical product that names it, or that names none; one zone must serve them all,
 * as an order is shipped by one method. Where nothing physical is bought every zone serves: whether to ship is not asked here.
 */
export const servesAll = (
  { zone_id: zoneId }: Pick<OfferRow, 'zone_id'>,
  products: Iterable<{ readonly is_sent: boolean; readonly shipping_zone_ids: readonly string[] | null }>,
): boolean =>
  [...products].every(({ is_sent: isSent, shipping_zone_ids: ids }) => !isSent || ids === null || ids.includes(zoneId))

/**
 * Where it goes. The region is the code that `normalizeRegion` gives: null when the address names none that is known, and then no
 * method for certain regions is offered; undefined while only the country has been chosen, and then all for a part of it are.
 */
export type Place = { readonly country: string; readonly region: string | null | undefined }

export function isOfferedIn(offer: Pick<OfferRow, 'countries' | 'regions'>, { country, region }: Place): boolean {
  if (!offer.countries.includes(country)) return false
  const only = offer.regions[country]
  if (only === undefined || region === undefined) return true
  return region !== null && only.includes(region)
}

/** For `shippingPrice` and `isInBand`. */
export const rateOf = (method: Omit<OfferRow, 'zone_id' | 'countries' | 'regions'>): ShippingRate & ShippingBands => ({
  price: method.price,
  onOwn: method.on_own,
  withOthers: method.with_others,
  minOrderValue: method.min_order_value,
  maxOrderValue: method.max_order_value,
  minWeight: method.min_weight,
  maxWeight: method.max_weight,
})
