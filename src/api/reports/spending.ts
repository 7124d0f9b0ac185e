// What each customer has spent in all: what was paid for their orders, less what was given back, counted at most a minute after it happened. An
// order is looked at again after each of its changes, and what it adds is the difference to what is counted of it already, in the transaction that
// notes the new sum in its row, under its lock. A process that dies in between has counted nothing.

import type { Scope, Tx } from '../../db/db.ts'
import { paymentsOf } from '../orders/money/sums.ts'
import { sumsOf } from '../orders/status.ts'
import { findOrders } from '../orders/store.ts'
import { countingSweep } from './counting.ts'
import {
  addToSpending,
  type DueOrder,
  findOrdersToCount,
  lockOrdersToCount,
  markSpent,
  type SpendingChange,
} from './store.ts'

export const countSpending = countingSweep<Scope>({
  name: 'count-spending',
  find: findOrdersToCount,
  partsOf: byScope,
  count: countThose,
  failure: (parts) => `What customers of ${parts} shops have spent was not counted.`,
})

/** They come in the order of their shops and modes. */
function byScope(due: readonly DueOrder[]): [Scope, string[]][] {
  const parts: [Scope, string[]][] = []
  for (const { merchant_id: merchantId, is_sandbox: isSandbox, id } of due) {
    const last = parts.at(-1)
    if (last?.[0].merchantId === merchantId && last[0].isSandbox === isSandbox) last[1].push(id)
    else parts.push([{ merchantId, isSandbox }, [id]])
  }
  return parts
}

async function countThose(tx: Tx, scope: Scope, ids: readonly string[]): Promise<number> {
  const held = new Map((await lockOrdersToCount(tx, scope, ids)).map((order) => [order.id, order]))
  if (held.size === 0) return 0
  const marks: { id: string; spent: number }[] = []
  const changes = new Map<string, SpendingChange>()
  for (const row of await findOrders(tx, scope, [...held.keys()])) {
    const { spent: before, customer_id } = held.get(row.id) ?? { spent: null, customer_id: '' }
    const { paid: spent } = sumsOf(paymentsOf(row))
    marks.push({ id: row.id, spent })
    const place = `${customer_id} ${row.currency}`
    const change = changes.get(place) ?? { customer_id, currency: row.currency, orders: 0, spent: 0 }
    change.orders += Number(spent > 0) - Number((before ?? 0) > 0)
    change.spent += spent - (before ?? 0)
    changes.set(place, change)
  }
  await markSpent(tx, scope, marks)
  const moved = [...changes.values()].filter(({ orders, spent }) => orders !== 0 || spent !== 0)
  if (moved.length > 0) await addToSpending(tx, scope, moved)
  return marks.length
}
