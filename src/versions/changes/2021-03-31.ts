// What is chosen of a product is sent as `options` or `variant_id`; before, it was `variant`.

import { type ApiRequest, type Change, drop, isJsonObject, type Json, rename } from '../change.ts'

/**
 * Clients of that time send `variant` with every line, as null or {} where there is nothing to choose. Both newer names
 * describe the same choice, so one of them is enough for `variant` not to count.
 */
function up(request: ApiRequest): ApiRequest {
  const { body } = request
  if (!isJsonObject(body) || !Object.hasOwn(body, 'variant')) return request
  const { variant } = body
  if (variant === null || isChosen(body.options) || isChosen(body.variant_id))
    return { ...request, body: drop('variant')(body) }
  const { options: _options, variant_id: _variantId, ...rest } = body
  return { ...request, body: rename('variant', typeof variant === 'string' ? 'variant_id' : 'options')(rest) }
}

/** Forms send the newer names empty where nothing was chosen by them. */
const isChosen = (sent: Json | undefined): boolean =>
  sent !== undefined && sent !== null && sent !== '' && !(Array.isArray(sent) && sent.length === 0)

export const cartOptions = {
  summary: 'The request field `variant` of cart lines is now `options`, or `variant_id` for a variant.',
  operations: { 'carts.add': { up }, 'carts.update_line': { up } },
} satisfies Change
