// Sends the due deliveries of all shops. Slots are divided so that no receiver can starve the others: a slow one gets few, a dead one a
// single probe now and then. Deliveries without a slot are queued in the database. Several processes may run a dispatcher at once. If one
// dies, the others send its deliveries when their leases expire.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../db/db.ts'
import {
  findDueDeliveries,
  type LeasedDelivery,
  leaseDueDeliveries,
  leaseQueuedDeliveries,
  queueDeliveries,
} from '../../../events/deliveries/store.ts'
import { newAlarm } from '../../../jobs/alarm.ts'
import { groupByShop } from '../../../jobs/due.ts'
import type { WorkerLog } from '../../../jobs/job.ts'
import type { Clock } from '../../../lib/clock.ts'
import { recordFailure, recordSuccesses, type SuccessfulDelivery, toAttemptEntry, unsentResponse } from './record.ts'
import { isSuccess, type Send } from './send.ts'
import { parseWebhookKey, SendingSlots, webhookKey } from './sending-slots.ts'
import { type SigningServices, signDelivery } from './sign.ts'
import { announceWebhookQueues, endWebhookQueue, findDueQueues, leaseWebhookQueue } from './store.ts'

export type DispatcherOptions = SigningServices & {
  readonly db: Database
  readonly clock: Clock
  readonly log: WorkerLog
  readonly send: Send
  readonly pollMs?: number | undefined
}

export type Dispatcher = {
  /** Leases no more deliveries and waits for those in progress. After `waitMs` it aborts them; another process sends them again. */
  stop(waitMs?: number): Promise<void>
}

const POLL_MS = 200
/** Must exceed the time in which a process sends all deliveries that it leases at once for a receiver. */
const LEASE_MS = 90_000
/** Maximum number of deliveries or queues that one query finds. */
const BATCH = 256
/** Successes within this time are recorded together. */
const BATCHING_MS = 15
const LONGEST_OUTAGE_WAIT_MS = 5_000

/** A queue of which this process has the lease. */
type ServedQueue = { readonly leasedUntil: Date }

/** Successes of one shop that are about to be recorded together. */
type PendingWrite = { readonly successes: SuccessfulDelivery[]; readonly whenWritten: Promise<void> }

type DeliveryLease = { readonly delivery: LeasedDelivery; readonly leasedUntil: Date }

export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, clock, log, send, pollMs = POLL_MS } = options
  const stopping = new AbortController()
  const aborting = new AbortController()
  const alarm = newAlarm()
  const slots = new SendingSlots<DeliveryLease>(deliver, () => void (servedQueues.size > 0 && alarm.ring()))
  /** Queues that this process serves, by webhook. */
  const servedQueues = new Map<string, ServedQueue>()
  /** Successes about to be recorded, by shop, so that shops do not wait for each other. */
  const pendingWrites = new Map<number, PendingWrite>()

  async function poll() {
    const now = clock.now()
    const leasedUntil = new Date(now.getTime() + LEASE_MS)
    if (!slots.canLease()) return
    const due = await findDueDeliveries(db, now, BATCH)
    for (const [merchant_id, shopDeliveries] of groupByShop(due)) {
      const { toLease, toQueue } = slots.divide(shopDeliveries, ({ webhook_id }) => webhookKey(merchant_id, webhook_id))
      if (toLease.length > 0)
        for (const delivery of await leaseDueDeliveries(db, { merchant_id }, toLease, now, leasedUntil))
          slots.add(keyOf(delivery), { delivery, leasedUntil })
      if (toQueue.length > 0)
        await db.transaction(async (tx) => {
          const ids = [...new Set(toQueue.map(({ webhook_id }) => webhook_id))].sort()
          // This locks the webhooks first, as every transaction that changes a queue does. Another order could deadlock.
          await announceWebhookQueues(tx, { merchant_id }, ids, now)
          await queueDeliveries(tx, { merchant_id }, toQueue, now)
        })
    }
    for (const { merchant_id, id } of await findDueQueues(db, now, BATCH)) {
      const key = webhookKey(merchant_id, id)
      if (!servedQueues.has(key)) await serveQueue(merchant_id, id, null)
    }
    for (const [key, { leasedUntil: currentLeaseEnd }] of [...servedQueues]) {
      const [merchant_id, webhookId] = parseWebhookKey(key)
      if (slots.countLeasable(key) > 0) await serveQueue(merchant_id, webhookId, currentLeaseEnd)
    }
  }

  /**
   * Leases the next deliveries of a queue, as many as the slots allow. If the queue has fewer, it is empty now, and ends.
   * `currentLeaseEnd` is null if this process has no lease of the queue yet.
   */
  async function serveQueue(merchant_id: number, webhookId: string, currentLeaseEnd: Date | null) {
    const key = webhookKey(merchant_id, webhookId)
    const webhook = { merchant_id, webhookId }
    const now = clock.now()
    const leasedUntil = new Date(now.getTime() + LEASE_MS)
    const queue = await leaseWebhookQueue(db, webhook, currentLeaseEnd, now, leasedUntil)
    servedQueues.delete(key)
    if (queue === null) return
    // A receiver that counts as dead gets a single probe. The result of the probe determines when the queue is due again.
    const limit = queue.isReceiverDead ? 1 : slots.countLeasable(key)
    const deliveries = await leaseQueuedDeliveries(db, { merchant_id, webhookId, limit }, now, leasedUntil)
    for (const delivery of deliveries) slots.add(key, { delivery, leasedUntil }, queue.isReceiverDead)
    if (queue.isReceiverDead) return
    if (deliveries.length < limit) await endWebhookQueue(db, webhook, queue.changes, leasedUntil)
    else servedQueues.set(key, { leasedUntil })
  }

  /** Makes one attempt and records its result. Returns true if the attempt succeeded quickly. */
  async function deliver({ delivery, leasedUntil }: DeliveryLease, isProbe: boolean): Promise<boolean> {
    const startedAt = clock.now()
    // The delivery waited for a slot so long that its lease could expire during the attempt. Another process sends it after that.
    if (leasedUntil.getTime() - startedAt.getTime() < LONGEST_ATTEMPT_MS) return false
    try {
      const signed = await signDelivery(options, delivery, startedAt)
      const response =
        'problem' in signed ? unsentResponse(signed) : await send(delivery.url ?? '', signed, aborting.signal)
      // Aborted by a stop. The process that takes the delivery next starts the attempt again.
      if (aborting.signal.aborted && response.status === null) return true
      const entry = toAttemptEntry(delivery, signed, response, startedAt)
      if (isSuccess(response)) await recordSuccessSoon({ ...delivery, entry })
      else await retryWrite(() => recordFailure(db, delivery, entry, { ...response, isProbe }, clock.now()))
      return isSuccess(response) && response.ms < SLOW_MS
    } catch (error) {
      log.error(
        { err: error, merchant_id: delivery.merchant_id, delivery: delivery.id },
        'The result of a delivery could not be saved; it is sent again when its lease expires.',
      )
      return false
    }
  }

  /** Records a success together with others of the shop. Resolves when it is written. */
  function recordSuccessSoon(success: SuccessfulDelivery): Promise<void> {
    const { merchant_id } = success
    const pendingWrite = pendingWrites.get(merchant_id)
    if (pendingWrite) {
      pendingWrite.successes.push(success)
      return pendingWrite.whenWritten
    }
    const successes = [success]
    const whenWritten = sleep(BATCHING_MS).then(() => {
      pendingWrites.delete(merchant_id)
      return retryWrite(() => recordSuccesses(db, merchant_id, successes, clock.now()))
    })
    pendingWrites.set(merchant_id, { successes, whenWritten })
    return whenWritten
  }

  /** Retries a write. A broken database connection should not repeat a delivery that has succeeded. */
  async function retryWrite<T>(write: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await write()
      } catch (error) {
        if (tries === MAX_TRIES || aborting.signal.aborted) throw error
        await sleep(200 * 2 ** tries, undefined, { signal: aborting.signal }).catch(() => undefined)
      }
    }
  }

  async function loop() {
    let failures = 0
    while (!stopping.signal.aborted) {
      let wait = pollMs
      try {
        await poll()
        if (failures > 0) log.info({ failedPolls: failures }, 'Deliveries can be read again.')
        failures = 0
      } catch (error) {
        failures += 1
        // Logged once per outage, because a line per poll would bury the rest of the log.
        if (failures === 1) log.error({ err: error }, 'Deliveries cannot be read; retrying until they can.')
        wait = Math.min(pollMs * 2 ** failures, LONGEST_OUTAGE_WAIT_MS)
      }
      // A free slot ends the wait, so that queues continue at once.
      await alarm.wait(wait)
    }
  }

  const whenStopped = loop()
  return {
    async stop(waitMs = 8_000) {
      stopping.abort()
      alarm.ring()
      slots.close()
      const waitLimit = new AbortController()
      const timedOut = sleep(waitMs, undefined, { signal: waitLimit.signal }).catch(() => undefined)
      await Promise.race([whenStopped.then(() => slots.drained()), timedOut])
      waitLimit.abort()
      aborting.abort()
      await Promise.race([slots.drained(), sleep(ABORT_MS, undefined, { ref: false })])
    },
  }
}

const keyOf = ({ merchant_id, webhookId }: LeasedDelivery) => webhookKey(merchant_id, webhookId)

/** Upper bound for an attempt, including the time to record its result. */
const LONGEST_ATTEMPT_MS = 20_000
/** A receiver that takes longer for an attempt counts as slow. */
const SLOW_MS = 2_000
const MAX_TRIES = 7
/** Time that a stop waits for aborted attempts to end. */
const ABORT_MS = 500
