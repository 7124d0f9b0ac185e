// Rules of carts: creating, reading, emptying and deleting a cart, and applying a discount code.
// life.ts has the lifetime and the id of a cart, and lines.ts its lines.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { sweepOf } from '../../jobs/sweeps.ts'
import { currencyOf } from '../../lib/currencies.ts'
import { notFound, notValid, sandboxFull, unprocessable } from '../../lib/errors.ts'
import { metaErrors } from '../../lib/json.ts'
import { priceOf } from '../../lib/money.ts'
import { price } from '../../pricing/price.ts'
import { fileUrlsFor } from '../assets/view.ts'
import { CODE_NOT_ACCEPTED, REFUSED_CODE, tryDiscountCode } from '../discounts/code.ts'
import { viewAppliedDiscount } from '../discounts/discount.ts'
import { toDiscountInput } from '../discounts/store.ts'
import { sizeOf, toLineInput, type ViewContext, viewLines } from '../lines/line.ts'
import { identifyCart, newCart } from './lifetime/life.ts'
import { type CartAt, type CartRow, emptyCartWithoutRow, findCart, hasCart } from './read-store.ts'
import type { Cart, CartChanges } from './schema.ts'
import { deleteCartRow, emptyCartRow, updateCartRow } from './store.ts'

/** Parts of a request that the rules of carts need. */
export type CartContext = Pick<
  Context,
  'db' | 'clock' | 'caller' | 'origin' | 'signingSecret' | 'clientNetworks' | 'addFacts' | 'reportLinesRead'
>

/** Stores nothing. The id contains the creation time, and an empty cart has no other data. */
export async function createCart(context: CartContext): Promise<Cart> {
  return viewCartFor(context, { ...emptyCartWithoutRow(await newCart(context)), lines: [] })
}

/** Throws `notFound` also for an expired or deleted cart, and for a cart of the other mode. */
export const getCart = async (context: CartContext, id: string): Promise<Cart> =>
  readCart(context, await identifyCart(context, id))

async function readCart(context: CartContext, cart: CartAt): Promise<Cart> {
  const row = await findCart(context.db, { ...cart, isSecret: context.caller.isSecret, isLocked: false })
  if (row === null) throw notFound('cart')
  return viewCartFor(context, row)
}

export async function updateCart(context: CartContext, id: string, body: CartChanges): Promise<Cart> {
  const cart = await identifyCart(context, id)
  // Check meta before the code, so that a request with invalid meta does not count as a guess.
  const errors = metaErrors(body.meta)
  if (errors !== null) throw unprocessable(errors)
  const discountId = body.discount_code === undefined ? undefined : await discountFor(context, cart, body.discount_code)
  const changes = {
    ...(discountId === undefined ? {} : { discountId }),
    ...(body.meta === undefined ? {} : { meta: body.meta }),
  }
  if (!(await updateCartRow(context.db, cart, changes))) throw await refusalOf(context, cart)
  return readCart(context, cart)
}

/** Returns the id of the code's discount, or null to remove the discount. */
async function discountFor(context: CartContext, cart: CartAt, code: string | null): Promise<string | null> {
  if (code === null || code === '') return null
  const { db } = context
  const discount = await tryDiscountCode(context, { code, field: 'discount_code', enteredIn: cart.cartId })
  if (discount !== null) return discount.id
  // With a valid code, the write notices a missing cart, so the check is only needed here.
  if (!(await hasCart(db, cart))) throw notFound('cart')
  throw notValid({ discount_code: [REFUSED_CODE] }, CODE_NOT_ACCEPTED)
}

export async function emptyCart(context: CartContext, id: string): Promise<Cart> {
  const cart = await identifyCart(context, id)
  const row = await emptyCartRow(context.db, cart)
  if (row === null) throw await refusalOf(context, cart)
  context.addFacts({ event: 'Cart.Emptied' })
  return viewCartFor(context, { ...row, lines: [] })
}

/**
 * Keeps or inserts the cart's row until the cart would have expired. The row marks the cart as deleted, because the
 * signed id would still be accepted.
 */
export async function deleteCart(context: CartContext, id: string): Promise<void> {
  const cart = await identifyCart(context, id)
  if (!(await deleteCartRow(context.db, cart))) throw notFound('cart')
  context.addFacts({ event: 'Cart.Deleted' })
}

/** Error for a failed write: the cart does not exist, or it has no row and the sandbox may store no more carts. */
async function refusalOf({ db }: CartContext, cart: CartAt) {
  const isWithoutRow = cart.life !== null && !cart.canCreateRow && (await hasCart(db, cart))
  return isWithoutRow ? sandboxFull('carts') : notFound('cart')
}

export async function viewCartFor(context: CartContext, row: CartRow): Promise<Cart> {
  context.reportLinesRead(row.lines.length)
  return viewCart(row, { caller: context.caller, fileUrls: await fileUrlsFor(context) })
}

/** Turns a row into the cart of the newest API version. price() calculates its amounts. */
export function viewCart(row: CartRow, context: ViewContext): Cart {
  const { merchant_id, currency } = context.caller
  const { code, symbol } = currencyOf(currency)
  const totals = price({
    lines: row.lines.map(toLineInput),
    discount: row.discount && toDiscountInput(row.discount),
    shipping: 0,
    tax: null,
    giftCardBalance: null,
    customerSetPrice: null,
  })
  return {
    id: row.id,
    created: row.created,
    updated: row.updated,
    expires: row.expires,
    ...sizeOf(row.lines),
    subtotal: priceOf(totals.subtotal, currency),
    hosted_checkout_url: `${context.fileUrls.origin}/checkout/${merchant_id}/cart/${row.id}`,
    currency: { code, symbol },
    discount: row.discount ? [viewAppliedDiscount(row.discount, totals.amountSaved, currency)] : [],
    meta: row.meta,
    line_items: viewLines(row.lines, totals.lines, context),
  }
}

/** Expired carts are hidden at once, so a late deletion only costs disk space. */
export const sweepExpiredCarts = sweepOf('carts', { name: 'expired-carts', everySeconds: 3_600, column: 'expires_at' })
