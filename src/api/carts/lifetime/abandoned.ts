// Emits the event carts.abandoned, once per cart. A cart is abandoned if it has line items, no order, and no change for a
// day. The sweep schedules a first check of each cart once the cart is a day old. A cart that has changed meanwhile is
// checked again a day after that change.

import type { Shop, Tx } from '../../../db/db.ts'
import { emitMany } from '../../../events/emit.ts'
import type { Services } from '../../../http/endpoint/endpoint.ts'
import { groupByShop } from '../../../jobs/due.ts'
import { findSweepPositions, type Sweep, type SweepContext, saveSweepPosition } from '../../../jobs/schedule.ts'
import { unsignedFileUrls } from '../../assets/view.ts'
import { viewCart } from '../cart.ts'
import { findCart } from '../read-store.ts'
import type { Cart } from '../schema.ts'
import {
  type AbandonedCart,
  type CartCheck,
  type CartCreationWindow,
  completeCartChecks,
  findCartCreations,
  findDueCartChecks,
  QUIET_HOURS,
  scheduleCartChecks,
} from './store.ts'

const SWEEP_NAME = 'abandoned-carts'
const QUIET_MS = QUIET_HOURS * 3_600_000
/** Length of a creation window; store.ts groups carts by the same five minutes. */
const WINDOW_MS = 300_000

/** Creations read at once, one row per cart. */
const ROWS_AT_ONCE = 500
/** Checks read at once. The checks of one shop run in one transaction. */
const CHECKS_AT_ONCE = 100

export const sweepAbandonedCarts = ({ publicUrl }: Pick<Services, 'publicUrl'>): Sweep => ({
  name: SWEEP_NAME,
  everySeconds: 300,
  async run(context) {
    const now = context.clock.now()
    const quietSince = new Date(now.getTime() - QUIET_MS)
    await scheduleChecks(context, quietSince)
    // A sweep has no request to take a host from. Without PUBLIC_URL the URLs in these events are only paths.
    return emitAbandoned(context, { now, quietSince }, publicUrl ?? '')
  },
})

/**
 * Schedules a check of each cart that is at least a day old. Continues where the last run stopped; the first run ever only
 * stores its position. Each row says that a shop created a cart in a five-minute window. One row per window is enough,
 * because `scheduleCartChecks` handles all carts of the window.
 */
async function scheduleChecks({ db, signal }: SweepContext, quietSince: Date): Promise<void> {
  const endPosition = { at: new Date(Math.floor(quietSince.getTime() / WINDOW_MS) * WINDOW_MS), merchant_id: 0 }
  const { made: storedPosition } = await findSweepPositions(db, SWEEP_NAME)
  let position = storedPosition === undefined ? endPosition : parsePosition(storedPosition)
  while (position.at < endPosition.at && !signal.aborted) {
    const rows = await findCartCreations(db, position, endPosition.at, ROWS_AT_ONCE)
    for (const window of withoutAdjacentDuplicates(rows)) await scheduleCartChecks(db, window)
    position = (rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)) ?? endPosition
    await saveSweepPosition(db, SWEEP_NAME, 'made', formatPosition(position))
  }
  if (storedPosition === undefined) await saveSweepPosition(db, SWEEP_NAME, 'made', formatPosition(position))
}

const formatPosition = ({ at, merchant_id }: CartCreationWindow): string => `${at.toISOString()} ${merchant_id}`

function parsePosition(text: string): CartCreationWindow {
  const [at = '', merchant_id] = text.split(' ')
  return { at: new Date(at), merchant_id: Number(merchant_id) }
}

/** The rows are sorted, so duplicates are adjacent. */
const withoutAdjacentDuplicates = (rows: readonly CartCreationWindow[]): CartCreationWindow[] =>
  rows.filter(({ at, merchant_id }, index) => {
    const previous = rows[index - 1]
    return previous === undefined || previous.merchant_id !== merchant_id || previous.at.getTime() !== at.getTime()
  })

/** `quietSince`: a cart that has not changed since then is abandoned. */
type AbandonmentTimes = { readonly now: Date; readonly quietSince: Date }

async function emitAbandoned({ db, signal }: SweepContext, times: AbandonmentTimes, origin: string): Promise<number> {
  const failures: unknown[] = []
  let eventCount = 0
  let after: CartCheck = { due_at: new Date(0), merchant_id: 0, cart_id: '' }
  while (!signal.aborted) {
    const due = await findDueCartChecks(db, times.now, after, CHECKS_AT_ONCE)
    for (const [merchant_id, checks] of groupByShop(due)) {
      const cartIds = checks.map(({ cart_id }) => cart_id)
      try {
        eventCount += await db.transaction((tx) => emitAbandonedInShop(tx, { merchant_id }, cartIds, times, origin))
      } catch (error) {
        // The next run retries these carts. Meanwhile they must not block those of other shops.
        failures.push(error)
      }
    }
    const last = due.at(-1)
    if (last === undefined || due.length < CHECKS_AT_ONCE) break
    after = last
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `Abandoned carts of ${failures.length} shops could not be processed.`)
  return eventCount
}

/** Emits the events of one shop's abandoned carts and returns how many there are. */
async function emitAbandonedInShop(
  tx: Tx,
  shop: Shop,
  cartIds: readonly string[],
  times: AbandonmentTimes,
  origin: string,
): Promise<number> {
  const abandoned = await completeCartChecks(tx, shop, cartIds, times)
  for (const is_sandbox of [true, false]) {
    const events: { name: 'carts.abandoned'; payload: Cart }[] = []
    for (const cart of abandoned.filter((each) => each.is_sandbox === is_sandbox)) {
      const payload = await readAbandoned(tx, shop, cart, times.now, origin)
      events.push({ name: 'carts.abandoned', payload })
    }
    await emitMany(tx, { ...shop, is_sandbox }, events, times.now)
  }
  return abandoned.length
}

/** The cart as a secret key sees it. It still exists, because this transaction has updated its row and holds the lock. */
async function readAbandoned(
  tx: Tx,
  { merchant_id }: Shop,
  { id, is_sandbox, currency }: AbandonedCart,
  now: Date,
  origin: string,
): Promise<Cart> {
  // The row exists. So the id need not prove that the cart exists (`life`), and the read must not insert a row.
  const identity = { merchant_id, is_sandbox, cartId: id, now, life: null, canCreateRow: false }
  const row = await findCart(tx, { ...identity, isSecret: true, isLocked: false })
  if (row === null) throw new Error(`The cart ${id} is missing although its row is locked.`)
  return viewCart(row, { caller: { merchant_id, currency }, fileUrls: unsignedFileUrls(origin) })
}
