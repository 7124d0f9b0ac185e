// The completer: settles what captures have left behind, by the same functions that they use. It is no sweep of the worker's: those wait
// for one another, and for the lease of a process that has died, and a shopper's money must not.

import { setTimeout as pause } from 'node:timers/promises'
import { aMoment, type Lane, type Limits, openPlaces } from '../../gateways/provider/places.ts'
import type { Log } from '../../jobs/job.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { inBatches, sweepOf } from '../../jobs/sweeps.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import type { CaptureServices } from './settle.ts'
import { type AttemptKey, type ClaimedAttempt, claimAttempts, forgetDrafts } from './store.ts'
import { settleAttempt } from './unsettled.ts'

/** How many at a time: each holds a connection for moments only, but may wait seconds for its gateway. */
const PLACES = 32
/** How many of them one provider may take, so that there are places for the others; and how many slow ones, before no more are begun. */
const OF_PROVIDER: Limits = { most: 24, slow: 16 }
/** So few that what hangs for one shop alone does not make its provider a slow one, and holds up no other shop there. */
const OF_SHOP: Limits = { most: 12, slow: 8 }
/** How soon an attempt that could not be settled is tried again: soon after a gateway has come back. */
const RETRY_MS = 15_000
const LONGEST_POLL_MS = 2_000

export type Completer = {
  /** Takes no more, and waits for those under way. Nothing is lost by not waiting. */
  stop(): Promise<void>
}

export function startCompleter(services: CaptureServices, log: Log): Completer {
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

/** Settles all that is due. Gives how many attempts it has tried to settle. */
export async function completeDue(services: CaptureServices, log: Log, signal?: AbortSignal): Promise<number> {
  const work = openWork(services, log)
  const count = await work.takeAll(signal)
  await work.end()
  return count
}

/**
 * The attempts being settled. Each has a place of its own, refilled as soon as it is free: an attempt whose gateway hangs holds up no
 * other. One whose provider is slow, and has its places taken, stays claimed and comes again when that ends.
 */
function openWork(services: CaptureServices, log: Log) {
  const { db, clock } = services
  const running = new Set<Promise<void>>()
  const places = openPlaces()

  /** Starts all that are due as places become free, without waiting for the last to end. Gives how many they are. */
  async function takeAll(signal?: AbortSignal): Promise<number> {
    for (let count = 0; ; ) {
      if (running.size === PLACES) await Promise.race(running)
      if (signal?.aborted) return count
      const now = clock.now()
      const free = PLACES - running.size
      const due = await claimAttempts(db, now, new Date(now.getTime() + RETRY_MS), free)
      await checkpoint('capture.claimed')
      for (const attempt of due) await begin(attempt)
      count += due.length
      if (due.length < free) return count
    }
  }

  async function begin(attempt: ClaimedAttempt) {
    const mine = lanesOf(attempt)
    while (places.isWorthWaitingFor(mine)) await Promise.race([...running, aMoment()])
    if (mine.some(places.isSlow)) return
    const leave = mine.map(places.enter)
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

/** An attempt's provider, and its shop at that provider. */
const lanesOf = ({ gateway, merchant_id, payment_method_id }: ClaimedAttempt): readonly Lane[] =>
  gateway === null
    ? []
    : [
        { ...OF_PROVIDER, name: gateway },
        { ...OF_SHOP, name: `${gateway} ${merchant_id} ${payment_method_id}` },
      ]

async function settleOrLog(services: CaptureServices, log: Log, attempt: AttemptKey) {
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

/** Attempts are kept 30 days after they were settled, for whoever looks into a payment. Their orders stay. */
export const sweepSettledAttempts = sweepOf('capture_attempts', {
  name: 'settled-capture-attempts',
  everySeconds: 3_600,
  column: 'updated_at',
  keptDays: 30,
  where: "state = 'done'",
})

/** For longer: money may still come for one that has no order, and is given back by what stands in it, be it after weeks of trying. */
export const sweepReleasedAttempts = sweepOf('capture_attempts', {
  name: 'released-capture-attempts',
  statement: 'sweep.released_attempts',
  everySeconds: 3_600,
  column: 'updated_at',
  keptDays: 90,
  where: "state = 'released'",
})

const DAY_MS = 86_400_000

/** What people have typed who then did not order is kept for no longer than they may come back to it. */
export const sweepDraftsOfPages: Sweep = {
  name: 'drafts-of-pages',
  everySeconds: 3_600,
  run: ({ db, clock, signal }) =>
    inBatches(signal, (limit) => forgetDrafts(db, new Date(clock.now().getTime() - DAY_MS), limit)),
}
