// No resource of its own: what of all the others is kept, for how long and how much of it.

import { sweepTestCharges } from '../../gateways/sandbox/journal-store.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { inBatches } from '../../jobs/sweeps.ts'
import type { Slice } from '../slice.ts'
import { deleteIdleSandboxCustomers, deleteSandboxOrdersBefore } from './expiry-store.ts'
import { forgottenCarts, sandboxQuota } from './quotas.ts'

export const retention: Slice = {
  endpoints: [],
  kinds: [],
  sweeps: ({ retention: { sandboxDays, sandboxQuota: most, liveCarts } }) => [
    ...expirySweeps(sandboxDays),
    sandboxQuota(most),
    ...(liveCarts === 0 ? [] : [forgottenCarts(liveCarts)]),
  ],
}

// What was made in the sandbox for trying out does not stay for ever: orders, their customers and the books of the test gateways go after
// some time. Events, mails, attempts to pay and Idempotency-Keys have sweeps of their own, which are shorter. Nothing live expires here.

const DAY_MS = 86_400_000

/** None where the sandbox is kept for ever. */
export function expirySweeps(days: number): readonly Sweep[] {
  if (days === 0) return []
  const before = (now: Date) => new Date(now.getTime() - days * DAY_MS)
  return [
    {
      name: 'old-sandbox-orders',
      everySeconds: 3_600,
      run: ({ db, clock, signal }) =>
        inBatches(signal, (limit) => deleteSandboxOrdersBefore(db, before(clock.now()), limit)),
    },
    {
      name: 'idle-sandbox-customers',
      everySeconds: 3_600,
      run({ db, clock, signal }) {
        // The same for all batches: it is what those that stay are marked with.
        const moment = before(clock.now())
        return inBatches(signal, (limit) => deleteIdleSandboxCustomers(db, moment, limit))
      },
    },
    // A day after their orders, so that there is none that cannot be refunded.
    sweepTestCharges(days + 1),
  ]
}
