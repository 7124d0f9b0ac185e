// The choice of a cart line is sent as `options` or `variant_id`; before, as `variant`.

import { type ApiChange, type ApiRequest, dropFields, isJsonObject, type JsonData, renameField } from '../change.ts'

/**
 * Clients of that time send `variant` with every line, as null or {} if there is nothing to choose. Both newer names describe the same
 * choice, so `variant` is ignored if one of them is present.
 */
function up(request: ApiRequest): ApiRequest {
  const { body } = request
  if (!isJsonObject(body) || !Object.hasOwn(body, 'variant')) return request
  const { variant } = body
  if (variant === null || isChosen(body.options) || isChosen(body.variant_id))
    return { ...request, body: dropFields('variant')(body) }
  const { options: _options, variant_id: _variantId, ...rest } = body
  return { ...request, body: renameField('variant', typeof variant === 'string' ? 'variant_id' : 'options')(rest) }
}

/** Forms send the newer names empty if nothing was chosen by them. */
const isChosen = (value: JsonData | undefined): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

export const cartOptions = {
  summary: 'The request field `variant` of cart lines is now `options`, or `variant_id` for a variant.',
  operations: { 'carts.add': { up }, 'carts.update_line': { up } },
} satisfies ApiChange
