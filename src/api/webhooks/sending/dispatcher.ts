// Sends what is due, of all shops, from places that no receiver can take from the others: one that is slow has few, one that is dead a single
// one now and then, and what finds no place waits in line in the database. Any number of processes may do this at once; what one of them had
// taken when it died is sent by another when the lease is over.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../db/db.ts'
import {
  findDueDeliveries,
  putDeliveriesInLine,
  type TakenDelivery,
  takeDueDeliveries,
  takeFromLine,
} from '../../../events/deliveries/store.ts'
import { newAlarm } from '../../../jobs/alarm.ts'
import { byShop } from '../../../jobs/due.ts'
import type { Log } from '../../../jobs/job.ts'
import type { Clock } from '../../../lib/clock.ts'
import { announceWebhookLines, endWebhookLine, findWaitingLines, takeWebhookTurn } from '../store.ts'
import { Lanes, laneKey } from './lanes.ts'
import { type Arrived, entryOf, recordArrivals, recordFailure, unsent } from './record.ts'
import { isSuccess, type Send } from './send.ts'
import { type Signing, signDelivery } from './sign.ts'

export type DispatcherOptions = Signing & {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly send: Send
  readonly pollMs?: number | undefined
}

export type Dispatcher = {
  /** Takes nothing more, and waits for what is under way; what still is after `waitMs` is broken off and sent again by another. */
  stop(waitMs?: number): Promise<void>
}

const POLL_MS = 200
/** Longer than everything that one process takes at once for a receiver can last. */
const LEASE_MS = 90_000
/** So much is looked for at once. */
const MOST_FOUND = 256
/** Answers that come this close together are written down together. */
const GATHERING_MS = 15
const LONGEST_OUTAGE_WAIT_MS = 5_000

type ServedLine = { readonly heldUntil: Date }

type Gathering = { readonly arrivals: Arrived[]; readonly written: Promise<void> }

type Leased = { readonly delivery: TakenDelivery; readonly leasedUntil: Date }

export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, clock, log, send, pollMs = POLL_MS } = options
  const stopping = new AbortController()
  const breakingOff = new AbortController()
  const alarm = newAlarm()
  const lanes = new Lanes<Leased>(deliver, () => void (lines.size > 0 && alarm.ring()))
  /** Lines that this process serves, by webhook. */
  const lines = new Map<string, ServedLine>()
  /** What has arrived and is written down in a moment, by shop: what one waits for is no other's to wait for. */
  const gathering = new Map<number, Gathering>()

  async function poll() {
    const now = clock.now()
    const leasedUntil = new Date(now.getTime() + LEASE_MS)
    if (!lanes.hasRoom()) return
    const due = await findDueDeliveries(db, now, MOST_FOUND)
    for (const [merchantId, ofShop] of byShop(due)) {
      const { fitting, rest } = lanes.divide(ofShop, ({ webhook_id }) => laneKey(merchantId, webhook_id))
      if (fitting.length > 0)
        for (const delivery of await takeDueDeliveries(db, merchantId, fitting, now, leasedUntil))
          lanes.add(keyOf(delivery), { delivery, leasedUntil })
      if (rest.length > 0)
        await db.transaction(async (tx) => {
          const ids = [...new Set(rest.map(({ webhook_id }) => webhook_id))].sort()
          // First the webhook, as everybody locks it who changes its line.
          await announceWebhookLines(tx, merchantId, ids, now)
          await putDeliveriesInLine(tx, merchantId, rest, now)
        })
    }
    const waiting = await findWaitingLines(db, now, MOST_FOUND)
    for (const { merchant_id: merchantId, id } of waiting) {
      const key = laneKey(merchantId, id)
      if (!lines.has(key)) await serve(merchantId, id, null)
    }
    for (const [key, { heldUntil }] of [...lines]) {
      const [merchantId, webhookId] = lanes.ownerOf(key)
      if (lanes.roomOf(key) > 0) await serve(merchantId, webhookId, heldUntil)
    }
  }

  /** Takes the next of a line, as many as there is room for; the line ends where there are fewer. */
  async function serve(merchantId: number, webhookId: string, heldUntil: Date | null) {
    const key = laneKey(merchantId, webhookId)
    const webhook = { merchantId, webhookId }
    const now = clock.now()
    const leasedUntil = new Date(now.getTime() + LEASE_MS)
    const turn = await takeWebhookTurn(db, webhook, heldUntil, now, leasedUntil)
    lines.delete(key)
    if (turn === null) return
    // One alone tries whether the receiver is back; what comes of it says when the next one does.
    const limit = turn.isHeld ? 1 : lanes.roomOf(key)
    const taken = await takeFromLine(db, { merchantId, webhookId, limit }, now, leasedUntil)
    for (const delivery of taken) lanes.add(key, { delivery, leasedUntil }, turn.isHeld)
    if (turn.isHeld) return
    if (taken.length < limit) await endWebhookLine(db, webhook, turn.turn, leasedUntil)
    else lines.set(key, { heldUntil: leasedUntil })
  }

  async function deliver({ delivery, leasedUntil }: Leased, isProbe: boolean): Promise<boolean> {
    const at = clock.now()
    // It has waited here for so long that another may take it before this attempt could end.
    if (leasedUntil.getTime() - at.getTime() < LONGEST_ATTEMPT_MS) return false
    try {
      const signed = await signDelivery(options, delivery, at)
      const answer = 'problem' in signed ? unsent(signed) : await send(delivery.url ?? '', signed, breakingOff.signal)
      // Broken off by a stop: whoever takes it next begins anew.
      if (breakingOff.signal.aborted && answer.status === null) return true
      const entry = entryOf(delivery, signed, answer, at)
      if (isSuccess(answer)) await noteArrival({ ...delivery, entry })
      else await insist(() => recordFailure(db, delivery, entry, { ...answer, isProbe }, clock.now()))
      return isSuccess(answer) && answer.ms < SLOW_MS
    } catch (error) {
      log.error(
        { err: error, merchantId: delivery.merchantId, delivery: delivery.id },
        'What came of a delivery could not be written down; it is sent again when its lease is over.',
      )
      return false
    }
  }

  function noteArrival(arrival: Arrived): Promise<void> {
    const { merchantId } = arrival
    const others = gathering.get(merchantId)
    if (others) {
      others.arrivals.push(arrival)
      return others.written
    }
    const arrivals = [arrival]
    const written = sleep(GATHERING_MS).then(() => {
      gathering.delete(merchantId)
      return insist(() => recordArrivals(db, merchantId, arrivals, clock.now()))
    })
    gathering.set(merchantId, { arrivals, written })
    return written
  }

  /** A receiver that has said yes should not be asked again for the sake of one broken connection. */
  async function insist<T>(write: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await write()
      } catch (error) {
        if (tries === MOST_TRIES || breakingOff.signal.aborted) throw error
        await sleep(200 * 2 ** tries, undefined, { signal: breakingOff.signal }).catch(() => undefined)
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
        // Once per outage: a line for every poll would bury what else the log has to say.
        if (failures === 1) log.error({ err: error }, 'Deliveries cannot be read; trying again until they can.')
        wait = Math.min(pollMs * 2 ** failures, LONGEST_OUTAGE_WAIT_MS)
      }
      // What is in line goes on as soon as there is room for it.
      await alarm.wait(wait)
    }
  }

  const looping = loop()
  return {
    async stop(waitMs = 8_000) {
      stopping.abort()
      alarm.ring()
      lanes.close()
      const patience = new AbortController()
      const timedOut = sleep(waitMs, undefined, { signal: patience.signal }).catch(() => undefined)
      await Promise.race([looping.then(() => lanes.drained()), timedOut])
      patience.abort()
      breakingOff.abort()
      await Promise.race([lanes.drained(), sleep(BREAKING_OFF_MS, undefined, { ref: false })])
    },
  }
}

const keyOf = ({ merchantId, webhookId }: TakenDelivery) => laneKey(merchantId, webhookId)

/** With what it takes to write down what came of it. */
const LONGEST_ATTEMPT_MS = 20_000
/** A receiver that takes longer is served with the slow ones. */
const SLOW_MS = 2_000
const MOST_TRIES = 7
const BREAKING_OFF_MS = 500
