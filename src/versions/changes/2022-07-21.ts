// Deletions answer without a body, changes of a cart answer the cart, the discount of a cart or a checkout is a list, and orders are refunded
// in parts.

import { type Change, isJsonObject, type Json, type JsonObject, type ReplyChange, rename } from '../change.ts'

// Deleting an asset answers 204 without a body; before, it was 200 with `{deleted: true}`.

export const assetDeleteWithoutBody = {
  summary: 'Deleting an asset answers 204 without a body instead of 200 with `{deleted: true}`.',
  operations: { 'assets.delete': { down: () => ({ status: 200, body: { deleted: true } }) } },
} satisfies Change

// The discount of a cart, a checkout token and its live totals is a list of one or none; before, it was that one object, or an empty list.

const withoutList = (value: JsonObject): JsonObject => {
  const { discount } = value
  return Array.isArray(discount) && discount.length > 0 ? { ...value, discount: discount[0] } : value
}

export const discountList = {
  summary:
    'The `discount` of carts, checkout tokens and live totals is a list of one or none; before, it was one object, or an empty list for none.',
  // The SDK's own types, and all that was written on it, read `discount.code`.
  keptForOldClients: true,
  kinds: { cart: withoutList, checkout_token: withoutList, live: withoutList },
} satisfies Change

// A cart's applied discount stands in `discount`; before, the field was called `discount_code`.

export const cartDiscount = {
  summary: 'The field `discount_code` of carts is now called `discount`.',
  kinds: { cart: rename('discount', 'discount_code') },
} satisfies Change

// Changes of a cart answer the cart itself, and its deletion 204; before, an envelope with the event and the line around it.

/** The line's, as the cart beside it shows it; a line that somebody removed in the meantime has only what the handler told. */
function lineTotalOf({ line_item_id, line_total = null }: JsonObject, cart: Json): Json {
  const lines = isJsonObject(cart) && Array.isArray(cart.line_items) ? cart.line_items : []
  return lines.filter(isJsonObject).find((line) => line.id === line_item_id)?.line_total ?? line_total
}

/** A change of the quantity to 0 tells of a removal, and is answered like one: there is no line left to describe. */
const aroundLine: ReplyChange = ({ status, body: cart }, { facts }) => {
  const { event = null, line_item_id = null, product_id = null, product_name = null, quantity = null } = facts
  const removed = { success: true, event, line_item_id }
  if (event === 'Cart.Item.Removed') return { status, body: { ...removed, cart } }
  const line = { product_id, product_name, quantity, line_total: lineTotalOf(facts, cart) }
  return { status, body: { ...removed, ...line, cart } }
}

const aroundCart: ReplyChange = ({ status, body: cart }, { facts }) => ({
  status,
  body: { success: true, event: facts.event ?? null, cart },
})

const aroundDeletion: ReplyChange = (_reply, { facts, params }) => ({
  status: 200,
  body: { success: true, event: facts.event ?? null, cart_id: params.cart_id ?? '' },
})

export const cartMutationsBare = {
  summary:
    'Adding, changing and removing lines and emptying a cart answer the cart itself instead of `{success, event, …, cart}`; deleting a cart answers 204 without a body instead of 200 with `{success, event, cart_id}`.',
  operations: {
    'carts.add': { down: aroundLine },
    'carts.update_line': { down: aroundLine },
    'carts.remove_line': { down: aroundLine },
    'carts.empty': { down: aroundCart },
    'carts.delete': { down: aroundDeletion },
  },
} satisfies Change

// Deleting a category is answered 204 without a body; before, it was 200 with the id.

export const categoryDeleteWithoutBody = {
  summary: 'Deleting a category now answers 204 without a body, instead of 200 with `id` and `success`.',
  operations: {
    'categories.delete': {
      down: (_reply, { params }) => ({ status: 200, body: { id: params.id ?? '', success: true } }),
    },
  },
} satisfies Change

// An order of which a part was given back says so; before, it was `paid`, and every refund `full`.

const paidInstead = (order: JsonObject): JsonObject =>
  order.status_payment === 'partially_refunded' ? { ...order, status_payment: 'paid' } : order

const fullInstead = (refund: JsonObject): JsonObject =>
  refund.type === 'partial' ? { ...refund, type: 'full' } : refund

export const orderPartialRefunds = {
  summary:
    'Orders of which a part was given back have the `status_payment` `partially_refunded` instead of `paid`, and such a refund the `type` `partial` instead of `full`.',
  kinds: { order: paidInstead, refund: fullInstead },
} satisfies Change
