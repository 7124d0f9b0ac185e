// The rules of carts: which code one takes, how it is emptied and deleted, and how it is shown. How long it lives, with a row or without: life.ts.
// Rules of its lines: lines.ts.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { sweepOf } from '../../jobs/sweeps.ts'
import { currencyOf } from '../../lib/currencies.ts'
import { notFound, notValid, sandboxFull, unprocessable } from '../../lib/errors.ts'
import { metaErrors } from '../../lib/json.ts'
import { priceOf } from '../../lib/money.ts'
import { price } from '../../pricing/price.ts'
import { addressesFor } from '../assets/view.ts'
import { CODE_NOT_ACCEPTED, REFUSED_CODE, tryDiscountCode } from '../discounts/code.ts'
import { viewAppliedDiscount } from '../discounts/discount.ts'
import { discountInput } from '../discounts/store.ts'
import { lineInput, sizeOf, type ViewContext, viewLines } from '../lines/line.ts'
import { cartAt, newCart } from './life.ts'
import { type CartAt, type CartRow, findCart, hasCart, unwrittenCart } from './read-store.ts'
import type { Cart, CartChanges } from './schema.ts'
import { deleteCartRow, emptyCartRow, updateCartRow } from './store.ts'

/** What carts need of a request. */
export type CartContext = Pick<
  Context,
  'db' | 'clock' | 'caller' | 'origin' | 'signingSecret' | 'clientNetworks' | 'tell' | 'weigh'
>

/** Nothing is stored: the id says it all. Who makes carts and never uses them leaves nothing behind. */
export async function createCart(context: CartContext): Promise<Cart> {
  return showCart(context, { ...unwrittenCart(await newCart(context)), lines: [] })
}

/** Throws `notFound`, also when it has expired, was deleted, or belongs to the other mode. */
export const getCart = async (context: CartContext, id: string): Promise<Cart> =>
  readCart(context, await cartAt(context, id))

async function readCart(context: CartContext, cart: CartAt): Promise<Cart> {
  const row = await findCart(context.db, { ...cart, isSecret: context.caller.isSecret, isLocked: false })
  if (row === null) throw notFound('cart')
  return showCart(context, row)
}

export async function updateCart(context: CartContext, id: string, body: CartChanges): Promise<Cart> {
  const cart = await cartAt(context, id)
  // Before the code, so that a request which is refused for its meta counts for no guess.
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

/** The id of the discount that the code stands for; null for no code. */
async function discountFor(context: CartContext, cart: CartAt, code: string | null): Promise<string | null> {
  if (code === null || code === '') return null
  const { db } = context
  const found = await tryDiscountCode(context, { code, field: 'discount_code', enteredIn: cart.cartId })
  if (found !== null) return found.id
  // Asked only now: a code that is right finds out about its cart when it is written there.
  if (!(await hasCart(db, cart))) throw notFound('cart')
  throw notValid({ discount_code: [REFUSED_CODE] }, CODE_NOT_ACCEPTED)
}

export async function emptyCart(context: CartContext, id: string): Promise<Cart> {
  const cart = await cartAt(context, id)
  const row = await emptyCartRow(context.db, cart)
  if (row === null) throw await refusalOf(context, cart)
  context.tell({ event: 'Cart.Emptied' })
  return showCart(context, { ...row, lines: [] })
}

/** From then on it is not found, although its id says that it exists: its row stays behind, or is made, until it would have expired. */
export async function deleteCart(context: CartContext, id: string): Promise<void> {
  const cart = await cartAt(context, id)
  if (!(await deleteCartRow(context.db, cart))) throw notFound('cart')
  context.tell({ event: 'Cart.Deleted' })
}

/** Why a cart could not be written: there is none, or it has no row and the sandbox holds no more. */
async function refusalOf({ db }: CartContext, cart: CartAt) {
  const isWithoutRow = cart.life !== null && !cart.makesRow && (await hasCart(db, cart))
  return isWithoutRow ? sandboxFull('carts') : notFound('cart')
}

export async function showCart(context: CartContext, row: CartRow): Promise<Cart> {
  context.weigh(row.lines.length)
  return viewCart(row, { caller: context.caller, addresses: await addressesFor(context) })
}

/** A row → the cart in its newest form, field by field. What it costs is price()'s to say. */
export function viewCart(row: CartRow, context: ViewContext): Cart {
  const { merchantId, currency } = context.caller
  const { code, symbol } = currencyOf(currency)
  const totals = price({
    lines: row.lines.map(lineInput),
    discount: row.discount && discountInput(row.discount),
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
    hosted_checkout_url: `${context.addresses.origin}/checkout/${merchantId}/cart/${row.id}`,
    currency: { code, symbol },
    discount: row.discount ? [viewAppliedDiscount(row.discount, totals.amountSaved, currency)] : [],
    meta: row.meta,
    line_items: viewLines(row.lines, totals.lines, context),
  }
}

/** Nobody is shown a cart from the moment it expires, so that an hour more or less matters to the disk alone. */
export const sweepExpiredCarts = sweepOf('carts', { name: 'expired-carts', everySeconds: 3_600, column: 'expires_at' })
