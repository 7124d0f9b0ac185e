// Discounts and the payments of orders.

import {
  type ApiRequest,
  type Change,
  firstOf,
  inTurn,
  isJsonObject,
  type Json,
  type JsonObject,
  rename,
  renameRequestField,
  set,
} from '../change.ts'

// Discounts name the products they are for as the list `product_ids`; before, they named one, or null, as `product_id`.

/** One product is a list of one, and null is every product: the empty list. */
function listProduct(request: ApiRequest): ApiRequest {
  const { body } = request
  if (!isJsonObject(body) || !Object.hasOwn(body, 'product_id')) return request
  const { product_id: id = null } = body
  const listed = Array.isArray(id) ? id : id === null ? [] : [id]
  return renameRequestField('product_id', 'product_ids')({ ...request, body: { ...body, product_id: listed } })
}

export const discountProductIds = {
  summary: 'Discounts name the products they are for as the list `product_ids` instead of one as `product_id`.',
  kinds: { discount: inTurn(set('product_ids', firstOf('product_ids')), rename('product_ids', 'product_id')) },
  operations: { 'discounts.create': { up: listProduct }, 'discounts.update': { up: listProduct } },
} satisfies Change

// An order has any number of payments, and its delivery is told item by item and download by download; before, it had one
// `payment`, and of its delivery one `shipping` and a list `digital`.

const listIn = (value: Json | undefined, field: string): readonly Json[] => {
  const list = isJsonObject(value) ? value[field] : undefined
  return Array.isArray(list) ? list : []
}

/** The first item tells how all are sent: an order has one method. Items and shipments stay inside, for those who ship by them. */
function asShipping(physical: Json | undefined): Json {
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

const inOldForm = ({ physical, digital }: JsonObject): JsonObject => ({
  shipping: asShipping(physical),
  digital: listIn(digital, 'downloads'),
})

/** What delivery costs is known to the order alone; it was a number. */
function withPrice({ fulfillment = null, order }: JsonObject): Json {
  if (!isJsonObject(fulfillment) || !isJsonObject(fulfillment.shipping)) return fulfillment
  const chosen = isJsonObject(order) ? order.shipping : undefined
  const price = isJsonObject(chosen) && isJsonObject(chosen.price) ? (chosen.price.raw ?? null) : null
  return { ...fulfillment, shipping: { ...fulfillment.shipping, price } }
}

export const orderPayments = {
  summary:
    'Orders no longer have a single `payment` beside their `payments`, and `fulfillment` has `physical {items, shipments}` and `digital {downloads}` instead of one `shipping` and a list `digital`.',
  kinds: {
    fulfillment: inOldForm,
    // An order can be paid in parts, which one payment cannot tell: the list stays beside it.
    order: inTurn(set('payment', firstOf('payments')), set('fulfillment', withPrice)),
  },
} satisfies Change
