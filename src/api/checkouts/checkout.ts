// Checkout tokens: made of a cart or a product, read, priced and shown, and swept once they have expired. Helpers and capture begin and
// end here.

import type { Db, Scope } from '../../db/db.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { sweepOf } from '../../jobs/sweeps.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Problems } from '../../lib/problems.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { addressesFor } from '../assets/view.ts'
import { cartAt } from '../carts/life.ts'
import { countedProducts, productsWithStock } from '../lines/goods.ts'
import { flawedLines, LIMITS, type LineRow, OPTION_BYTES } from '../lines/line.ts'
import { findStock } from '../lines/read-store.ts'
import { flawRefusal, namesOfLines, purchaseRefusal } from '../lines/refusals.ts'
import { viewLive } from './live-view.ts'
import { type PricedCheckout, priceCheckout } from './price.ts'
import {
  type CheckoutProductRow,
  type CheckoutRow,
  completeCheckout,
  type DetailsRow,
  findBareCheckout,
  findCartToBuy,
  findCheckout,
  findDetails,
  findProductToBuy,
  type ProductChoice,
  type SourceRow,
} from './read-store.ts'
import type { CheckoutToken, Live } from './schema.ts'
import { insertCheckout, type NewCheckout, type TokenAt } from './store.ts'
import { viewToken } from './view.ts'

/** What checkouts need of a request. */
export type CheckoutContext = Pick<Context, 'db' | 'clock' | 'caller' | 'origin' | 'signingSecret' | 'weigh'>

/** The token by its id, as it must be now for this caller: what the functions that save a choice take. */
export const tokenAt = ({ clock, caller }: CheckoutContext, id: string, now = clock.now()): TokenAt => ({
  merchantId: caller.merchantId,
  isSandbox: caller.isSandbox,
  id,
  now,
})

/** One statement reads all that the totals depend on. Throws `notFound`, also when it has expired or belongs to the other mode. */
export async function readCheckout(context: CheckoutContext, id: string): Promise<CheckoutRow> {
  const row = await findCheckout(context.db, context.caller, id, context.clock.now())
  if (row === null) throw notFound('checkout token')
  context.weigh(row.lines.length)
  return row
}

/** Saves a choice, and reads the token as it is then, in one round trip. `isSaved` is false when there is an order already. */
export async function saveAndRead(
  context: CheckoutContext,
  id: string,
  save: (db: Db, token: TokenAt) => Promise<boolean>,
): Promise<{ isSaved: boolean; row: CheckoutRow }> {
  const { db, caller } = context
  const token = tokenAt(context, id)
  const [isSaved, bare] = await db.together((all) => [save(all, token), findBareCheckout(all, caller, id, token.now)])
  if (bare === null) throw notFound('checkout token')
  const row = await completeCheckout(db, caller, bare)
  context.weigh(row.lines.length)
  return { isSaved, row }
}

/** Why a token that is still alive takes no choice any more. */
export const ALREADY_ORDERED = 'There is an order for this checkout already; it cannot be changed any more.'
/** The same for shoppers. */
export const ORDER_PLACED = refusal('already_ordered')

/** What a token shows and asks beside its totals. `products`: in the order of the lines, each once; deleted ones are missing. */
export type Details = DetailsRow & { readonly products: readonly CheckoutProductRow[] }

/** One more round trip. */
export const readDetails = ({ db, clock, caller }: CheckoutContext, { lines }: CheckoutRow): Promise<Details> =>
  withProducts(db, caller, lines, (all) => findDetails(all, { ...caller, now: clock.now() }, lines))

/** `details` goes with the question for the stock of what is bought. */
async function withProducts(
  db: Db,
  scope: Scope,
  lines: readonly LineRow[],
  details: (db: Db) => Promise<DetailsRow>,
): Promise<Details> {
  const counted = countedProducts(lines).map((product) => product.id)
  const [found, stock] =
    counted.length === 0
      ? [await details(db), NO_STOCK]
      : await db.together((all) => [details(all), findStock(all, scope, counted)])
  return { ...found, products: await productsWithStock(db, scope, lines, stock) }
}

const NO_STOCK: ReadonlyMap<string, number> = new Map()

/** Who has priced the row already hands that over. */
export const showLive = async (
  context: CheckoutContext,
  row: CheckoutRow,
  priced: PricedCheckout = priceCheckout(row),
): Promise<Live> => viewLive(row, priced, await viewContext(context))

/** Throws `notValid` when it would show too much. */
export async function showToken(
  context: CheckoutContext,
  row: CheckoutRow,
  details: Details,
  priced: PricedCheckout = priceCheckout(row),
): Promise<CheckoutToken> {
  refuseTooLarge(row, details)
  return viewToken(row, priced, details, await viewContext(context))
}

/** Twice what a cart may show when its lines are made: more than that only comes of a catalogue that has grown since. */
const MAX_SHOWN = 2 * LIMITS.shownBytes

/** Each product is looked at once, and nothing is written yet: a token of hundreds of megabytes would stop everybody else for seconds. */
function refuseTooLarge({ lines }: CheckoutRow, { products }: Details) {
  const sizes = new Map(products.map((product) => [product.id, sizeOf(product)]))
  const sum = lines.reduce((before, { product_id }) => before + (sizes.get(product_id) ?? 0), 0)
  if (sum <= MAX_SHOWN) return
  throw notValid(
    {
      line_items: [
        `The lines of this checkout show more than the ${MAX_SHOWN / 1_048_576} MB of descriptions and choices that they may. Take some out of the cart and buy them in another order.`,
      ],
    },
    refusal('cart_full'),
  )
}

const sizeOf = ({ description, variant_groups: groups }: CheckoutProductRow): number =>
  groups
    .flatMap(({ options }) => options)
    .reduce((before, { name }) => before + OPTION_BYTES + name.length, description.length)

const viewContext = async (context: CheckoutContext) => ({
  caller: context.caller,
  addresses: await addressesFor(context),
})

// Making a token. What cannot be bought never reaches it.

export const SOURCES = ['cart', 'product_id', 'permalink'] as const

/** From its creation; nothing prolongs it. */
export const LIFE_MS = 7 * 86_400_000

/**
 * Two round trips: what is bought is read in one statement, and the token is written as it was read. A cart that changes meanwhile
 * changes after its token was made.
 */
export async function createCheckout(
  context: CheckoutContext,
  type: (typeof SOURCES)[number],
  value: string,
): Promise<CheckoutToken> {
  const now = context.clock.now()
  const source = type === 'cart' ? await cartSource(context, value) : await productSource(context, type, value, now)
  const row = newCheckout(source, now)
  context.weigh(row.lines.length, row.id)
  const priced = priceCheckout(row)
  refuseWhatCannotBeBought(row, priced, type)
  const { db, caller } = context
  const token = tokenOf(row, source, now)
  const details = await withProducts(db, caller, row.lines, (all) => insertCheckout(all, { ...caller, now }, token))
  return showToken(context, row, details, priced)
}

export const tokenOf = (row: CheckoutRow, { discount_id, cart_revision }: SourceRow, now: Date): NewCheckout => ({
  id: row.id,
  cartId: row.cart_id,
  cartRevision: cart_revision,
  discountId: discount_id,
  meta: row.meta,
  expiresAt: expiryOf(now),
  lines: row.lines,
})

export async function cartSource(context: CheckoutContext, id: string): Promise<SourceRow> {
  const source = await findCartToBuy(context.db, context.caller, await cartAt(context, id))
  if (source === null) throw notFound('cart')
  if (source === 'empty' || source.lines.length === 0)
    throw notValid(
      { line_items: ['The cart is empty. Add something to it before it is checked out.'] },
      refusal('cart_empty'),
    )
  return source
}

const ONE: ProductChoice = { options: {}, quantity: 1 }

export async function productSource(
  { db, caller }: CheckoutContext,
  by: 'product_id' | 'permalink',
  value: string,
  now: Date,
  choice = ONE,
): Promise<SourceRow> {
  const source = await findProductToBuy(db, caller, by, value, { ...choice, lineId: newId('lineItem', now) })
  if (source === null) throw notFound('product')
  return source
}

const expiryOf = (now: Date) => new Date(now.getTime() + LIFE_MS)

/** The token as it will be read back: nothing has been chosen yet. */
export const newCheckout = ({ discount_id: _, cart_revision: __, ...source }: SourceRow, now: Date): CheckoutRow => ({
  ...source,
  id: newId('checkoutToken', now),
  created: unixSeconds(now),
  updated: unixSeconds(now),
  expires: unixSeconds(expiryOf(now)),
  shipping_country: null,
  shipping_region: null,
  shipping_method_id: null,
  taxed_in: { country: null, region: null, postal_code: null, ip_address: null },
  tax_zone: null,
  is_taxed_by_region: false,
  gift_card: null,
  customer_set_price: null,
  external_methods: null,
  external_tax: null,
  adjustments: null,
})

/** Options left to choose do no harm yet: capture asks for them. */
export function refuseWhatCannotBeBought(
  { lines }: CheckoutRow,
  { totals }: PricedCheckout,
  type: (typeof SOURCES)[number],
) {
  const problems = new Problems()
  const names = namesOfLines(lines)
  for (const [lineId, flaw] of flawedLines(lines, totals.lines)) {
    // The line of a product that is bought alone has no id that the client could know.
    const path = type === 'cart' ? `line_items.${lineId}` : 'id'
    problems.refusedAs(path, purchaseRefusal(path, flaw), flawRefusal(flaw, names.get(lineId)))
  }
  problems.throwIfAny()
}

/** A reply never shows a token that has expired; this only gives the space back. */
export const sweepExpiredCheckouts = sweepOf('checkouts', {
  name: 'expired-checkouts',
  everySeconds: 3_600,
  column: 'expires_at',
})
