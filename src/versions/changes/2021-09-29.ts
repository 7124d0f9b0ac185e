// The lead picture of a product, or of a line of a cart, a checkout or an order, is the asset `image`. Before, it was `media` with three
// fields.

import { type ApiChange, copyFields, isJsonObject, type JsonObject } from '../change.ts'

/** Always an object: storefronts of that time read `media.source` without a check. */
function mediaOf(image: JsonObject['image']): JsonObject {
  if (!isJsonObject(image)) return { type: null, source: null, asset_id: null }
  return { type: 'image', source: image.url ?? null, asset_id: image.id ?? null }
}

const withMedia = (value: JsonObject): JsonObject =>
  copyFields(value, (copy, field, content) => {
    if (field === 'image') copy.media = mediaOf(content)
    else copy[field] = content
  })

export const imageInsteadOfMedia = {
  summary:
    'Products and lines of carts, checkouts and orders carry their lead picture as the asset `image` instead of `media {type, source, asset_id}`.',
  kinds: {
    product: withMedia,
    related_product: withMedia,
    line_item: withMedia,
    live_line: withMedia,
    checkout_line: withMedia,
    order_line: withMedia,
  },
} satisfies ApiChange
