// Discounts and the payments of orders.

import {
  type ApiChange,
  type ApiRequest,
  assignField,
  chainEdits,
  firstEntryOf,
  isJsonObject,
  type JsonData,
  type JsonObject,
  renameField,
  renameRequestField,
} from '../change.ts'

// Discounts name their products as the list `product_ids`. Before, `product_id` named one product, or was null.

/** One product becomes a list of one. Null means every product and becomes the empty list. */
function listProduct(request: ApiRequest): ApiRequest {
  const { body } = request
  if (!isJsonObject(body) || !Object.hasOwn(body, 'product_id')) return request
  const { product_id: id = null } = body
  const ids = Array.isArray(id) ? id : id === null ? [] : [id]
  return renameRequestField('product_id', 'product_ids')({ ...request, body: { ...body, product_id: ids } })
}

export const discountProductIds = {
  summary: 'Discounts name the products they are for as the list `product_ids` instead of one as `product_id`.',
  kinds: {
    discount: chainEdits(
      assignField('product_ids', firstEntryOf('product_ids')),
      renameField('product_ids', 'product_id'),
    ),
  },
  operations: { 'discounts.create': { up: listProduct }, 'discounts.update': { up: listProduct } },
} satisfies ApiChange

// Orders have a list of payments, and list their delivery by item and by download. Before, they had one `payment`, one `shipping` and a
// list `digital`.

const listIn = (value: JsonData | undefined, field: string): readonly JsonData[] => {
  const list = isJsonObject(value) ? value[field] : undefined
  return Array.isArray(list) ? list : []
}

/** Takes the shipping data of the first item: an order has one method. Items and shipments stay inside, for clients that ship by them. */
function toOldShipping(physical: JsonData | undefined): JsonData {
  const [items, shipments] = [listIn(physical, 'items'), listIn(physical, 'shipments')]
  if (items.length === 0 && shipments.length === 0) return null
  const first = items.find(isJsonObject) ?? {}
  return {
    id: first.id ?? null,
    shipping_method_id: first.shipping_method_id ?? null,
    description: first.shipping_description ?? null,
    provider: first.provider ?? null,
    provider_type: first.provider_type ?? null,
    items,
    shipments,
  }
}

const toOldFulfillment = ({ physical, digital }: JsonObject): JsonObject => ({
  shipping: toOldShipping(physical),
  digital: listIn(digital, 'downloads'),
})

/** Only the order knows the price of its delivery. Before, the price was a number. */
function addShippingPrice({ fulfillment = null, order }: JsonObject): JsonData {
  if (!isJsonObject(fulfillment) || !isJsonObject(fulfillment.shipping)) return fulfillment
  const delivery = isJsonObject(order) ? order.shipping : undefined
  const price = isJsonObject(delivery) && isJsonObject(delivery.price) ? (delivery.price.raw ?? null) : null
  return { ...fulfillment, shipping: { ...fulfillment.shipping, price } }
}

export const orderPayments = {
  summary:
    'Orders no longer have a single `payment` beside their `payments`, and `fulfillment` has `physical {items, shipments}` and `digital {downloads}` instead of one `shipping` and a list `digital`.',
  kinds: {
    fulfillment: toOldFulfillment,
    // Keep the list: one `payment` cannot show an order that was paid in parts.
    order: chainEdits(assignField('payment', firstEntryOf('payments')), assignField('fulfillment', addShippingPrice)),
  },
} satisfies ApiChange
