// Changes of a cart answer the cart itself, and its deletion 204; before, an envelope with the event and the line around it.
import { type Change, isJsonObject, type Json, type JsonObject, type ReplyChange } from './change.ts'

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

const deleted: ReplyChange = (_reply, { facts, params }) => ({
  status: 200,
  body: { success: true, event: facts.event ?? null, cart_id: params.cart_id ?? '' },
})

export default {
  summary:
    'Adding, changing and removing lines and emptying a cart answer the cart itself instead of `{success, event, …, cart}`; deleting a cart answers 204 without a body instead of 200 with `{success, event, cart_id}`.',
  operations: {
    'carts.add': { down: aroundLine },
    'carts.update_line': { down: aroundLine },
    'carts.remove_line': { down: aroundLine },
    'carts.empty': { down: aroundCart },
    'carts.delete': { down: deleted },
  },
} satisfies Change
