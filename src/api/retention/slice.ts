// The slice that limits how long rows of other slices are kept, and how many. It has no resource of its own.

import { sweepTestCharges } from '../../gateways/sandbox/journal-store.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { deleteInBatches } from '../../jobs/sweeps.ts'
import { sweepIdleSandboxCustomers } from '../customers/store.ts'
import type { Slice } from '../slice.ts'
import { forgottenCartsSweep, sandboxQuotaSweep } from './quotas.ts'
import { deleteSandboxOrdersBefore } from './store.ts'

export const retention: Slice = {
  endpoints: [],
  kinds: [],
  sweeps: ({ retention: { sandboxDays, sandboxQuota: most, liveCarts } }) => [
    ...expirySweeps(sandboxDays),
    sandboxQuotaSweep(most),
    ...(liveCarts === 0 ? [] : [forgottenCartsSweep(liveCarts)]),
  ],
}

/**
 * Deletes test data of the sandbox after some days: orders, their customers and the books of the test gateways. With 0 days the sandbox is
 * kept for ever.
 * Events, mails, payment attempts and Idempotency-Keys have their own, shorter sweeps. Live data never expires here.
 */
export function expirySweeps(days: number): readonly Sweep[] {
  if (days === 0) return []
  return [
    sweepSandboxOrders(days),
    sweepIdleSandboxCustomers(days),
    // Test charges are deleted a day after their orders, so that every existing order can still be refunded.
    sweepTestCharges(days + 1),
  ]
}

const DAY_MS = 86_400_000

const sweepSandboxOrders = (days: number): Sweep => ({
  name: 'old-sandbox-orders',
  everySeconds: 3_600,
  run({ db, clock, signal }) {
    const moment = new Date(clock.now().getTime() - days * DAY_MS)
    return deleteInBatches(signal, (limit) => deleteSandboxOrdersBefore(db, moment, limit))
  },
})
