// Sees that the cancel of every order that is marked goes on. Its job gives up when a gateway is out for days; without another, nothing of
// the order could be shipped, paid or downloaded until the merchant happens to cancel it once more.

import type { Services } from '../../http/endpoint/endpoint.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { orderAddresses } from '../orders/links.ts'
import { enqueueSettling } from './refund.ts'
import { listOpenCancels, type OpenCancelRow } from './store.ts'

const ORDERS = 100
/** Most cancels have long ended by then. */
const AFTER_MS = 3_600_000

/** Earlier than any order. */
const BEGINNING = { cancelling_at: new Date(0), merchant_id: 0, id: '' }

export const sweepOpenCancels = (services: Services): Sweep => ({
  name: 'open-cancels',
  everySeconds: 3_600,
  async run({ db, clock, signal }) {
    const addresses = await orderAddresses(services, services.publicUrl ?? '')
    const now = clock.now()
    const moment = new Date(now.getTime() - AFTER_MS)
    let total = 0
    for (let after: Omit<OpenCancelRow, 'is_sandbox'> = BEGINNING; ; ) {
      const orders = await listOpenCancels(db, moment, after, ORDERS)
      for (const { merchant_id: merchantId, id, is_sandbox: isSandbox } of orders) {
        if (signal.aborted) return total
        // Joins the job that waits, where there is one, and leaves its time as it is.
        await enqueueSettling(db, { merchantId, isSandbox, addresses }, id, now)
        total++
      }
      after = orders.at(-1) ?? after
      if (orders.length < ORDERS) return total
    }
  },
})
