// A checkout token that a request names: read, priced and shown. Helpers and capture begin and end here.

import type { Context } from '../../http/endpoint.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { addressesFor } from '../assets/view.ts'
import { LIMITS, OPTION_BYTES } from '../carts/schema.ts'
import { type CheckoutProductRow, type DetailsRow, findDetails } from './details-store.ts'
import { viewLive } from './live-view.ts'
import { type PricedCheckout, priceCheckout } from './price.ts'
import { type CheckoutRow, findCheckout } from './read-store.ts'
import type { CheckoutToken, Live } from './schema.ts'
import type { TokenAt } from './token-store.ts'
import { viewToken } from './view.ts'

/** What checkouts need of a request. */
export type Checking = Pick<Context, 'db' | 'clock' | 'caller' | 'origin' | 'signingSecret' | 'weigh'>

/** The token by its id, as it must be now for this caller: what the functions that save a choice take. */
export const tokenAt = ({ clock, caller }: Checking, id: string, now = clock.now()): TokenAt => ({
  merchantId: caller.merchantId,
  isSandbox: caller.isSandbox,
  id,
  now,
})

/** One statement reads all that the totals depend on. Throws `notFound`, also when it has expired or belongs to the other mode. */
export async function readCheckout(checking: Checking, id: string): Promise<CheckoutRow> {
  const row = await findCheckout(checking.db, checking.caller, id, checking.clock.now())
  if (row === null) throw notFound('checkout token')
  checking.weigh(row.lines.length)
  return row
}

/** Why a token that is still alive takes no choice any more. Who could not save one reads the token again, and says this if it is there. */
export const ALREADY_ORDERED = 'There is an order for this checkout already; it cannot be changed any more.'

/** What a token shows and asks beside its totals; one more statement. */
export const readDetails = ({ db, clock, caller }: Checking, { lines }: CheckoutRow): Promise<DetailsRow> =>
  findDetails(
    db,
    { merchantId: caller.merchantId, isSandbox: caller.isSandbox, now: clock.now() },
    lines.map(({ product_id }) => product_id),
  )

/** Who has priced the row already hands that over. */
export const showLive = async (
  checking: Checking,
  row: CheckoutRow,
  priced: PricedCheckout = priceCheckout(row),
): Promise<Live> => viewLive(row, priced, await viewerOf(checking))

/** Throws `notValid` when it would show too much. */
export async function showToken(
  checking: Checking,
  row: CheckoutRow,
  details: DetailsRow,
  priced: PricedCheckout = priceCheckout(row),
): Promise<CheckoutToken> {
  refuseTooLarge(row, details)
  return viewToken(row, priced, details, await viewerOf(checking))
}

/** Twice what a cart may show when its lines are made: more than that only comes of a catalogue that has grown since. */
const MAX_SHOWN = 2 * LIMITS.shownBytes

/** Each product is looked at once, and nothing is written yet: a token of hundreds of megabytes would stop everybody else for seconds. */
function refuseTooLarge({ lines }: CheckoutRow, { products }: DetailsRow) {
  const sizes = new Map(products.map((product) => [product.id, sizeOf(product)]))
  const sum = lines.reduce((before, { product_id }) => before + (sizes.get(product_id) ?? 0), 0)
  if (sum <= MAX_SHOWN) return
  throw notValid({
    line_items: [
      `The lines of this checkout show more than the ${MAX_SHOWN / 1_048_576} MB of descriptions and choices that they may. Take some out of the cart and buy them in another order.`,
    ],
  })
}

const sizeOf = ({ description, variant_groups: groups }: CheckoutProductRow): number =>
  groups
    .flatMap(({ options }) => options)
    .reduce((before, { name }) => before + OPTION_BYTES + name.length, description.length)

const viewerOf = async (checking: Checking) => ({
  caller: checking.caller,
  addresses: await addressesFor(checking),
})
