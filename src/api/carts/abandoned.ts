// Tells of carts that were left: with something in them, not changed for a day, and no order made of them. Once for each cart.
// A cart is looked at a day after it was made; if it was changed since, a day after that, and so on.

import type { Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import { emitMany } from '../../events/emit.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import { byShop } from '../../jobs/due.ts'
import { findPlaces, keepPlace, type Sweep, type SweepContext } from '../../jobs/schedule.ts'
import { unsigned } from '../assets/view.ts'
import { viewCart } from './cart.ts'
import {
  type AbandonedCart,
  findCartsMade,
  findDueLooks,
  type Look,
  type Made,
  noteLooks,
  QUIET_HOURS,
  settleLooks,
} from './look-store.ts'
import { findCart } from './read-store.ts'
import type { Cart } from './schema.ts'

const NAME = 'abandoned-carts'
const QUIET_MS = QUIET_HOURS * 3_600_000
const SLICE_MS = 300_000

/** Rows at a time; of what a shop has made in five minutes, more are passed over. */
const MADE_AT_ONCE = 500
/** Carts at a time: so many are read and told in one transaction, where they are all of one shop. */
const LOOKS_AT_ONCE = 100

export const sweepAbandonedCarts = ({ publicUrl }: Pick<Services, 'publicUrl'>): Sweep => ({
  name: NAME,
  everySeconds: 300,
  async run(context) {
    const now = context.clock.now()
    const quietSince = new Date(now.getTime() - QUIET_MS)
    await noteMade(context, quietSince)
    // No request, no host: without PUBLIC_URL the addresses in these events are bare paths.
    return tellAbandoned(context, { now, quietSince }, publicUrl ?? '')
  },
})

/** Carts that were made a day ago are to be looked at. From where the last run stopped; the first one begins with those of that moment. */
async function noteMade({ db, signal }: SweepContext, quietSince: Date): Promise<void> {
  const end = { at: new Date(Math.floor(quietSince.getTime() / SLICE_MS) * SLICE_MS), merchant_id: 0 }
  const { made: kept } = await findPlaces(db, NAME)
  let place = kept === undefined ? end : readPlace(kept)
  while (place.at < end.at && !signal.aborted) {
    const made = await findCartsMade(db, place, end.at, MADE_AT_ONCE)
    for (const each of onceEach(made)) await noteLooks(db, each)
    place = (made.length < MADE_AT_ONCE ? undefined : made.at(-1)) ?? end
    await keepPlace(db, NAME, 'made', writePlace(place))
  }
  if (kept === undefined) await keepPlace(db, NAME, 'made', writePlace(place))
}

const writePlace = ({ at, merchant_id }: Made): string => `${at.toISOString()} ${merchant_id}`

function readPlace(kept: string): Made {
  const [at = '', merchantId] = kept.split(' ')
  return { at: new Date(at), merchant_id: Number(merchantId) }
}

/** The same stand beside each other. */
const onceEach = (made: readonly Made[]): Made[] =>
  made.filter(({ at, merchant_id }, index) => {
    const before = made[index - 1]
    return before === undefined || before.merchant_id !== merchant_id || before.at.getTime() !== at.getTime()
  })

type Moments = { readonly now: Date; readonly quietSince: Date }

async function tellAbandoned({ db, signal }: SweepContext, moments: Moments, origin: string): Promise<number> {
  const failures: unknown[] = []
  let told = 0
  let after: Look = { due_at: new Date(0), merchant_id: 0, cart_id: '' }
  while (!signal.aborted) {
    const due = await findDueLooks(db, moments.now, after, LOOKS_AT_ONCE)
    for (const [merchantId, looks] of byShop(due)) {
      const cartIds = looks.map(({ cart_id }) => cart_id)
      try {
        told += await db.transaction((tx) => tellThose(tx, { merchantId }, cartIds, moments, origin))
      } catch (error) {
        // The next run finds them again; meanwhile they must not keep those of other shops.
        failures.push(error)
      }
    }
    const last = due.at(-1)
    if (last === undefined || due.length < LOOKS_AT_ONCE) break
    after = last
  }
  if (failures.length > 0) throw new AggregateError(failures, `The carts of ${failures.length} shops were not told.`)
  return told
}

/** How many of these carts were left. */
async function tellThose(
  tx: Tx,
  shop: Shop,
  cartIds: readonly string[],
  moments: Moments,
  origin: string,
): Promise<number> {
  const abandoned = await settleLooks(tx, shop, cartIds, moments)
  for (const isSandbox of [true, false]) {
    const events: { name: 'carts.abandoned'; payload: Cart }[] = []
    for (const cart of abandoned.filter(({ is_sandbox }) => is_sandbox === isSandbox)) {
      const payload = await readAbandoned(tx, shop, cart, moments.now, origin)
      events.push({ name: 'carts.abandoned', payload })
    }
    await emitMany(tx, { ...shop, isSandbox }, events, moments.now)
  }
  return abandoned.length
}

/** As the secret key is shown it. Nobody can have changed or deleted it: the transaction has written its row. */
async function readAbandoned(
  tx: Tx,
  { merchantId }: Shop,
  { id, is_sandbox: isSandbox, currency }: AbandonedCart,
  now: Date,
  origin: string,
): Promise<Cart> {
  const at = { merchantId, isSandbox, cartId: id, now, life: null, makesRow: false }
  const row = await findCart(tx, { ...at, isSecret: true, isLocked: false })
  if (row === null) throw new Error(`The cart ${id} is gone, though its row is held.`)
  return viewCart(row, { caller: { merchantId, currency }, addresses: unsigned(origin) })
}
