// Counts what each customer has spent: what was paid for their orders less what was refunded, at most a minute late.
// An order is read again after each of its changes. The difference to its counted sum is added in the transaction that stores the new sum
// in its row, under its lock. A process that dies in between has counted nothing.

import type { Scope, Tx } from '../../db/db.ts'
import { paymentStatusInput } from '../orders/money/sums.ts'
import { sumPayments } from '../orders/status.ts'
import { findOrders } from '../orders/store.ts'
import { countingSweep } from './counting.ts'
import {
  addToSpending,
  type DueOrder,
  findOrdersToCount,
  lockOrdersToCount,
  type SpendingChange,
  storeOrderSpending,
} from './store.ts'

export const countSpending = countingSweep<Scope>({
  name: 'count-spending',
  find: findOrdersToCount,
  partsOf: byScope,
  count: countOrders,
  failure: (parts) => `The spending of the customers of ${parts} shops was not counted.`,
})

/** Groups neighbours, because the orders are sorted by shop and mode. */
function byScope(due: readonly DueOrder[]): [Scope, string[]][] {
  const parts: [Scope, string[]][] = []
  for (const { merchant_id, is_sandbox, id } of due) {
    const last = parts.at(-1)
    if (last?.[0].merchant_id === merchant_id && last[0].is_sandbox === is_sandbox) last[1].push(id)
    else parts.push([{ merchant_id, is_sandbox }, [id]])
  }
  return parts
}

async function countOrders(tx: Tx, scope: Scope, ids: readonly string[]): Promise<number> {
  const lockedOrders = new Map((await lockOrdersToCount(tx, scope, ids)).map((order) => [order.id, order]))
  if (lockedOrders.size === 0) return 0
  const marks: { id: string; spent: number }[] = []
  const changes = new Map<string, SpendingChange>()
  for (const row of await findOrders(tx, scope, [...lockedOrders.keys()])) {
    const { spent: before, customer_id } = lockedOrders.get(row.id) ?? { spent: null, customer_id: '' }
    const { paid: spent } = sumPayments(paymentStatusInput(row))
    marks.push({ id: row.id, spent })
    const place = `${customer_id} ${row.currency}`
    const change = changes.get(place) ?? { customer_id, currency: row.currency, orders: 0, spent: 0 }
    change.orders += Number(spent > 0) - Number((before ?? 0) > 0)
    change.spent += spent - (before ?? 0)
    changes.set(place, change)
  }
  await storeOrderSpending(tx, scope, marks)
  const nonZeroChanges = [...changes.values()].filter(({ orders, spent }) => orders !== 0 || spent !== 0)
  if (nonZeroChanges.length > 0) await addToSpending(tx, scope, nonZeroChanges)
  return marks.length
}
