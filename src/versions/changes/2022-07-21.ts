// Deletions return no body, and changes of a cart return the cart. The discount of a cart or a checkout is a list. Orders have partial
// refunds.

import {
  type ApiChange,
  isJsonObject,
  type JsonData,
  type JsonObject,
  type ReplyChange,
  renameField,
} from '../change.ts'

// Deleting an asset returns 204 without a body; before, 200 with `{deleted: true}`.

export const assetDeleteWithoutBody = {
  summary: 'Deleting an asset answers 204 without a body instead of 200 with `{deleted: true}`.',
  operations: { 'assets.delete': { down: () => ({ status: 200, body: { deleted: true } }) } },
} satisfies ApiChange

// The discount of a cart, a checkout token and its live totals is a list of one or none. Before, it was the object itself, or an empty
// list.

const withoutList = (value: JsonObject): JsonObject => {
  const { discount } = value
  return Array.isArray(discount) && discount.length > 0 ? { ...value, discount: discount[0] } : value
}

export const discountList = {
  summary:
    'The `discount` of carts, checkout tokens and live totals is a list of one or none; before, it was one object, or an empty list for none.',
  // The SDK's own types, and all code that uses it, read `discount.code`.
  keptForOldClients: true,
  kinds: { cart: withoutList, checkout_token: withoutList, live: withoutList },
} satisfies ApiChange

// The applied discount of a cart is called `discount`; before, `discount_code`.

export const cartDiscount = {
  summary: 'The field `discount_code` of carts is now called `discount`.',
  kinds: { cart: renameField('discount', 'discount_code') },
} satisfies ApiChange

// Changes of a cart return the cart, and its deletion 204. Before, an envelope held the event and the line too.

/** Total of the line in the returned cart. For a line that was removed in the meantime, the total that the handler passed. */
function lineTotalOf({ line_item_id, line_total = null }: JsonObject, cart: JsonData): JsonData {
  const lines = isJsonObject(cart) && Array.isArray(cart.line_items) ? cart.line_items : []
  return lines.filter(isJsonObject).find((line) => line.id === line_item_id)?.line_total ?? line_total
}

/** A change of the quantity to 0 is answered like a removal: there is no line left to describe. */
const wrapLine: ReplyChange = ({ status, body: cart }, { facts }) => {
  const { event = null, line_item_id = null, product_id = null, product_name = null, quantity = null } = facts
  const removal = { success: true, event, line_item_id }
  if (event === 'Cart.Item.Removed') return { status, body: { ...removal, cart } }
  const line = { product_id, product_name, quantity, line_total: lineTotalOf(facts, cart) }
  return { status, body: { ...removal, ...line, cart } }
}

const wrapCart: ReplyChange = ({ status, body: cart }, { facts }) => ({
  status,
  body: { success: true, event: facts.event ?? null, cart },
})

const wrapDeletion: ReplyChange = (_reply, { facts, params }) => ({
  status: 200,
  body: { success: true, event: facts.event ?? null, cart_id: params.cart_id ?? '' },
})

export const cartMutationsBare = {
  summary:
    'Adding, changing and removing lines and emptying a cart answer the cart itself instead of `{success, event, …, cart}`; deleting a cart answers 204 without a body instead of 200 with `{success, event, cart_id}`.',
  operations: {
    'carts.add': { down: wrapLine },
    'carts.update_line': { down: wrapLine },
    'carts.remove_line': { down: wrapLine },
    'carts.empty': { down: wrapCart },
    'carts.delete': { down: wrapDeletion },
  },
} satisfies ApiChange

// Deleting a category returns 204 without a body; before, 200 with the id.

export const categoryDeleteWithoutBody = {
  summary: 'Deleting a category now answers 204 without a body, instead of 200 with `id` and `success`.',
  operations: {
    'categories.delete': {
      down: (_reply, { params }) => ({ status: 200, body: { id: params.id ?? '', success: true } }),
    },
  },
} satisfies ApiChange

// Partial refunds are visible in an order. Before, such an order was `paid`, and every refund `full`.

const showAsPaid = (order: JsonObject): JsonObject =>
  order.status_payment === 'partially_refunded' ? { ...order, status_payment: 'paid' } : order

const showAsFull = (refund: JsonObject): JsonObject =>
  refund.type === 'partial' ? { ...refund, type: 'full' } : refund

export const orderPartialRefunds = {
  summary:
    'Orders of which a part was given back have the `status_payment` `partially_refunded` instead of `paid`, and such a refund the `type` `partial` instead of `full`.',
  kinds: { order: showAsPaid, refund: showAsFull },
} satisfies ApiChange
