// Adds new orders to the sales of their day, and subtracts those that were cancelled, at most a minute later.
// Each order is counted in the transaction that stores the day in its row, under its lock. A process that dies in between has counted
// nothing. Of two concurrent runs, each counts the orders that the other has not locked.

import type { Shop, Tx } from '../../db/db.ts'
import { groupByShop } from '../../jobs/due.ts'
import { DEFAULT_TIME_ZONE, dayInTimeZone } from '../../lib/clock.ts'
import { timeZoneOf } from '../merchants/settings.ts'
import { findSettings } from '../merchants/store.ts'
import { countingSweep } from './counting.ts'
import {
  addToOrderDays,
  addToSalesDays,
  type CountableOrder,
  type DayChange,
  findDueOrders,
  lockDueOrders,
  markOrders,
  type ProductChange,
  type SalesMark,
} from './store.ts'

export const countSales = countingSweep<Shop>({
  name: 'count-sales',
  find: findDueOrders,
  partsOf: (due) =>
    [...groupByShop(due)].map(([merchant_id, orders]) => [{ merchant_id }, orders.map(({ id }) => id)] as const),
  count: countOrders,
  failure: (parts) => `The sales of ${parts} shops were not counted.`,
})

async function countOrders(tx: Tx, shop: Shop, ids: readonly string[]): Promise<number> {
  const orders = await lockDueOrders(tx, shop, ids)
  if (orders.length === 0) return 0
  const timeZones = new Map<boolean, string>()
  for (const is_sandbox of new Set(orders.map(({ is_sandbox }) => is_sandbox))) {
    const settings = await findSettings(tx, { merchant_id: shop.merchant_id, is_sandbox })
    timeZones.set(is_sandbox, timeZoneOf(settings ?? { settings: {} }))
  }
  const { marks, days, products } = changesOf(orders, timeZones)
  await markOrders(tx, shop, marks)
  await addToOrderDays(tx, shop, days)
  await addToSalesDays(tx, shop, products)
  return orders.length
}

type Changes = { marks: SalesMark[]; days: DayChange[]; products: ProductChange[] }

/** Changes of the sums when these orders are counted, or subtracted from the day that they were counted in. */
function changesOf(orders: readonly CountableOrder[], timeZones: ReadonlyMap<boolean, string>): Changes {
  const marks: SalesMark[] = []
  const days = new Map<string, DayChange>()
  const products = new Map<string, ProductChange>()
  for (const { id, is_sandbox, created_at, order_value, day: countedIn, is_returning, lines } of orders) {
    const isCounted = countedIn !== null
    const sign = isCounted ? -1 : 1
    const day = countedIn ?? dayInTimeZone(timeZones.get(is_sandbox) ?? DEFAULT_TIME_ZONE, created_at)
    marks.push(isCounted ? { id, day: null, isReturning: null } : { id, day, isReturning: is_returning })
    const place = `${is_sandbox ? 1 : 0} ${day}`
    const sums = getOrAddEntry(days, place, () => ({ is_sandbox, day, orders: 0, returning_orders: 0, amount: 0 }))
    sums.orders += sign
    sums.returning_orders += is_returning ? sign : 0
    sums.amount += sign * order_value
    for (const { product_id, product_name, quantity, line_total, discount_share } of lines) {
      const emptySums = () => ({ is_sandbox, day, product_id, name: product_name, quantity: 0, amount: 0 })
      const productSums = getOrAddEntry(products, `${place} ${product_id}`, emptySums)
      productSums.name = product_name
      productSums.quantity += sign * quantity
      productSums.amount += sign * (line_total - discount_share)
    }
  }
  return { marks, days: sortedByKey(days), products: sortedByKey(products) }
}

function getOrAddEntry<Entry>(entries: Map<string, Entry>, place: string, makeEntry: () => Entry): Entry {
  const entry = entries.get(place) ?? makeEntry()
  entries.set(place, entry)
  return entry
}

const sortedByKey = <Entry>(entries: ReadonlyMap<string, Entry>): Entry[] =>
  [...entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry)
