// The rules of a cart's lines: adding, changing and removing one.

import { notFound, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { priceOf } from '../../lib/money.ts'
import { addRefusal, choiceRefusal, quantityRefusal } from '../lines/refusals.ts'
import { type CartContext, cartAt, getCart } from './cart.ts'
import {
  addLineRow,
  changeLineRow,
  type LineChange,
  type LineWrite,
  removeLineRow,
  setLineQuantity,
} from './line-store.ts'
import type { Cart, LineChanges, NewLine } from './schema.ts'
import { type CartAt, lockCart } from './store.ts'

export async function addLine(context: CartContext, cartId: string, body: NewLine): Promise<Cart> {
  const cart = cartAt(context, cartId)
  const result = await addLineRow(context.db, cart, {
    lineId: newId('lineItem', cart.now),
    quantity: body.quantity ?? 1,
    productId: body.id,
    options: body.options ?? null,
    variantId: body.variant_id ?? null,
  })
  if (result === null) throw notFound('cart')
  if (result.line_id === null) throw notValid(...addRefusal(result, body.variant_id ?? null))
  return answer(context, cart, 'Cart.Item.Added', result)
}

/** A quantity of 0 removes the line, whatever else is sent. */
export async function updateLine(
  context: CartContext,
  cartId: string,
  lineId: string,
  body: LineChanges,
): Promise<Cart> {
  if (body.quantity === 0) return removeLine(context, cartId, lineId)
  const cart = cartAt(context, cartId)
  const { quantity = null, options = null, variant_id: variantId = null } = body
  const line =
    options === null && variantId === null
      ? await setQuantity(context, cart, lineId, quantity)
      : await changeChoice(context, cart, lineId, { quantity, options, variantId })
  return answer(context, cart, 'Cart.Item.Updated', line)
}

async function setQuantity(context: CartContext, cart: CartAt, lineId: string, quantity: number | null) {
  const result = await setLineQuantity(context.db, cart, lineId, quantity)
  if (result === null) throw notFound('cart')
  if (result.line_id !== null) return result
  if (result.is_for_sale === null) throw notFound('line item')
  // A line that was removed while this waited for the cart was there to look at, but not to change.
  throw result.is_accepted ? notFound('line item') : notValid(...quantityRefusal(result))
}

async function changeChoice(context: CartContext, cart: CartAt, lineId: string, change: LineChange) {
  const result = await context.db.transaction(async (tx) => {
    if (!(await lockCart(tx, cart))) throw notFound('cart')
    return changeLineRow(tx, cart, lineId, change)
  })
  if (result === null) throw notFound('cart')
  if (result.is_for_sale === null) throw notFound('line item')
  if (result.line_id !== null) return result
  throw notValid(...choiceRefusal(result, change.variantId))
}

export async function removeLine(context: CartContext, cartId: string, lineId: string): Promise<Cart> {
  const cart = cartAt(context, cartId)
  const result = await removeLineRow(context.db, cart, lineId)
  if (result === null) throw notFound('cart')
  if (result.line_id === null) throw notFound('line item')
  const view = await getCart(context, cartId, cart.now)
  context.tell({ event: 'Cart.Item.Removed', line_item_id: lineId })
  return view
}

/** The cart as it is now, and what older versions say beside it: the line as the cart shows it, or none of it if it is gone again. */
async function answer(
  context: CartContext,
  cart: CartAt,
  event: string,
  { line_id: lineId, product_id, name }: LineWrite & { line_id: string },
): Promise<Cart> {
  const view = await getCart(context, cart.cartId, cart.now)
  const line = view.line_items.find(({ id }) => id === lineId)
  context.tell({
    event,
    line_item_id: lineId,
    product_id,
    product_name: line?.product_name ?? name,
    quantity: line?.quantity ?? 0,
    line_total: line?.line_total ?? priceOf(0, context.caller.currency),
  })
  return view
}
