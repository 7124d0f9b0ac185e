// What is sold: a shirt with two sizes of which one is a variant, a book to download, a song at whatever price; and the code and the card
// that lower what they cost.

import type { Product } from '../../../../src/api/products/schema.ts'
import type { Scene } from '../scene.ts'
import type { Terms } from './terms.ts'

export type Catalogue = {
  shirt: string
  book: string
  song: string
  group: string
  small: string
  large: string
  variant: string
  /** The extra field of the shirt. */
  initials: string
}

export async function fillCatalogue(scene: Scene, terms: Terms): Promise<Catalogue> {
  const sold = await products(scene, terms)
  const variant = await variants(scene, terms, sold)
  await variantGroups(scene, sold)
  await codes(scene, sold.shirt)
  return { ...sold, variant }
}

async function products({ ask, prepare, keys }: Scene, terms: Terms) {
  const { picture, file, attribute, category } = terms
  const { id: book } = await prepare('products.create', {
    body: {
      name: 'Book',
      price: 10,
      sku: 'BOOK',
      delivery: { physical: false, digital: { packages: [{ asset: file, name: 'The book' }] } },
    },
  })
  const { id: shirt } = await ask('products.create', {
    body: {
      name: 'Shirt',
      price: 20,
      sku: 'SHIRT',
      quantity: 100,
      collects: { fullname: true },
      meta: { fabric: 'linen' },
      assets: [picture],
      categories: [category],
      related_products: [book],
      attributes: [{ id: attribute, value: 'linen' }],
      extra_fields: [{ name: 'Initials', required: false }],
      variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L', price: 2 }] }],
    },
  })
  const made = await prepare<Product>('products.get', { params: { id: shirt } })
  const [group] = made.variant_groups
  const [small, large] = group?.options ?? []
  const [initials] = made.extra_fields
  if (!group || !small || !large || !initials) throw new Error('The shirt lacks its sizes, or its extra field.')
  const { id: song } = await prepare('products.create', {
    body: { name: 'Song', price: 1, pay_what_you_want: true, delivery: { physical: false } },
  })
  await ask('products.get', { params: { id: shirt } })
  await ask('products.get', { case: 'secret', status: 200, params: { id: shirt }, key: keys.secret })
  // Before 2020-08-12 this meant the id.
  const asked = { params: { id: song }, query: { type: 'product_id' } }
  await ask('products.get', { case: 'by_product_id', status: 422, ...asked })
  await ask('products.get', { case: 'by_permalink', status: 200, params: { id: 'book' }, query: { type: 'permalink' } })
  await ask('products.list', { query: { sortBy: 'created' } })
  await ask('products.list', { case: 'no_such_key', status: 401, key: 'pk_test_none' })
  await ask('products.update', { params: { id: song }, body: { description: 'In a minor key' } })

  // Before 2021-03-10 the groups were called `variants`.
  const variants = [{ name: 'Colour', options: [{ name: 'Red' }] }]
  const glaze = [{ name: 'Glaze', options: [{ name: 'Blue' }] }]
  const { id: mug } = await ask('products.create', {
    case: 'variants',
    status: 201,
    body: { name: 'Mug', price: 4, variants },
  })
  await ask('products.update', { case: 'variants', status: 200, params: { id: mug }, body: { variants: glaze } })
  // Versions that read `variants` and those that do not go on with the same mug.
  await prepare('products.update', { params: { id: mug }, body: { variant_groups: glaze } })
  await ask('products.add_assets', { params: { id: mug }, body: { assets: [picture] } })
  await ask('products.replace_assets', { params: { id: mug }, body: { assets: [] } })
  const { id: batch } = await ask('products.create_batch', { body: { ids: [mug], price: { multiply: '1.1' } } })
  await ask('products.get_batch', { params: { batch_id: batch } })
  // Of none: ids differ from run to run.
  await ask('products.export', { query: { query: 'nobody' } })
  await ask('products.import', { body: { csv: 'name,price\nSpoon,3\n', dry_run: true } })
  await ask('assets.list_uses', { params: { asset_id: file } })
  await ask('products.delete', { params: { id: mug } })
  return { shirt, book, song, group: group.id, small: small.id, large: large.id, initials: initials.id }
}

async function variants({ ask, prepare }: Scene, { picture }: Terms, sold: Omit<Catalogue, 'variant'>) {
  const { shirt, group, small } = sold
  const body = { options: { [group]: small }, sku: 'SHIRT-S', inventory: 50, assets: [picture] }
  const { id } = await ask('variants.create', { params: { id: shirt }, body })
  const params = { id: shirt, variant_id: id }
  await ask('variants.get', { params })
  await ask('variants.update', { params, body: { description: 'The small one' } })
  await ask('variants.list', { params: { id: shirt } })

  const { id: cup } = await prepare('products.create', {
    body: { name: 'Cup', price: 3, variant_groups: [{ name: 'Glaze', options: [{ name: 'Blue' }] }] },
  })
  type Generated = { data: { id: string }[] }
  const { data } = await ask<Generated>('variants.generate', { params: { id: cup } })
  await ask('variants.delete', { params: { id: cup, variant_id: data[0]?.id ?? '' } })
  await prepare('products.delete', { params: { id: cup } })
  return id
}

async function variantGroups({ ask, prepare }: Scene, { shirt, group }: { shirt: string; group: string }) {
  await ask('variant_groups.list', { params: { id: shirt } })
  await ask('variant_groups.get', { params: { id: shirt, group_id: group } })

  const { id } = await prepare('products.create', { body: { name: 'Bowl', price: 6 } })
  const { id: glaze } = await ask('variant_groups.create', { params: { id }, body: { name: 'Glaze' } })
  const inGroup = { id, group_id: glaze }
  await ask('variant_groups.update', { params: inGroup, body: { name: 'Colour' } })
  const { id: blue } = await ask('variant_options.create', { params: inGroup, body: { name: 'Blue', price: 1 } })
  await ask('variant_options.update', { params: { ...inGroup, option_id: blue }, body: { price: 1.5 } })
  await ask('variant_options.delete', { params: { ...inGroup, option_id: blue } })
  await ask('variant_groups.delete', { params: inGroup })
  await prepare('products.delete', { params: { id } })
}

async function codes({ ask }: Scene, shirt: string) {
  const { id } = await ask('discounts.create', {
    body: { type: 'percentage', value: 10, code: 'TEN', product_ids: [shirt] },
  })
  await ask('discounts.get', { params: { id } })
  await ask('discounts.list')
  await ask('discounts.update', { params: { id }, body: { description: 'Ten off' } })
  // Before 2020-06-17 one product was named, by `product_id`.
  const body = { type: 'fixed', value: 2, code: 'TWO', product_id: shirt }
  const { id: other } = await ask('discounts.create', { case: 'product_id', status: 201, body })
  await ask('discounts.update', { case: 'product_id', status: 200, params: { id: other }, body: { product_id: null } })
  await ask('discounts.delete', { params: { id: other } })

  const { id: card } = await ask('giftcards.create', { body: { value: 3, code: 'CARD-3', note: 'For Ada' } })
  await ask('giftcards.get', { params: { id: card } })
  await ask('giftcards.list')
  await ask('giftcards.list_entries', { params: { id: card } })
  await ask('giftcards.update', { params: { id: card }, body: { note: 'For Ada Lovelace' } })
  const { id: empty } = await ask('giftcards.create', {
    case: 'second',
    status: 201,
    body: { value: 1, code: 'CARD-1' },
  })
  await ask('giftcards.delete', { params: { id: empty } })
}
