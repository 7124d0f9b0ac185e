// Names of times, and the ids of downloads.

import { type ApiChange, type ApiRequest, assignField, renameField } from '../change.ts'

// The time of a cart's last change is called `updated`; before, `last_updated`.

export const cartUpdated = {
  summary: 'The field `last_updated` of carts is now called `updated`.',
  kinds: { cart: renameField('updated', 'last_updated') },
} satisfies ApiChange

// Ids of downloads begin with `dwnld_`; before, with `ful_`, like those of everything that is delivered.

const replacePrefix = (id: string, from: string, to: string) => (id.startsWith(from) ? to + id.slice(from.length) : id)

/** Clients send the id in a path, in the older or in the newest form. */
function up(request: ApiRequest): ApiRequest {
  const { package_id: id } = request.params
  if (id === undefined) return request
  return { ...request, params: { ...request.params, package_id: replacePrefix(id, 'ful_', 'dwnld_') } }
}

export const downloadIds = {
  summary: 'The ids of downloads always begin with `dwnld_`; before, with `ful_`.',
  kinds: {
    // Keep the link as it is: it contains the id too, and would not work after a change.
    download_package: assignField('id', ({ id = null }) =>
      typeof id === 'string' ? replacePrefix(id, 'dwnld_', 'ful_') : id,
    ),
  },
  operations: { 'orders.get_package': { up }, 'orders.update_package': { up } },
} satisfies ApiChange

// The time of a gift card's last change is called `updated`; before, `last_updated`.

export const giftCardUpdated = {
  summary: 'The field `last_updated` of gift cards is now called `updated`.',
  kinds: { gift_card: renameField('updated', 'last_updated') },
} satisfies ApiChange

// The time of a product's last change is called `updated`; before, `last_updated`.

export const productUpdated = {
  summary: 'The field `last_updated` of products is now called `updated`.',
  kinds: { product: renameField('updated', 'last_updated') },
} satisfies ApiChange
