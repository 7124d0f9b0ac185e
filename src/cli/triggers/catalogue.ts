// Triggers for the objects of a catalogue: files, attributes, categories, products with variants, discount codes and
// gift cards. Sandbox and live share these objects. So the triggers create inactive products, which no live storefront
// shows.

import { lifecycleTriggers, type TriggerShop, type Triggers } from './trigger.ts'

/** One grey pixel. */
const PICTURE = 'R0lGODlhAQABAIAAAMLCwgAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=='

type Group = { readonly id: string; readonly options: readonly { readonly id: string }[] }
type ProductWithGroups = { readonly id: string; readonly variant_groups: readonly Group[] }

/** Creates a product with a variant and reports both. */
async function makeVariant(shop: TriggerShop): Promise<{ readonly product: string; readonly variant: string }> {
  const product = await shop.make<ProductWithGroups>('/v1/products', 'product', {
    name: `Shirt ${shop.mark}`,
    price: 20,
    active: false,
    variant_groups: [{ name: 'Size', options: [{ name: 'Small' }, { name: 'Large' }] }],
  })
  const [group] = product.variant_groups
  const options = group === undefined ? {} : { [group.id]: group.options[0]?.id }
  const path = `/v1/products/${product.id}`
  const body = { sku: `SHIRT-S-${shop.mark}`, inventory: 10, options }
  const { id } = await shop.make(`${path}/variants`, 'variant', body)
  return { product: path, variant: `${path}/variants/${id}` }
}

export const catalogueTriggers: Triggers = {
  ...lifecycleTriggers({
    events: 'assets',
    path: 'assets',
    name: 'asset',
    body: (mark) => ({ filename: `trigger-${mark}.gif`, contents: PICTURE }),
    change: () => ({ description: 'One grey pixel.' }),
  }),
  ...lifecycleTriggers({
    events: 'attributes',
    path: 'attributes',
    name: 'attribute',
    body: (mark) => ({ name: `Material ${mark}`, description: 'What it is made of.', type: 'short_text' }),
    change: () => ({ description: 'What it is mostly made of.' }),
  }),
  ...lifecycleTriggers({
    events: 'categories',
    path: 'categories',
    name: 'category',
    body: (mark) => ({ name: `Shirts ${mark}`, slug: `shirts-${mark}` }),
    change: () => ({ description: 'To wear.' }),
  }),
  ...lifecycleTriggers({
    events: 'discounts',
    path: 'discounts',
    name: 'discount',
    body: (mark) => ({ type: 'percentage', value: 10, code: `TRIGGER-${mark}`, limit: 1 }),
    change: () => ({ value: 15 }),
  }),
  ...lifecycleTriggers({
    events: 'giftcards',
    path: 'giftcards',
    name: 'giftcard',
    // Both modes share the card, and a live card is money. So the card is created expired, and nobody can spend it.
    body: (mark) => ({ value: 25, code: `TRIGGER-${mark}`, expires: 1 }),
    change: () => ({ note: 'Made by cartwright trigger.' }),
  }),
  ...lifecycleTriggers({
    events: 'products',
    path: 'products',
    name: 'product',
    body: (mark) => ({ name: `Shirt ${mark}`, price: 20, active: false }),
    change: () => ({ price: 25 }),
  }),
  'variants.create': {
    sends: ['product', 'variant'],
    run: async (shop) => void (await makeVariant(shop)),
  },
  'variants.update': {
    sends: ['product', 'variant', 'change'],
    run: async (shop) => {
      const { variant } = await makeVariant(shop)
      await shop.send('PUT', variant, 'change', { inventory: 20 })
    },
  },
  'variants.delete': {
    sends: ['product', 'variant'],
    run: async (shop) => {
      const { product, variant } = await makeVariant(shop)
      await shop.callApi('DELETE', variant)
      await shop.callApi('DELETE', product)
    },
  },
}
