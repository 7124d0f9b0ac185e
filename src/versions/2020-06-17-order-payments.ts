// An order has any number of payments, and its delivery is told item by item and download by download; before, it had one
// `payment`, and of its delivery one `shipping` and a list `digital`.
import { type Change, firstOf, inTurn, isJsonObject, type Json, type JsonObject, set } from './change.ts'

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

export default {
  summary:
    'Orders no longer have a single `payment` beside their `payments`, and `fulfillment` has `physical {items, shipments}` and `digital {downloads}` instead of one `shipping` and a list `digital`.',
  kinds: {
    fulfillment: inOldForm,
    // An order can be paid in parts, which one payment cannot tell: the list stays beside it.
    order: inTurn(set('payment', firstOf('payments')), set('fulfillment', withPrice)),
  },
} satisfies Change
