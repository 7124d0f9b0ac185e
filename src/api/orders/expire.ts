// Cancels orders that were to be paid by hand and have not been in the time that the merchant gives them, so that their goods can be sold
// to others. Only where the merchant has set such a time.

import type { Database } from '../../db/db.ts'
import type { Services } from '../../http/endpoint.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import type { Clock } from '../../lib/clock.ts'
import { canBeCancelled, writeCancel } from './cancel-writer.ts'
import {
  type ExpiringMerchant,
  keepOrderRow,
  listExpiringMerchants,
  listUnpaidOrders,
  type UnpaidRow,
} from './expire-store.ts'
import { type OrderOwner, orderAddresses } from './links.ts'
import type { OrderRow } from './row-store.ts'
import { lockOrder } from './store.ts'

const MERCHANTS = 100
const ORDERS = 100
const HOUR_MS = 3_600_000

/** Earlier than any order. */
const BEGINNING = { created_at: new Date(0), id: '' }

export const sweepUnpaidOrders = (services: Services): Sweep => ({
  name: 'unpaid-orders',
  everySeconds: 300,
  async run({ db, clock, signal }) {
    // No request, no host: without PUBLIC_URL the addresses in these events are bare paths.
    const addresses = await orderAddresses(services, services.publicUrl ?? '')
    const failures: unknown[] = []
    let total = 0
    for await (const { merchant, order } of listDue(db, clock, signal)) {
      const owner = { merchantId: merchant.merchant_id, isSandbox: order.is_sandbox, addresses }
      try {
        if (await expireOrder(db, clock, owner, order.id, merchant)) total++
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

type Due = { readonly merchant: ExpiringMerchant; readonly order: UnpaidRow }

async function* listDue(db: Database, clock: Clock, signal: AbortSignal): AsyncGenerator<Due> {
  for (let afterId = 0; ; ) {
    const merchants = await listExpiringMerchants(db, afterId, MERCHANTS)
    for (const merchant of merchants) yield* listDueOf(db, clock, signal, merchant)
    if (merchants.length < MERCHANTS) return
    afterId = merchants.at(-1)?.merchant_id ?? afterId
  }
}

async function* listDueOf(
  db: Database,
  clock: Clock,
  signal: AbortSignal,
  merchant: ExpiringMerchant,
): AsyncGenerator<Due> {
  const moment = new Date(clock.now().getTime() - merchant.hours * HOUR_MS)
  for (let after: Pick<UnpaidRow, 'created_at' | 'id'> = BEGINNING; ; ) {
    const orders = await listUnpaidOrders(db, merchant.merchant_id, moment, after, ORDERS)
    for (const order of orders) {
      if (signal.aborted) return
      yield { merchant, order }
    }
    after = orders.at(-1) ?? after
    if (orders.length < ORDERS) return
  }
}

/**
 * Whether it was cancelled. Decided under the order's lock: the merchant may be completing the payment in this moment, and then either
 * the order is paid and stays, or is cancelled and cannot be paid any more.
 */
const expireOrder = (
  db: Database,
  clock: Clock,
  owner: OrderOwner,
  id: string,
  { hours }: ExpiringMerchant,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const row = await lockOrder(tx, owner, id)
    if (row === null || row.cancelled !== null || row.status_payment !== 'not_paid') return false
    if (!isAwaitedByHand(row) || !canBeCancelled(row)) {
      // Something was shipped before it is paid, or a gift card has paid a part: what becomes of it is for the merchant to say.
      await keepOrderRow(tx, row)
      return false
    }
    const time = hours === 1 ? '1 hour' : `${hours} hours`
    await writeCancel(tx, owner, row, `The order was not paid within ${time}.`, clock.now())
    return true
  })

/** Its money is to come outside of the shop, and no gateway holds any for it. */
function isAwaitedByHand({ transactions }: OrderRow): boolean {
  const pending = transactions.filter(({ status }) => status === 'pending')
  return pending.length > 0 && pending.every(({ is_authorized }) => !is_authorized)
}
