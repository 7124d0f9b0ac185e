// Sends the due deliveries of all shops. Slots are divided so that no receiver can starve the others: a slow one gets few, a dead one a
// single probe now and then. Deliveries without a slot are queued in the database. Several processes may run this at once. If one dies,
// others send its deliveries when the leases expire.

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
import { announceWebhookQueues, endWebhookQueue, findDueQueues, leaseWebhookQueue } from '../store.ts'
import { type ArrivedDelivery, recordArrivals, recordFailure, toAttemptEntry, unsentResponse } from './record.ts'
import { isSuccess, type Send } from './send.ts'
import { SendingSlots, webhookKey } from './sending-slots.ts'
import { type SigningServices, signDelivery } from './sign.ts'

export type DispatcherOptions = SigningServices & {
  readonly db: Database
  readonly clock: Clock
  readonly log: WorkerLog
  readonly send: Send
  readonly pollMs?: number | undefined
}

export type Dispatcher = {
  /** Takes no more deliveries and waits for those in progress. After `waitMs` it aborts them; another process sends them again. */
  stop(waitMs?: number): Promise<void>
}

const POLL_MS = 200
/** Must exceed the time in which a process sends all that it takes at once for a receiver. */
const LEASE_MS = 90_000
/** Maximum number of deliveries or queues per lookup. */
const BATCH = 256
/** Successes within this time are recorded together. */
const BATCHING_MS = 15
const LONGEST_OUTAGE_WAIT_MS = 5_000

type ServedQueue = { readonly heldUntil: Date }

type PendingWrite = { readonly arrivals: ArrivedDelivery[]; readonly whenWritten: Promise<void> }

type Leased = { readonly delivery: LeasedDelivery; readonly leasedUntil: Date }

export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, clock, log, send, pollMs = POLL_MS } = options
  const stopping = new AbortController()
  const abortion = new AbortController()
  const alarm = newAlarm()
  const slots = new SendingSlots<Leased>(deliver, () => void (queues.size > 0 && alarm.ring()))
  /** Queues that this process serves, by webhook. */
  const queues = new Map<string, ServedQueue>()
  /** Successes about to be recorded, by shop, so that shops do not wait for each other. */
  const pendingWrites = new Map<number, PendingWrite>()

  async function poll() {
    const now = clock.now()
    const leasedUntil = new Date(now.getTime() + LEASE_MS)
    if (!slots.hasRoom()) return
    const due = await findDueDeliveries(db, now, BATCH)
    for (const [merchant_id, ofShop] of groupByShop(due)) {
      const { fitting: accepted, rest } = slots.divide(ofShop, ({ webhook_id }) => webhookKey(merchant_id, webhook_id))
      if (accepted.length > 0)
        for (const delivery of await leaseDueDeliveries(db, { merchant_id }, accepted, now, leasedUntil))
          slots.add(keyOf(delivery), { delivery, leasedUntil })
      if (rest.length > 0)
        await db.transaction(async (tx) => {
          const ids = [...new Set(rest.map(({ webhook_id }) => webhook_id))].sort()
          // Locks the webhook first, like everything that changes its queue, to avoid deadlocks.
          await announceWebhookQueues(tx, { merchant_id }, ids, now)
          await queueDeliveries(tx, { merchant_id }, rest, now)
        })
    }
    const waiting = await findDueQueues(db, now, BATCH)
    for (const { merchant_id, id } of waiting) {
      const key = webhookKey(merchant_id, id)
      if (!queues.has(key)) await serveQueue(merchant_id, id, null)
    }
    for (const [key, { heldUntil }] of [...queues]) {
      const [merchant_id, webhookId] = slots.ownerOf(key)
      if (slots.roomOf(key) > 0) await serveQueue(merchant_id, webhookId, heldUntil)
    }
  }

  /** Takes the next deliveries of a queue, as many as there are slots. Fewer than that means that the queue is empty, which ends it. */
  async function serveQueue(merchant_id: number, webhookId: string, heldUntil: Date | null) {
    const key = webhookKey(merchant_id, webhookId)
    const webhook = { merchant_id, webhookId }
    const now = clock.now()
    const leasedUntil = new Date(now.getTime() + LEASE_MS)
    const turn = await leaseWebhookQueue(db, webhook, heldUntil, now, leasedUntil)
    queues.delete(key)
    if (turn === null) return
    // A receiver treated as dead gets a single probe. Its result determines the time of the next one.
    const limit = turn.isHeld ? 1 : slots.roomOf(key)
    const deliveries = await leaseQueuedDeliveries(db, { merchant_id, webhookId, limit }, now, leasedUntil)
    for (const delivery of deliveries) slots.add(key, { delivery, leasedUntil }, turn.isHeld)
    if (turn.isHeld) return
    if (deliveries.length < limit) await endWebhookQueue(db, webhook, turn.turn, leasedUntil)
    else queues.set(key, { heldUntil: leasedUntil })
  }

  async function deliver({ delivery, leasedUntil }: Leased, isProbe: boolean): Promise<boolean> {
    const startedAt = clock.now()
    // The delivery waited for a slot so long that its lease could expire during the attempt.
    if (leasedUntil.getTime() - startedAt.getTime() < LONGEST_ATTEMPT_MS) return false
    try {
      const signed = await signDelivery(options, delivery, startedAt)
      const response =
        'problem' in signed ? unsentResponse(signed) : await send(delivery.url ?? '', signed, abortion.signal)
      // Aborted by a stop. The process that takes the delivery next starts the attempt again.
      if (abortion.signal.aborted && response.status === null) return true
      const entry = toAttemptEntry(delivery, signed, response, startedAt)
      if (isSuccess(response)) await recordSoon({ ...delivery, entry })
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

  function recordSoon(arrival: ArrivedDelivery): Promise<void> {
    const { merchant_id } = arrival
    const others = pendingWrites.get(merchant_id)
    if (others) {
      others.arrivals.push(arrival)
      return others.whenWritten
    }
    const arrivals = [arrival]
    const whenWritten = sleep(BATCHING_MS).then(() => {
      pendingWrites.delete(merchant_id)
      return retryWrite(() => recordArrivals(db, merchant_id, arrivals, clock.now()))
    })
    pendingWrites.set(merchant_id, { arrivals, whenWritten })
    return whenWritten
  }

  /** Retries a write. A broken database connection should not repeat a delivery that has succeeded. */
  async function retryWrite<T>(write: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await write()
      } catch (error) {
        if (tries === MAX_TRIES || abortion.signal.aborted) throw error
        await sleep(200 * 2 ** tries, undefined, { signal: abortion.signal }).catch(() => undefined)
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
      const patience = new AbortController()
      const timedOut = sleep(waitMs, undefined, { signal: patience.signal }).catch(() => undefined)
      await Promise.race([whenStopped.then(() => slots.drained()), timedOut])
      patience.abort()
      abortion.abort()
      await Promise.race([slots.drained(), sleep(ABORT_MS, undefined, { ref: false })])
    },
  }
}

const keyOf = ({ merchant_id, webhookId }: LeasedDelivery) => webhookKey(merchant_id, webhookId)

/** Includes the time to record the result. */
const LONGEST_ATTEMPT_MS = 20_000
/** A receiver that takes longer gets the slots of slow ones. */
const SLOW_MS = 2_000
const MAX_TRIES = 7
const ABORT_MS = 500
