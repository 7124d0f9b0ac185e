// Limits how much a shop may hold of what strangers can make with a public key.
// In the sandbox the oldest rows are deleted. Only a flood of many times the quota within minutes is refused.
// A live shop never refuses anything here, because a stranger could close it that way. Only carts and tokens that nobody will miss are
// deleted.
// Requests count nothing. Sweeps count, and their result is read together with the key.

import type { Database } from '../../db/db.ts'
import { findSweepPositions, type Sweep, type SweepContext, saveSweepPosition } from '../../jobs/schedule.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Quota } from '../../lib/errors.ts'
import { CHECKOUT_LIFETIME_MS as TOKEN_LIFE_MS } from '../checkouts/checkout.ts'
import { announceChange, updateFullSandbox } from '../merchants/store.ts'
import {
  countCartsOf,
  countSandboxOf,
  deleteOldestDeletedCarts,
  deleteOldestSandboxRows,
  findActiveShops,
  findFullShops,
  raiseRowBounds,
  type ShopRowBounds,
  saveRowBounds,
  type TrimStep,
  trimForgottenCarts,
  trimForgottenCheckouts,
} from './store.ts'

const BATCH = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const KINDS = ['orders', 'carts', 'deleted_carts', 'checkouts'] as const

/** A few periods ago, so that a late run misses no shop. */
const lookback = (clock: Clock, everySeconds: number) => new Date(clock.now().getTime() - 3 * everySeconds * 1_000)

const activeShops = (db: Database, since: Date) =>
  findActiveShops(db, {
    orderedSince: since,
    cartsSince: since,
    tokensUntil: new Date(since.getTime() + TOKEN_LIFE_MS),
  })

/** Rows that were used in this time are never deleted, because a storefront may be working with them. */
const IN_USE_MS = 10 * 60_000

/** Factor of the quota that counts as a flood of rows in use. Public keys then make no more of the kind until the flood has ended. */
const FLOOD = 10

/** `most` is the limit of each kind; 0: no limit. */
export const sandboxQuotaSweep = (most: number): Sweep => ({
  name: 'sandbox-quotas',
  everySeconds: 60,
  async run(context) {
    const full = new Set(await findFullShops(context.db))
    const active = await activeShops(context.db, lookback(context.clock, 60))
    let deleted = 0
    for (const merchant_id of new Set([...full, ...active])) {
      if (context.signal.aborted) break
      deleted += await keepSandboxWithin(context, merchant_id, most, full.has(merchant_id))
    }
    return deleted
  },
})

async function keepSandboxWithin(
  { db, clock, signal }: SweepContext,
  merchant_id: number,
  most: number,
  wasFull: boolean,
) {
  const unusedSince = new Date(clock.now().getTime() - IN_USE_MS)
  const count = () => countSandboxOf(db, { merchant_id }, most + BATCH)
  const full: Quota[] = []
  let total = 0
  // Without a quota, nothing is full.
  let counts = most > 0 ? await count() : null
  for (const kind of KINDS) {
    while (counts !== null && counts[kind] > most && !signal.aborted) {
      const over = counts[kind] - most
      const deleted = await deleteOldestSandboxRows(db, { merchant_id }, kind, unusedSince, over)
      total += deleted
      // Orders are deleted with their tokens, and there may be more rows than were counted.
      if (deleted > 0) counts = await count()
      if (deleted === over) continue
      const isFlood = (await countSandboxOf(db, { merchant_id }, most * FLOOD))[kind] === most * FLOOD
      // The remains of deleted carts can always be deleted.
      if (isFlood && kind !== 'deleted_carts') full.push(kind)
      break
    }
  }
  // Writes nothing for the many shops that were not full and are not.
  if (signal.aborted || (full.length === 0 && !wasFull)) return total
  await db.transaction(async (tx) => {
    if (await updateFullSandbox(tx, { merchant_id }, full)) await announceChange(tx)
  })
  return total
}

/** Steps through one shop in a run; the next run continues. */
const MAX_STEPS = 200

const FORGOTTEN = 'forgotten-carts'

/** A list that a run trims step by step, and the position that earlier runs have reached. */
type TrimTask = { readonly name: string; readonly from: string | undefined; readonly excess: number }

/** Deletes forgotten carts and tokens of a shop that has more than `most` of them. */
export function forgottenCartsSweep(most: number): Sweep {
  const everySeconds = 600

  /** Starts where the last run stopped. Otherwise rows at the beginning that must stay would hide later ones that can be deleted. */
  async function trim(
    { db, signal }: SweepContext,
    { name, from, excess }: TrimTask,
    step: (after: string) => Promise<TrimStep>,
  ): Promise<number> {
    let place: string | null = excess > 0 ? (from ?? null) : null
    let deleted = 0
    for (let steps = 0; steps < MAX_STEPS && deleted < excess && !signal.aborted; steps++) {
      const { last, looked, deleted: more } = await step(place ?? '')
      deleted += more
      place = looked < BATCH ? null : last
      if (place === null) break
    }
    if (place !== (from ?? null)) await saveSweepPosition(db, FORGOTTEN, name, place)
    return deleted
  }

  async function trimDeleted({ db, signal }: Pick<SweepContext, 'db' | 'signal'>, merchant_id: number, excess: number) {
    let deleted = 0
    while (deleted < excess && !signal.aborted) {
      const limit = Math.min(BATCH, excess - deleted)
      const more = await deleteOldestDeletedCarts(db, { merchant_id, is_sandbox: false }, limit)
      deleted += more
      if (more < limit) break
    }
    return deleted
  }

  /** Null if the shop is within its limit, by the last count and the rows made since. Nothing is counted then. */
  async function holdingsOf({ db, clock }: SweepContext, merchant_id: number, isUnderWay: boolean) {
    const now = clock.now()
    const moments = {
      now,
      tokensUntil: new Date(now.getTime() + TOKEN_LIFE_MS),
      oldest: new Date(now.getTime() - DAY_MS),
    }
    const ceiling = await raiseRowBounds(db, { merchant_id }, moments, most)
    const isWithin = ({ carts, checkouts }: ShopRowBounds) => carts <= most && checkouts <= most
    if (ceiling !== null && isWithin(ceiling) && !isUnderWay) return null
    const counts = await countCartsOf(db, { merchant_id }, most + MAX_STEPS * BATCH)
    const totals = { carts: counts.carts + counts.deleted_carts, checkouts: counts.checkouts }
    // Above the limit, the count may be incomplete.
    if (isWithin(totals)) await saveRowBounds(db, { merchant_id }, totals, now)
    return counts
  }

  return {
    name: FORGOTTEN,
    everySeconds,
    async run(context) {
      const { db, clock, signal } = context
      const places = await findSweepPositions(db, FORGOTTEN)
      const taskFor = (name: string, count: number): TrimTask => ({ name, from: places[name], excess: count - most })
      const now = clock.now().getTime()
      const ago = (ms: number) => new Date(now - ms)
      let deleted = 0
      for (const merchant_id of await activeShops(db, lookback(clock, everySeconds))) {
        if (signal.aborted) break
        const [ofCarts, ofCheckouts] = [`carts ${merchant_id}`, `checkouts ${merchant_id}`]
        const counts = await holdingsOf(context, merchant_id, ofCarts in places || ofCheckouts in places)
        if (counts === null) continue
        deleted += await trim(context, taskFor(ofCarts, counts.carts), (after) =>
          trimForgottenCarts(db, { merchant_id }, after, BATCH, { emptySince: ago(HOUR_MS), since: ago(7 * DAY_MS) }),
        )
        deleted += await trim(context, taskFor(ofCheckouts, counts.checkouts), (after) =>
          trimForgottenCheckouts(db, { merchant_id }, after, BATCH, ago(DAY_MS)),
        )
        deleted += await trimDeleted({ db, signal }, merchant_id, counts.deleted_carts - most)
      }
      return deleted
    },
  }
}
