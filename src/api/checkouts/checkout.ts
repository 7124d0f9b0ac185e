// Checkout tokens: made from a cart or a product, read, priced and shown, and deleted once they have expired. The checkout helpers and
// capture build on these functions.

import type { Db, Scope } from '../../db/db.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { sweepOf } from '../../jobs/sweeps.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Problems } from '../../lib/problems.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { fileUrlsFor } from '../assets/view.ts'
import { identifyCart } from '../carts/lifetime/life.ts'
import { countedProducts, productsWithStock } from '../lines/goods.ts'
import { findLineFlaws, LINE_LIMITS, type LineRow, OPTION_BYTES } from '../lines/line.ts'
import { findStock } from '../lines/read-store.ts'
import { flawRefusal, namesOfLines, purchaseRefusal } from '../lines/refusals.ts'
import { viewLive } from './live-view.ts'
import { type PricedCheckout, priceCheckout } from './price.ts'
import {
  type CheckoutProductRow,
  type CheckoutRow,
  type CheckoutSourceRow,
  completeCheckout,
  type DetailsRow,
  findBareCheckout,
  findCartToBuy,
  findCheckout,
  findDetails,
  findProductToBuy,
  type ProductChoice,
} from './read-store.ts'
import type { CheckoutToken, Live } from './schema.ts'
import { insertCheckout, type NewCheckout, type TokenAt } from './store.ts'
import { viewToken } from './view.ts'

/** The parts of a request that checkouts need. */
export type CheckoutContext = Pick<Context, 'db' | 'clock' | 'caller' | 'origin' | 'signingSecret' | 'reportLinesRead'>

/** Identifies the token for this caller at this moment. Functions that save a choice take it. */
export const identifyToken = ({ clock, caller }: CheckoutContext, id: string, now = clock.now()): TokenAt => ({
  merchant_id: caller.merchant_id,
  is_sandbox: caller.is_sandbox,
  id,
  now,
})

/** Reads all that the totals depend on in one statement. Throws `notFound` if the token is missing, expired or of the other mode. */
export async function readCheckout(context: CheckoutContext, id: string): Promise<CheckoutRow> {
  const row = await findCheckout(context.db, context.caller, id, context.clock.now())
  if (row === null) throw notFound('checkout token')
  context.reportLinesRead(row.lines.length)
  return row
}

/** Saves a choice and reads the token after it, in one round trip. `isSaved` is false if an order already exists. */
export async function saveChoiceAndRead(
  context: CheckoutContext,
  id: string,
  save: (db: Db, token: TokenAt) => Promise<boolean>,
): Promise<{ isSaved: boolean; row: CheckoutRow }> {
  const { db, caller } = context
  const token = identifyToken(context, id)
  const [isSaved, bare] = await db.together((all) => [save(all, token), findBareCheckout(all, caller, id, token.now)])
  if (bare === null) throw notFound('checkout token')
  const row = await completeCheckout(db, caller, bare)
  context.reportLinesRead(row.lines.length)
  return { isSaved, row }
}

/** Reason why a token with an order takes no more choices. */
export const ALREADY_ORDERED = 'This checkout has been ordered and can no longer be changed.'
/** Shopper message for the same case. */
export const ALREADY_ORDERED_REFUSAL = refusal('already_ordered')

/** Data that a token shows besides its totals. `products` are in the order of the lines, each once; deleted ones are missing. */
export type TokenDetails = DetailsRow & { readonly products: readonly CheckoutProductRow[] }

/** Takes one more round trip. */
export const readTokenDetails = (
  { db, clock, caller }: CheckoutContext,
  { lines }: CheckoutRow,
): Promise<TokenDetails> =>
  withProducts(db, caller, lines, (all) => findDetails(all, { ...caller, now: clock.now() }, lines))

/** Runs `details` and the stock query in the same round trip. */
async function withProducts(
  db: Db,
  scope: Scope,
  lines: readonly LineRow[],
  details: (db: Db) => Promise<DetailsRow>,
): Promise<TokenDetails> {
  const counted = countedProducts(lines).map((product) => product.id)
  const [detailsRow, stock] =
    counted.length === 0
      ? [await details(db), NO_STOCK]
      : await db.together((all) => [details(all), findStock(all, scope, counted)])
  return { ...detailsRow, products: await productsWithStock(db, scope, lines, stock) }
}

const NO_STOCK: ReadonlyMap<string, number> = new Map()

/** Pass `priced` if the row is already priced. */
export const renderLiveTotals = async (
  context: CheckoutContext,
  row: CheckoutRow,
  priced: PricedCheckout = priceCheckout(row),
): Promise<Live> => viewLive(row, priced, await viewContext(context))

/** Throws `notValid` if the reply would be too large. */
export async function renderCheckoutToken(
  context: CheckoutContext,
  row: CheckoutRow,
  details: TokenDetails,
  priced: PricedCheckout = priceCheckout(row),
): Promise<CheckoutToken> {
  refuseTooLarge(row, details)
  return viewToken(row, priced, details, await viewContext(context))
}

/** Twice the limit for a cart when its lines are made. Only a catalogue that has grown since can exceed it. */
const MAX_SHOWN = 2 * LINE_LIMITS.shownBytes

/** Measures each product once, before anything is written. A token of hundreds of megabytes would block all other requests for seconds. */
function refuseTooLarge({ lines }: CheckoutRow, { products }: TokenDetails) {
  const sizes = new Map(products.map((product) => [product.id, sizeOf(product)]))
  const sum = lines.reduce((before, { product_id }) => before + (sizes.get(product_id) ?? 0), 0)
  if (sum <= MAX_SHOWN) return
  throw notValid(
    {
      line_items: [
        `The descriptions and options of these line items exceed ${MAX_SHOWN / 1_048_576} MB. Remove some items from the cart and buy them in another order.`,
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
  fileUrls: await fileUrlsFor(context),
})

// Making a token. Products that cannot be bought are refused first.

export const CHECKOUT_SOURCES = ['cart', 'product_id', 'permalink'] as const

/** Counted from creation; nothing extends it. */
export const CHECKOUT_LIFETIME_MS = 7 * 86_400_000

/**
 * Takes two round trips: one statement reads the goods, and the token is written as they were read. If the cart changes meanwhile, the
 * change counts as made after the token.
 */
export async function createCheckout(
  context: CheckoutContext,
  type: (typeof CHECKOUT_SOURCES)[number],
  value: string,
): Promise<CheckoutToken> {
  const now = context.clock.now()
  const source =
    type === 'cart' ? await readCartSource(context, value) : await readProductSource(context, type, value, now)
  const row = createCheckoutRow(source, now)
  context.reportLinesRead(row.lines.length, row.id)
  const priced = priceCheckout(row)
  refuseUnavailableLines(row, priced, type)
  const { db, caller } = context
  const token = toNewCheckout(row, source, now)
  const details = await withProducts(db, caller, row.lines, (all) => insertCheckout(all, { ...caller, now }, token))
  return renderCheckoutToken(context, row, details, priced)
}

export const toNewCheckout = (
  row: CheckoutRow,
  { discount_id, cart_revision }: CheckoutSourceRow,
  now: Date,
): NewCheckout => ({
  id: row.id,
  cartId: row.cart_id,
  cartRevision: cart_revision,
  discountId: discount_id,
  meta: row.meta,
  expiresAt: expiryOf(now),
  lines: row.lines,
})

export async function readCartSource(context: CheckoutContext, id: string): Promise<CheckoutSourceRow> {
  const source = await findCartToBuy(context.db, context.caller, await identifyCart(context, id))
  if (source === null) throw notFound('cart')
  if (source === 'empty' || source.lines.length === 0)
    throw notValid({ line_items: ['The cart is empty. Add an item before you check out.'] }, refusal('cart_empty'))
  return source
}

const ONE: ProductChoice = { options: {}, quantity: 1 }

export async function readProductSource(
  { db, caller }: CheckoutContext,
  by: 'product_id' | 'permalink',
  value: string,
  now: Date,
  choice = ONE,
): Promise<CheckoutSourceRow> {
  const source = await findProductToBuy(db, caller, by, value, { ...choice, lineId: newId('lineItem', now) })
  if (source === null) throw notFound('product')
  return source
}

const expiryOf = (now: Date) => new Date(now.getTime() + CHECKOUT_LIFETIME_MS)

/** The token as a later read returns it: nothing has been chosen yet. */
export const createCheckoutRow = (
  { discount_id: _, cart_revision: __, ...source }: CheckoutSourceRow,
  now: Date,
): CheckoutRow => ({
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

/** Options may still be unselected here; capture requires them. */
export function refuseUnavailableLines(
  { lines }: CheckoutRow,
  { totals }: PricedCheckout,
  type: (typeof CHECKOUT_SOURCES)[number],
) {
  const problems = new Problems()
  const names = namesOfLines(lines)
  for (const [lineId, flaw] of findLineFlaws(lines, totals.lines)) {
    // If a product is bought directly, the client cannot know the id of its line.
    const path = type === 'cart' ? `line_items.${lineId}` : 'id'
    problems.refusedAs(path, purchaseRefusal(path, flaw), flawRefusal(flaw, names.get(lineId)))
  }
  problems.throwIfAny()
}

/** Only frees space: a reply never shows an expired token. */
export const sweepExpiredCheckouts = sweepOf('checkouts', {
  name: 'expired-checkouts',
  everySeconds: 3_600,
  column: 'expires_at',
})
