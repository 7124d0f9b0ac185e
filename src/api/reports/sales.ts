// Counts new orders into the sales of their day, and takes out those that were cancelled: at most a minute after it happened. Each order is
// counted in the transaction that notes the day in its row, under its lock. A process that dies in between has counted nothing, and of two that
// run at once each counts what the other does not hold.

import type { Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import { byShop } from '../../jobs/due.ts'
import { DEFAULT_TIME_ZONE, dayIn } from '../../lib/clock.ts'
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
  type Mark,
  markOrders,
  type ProductChange,
} from './store.ts'

export const countSales = countingSweep<Shop>({
  name: 'count-sales',
  find: findDueOrders,
  partsOf: (due) =>
    [...byShop(due)].map(([merchantId, orders]) => [{ merchantId }, orders.map(({ id }) => id)] as const),
  count: countThose,
  failure: (parts) => `The sales of ${parts} shops were not counted.`,
})

async function countThose(tx: Tx, shop: Shop, ids: readonly string[]): Promise<number> {
  const orders = await lockDueOrders(tx, shop, ids)
  if (orders.length === 0) return 0
  const timeZones = new Map<boolean, string>()
  for (const isSandbox of new Set(orders.map(({ is_sandbox }) => is_sandbox))) {
    const settings = await findSettings(tx, { merchantId: shop.merchantId, isSandbox })
    timeZones.set(isSandbox, timeZoneOf(settings ?? { settings: {} }))
  }
  const { marks, days, products } = changesOf(orders, timeZones)
  await markOrders(tx, shop, marks)
  await addToOrderDays(tx, shop, days)
  await addToSalesDays(tx, shop, products)
  return orders.length
}

type Changes = { marks: Mark[]; days: DayChange[]; products: ProductChange[] }

/** What becomes of the sums when these orders are counted, or taken out of the day that they were counted in. */
function changesOf(orders: readonly CountableOrder[], timeZones: ReadonlyMap<boolean, string>): Changes {
  const marks: Mark[] = []
  const days = new Map<string, DayChange>()
  const products = new Map<string, ProductChange>()
  for (const { id, is_sandbox, created_at, order_value, day: countedIn, is_returning, lines } of orders) {
    const isCounted = countedIn !== null
    const sign = isCounted ? -1 : 1
    const day = countedIn ?? dayIn(timeZones.get(is_sandbox) ?? DEFAULT_TIME_ZONE, created_at)
    marks.push(isCounted ? { id, day: null, isReturning: null } : { id, day, isReturning: is_returning })
    const place = `${is_sandbox ? 1 : 0} ${day}`
    const sums = entryOf(days, place, () => ({ is_sandbox, day, orders: 0, returning_orders: 0, amount: 0 }))
    sums.orders += sign
    sums.returning_orders += is_returning ? sign : 0
    sums.amount += sign * order_value
    for (const { product_id, product_name, quantity, line_total, discount_share } of lines) {
      const fresh = () => ({ is_sandbox, day, product_id, name: product_name, quantity: 0, amount: 0 })
      const sold = entryOf(products, `${place} ${product_id}`, fresh)
      sold.name = product_name
      sold.quantity += sign * quantity
      sold.amount += sign * (line_total - discount_share)
    }
  }
  return { marks, days: inOrder(days), products: inOrder(products) }
}

function entryOf<Entry>(entries: Map<string, Entry>, place: string, fresh: () => Entry): Entry {
  const known = entries.get(place) ?? fresh()
  entries.set(place, known)
  return known
}

const inOrder = <Entry>(entries: ReadonlyMap<string, Entry>): Entry[] =>
  [...entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry)
