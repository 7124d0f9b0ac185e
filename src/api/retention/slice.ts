// No resource of its own: what of all the others is kept, for how long and how much of it.

import { sweepTestCharges } from '../../gateways/sandbox/journal-store.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { inBatches } from '../../jobs/sweeps.ts'
import { sweepIdleSandboxCustomers } from '../customers/store.ts'
import type { Slice } from '../slice.ts'
import { forgottenCarts, sandboxQuota } from './quotas.ts'
import { deleteSandboxOrdersBefore } from './store.ts'

export const retention: Slice = {
  endpoints: [],
  kinds: [],
  sweeps: ({ retention: { sandboxDays, sandboxQuota: most, liveCarts } }) => [
    ...expirySweeps(sandboxDays),
    sandboxQuota(most),
    ...(liveCarts === 0 ? [] : [forgottenCarts(liveCarts)]),
  ],
}

/**
 * What was made in the sandbox for trying out does not stay for ever: orders, their customers and the books of the test gateways go after
 * so many days. Events, mails, attempts to pay and Idempotency-Keys have sweeps of their own, which are shorter. Nothing live expires here,
 * and nothing at all where the sandbox is kept for ever.
 */
export function expirySweeps(days: number): readonly Sweep[] {
  if (days === 0) return []
  return [
    sweepSandboxOrders(days),
    sweepIdleSandboxCustomers(days),
    // A day after their orders, so that there is none that cannot be refunded.
    sweepTestCharges(days + 1),
  ]
}

const DAY_MS = 86_400_000

const sweepSandboxOrders = (days: number): Sweep => ({
  name: 'old-sandbox-orders',
  everySeconds: 3_600,
  run({ db, clock, signal }) {
    const moment = new Date(clock.now().getTime() - days * DAY_MS)
    return inBatches(signal, (limit) => deleteSandboxOrdersBefore(db, moment, limit))
  },
})
