// Names of times, and the ids of downloads.

import { type ApiRequest, type Change, rename, set } from '../change.ts'

// Carts say when they changed as `updated`; before, it was `last_updated`.

export const cartUpdated = {
  summary: 'The field `last_updated` of carts is now called `updated`.',
  kinds: { cart: rename('updated', 'last_updated') },
} satisfies Change

// What can be downloaded has an id that begins with `dwnld_`; before, with `ful_`, like all that is delivered.

const replacePrefix = (id: string, from: string, to: string) => (id.startsWith(from) ? to + id.slice(from.length) : id)

/** Clients send the id back in a path, as they were shown it or as it is called today. */
function up(request: ApiRequest): ApiRequest {
  const { package_id: id } = request.params
  if (id === undefined) return request
  return { ...request, params: { ...request.params, package_id: replacePrefix(id, 'ful_', 'dwnld_') } }
}

export const downloadIds = {
  summary: 'The ids of downloads always begin with `dwnld_`; before, with `ful_`.',
  kinds: {
    // The link stays as it is: it names the download too, and a changed one would open nothing.
    download_package: set('id', ({ id = null }) => (typeof id === 'string' ? replacePrefix(id, 'dwnld_', 'ful_') : id)),
  },
  operations: { 'orders.get_package': { up }, 'orders.update_package': { up } },
} satisfies Change

// Gift cards say when they changed as `updated`; before, it was `last_updated`.

export const giftCardUpdated = {
  summary: 'The field `last_updated` of gift cards is now called `updated`.',
  kinds: { gift_card: rename('updated', 'last_updated') },
} satisfies Change

// Products say when they changed as `updated`; before, it was `last_updated`.

export const productUpdated = {
  summary: 'The field `last_updated` of products is now called `updated`.',
  kinds: { product: rename('updated', 'last_updated') },
} satisfies Change
