// Limits the number of rows that strangers can create in a shop with a public key.
// In the sandbox, the oldest rows above the quota are deleted. New rows are refused only during a flood: many times the quota within minutes.
// A live shop never refuses a row, because a stranger could then close the shop with a flood. Only carts and tokens that nobody will miss are
// deleted.
// Requests never count rows. Sweeps count them and store which sandboxes are full. A request reads that together with its API key.

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

/** Time since which a shop counts as active: a few periods ago, so that a late run misses no shop. */
const activeSince = (clock: Clock, everySeconds: number) => new Date(clock.now().getTime() - 3 * everySeconds * 1_000)

const listActiveShops = (db: Database, since: Date) =>
  findActiveShops(db, {
    orderedSince: since,
    cartsSince: since,
    tokensUntil: new Date(since.getTime() + TOKEN_LIFE_MS),
  })

/** Rows that were used in this time are never deleted, because a storefront may be working with them. */
const IN_USE_MS = 10 * 60_000

/**
 * A sandbox with so many times the quota, all in use, is flooded. Public keys then create no more rows of that kind until the flood has ended.
 */
const FLOOD_FACTOR = 10

/** `most` is the quota of each kind of row; with 0 there is no quota. */
export const sandboxQuotaSweep = (most: number): Sweep => ({
  name: 'sandbox-quotas',
  everySeconds: 60,
  async run(context) {
    const fullShops = new Set(await findFullShops(context.db))
    const shops = await listActiveShops(context.db, activeSince(context.clock, 60))
    let deleted = 0
    for (const merchant_id of new Set([...fullShops, ...shops])) {
      if (context.signal.aborted) break
      deleted += await trimSandbox(context, merchant_id, most, fullShops.has(merchant_id))
    }
    return deleted
  },
})

/** Deletes the oldest rows above the quota, and stores which kinds are full. Returns the number of deleted rows. */
async function trimSandbox({ db, clock, signal }: SweepContext, merchant_id: number, most: number, wasFull: boolean) {
  const unusedSince = new Date(clock.now().getTime() - IN_USE_MS)
  const count = () => countSandboxOf(db, { merchant_id }, most + BATCH)
  const fullKinds: Quota[] = []
  let total = 0
  // Without a quota, no kind is full.
  let counts = most > 0 ? await count() : null
  for (const kind of KINDS) {
    while (counts !== null && counts[kind] > most && !signal.aborted) {
      const over = counts[kind] - most
      const deleted = await deleteOldestSandboxRows(db, { merchant_id }, kind, unusedSince, over)
      total += deleted
      // Count again: orders are deleted with their tokens, and there may be more rows than the count reached.
      if (deleted > 0) counts = await count()
      if (deleted === over) continue
      const isFlood = (await countSandboxOf(db, { merchant_id }, most * FLOOD_FACTOR))[kind] === most * FLOOD_FACTOR
      // Deleted carts are never full: they can always be deleted.
      if (isFlood && kind !== 'deleted_carts') fullKinds.push(kind)
      break
    }
  }
  // Most shops were not full and are not full now. Nothing is written for them.
  if (signal.aborted || (fullKinds.length === 0 && !wasFull)) return total
  await db.transaction(async (tx) => {
    if (await updateFullSandbox(tx, { merchant_id }, fullKinds)) await announceChange(tx)
  })
  return total
}

/** Maximum number of steps through one shop in a run. The next run continues. */
const MAX_STEPS = 200

const FORGOTTEN = 'forgotten-carts'

/** Rows that a run trims step by step: `excess` of them, from the position that earlier runs have reached. */
type TrimTask = { readonly name: string; readonly from: string | undefined; readonly excess: number }

/** Deletes forgotten carts and tokens of a shop that has more than `most` of them. */
export function forgottenCartsSweep(most: number): Sweep {
  const everySeconds = 600

  /**
   * Trims one kind of row. It starts where the last run stopped. Otherwise rows at the beginning that must stay would hide later ones that can
   * be deleted.
   */
  async function trim(
    { db, signal }: SweepContext,
    { name, from, excess }: TrimTask,
    step: (after: string) => Promise<TrimStep>,
  ): Promise<number> {
    let position: string | null = excess > 0 ? (from ?? null) : null
    let deleted = 0
    for (let steps = 0; steps < MAX_STEPS && deleted < excess && !signal.aborted; steps++) {
      const { last, checked, deleted: more } = await step(position ?? '')
      deleted += more
      position = checked < BATCH ? null : last
      if (position === null) break
    }
    if (position !== (from ?? null)) await saveSweepPosition(db, FORGOTTEN, name, position)
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

  /**
   * Counts the rows of a shop. It returns null without counting if the upper bound is within the limit and no earlier run has to be continued.
   * The upper bound is the last count plus the rows made since.
   */
  async function countIfNeeded({ db, clock }: SweepContext, merchant_id: number, isUnderWay: boolean) {
    const now = clock.now()
    const moments = {
      now,
      tokensUntil: new Date(now.getTime() + TOKEN_LIFE_MS),
      oldest: new Date(now.getTime() - DAY_MS),
    }
    const bounds = await raiseRowBounds(db, { merchant_id }, moments, most)
    const isWithin = ({ carts, checkouts }: ShopRowBounds) => carts <= most && checkouts <= most
    if (bounds !== null && isWithin(bounds) && !isUnderWay) return null
    const counts = await countCartsOf(db, { merchant_id }, most + MAX_STEPS * BATCH)
    const total = { carts: counts.carts + counts.deleted_carts, checkouts: counts.checkouts }
    // A count above the limit may be incomplete, so it is not saved.
    if (isWithin(total)) await saveRowBounds(db, { merchant_id }, total, now)
    return counts
  }

  return {
    name: FORGOTTEN,
    everySeconds,
    async run(context) {
      const { db, clock, signal } = context
      const positions = await findSweepPositions(db, FORGOTTEN)
      const taskFor = (name: string, count: number): TrimTask => ({ name, from: positions[name], excess: count - most })
      const now = clock.now().getTime()
      const ago = (ms: number) => new Date(now - ms)
      let deleted = 0
      for (const merchant_id of await listActiveShops(db, activeSince(clock, everySeconds))) {
        if (signal.aborted) break
        const [cartsTask, checkoutsTask] = [`carts ${merchant_id}`, `checkouts ${merchant_id}`]
        const counts = await countIfNeeded(context, merchant_id, cartsTask in positions || checkoutsTask in positions)
        if (counts === null) continue
        deleted += await trim(context, taskFor(cartsTask, counts.carts), (after) =>
          trimForgottenCarts(db, { merchant_id }, after, BATCH, { emptySince: ago(HOUR_MS), since: ago(7 * DAY_MS) }),
        )
        deleted += await trim(context, taskFor(checkoutsTask, counts.checkouts), (after) =>
          trimForgottenCheckouts(db, { merchant_id }, after, BATCH, ago(DAY_MS)),
        )
        deleted += await trimDeleted({ db, signal }, merchant_id, counts.deleted_carts - most)
      }
      return deleted
    },
  }
}
