// Cancels orders that were to be paid by hand and have not been in the time that the merchant gives them, so that their goods can be sold
// to others. Only where the merchant has set such a time.

import type { Scope } from '../../db/db.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { Sweep, SweepContext } from '../../jobs/schedule.ts'
import { type OrderOwner, orderAddresses } from '../orders/links.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { lockOrder } from '../orders/store.ts'
import { isBeingDecided, isUnknown } from './look-later.ts'
import { canBeCancelled, writeCancel } from './release.ts'
import {
  filterWithDueOrders,
  findExpiryHours,
  keepOrderRow,
  listExpiringMerchants,
  listUnpaidOrders,
  type UnpaidRow,
} from './store.ts'

/**
 * How many merchants are looked at together, how many orders of one of them come in one turn, and about how many a run decides. The next run
 * goes on, in minutes.
 */
type Portions = { readonly merchants: number; readonly turn: number; readonly run: number }
const PORTIONS: Portions = { merchants: 1_000, turn: 100, run: 500 }
const HOUR_MS = 3_600_000

/** Rows of each merchant in a page of them. */
const MODES = 2

/** Earlier than any order. */
const BEGINNING = { created_at: new Date(0), id: '' }

export const sweepUnpaidOrders = (services: Services, portions: Partial<Portions> = {}): Sweep => ({
  name: 'unpaid-orders',
  everySeconds: 300,
  async run(context) {
    // No request, no host: without PUBLIC_URL the addresses in these events are bare paths.
    const addresses = await orderAddresses(services, services.publicUrl ?? '')
    const failures: unknown[] = []
    let total = 0
    for await (const { order, turn } of listDue(context, { ...PORTIONS, ...portions })) {
      const owner = { merchantId: turn.merchantId, isSandbox: turn.isSandbox, addresses }
      try {
        if (await expireOrder(context, owner, order)) total++
        turn.decided++
      } catch (error) {
        // The next run finds it again; meanwhile it must not keep all that come behind it.
        failures.push(error)
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} unpaid orders could not be looked at.`)
    return total
  },
})

/** How far the run has come with one merchant, in one mode. */
type Turn = Scope & {
  /** Orders that were made by then are due. */
  readonly moment: Date
  after: Pick<UnpaidRow, 'created_at' | 'id'>
  decided: number
}

type Due = { readonly order: UnpaidRow; readonly turn: Turn }

/** A page of each merchant in turn, and then the next of each: one with very many orders keeps nobody waiting for all of them. */
async function* listDue(context: SweepContext, portions: Portions): AsyncGenerator<Due> {
  const { db, clock, signal } = context
  const waiting: Turn[] = []
  for (let afterId = 0; !signal.aborted; ) {
    const merchants = await listExpiringMerchants(db, afterId, portions.merchants)
    const turns = merchants.flatMap(({ merchant_id: merchantId, is_sandbox: isSandbox, hours }): Turn[] => {
      if (hours === null) return []
      const moment = new Date(clock.now().getTime() - hours * HOUR_MS)
      return [{ merchantId, isSandbox, moment, after: BEGINNING, decided: 0 }]
    })
    // Most have nothing that is due, and are asked together: what a run costs must not grow with shops in which nothing happens.
    const due = turns.length > 0 ? await filterWithDueOrders(db, turns) : []
    for (const turn of due) if (yield* listPage(context, portions, turn)) waiting.push(turn)
    if (merchants.length < MODES * portions.merchants) break
    afterId = merchants.at(-1)?.merchant_id ?? afterId
  }
  for (let turn = waiting.shift(); turn !== undefined; turn = waiting.shift())
    if (yield* listPage(context, portions, turn)) waiting.push(turn)
}

/** Whether the merchant has another turn in this run. */
async function* listPage({ db, signal }: SweepContext, portions: Portions, turn: Turn): AsyncGenerator<Due, boolean> {
  if (signal.aborted) return false
  const orders = await listUnpaidOrders(db, turn, turn.moment, turn.after, portions.turn)
  for (const order of orders) {
    if (signal.aborted) return false
    yield { order, turn }
    turn.after = order
  }
  return orders.length === portions.turn && turn.decided < portions.run
}

/**
 * Whether it was cancelled. Decided under the order's lock: the merchant may be completing the payment in this moment, and then either
 * the order is paid and stays, or is cancelled and cannot be paid any more. The time, too, is asked for anew: it may have been changed, or
 * taken away, since the run began.
 */
const expireOrder = ({ db, clock }: SweepContext, owner: OrderOwner, { id, created_at }: UnpaidRow): Promise<boolean> =>
  db.transaction(async (tx) => {
    const row = await lockOrder(tx, owner, id)
    if (row === null || row.cancelled !== null || row.status_payment !== 'not_paid') return false
    const hours = await findExpiryHours(tx, owner)
    const now = clock.now()
    if (hours === null || created_at.getTime() > now.getTime() - hours * HOUR_MS) return false
    if (!isAwaitedByHand(row) || !canBeCancelled(row)) {
      // Something was shipped before it is paid, or a gift card has paid a part: what becomes of it is for the merchant to say.
      await keepOrderRow(tx, row)
      return false
    }
    const time = hours === 1 ? '1 hour' : `${hours} hours`
    await writeCancel(tx, owner, row, `The order was not paid within ${time}.`, now, { isExpired: true })
    return true
  })

/**
 * Its money is to come outside of the shop: no gateway holds any for it, nor is a provider still looking into it, nor may one have it already.
 */
function isAwaitedByHand({ transactions }: OrderRow): boolean {
  const pending = transactions.filter(({ status }) => status === 'pending')
  const isByHand = (charge: TransactionRow) => !charge.is_authorized && !isBeingDecided(charge) && !isUnknown(charge)
  return pending.length > 0 && pending.every(isByHand)
}
