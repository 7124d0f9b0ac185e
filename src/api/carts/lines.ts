// The rules of a cart's lines: adding, changing and removing one, and in which words each is refused.

import { type FieldErrors, notFound, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { priceOf } from '../../lib/money.ts'
import type { CartAt, Choice, Limits } from '../lines/checks-store.ts'
import { cartAt, getCart, type Shopping } from './cart.ts'
import {
  type Added,
  addLineRow,
  changeLineRow,
  type LineChange,
  removeLineRow,
  setLineQuantity,
  type Written,
} from './line-store.ts'
import { type Cart, LIMITS, type LineChanges, type NewLine } from './schema.ts'
import { lockCart } from './store.ts'

export async function addLine(shopping: Shopping, cartId: string, body: NewLine): Promise<Cart> {
  const cart = cartAt(shopping, cartId)
  const added = await addLineRow(shopping.db, cart, {
    lineId: newId('lineItem', cart.now),
    quantity: body.quantity ?? 1,
    productId: body.id,
    options: body.options ?? null,
    variantId: body.variant_id ?? null,
  })
  if (added === null) throw notFound('cart')
  if (added.line_id === null) throw notValid(refusedAdd(added, body.variant_id ?? null))
  return answer(shopping, cart, 'Cart.Item.Added', added)
}

/** A quantity of 0 removes the line, whatever else is sent. */
export async function updateLine(shopping: Shopping, cartId: string, lineId: string, body: LineChanges): Promise<Cart> {
  if (body.quantity === 0) return removeLine(shopping, cartId, lineId)
  const cart = cartAt(shopping, cartId)
  const { quantity = null, options = null, variant_id: variantId = null } = body
  const written =
    options === null && variantId === null
      ? await setQuantity(shopping, cart, lineId, quantity)
      : await change(shopping, cart, lineId, { quantity, options, variantId })
  return answer(shopping, cart, 'Cart.Item.Updated', written)
}

async function setQuantity(shopping: Shopping, cart: CartAt, lineId: string, quantity: number | null) {
  const set = await setLineQuantity(shopping.db, cart, lineId, quantity)
  if (set === null) throw notFound('cart')
  if (set.line_id !== null) return set
  if (set.is_for_sale === null) throw notFound('line item')
  if (!set.is_for_sale && quantity !== null) throw notValid({ quantity: [GONE] })
  // A line that was removed while this waited for the cart was there to look at, but not to change.
  throw set.is_accepted ? notFound('line item') : notValid(tooMany(set))
}

async function change(shopping: Shopping, cart: CartAt, lineId: string, wanted: LineChange) {
  const changed = await shopping.db.transaction(async (tx) => {
    if (!(await lockCart(tx, cart))) throw notFound('cart')
    return changeLineRow(tx, cart, lineId, wanted)
  })
  if (changed === null) throw notFound('cart')
  if (changed.is_for_sale === null) throw notFound('line item')
  if (changed.line_id !== null) return changed
  const field = wanted.variantId === null ? 'options' : 'variant_id'
  if (!changed.is_for_sale) throw notValid({ [field]: [GONE] })
  throw notValid(refusedChoice(changed, wanted.variantId) ?? tooMany(changed))
}

export async function removeLine(shopping: Shopping, cartId: string, lineId: string): Promise<Cart> {
  const cart = cartAt(shopping, cartId)
  const removed = await removeLineRow(shopping.db, cart, lineId)
  if (removed === null) throw notFound('cart')
  if (removed.line_id === null) throw notFound('line item')
  const shown = await getCart(shopping, cartId, cart.now)
  shopping.tell({ event: 'Cart.Item.Removed', line_item_id: lineId })
  return shown
}

/** The cart as it is now, and what older versions say beside it: the line as the cart shows it, or none of it if it is gone again. */
async function answer(
  shopping: Shopping,
  cart: CartAt,
  event: string,
  { line_id: lineId, product_id, name }: Written & { line_id: string },
): Promise<Cart> {
  const shown = await getCart(shopping, cart.cartId, cart.now)
  const line = shown.line_items.find(({ id }) => id === lineId)
  shopping.tell({
    event,
    line_item_id: lineId,
    product_id,
    product_name: line?.product_name ?? name,
    quantity: line?.quantity ?? 0,
    line_total: line?.line_total ?? priceOf(0, shopping.caller.currency),
  })
  return shown
}

const GONE = 'The product of this line is not for sale any more; the line can only be removed.'

function refusedAdd(added: Added, variantId: string | null): FieldErrors {
  if (!added.is_for_sale) return { id: ['id must be the id of a product that is for sale.'] }
  const choice = refusedChoice(added, variantId)
  if (choice !== null) return choice
  if (!added.has_room) return { id: [`id would be one line more than the ${LIMITS.lines} that a cart may have.`] }
  if (!added.is_showable)
    return {
      id: [
        `id would make the cart larger than it may be: its lines may show ${LIMITS.shownBytes / 1_048_576} MB of descriptions, choices and data of their products. Buy the rest in another cart.`,
      ],
    }
  return tooMany(added)
}

/** Null when there is nothing wrong with the variant and the options. */
function refusedChoice(choice: Choice, variantId: string | null): FieldErrors | null {
  if (!choice.is_variant_known) return { variant_id: ['variant_id must be the id of a variant of this product.'] }
  if (!choice.do_options_agree)
    return { options: ['options must be those of the variant that variant_id names, or be left out.'] }
  if (choice.are_options_known && choice.is_complete) return null
  // The options of a variant are its own doing.
  return variantId === null
    ? { options: ['options must name variant groups of this product, each with an option of that group.'] }
    : { variant_id: ['variant_id must be a valid variant; the options of the product have changed since it was made.'] }
}

/** The least of the limits is the one that refused. */
function tooMany({ most_by_stock: byStock, most_by_total: byTotal, available }: Limits): FieldErrors {
  const least = Math.min(LIMITS.quantity, byStock ?? LIMITS.quantity, byTotal ?? LIMITS.quantity)
  if (least === LIMITS.quantity) return { quantity: [`quantity must leave the line at ${LIMITS.quantity} or less.`] }
  if (byStock === least)
    return {
      quantity: [`quantity is more than there is: ${available} are available, for all lines of the cart together.`],
    }
  return {
    quantity: [`quantity would make the line worth more than a line may be; ${byTotal} are the most at this price.`],
  }
}
