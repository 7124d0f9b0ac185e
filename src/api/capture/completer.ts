// The completer finds attempts that no process works on. It calls their gateway and applies the event, as a request does. It is not a sweep of
// the worker: sweeps wait for one another, and for the lease of a dead process. A shopper's money must not wait.
// If nobody can ever find out whether an attempt was paid, it becomes an order that says so. The goods stay set aside, and the merchant
// decides.

import { setTimeout as pause } from 'node:timers/promises'
import { GatewayUnavailable } from '../../gateways/call.ts'
import { isUndecided } from '../../gateways/gateway.ts'
import { ProviderPaused } from '../../gateways/provider/breaker.ts'
import { type CallLimits, openCallSlots, type SlotPool, waitForSlotCheck } from '../../gateways/provider/call-slots.ts'
import type { WorkerLog } from '../../jobs/job.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { deleteInBatches, sweepOf } from '../../jobs/sweeps.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { GatewayDeleted } from '../payments/call-gateway.ts'
import { describeUnknownOutcome } from '../payments/polls.ts'
import { type AttemptEvent, type AttemptOutcome, applyEvent, readAttemptOutcome } from './attempt.ts'
import {
  cancelCharge,
  isAwaitingShopper,
  isPaid,
  lookUpCharge,
  pollLatePayment,
  readConfirmation,
  takeApprovedCharge,
} from './gateway.ts'
import type { CaptureServices } from './order.ts'
import {
  type AttemptKey,
  type AttemptRow,
  type ClaimedAttempt,
  claimAttempts,
  findOpenAttempt,
  forgetDrafts,
  type OpenAttemptRow,
  postponeAttempt,
} from './store.ts'

const DAY_MS = 86_400_000
/**
 * Time to notice that credentials are wrong, and to enter the right ones again. Like SILENT_FOR_MS it starts at the end of the attempt's time,
 * because the start of a refusal is not stored.
 */
const REFUSED_FOR_MS = 7 * DAY_MS
/** A provider that does not answer for so long is gone. */
const SILENT_FOR_MS = 30 * DAY_MS

/**
 * Calls the gateway about an attempt and applies the event. At the end of its time an unpaid attempt is cancelled and released. Throws the
 * error of the gateway; then the attempt stays as it is and is tried again. `unknown`: it became an order that says so.
 */
export async function settleAttempt(services: CaptureServices, key: AttemptKey): Promise<'known' | 'unknown'> {
  const attempt = await findOpenAttempt(services.db, key)
  if (attempt === null) return 'known'
  try {
    await settleOpen(services, attempt)
    return 'known'
  } catch (error) {
    if (!isUnknowable(attempt, error, services.clock.now())) throw error
    await applyEvent(services, attempt, unknowable(attempt, error))
    return 'unknown'
  }
}

async function settleOpen(services: CaptureServices, attempt: OpenAttemptRow): Promise<void> {
  if (attempt.gateway === null) return void (await applyEvent(services, attempt, { kind: 'free' }))
  const apply = (event: AttemptEvent | null) => applyEvent(services, attempt, event, 'lookup')
  const event = await lookUpCharge(services, attempt)
  // The shopper has agreed, and may never come back. A charge that then demands another step goes on waiting: it must not be tried for ever.
  if (event.kind === 'approved' && !isAwaitingShopper(await apply(await takeApprovedCharge(services, attempt)))) return
  const isOpen = isUndecided(event) || (attempt.state === 'waiting' && isAwaitingShopper(event))
  if (!isOpen) return void (await apply(event))
  if (services.clock.now() >= attempt.gives_up_at) return void (await apply(await cancelCharge(services, attempt)))
  await postponeAttempt(services.db, attempt)
  await checkpoint('capture.postponed')
}

/** Only an answer or the silence of a gateway counts. An outage of our own says nothing about the payment. */
function isUnknowable({ gives_up_at }: OpenAttemptRow, error: unknown, now: Date): error is GatewayUnavailable {
  if (!(error instanceof GatewayUnavailable)) return false
  // A provider that we do not call for a moment is down. It has refused nothing.
  const isSilent = error.isOutage || error instanceof ProviderPaused
  const patienceMs = error instanceof GatewayDeleted ? 0 : isSilent ? SILENT_FOR_MS : REFUSED_FOR_MS
  return now.getTime() - gives_up_at.getTime() >= patienceMs
}

const unknowable = (attempt: OpenAttemptRow, cause: GatewayUnavailable): AttemptEvent => ({
  kind: 'unknowable',
  notes: describeUnknownOutcome(cause, [attempt.id, readConfirmation(attempt), attempt.payment_reference]),
})

/** Settles an attempt when its shopper is back from a provider's page. Null if the outcome is not known yet. */
export async function settleReturnedAttempt(
  services: CaptureServices,
  attempt: AttemptRow,
): Promise<AttemptOutcome | null> {
  try {
    await settleAttempt(services, attempt)
    const outcome = await readAttemptOutcome(services, attempt)
    // The attempt's time is over, but some providers could still take the money.
    const isLate = outcome.kind === 'expired' && isPaid(await pollLatePayment(services, attempt))
    return isLate ? { kind: 'too_late' } : outcome
  } catch {
    // The provider has not answered, or another process works on the attempt. The completer ends it, and the page can be loaded again.
    return null
  }
}

/** Attempts at a time. Each holds a connection for a moment only, but may wait seconds for its gateway. */
const ATTEMPT_SLOTS = 32
/** Attempts of one provider, so that slots are left for others. With `slow` slow ones no more are begun. */
const OF_PROVIDER: CallLimits = { most: 24, slow: 16 }
/** A shop with slow attempts must not make its provider count as slow, or hold up other shops there. */
const OF_SHOP: CallLimits = { most: 12, slow: 8 }
/** Time until a failed attempt is tried again, so that it ends soon after its gateway is back. */
const RETRY_MS = 15_000
const LONGEST_POLL_MS = 2_000

export type Completer = {
  /** Claims no more attempts, and waits for those under way. Nothing is lost without waiting. */
  stop(): Promise<void>
}

export function startCompleter(services: CaptureServices, log: WorkerLog): Completer {
  const stopping = new AbortController()
  const { signal } = stopping
  const pollMs = Math.min(LONGEST_POLL_MS, services.payments.settleAfterMs / 2)
  const work = openWork(services, log)
  let isOut = false

  async function loop() {
    while (!signal.aborted) {
      try {
        await work.takeAll(signal)
        isOut = false
      } catch (error) {
        // Once per outage of the database.
        if (!isOut) log.error({ err: error }, 'The attempts to pay cannot be read; trying again until they can.')
        isOut = true
      }
      await pause(pollMs, undefined, { signal }).catch(() => undefined)
    }
    await work.end()
  }

  const looping = loop()
  return {
    async stop() {
      stopping.abort()
      await looping
    },
  }
}

/** Settles all due attempts. Gives the number of tries. */
export async function completeDue(services: CaptureServices, log: WorkerLog, signal?: AbortSignal): Promise<number> {
  const work = openWork(services, log)
  const count = await work.takeAll(signal)
  await work.end()
  return count
}

/**
 * The attempts being settled. Each has a slot, which is used again as soon as it is free. So an attempt with a hanging gateway holds up no
 * other. An attempt of a slow provider without a free slot stays claimed, and is due again when its claim ends.
 */
function openWork(services: CaptureServices, log: WorkerLog) {
  const { db, clock } = services
  const running = new Set<Promise<void>>()
  const callSlots = openCallSlots()

  /** Starts all due attempts as slots become free. Does not wait for the last ones to end. Gives their number. */
  async function takeAll(signal?: AbortSignal): Promise<number> {
    for (let count = 0; ; ) {
      if (running.size === ATTEMPT_SLOTS) await Promise.race(running)
      if (signal?.aborted) return count
      const now = clock.now()
      const free = ATTEMPT_SLOTS - running.size
      const due = await claimAttempts(db, now, new Date(now.getTime() + RETRY_MS), free)
      await checkpoint('capture.claimed')
      for (const attempt of due) await begin(attempt)
      count += due.length
      if (due.length < free) return count
    }
  }

  async function begin(attempt: ClaimedAttempt) {
    const pools = slotPoolsOf(attempt)
    while (callSlots.isWorthWaitingFor(pools)) await Promise.race([...running, waitForSlotCheck()])
    if (pools.some(callSlots.isSlow)) return
    const leave = pools.map(callSlots.enter)
    const ending = settleOrLog(services, log, attempt).finally(() => {
      running.delete(ending)
      for (const end of leave) end()
    })
    running.add(ending)
  }

  return {
    takeAll,
    async end() {
      await Promise.all(running)
    },
  }
}

/** The provider of an attempt, and its shop at that provider. */
const slotPoolsOf = ({ gateway, merchant_id, payment_method_id }: ClaimedAttempt): readonly SlotPool[] =>
  gateway === null
    ? []
    : [
        { ...OF_PROVIDER, name: gateway },
        { ...OF_SHOP, name: `${gateway} ${merchant_id} ${payment_method_id}` },
      ]

async function settleOrLog(services: CaptureServices, log: WorkerLog, attempt: AttemptKey) {
  const details = { merchant_id: attempt.merchant_id, attempt: attempt.id }
  try {
    if ((await settleAttempt(services, attempt)) === 'unknown')
      log.error(
        details,
        'Whether an attempt to pay was paid cannot be known any more; its order says so to the merchant.',
      )
  } catch (error) {
    log.error({ ...details, err: error }, 'An attempt to pay could not be settled; it is tried again soon.')
  }
}

/** Finished attempts stay for 30 days, for support questions about a payment. Their orders stay for good. */
export const sweepSettledAttempts = sweepOf('capture_attempts', {
  name: 'settled-capture-attempts',
  everySeconds: 3_600,
  column: 'updated_at',
  keptDays: 30,
  where: "state = 'done'",
})

/** Released attempts stay longer: money may still come, and the refund needs their row, perhaps after weeks of retries. */
export const sweepReleasedAttempts = sweepOf('capture_attempts', {
  name: 'released-capture-attempts',
  statement: 'sweep.released_attempts',
  everySeconds: 3_600,
  column: 'updated_at',
  keptDays: 90,
  where: "state = 'released'",
})

/** Deletes what shoppers typed on our page and did not order, once they will not come back to it. */
export const sweepDraftsOfPages: Sweep = {
  name: 'drafts-of-pages',
  everySeconds: 3_600,
  run: ({ db, clock, signal }) =>
    deleteInBatches(signal, (limit) => forgetDrafts(db, new Date(clock.now().getTime() - DAY_MS), limit)),
}
