// Discounts name the products they are for as the list `product_ids`; before, they named one, or null, as `product_id`.
import {
  type ApiRequest,
  type Change,
  firstOf,
  inTurn,
  isJsonObject,
  rename,
  renameRequestField,
  set,
} from './change.ts'

/** One product is a list of one, and null is every product: the empty list. */
function listProduct(request: ApiRequest): ApiRequest {
  const { body } = request
  if (!isJsonObject(body) || !Object.hasOwn(body, 'product_id')) return request
  const { product_id: id = null } = body
  const listed = Array.isArray(id) ? id : id === null ? [] : [id]
  return renameRequestField('product_id', 'product_ids')({ ...request, body: { ...body, product_id: listed } })
}

export default {
  summary: 'Discounts name the products they are for as the list `product_ids` instead of one as `product_id`.',
  kinds: { discount: inTurn(set('product_ids', firstOf('product_ids')), rename('product_ids', 'product_id')) },
  operations: { 'discounts.create': { up: listProduct }, 'discounts.update': { up: listProduct } },
} satisfies Change
