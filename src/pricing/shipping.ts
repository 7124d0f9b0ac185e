// Price of a shipping method for a number of units, and the conditions for offering it.

import type { Minor } from '../lib/money.ts'
import { MAX_LINE_TOTAL } from './rounding.ts'

export type ShippingRate = { price: Minor; onOwn: Minor; withOthers: Minor }

/** Null: no bound on that side. Both ends belong to the band. */
export type ShippingBands = {
  minOrderValue: Minor | null
  maxOrderValue: Minor | null
  minWeight: number | null
  maxWeight: number | null
}

/** Price plus `onOwn` for the first unit and `withOthers` for each further one. Nothing is charged if nothing is shipped. */
export function shippingPrice(rate: ShippingRate, physicalUnits: number): Minor {
  if (physicalUnits === 0) return 0
  // Past 2^53 the product is not exact, but by then it is far above the limit.
  return Math.min(rate.price + rate.onOwn + rate.withOthers * (physicalUnits - 1), MAX_LINE_TOTAL)
}

/** `orderValue` is subtotal less discount; `weight` is of all units together, in grams. */
export function isInBand(method: ShippingBands, order: { orderValue: Minor; weight: number }): boolean {
  return (
    isWithin(order.orderValue, method.minOrderValue, method.maxOrderValue) &&
    isWithin(order.weight, method.minWeight, method.maxWeight)
  )
}

const isWithin = (value: number, minimum: number | null, maximum: number | null): boolean =>
  (minimum === null || value >= minimum) && (maximum === null || value <= maximum)
