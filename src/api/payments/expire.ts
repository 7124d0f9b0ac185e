// Cancels orders that were to be paid by hand and were not paid in the time that the merchant allows. Their goods can then be sold again.
// Merchants without such a limit are not affected.

import type { Scope } from '../../db/db.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { Sweep, SweepContext } from '../../jobs/schedule.ts'
import { createOrderAddresses, type OrderOwner } from '../orders/links.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { lockOrder } from '../orders/store.ts'
import { isOutcomeUnknown, isPendingAtProvider } from './polls.ts'
import { applyCancellation, canBeCancelled } from './release.ts'
import {
  excludeOrderFromExpiry,
  filterWithDueOrders,
  findExpiryHours,
  listExpiringMerchants,
  listUnpaidOrders,
  type UnpaidRow,
} from './store.ts'

/**
 * Batch sizes: merchants per query, orders per turn of a merchant, and about how many orders of a merchant one run decides. The next run
 * continues minutes later.
 */
type Portions = { readonly merchants: number; readonly turn: number; readonly run: number }
const PORTIONS: Portions = { merchants: 1_000, turn: 100, run: 500 }
const HOUR_MS = 3_600_000

/** Rows per merchant in a page of merchants: one for each mode. */
const MODES = 2

/** Earlier than any real order. */
const BEGINNING = { created_at: new Date(0), id: '' }

export const sweepUnpaidOrders = (services: Services, portions: Partial<Portions> = {}): Sweep => ({
  name: 'unpaid-orders',
  everySeconds: 300,
  async run(context) {
    // A sweep has no request and so no host. Without PUBLIC_URL, the URLs in these events are bare paths.
    const addresses = await createOrderAddresses(services, services.publicUrl ?? '')
    const failures: unknown[] = []
    let total = 0
    for await (const { order, turn } of listDue(context, { ...PORTIONS, ...portions })) {
      const owner = { merchant_id: turn.merchant_id, is_sandbox: turn.is_sandbox, addresses }
      try {
        if (await expireOrder(context, owner, order)) total++
        turn.decided++
      } catch (error) {
        // The next run finds it again. It must not block the orders behind it.
        failures.push(error)
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} unpaid orders could not be checked.`)
    return total
  },
})

/** Progress of a run with one merchant in one mode. */
type Turn = Scope & {
  /** Orders that were made before this time are due. */
  readonly moment: Date
  after: Pick<UnpaidRow, 'created_at' | 'id'>
  decided: number
}

type Due = { readonly order: UnpaidRow; readonly turn: Turn }

/** Takes one page of each merchant, then the next page of each. So a merchant with very many orders does not delay the others. */
async function* listDue(context: SweepContext, portions: Portions): AsyncGenerator<Due> {
  const { db, clock, signal } = context
  const waiting: Turn[] = []
  for (let afterId = 0; !signal.aborted; ) {
    const merchants = await listExpiringMerchants(db, afterId, portions.merchants)
    const turns = merchants.flatMap(({ merchant_id, is_sandbox, hours }): Turn[] => {
      if (hours === null) return []
      const moment = new Date(clock.now().getTime() - hours * HOUR_MS)
      return [{ merchant_id, is_sandbox, moment, after: BEGINNING, decided: 0 }]
    })
    // Checked together, because most have nothing due. The cost of a run must not grow with idle shops.
    const turnsWithOrders = turns.length > 0 ? await filterWithDueOrders(db, turns) : []
    for (const turn of turnsWithOrders) if (yield* listPage(context, portions, turn)) waiting.push(turn)
    if (merchants.length < MODES * portions.merchants) break
    afterId = merchants.at(-1)?.merchant_id ?? afterId
  }
  for (let turn = waiting.shift(); turn !== undefined; turn = waiting.shift())
    if (yield* listPage(context, portions, turn)) waiting.push(turn)
}

/** True if the merchant gets another turn in this run. */
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
 * True if the order was cancelled. It is decided under the order's lock, because the merchant may be completing the payment right now. The
 * order is then either paid and stays, or it is cancelled and cannot be paid.
 * The time limit is read again, because it may have been changed or removed since the run began.
 */
const expireOrder = ({ db, clock }: SweepContext, owner: OrderOwner, { id, created_at }: UnpaidRow): Promise<boolean> =>
  db.transaction(async (tx) => {
    const row = await lockOrder(tx, owner, id)
    if (row === null || row.cancelled !== null || row.status_payment !== 'not_paid') return false
    const hours = await findExpiryHours(tx, owner)
    const now = clock.now()
    if (hours === null || created_at.getTime() > now.getTime() - hours * HOUR_MS) return false
    if (!isAwaitedByHand(row) || !canBeCancelled(row)) {
      // Something was shipped before payment, or a gift card paid a part. The merchant has to decide about it.
      await excludeOrderFromExpiry(tx, row)
      return false
    }
    const time = hours === 1 ? '1 hour' : `${hours} hours`
    await applyCancellation(tx, owner, row, `The order was not paid within ${time}.`, now, { isExpired: true })
    return true
  })

/** True if the money comes from outside the shop: no gateway holds it, is still deciding about it, or may have it already. */
function isAwaitedByHand({ transactions }: OrderRow): boolean {
  const pending = transactions.filter(({ status }) => status === 'pending')
  const isByHand = (charge: TransactionRow) =>
    !charge.is_authorized && !isPendingAtProvider(charge) && !isOutcomeUnknown(charge)
  return pending.length > 0 && pending.every(isByHand)
}
