// How much of what strangers can make with a public key a shop may hold. The sandbox is bounded: the oldest goes, and only a flood that
// brings many times the quota within minutes is refused. A live shop is never refused anything here: a stranger could close it. Of its
// carts and tokens those are removed that nobody will miss. Nothing is counted by a request: sweeps look, and what they find rides with
// the key.

import type { Database } from '../../db/db.ts'
import { findPlaces, keepPlace, type Sweep, type SweepContext } from '../../jobs/schedule.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Quota } from '../../lib/errors.ts'
import { LIFE_MS as TOKEN_LIFE_MS } from '../checkouts/checkout.ts'
import { announceChange, updateFullSandbox } from '../merchants/store.ts'
import {
  type Ceiling,
  countCartsOf,
  countSandboxOf,
  deleteOldest,
  deleteOldestDeletedCarts,
  findActiveShops,
  findFullShops,
  raiseCeilingOf,
  type Step,
  setCeilingOf,
  stepThroughCarts,
  stepThroughCheckouts,
} from './store.ts'

const BATCH = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const KINDS = ['orders', 'carts', 'deleted_carts', 'checkouts'] as const

/** A few periods: a run that came late overlooks nobody. */
const lately = (clock: Clock, everySeconds: number) => new Date(clock.now().getTime() - 3 * everySeconds * 1_000)

const activeShops = (db: Database, since: Date) =>
  findActiveShops(db, {
    orderedSince: since,
    cartsSince: since,
    tokensUntil: new Date(since.getTime() + TOKEN_LIFE_MS),
  })

/** What a storefront is working with right now is never taken away to make room. */
const IN_USE_MS = 10 * 60_000

/** So many times the quota of what is in use is a flood, and public keys make no more of it until it has ended. */
const FLOOD = 10

/** `most` of each kind; 0: any number. */
export const sandboxQuota = (most: number): Sweep => ({
  name: 'sandbox-quotas',
  everySeconds: 60,
  async run(context) {
    const full = new Set(await findFullShops(context.db))
    const active = await activeShops(context.db, lately(context.clock, 60))
    let deleted = 0
    for (const merchantId of new Set([...full, ...active])) {
      if (context.signal.aborted) break
      deleted += await keepSandboxWithin(context, merchantId, most, full.has(merchantId))
    }
    return deleted
  },
})

async function keepSandboxWithin(
  { db, clock, signal }: SweepContext,
  merchantId: number,
  most: number,
  wasFull: boolean,
) {
  const unusedSince = new Date(clock.now().getTime() - IN_USE_MS)
  const count = () => countSandboxOf(db, { merchantId }, most + BATCH)
  const full: Quota[] = []
  let total = 0
  // Without a quota nothing is full any more.
  let held = most > 0 ? await count() : null
  for (const kind of KINDS) {
    while (held !== null && held[kind] > most && !signal.aborted) {
      const over = held[kind] - most
      const deleted = await deleteOldest(db, { merchantId }, kind, unusedSince, over)
      total += deleted
      // Tokens go with orders, and there may be more than was counted.
      if (deleted > 0) held = await count()
      if (deleted === over) continue
      const isFlood = (await countSandboxOf(db, { merchantId }, most * FLOOD))[kind] === most * FLOOD
      // What deleted carts left behind can always go.
      if (isFlood && kind !== 'deleted_carts') full.push(kind)
      break
    }
  }
  // Most shops were not full and are not: nothing is written for them.
  if (signal.aborted || (full.length === 0 && !wasFull)) return total
  await db.transaction(async (tx) => {
    if (await updateFullSandbox(tx, merchantId, full)) await announceChange(tx)
  })
  return total
}

/** Steps through one shop in a run: the rest is for the next. */
const MOST_STEPS = 200

const FORGOTTEN = 'forgotten-carts'

/** What a run goes through step by step, and how far those before it have come. */
type Way = { readonly name: string; readonly from: string | undefined; readonly excess: number }

/** From `most` carts or tokens on, those that nobody will miss go. */
export function forgottenCarts(most: number): Sweep {
  const everySeconds = 600

  /** From where the last run stopped. Else rows that must stay at the beginning would hide those behind them that can go. */
  async function trim(
    { db, signal }: SweepContext,
    { name, from, excess }: Way,
    step: (after: string) => Promise<Step>,
  ): Promise<number> {
    let place: string | null = excess > 0 ? (from ?? null) : null
    let deleted = 0
    for (let steps = 0; steps < MOST_STEPS && deleted < excess && !signal.aborted; steps++) {
      const { last, looked, deleted: more } = await step(place ?? '')
      deleted += more
      place = looked < BATCH ? null : last
      if (place === null) break
    }
    if (place !== (from ?? null)) await keepPlace(db, FORGOTTEN, name, place)
    return deleted
  }

  async function trimDeleted({ db, signal }: Pick<SweepContext, 'db' | 'signal'>, merchantId: number, excess: number) {
    let deleted = 0
    while (deleted < excess && !signal.aborted) {
      const limit = Math.min(BATCH, excess - deleted)
      const more = await deleteOldestDeletedCarts(db, { merchantId, isSandbox: false }, limit)
      deleted += more
      if (more < limit) break
    }
    return deleted
  }

  /** Null where the shop holds no more than it may, by what was counted earlier and made since: nothing is counted then. */
  async function holdingsOf({ db, clock }: SweepContext, merchantId: number, isUnderWay: boolean) {
    const now = clock.now()
    const moments = {
      now,
      tokensUntil: new Date(now.getTime() + TOKEN_LIFE_MS),
      oldest: new Date(now.getTime() - DAY_MS),
    }
    const ceiling = await raiseCeilingOf(db, { merchantId }, moments, most)
    const isWithin = ({ carts, checkouts }: Ceiling) => carts <= most && checkouts <= most
    if (ceiling !== null && isWithin(ceiling) && !isUnderWay) return null
    const held = await countCartsOf(db, { merchantId }, most + MOST_STEPS * BATCH)
    const counted = { carts: held.carts + held.deleted_carts, checkouts: held.checkouts }
    // Above it not all may have been counted.
    if (isWithin(counted)) await setCeilingOf(db, { merchantId }, counted, now)
    return held
  }

  return {
    name: FORGOTTEN,
    everySeconds,
    async run(context) {
      const { db, clock, signal } = context
      const places = await findPlaces(db, FORGOTTEN)
      const wayOf = (name: string, held: number): Way => ({ name, from: places[name], excess: held - most })
      const now = clock.now().getTime()
      const ago = (ms: number) => new Date(now - ms)
      let deleted = 0
      for (const merchantId of await activeShops(db, lately(clock, everySeconds))) {
        if (signal.aborted) break
        const [ofCarts, ofCheckouts] = [`carts ${merchantId}`, `checkouts ${merchantId}`]
        const held = await holdingsOf(context, merchantId, ofCarts in places || ofCheckouts in places)
        if (held === null) continue
        deleted += await trim(context, wayOf(ofCarts, held.carts), (after) =>
          stepThroughCarts(db, { merchantId }, after, BATCH, { emptySince: ago(HOUR_MS), since: ago(7 * DAY_MS) }),
        )
        deleted += await trim(context, wayOf(ofCheckouts, held.checkouts), (after) =>
          stepThroughCheckouts(db, { merchantId }, after, BATCH, ago(DAY_MS)),
        )
        deleted += await trimDeleted({ db, signal }, merchantId, held.deleted_carts - most)
      }
      return deleted
    },
  }
}
