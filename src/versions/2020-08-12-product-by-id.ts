// A product is asked for by `type=id`; before, also by `type=product_id`.
import type { ApiRequest, Change } from './change.ts'

const up = (request: ApiRequest): ApiRequest =>
  request.query.type === 'product_id' ? { ...request, query: { ...request.query, type: 'id' } } : request

export default {
  summary: 'Retrieving products by `type=product_id` is removed; use `type=id`.',
  operations: { 'products.get': { up } },
} satisfies Change
