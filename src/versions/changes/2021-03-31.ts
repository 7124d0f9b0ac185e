// What is chosen of a product is sent as `options` or `variant_id`; before, it was `variant`.

import { type ApiRequest, type Change, drop, isJsonObject, rename } from '../change.ts'

/**
 * Clients of that time send `variant` with every line, as null or {} where there is nothing to choose. Both newer names
 * describe the same choice, so one of them is enough for `variant` not to count.
 */
function up(request: ApiRequest): ApiRequest {
  const { body } = request
  if (!isJsonObject(body) || !Object.hasOwn(body, 'variant')) return request
  const { variant } = body
  const isPassedOver = variant === null || body.options !== undefined || body.variant_id !== undefined
  const newName = typeof variant === 'string' ? 'variant_id' : 'options'
  return { ...request, body: isPassedOver ? drop('variant')(body) : rename('variant', newName)(body) }
}

export const cartOptions = {
  summary: 'The request field `variant` of cart lines is now `options`, or `variant_id` for a variant.',
  operations: { 'carts.add': { up }, 'carts.update_line': { up } },
} satisfies Change
