// Endpoints of /v1/carts. The id of a cart is its credential: any key of the same shop and mode may use the cart.

import { Type } from 'typebox'
import { asMeteredEndpoints, defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { LineItem } from '../lines/line.ts'
import type { Slice } from '../slice.ts'
import { createCart, deleteCart, emptyCart, getCart, sweepExpiredCarts, updateCart } from './cart.ts'
import { sweepAbandonedCarts } from './lifetime/abandoned.ts'
import { addLine, removeLine, updateLine } from './lines.ts'
import { AddLine, Cart, LineItems, UpdateCart, UpdateLine } from './schema.ts'

const cartId = { cart_id: Type.String({ description: 'The id of a cart: cart_…' }) }
const CartId = Type.Object(cartId)
const LineId = Type.Object({ ...cartId, line_item_id: Type.String({ description: 'The id of a line: item_…' }) })

export const carts: Slice = {
  kinds: [Cart, LineItem],
  sweeps: (services) => [sweepExpiredCarts, sweepAbandonedCarts(services)],
  endpoints: asMeteredEndpoints([
    defineEndpoint({
      operation: 'carts.create',
      permission: 'write',
      summary: 'Makes an empty cart, which lives for 30 days.',
      method: 'GET',
      path: '/v1/carts',
      access: 'public',
      noStore: true,
      limited: true,
      status: 201,
      returns: Cart,
      handle: (context) => createCart(context),
    }),
    defineEndpoint({
      operation: 'carts.get',
      permission: 'read',
      summary: "Gives a cart, at today's prices.",
      method: 'GET',
      path: '/v1/carts/:cart_id',
      access: 'public',
      noStore: true,
      params: CartId,
      status: 200,
      returns: Cart,
      handle: (context) => getCart(context, context.params.cart_id),
    }),
    defineEndpoint({
      operation: 'carts.add',
      permission: 'write',
      summary: 'Adds a product. If a line has the same product and options, its quantity grows.',
      method: 'POST',
      path: '/v1/carts/:cart_id',
      access: 'public',
      noStore: true,
      params: CartId,
      body: AddLine,
      status: 200,
      returns: Cart,
      handle: (context) => addLine(context, context.params.cart_id, context.body),
    }),
    defineEndpoint({
      operation: 'carts.update',
      permission: 'write',
      summary: 'Sets or clears the discount code and the meta of a cart.',
      method: 'PUT',
      path: '/v1/carts/:cart_id',
      access: 'public',
      noStore: true,
      limited: true,
      params: CartId,
      body: UpdateCart,
      status: 200,
      returns: Cart,
      handle: (context) => updateCart(context, context.params.cart_id, context.body),
    }),
    defineEndpoint({
      operation: 'carts.delete',
      permission: 'write',
      summary: 'Deletes a cart.',
      method: 'DELETE',
      path: '/v1/carts/:cart_id',
      access: 'public',
      noStore: true,
      params: CartId,
      status: 204,
      handle: async (context) => {
        await deleteCart(context, context.params.cart_id)
        return undefined
      },
    }),
    defineEndpoint({
      operation: 'carts.list_lines',
      permission: 'read',
      summary: 'Lists the lines of a cart, oldest first.',
      method: 'GET',
      path: '/v1/carts/:cart_id/items',
      access: 'public',
      noStore: true,
      params: CartId,
      status: 200,
      returns: LineItems,
      handle: async (context) => (await getCart(context, context.params.cart_id)).line_items,
    }),
    defineEndpoint({
      operation: 'carts.empty',
      permission: 'write',
      summary: 'Removes every line of a cart.',
      method: 'DELETE',
      path: '/v1/carts/:cart_id/items',
      access: 'public',
      noStore: true,
      params: CartId,
      status: 200,
      returns: Cart,
      handle: (context) => emptyCart(context, context.params.cart_id),
    }),
    defineEndpoint({
      operation: 'carts.update_line',
      permission: 'write',
      summary: 'Changes the quantity of a line, or what was chosen of its product.',
      method: 'PUT',
      path: '/v1/carts/:cart_id/items/:line_item_id',
      access: 'public',
      noStore: true,
      params: LineId,
      body: UpdateLine,
      status: 200,
      returns: Cart,
      handle: (context) => updateLine(context, context.params.cart_id, context.params.line_item_id, context.body),
    }),
    defineEndpoint({
      operation: 'carts.remove_line',
      permission: 'write',
      summary: 'Removes a line.',
      method: 'DELETE',
      path: '/v1/carts/:cart_id/items/:line_item_id',
      access: 'public',
      noStore: true,
      params: LineId,
      status: 200,
      returns: Cart,
      handle: (context) => removeLine(context, context.params.cart_id, context.params.line_item_id),
    }),
  ]),
}
