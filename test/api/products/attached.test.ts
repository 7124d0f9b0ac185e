// What a product, an option and a variant refuse to have attached: an asset whose upload never ended, and anything twice.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { notValid } from '../../support/shop.ts'
import { addAsset, addCategory, countsOf, openShop } from './support.ts'

const app = await testApp()
const shop = await openShop(app)
const pending = await addAsset(app, shop, { isPending: true })
const good = await addAsset(app, shop)
const product = await shop.create({ variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }] })
const groupId = product.variant_groups[0]?.id ?? ''
const [small, large] = product.variant_groups[0]?.options.map(({ id }) => id) ?? []
const variant = await shop.call('POST', `/${product.id}/variants`, { options: { [groupId]: small } })
const variantId = (variant.body as { id: string }).id

const NEW = { name: 'Thing', price: 10 }
const packaged = (...ids: string[]) => ({ delivery: { digital: { packages: ids.map((asset) => ({ asset })) } } })
const grouped = (...assets: string[]) => ({ variant_groups: [{ name: 'Colour', options: [{ name: 'Red', assets }] }] })

/** Every place that takes assets: the request with these ids, and the path of the list in its refusals. */
const places: [string, 'POST' | 'PUT', string, (...ids: string[]) => object, string][] = [
  ['a new product', 'POST', '', (...assets) => ({ ...NEW, assets }), 'assets.N'],
  ['a product', 'PUT', `/${product.id}`, (...assets) => ({ assets }), 'assets.N'],
  ['POST …/assets', 'POST', `/${product.id}/assets`, (...assets) => ({ assets }), 'assets.N'],
  ['PUT …/assets', 'PUT', `/${product.id}/assets`, (...assets) => ({ assets }), 'assets.N'],
  [
    'the packages of a new product',
    'POST',
    '',
    (...ids) => ({ ...NEW, ...packaged(...ids) }),
    'delivery.digital.packages.N.asset',
  ],
  ['the packages of a product', 'PUT', `/${product.id}`, packaged, 'delivery.digital.packages.N.asset'],
  [
    'the options of a new product',
    'POST',
    '',
    (...ids) => ({ ...NEW, ...grouped(...ids) }),
    'variant_groups.0.options.0.assets.N',
  ],
  ['the options of a product', 'PUT', `/${product.id}`, grouped, 'variant_groups.0.options.0.assets.N'],
  [
    'the options of a new group',
    'POST',
    `/${product.id}/variant_groups`,
    (...assets) => ({ name: 'Colour', options: [{ name: 'Red', assets }] }),
    'options.0.assets.N',
  ],
  [
    'an option',
    'PUT',
    `/${product.id}/variant_groups/${groupId}/options/${small}`,
    (...assets) => ({ assets }),
    'assets.N',
  ],
  [
    'a new variant',
    'POST',
    `/${product.id}/variants`,
    (...assets) => ({ options: { [groupId]: large }, assets }),
    'assets.N',
  ],
  ['a variant', 'PUT', `/${product.id}/variants/${variantId}`, (...assets) => ({ assets }), 'assets.N'],
]

describe.each(places)('%s', (_place, method, path, bodyWith, list) => {
  const attempt = async (...ids: string[]) => {
    const before = [await countsOf(app, shop), await shop.get(product.id)]
    const answer = await shop.call(method, path, bodyWith(...ids))
    expect([await countsOf(app, shop), await shop.get(product.id)]).toEqual(before)
    return [answer.status, answer.body]
  }
  const field = list.replace('N', '1')

  it('refuses an asset that is still waiting for its upload', async () => {
    const sentence = `${field} is not the id of a finished asset.`
    expect(await attempt(good.id, pending.id)).toEqual([422, notValid({ [field]: [sentence] })])
  })

  it('refuses an asset that stands in the list twice', async () => {
    expect(await attempt(good.id, good.id)).toEqual([
      422,
      notValid({ [field]: [`${field} stands in the list twice.`] }),
    ])
  })
})

describe('a product', () => {
  it('refuses categories and related products that stand in the list twice, in either form', async () => {
    const [category, related] = [await addCategory(app, shop, 'twice'), await shop.create()]
    const lists = { categories: [category.id, { id: category.id }], related_products: [{ id: related.id }, related.id] }
    const errors = notValid({
      'categories.1.id': ['categories.1.id stands in the list twice.'],
      'related_products.1': ['related_products.1 stands in the list twice.'],
    })
    const created = await shop.call('POST', '', { ...NEW, ...lists })
    const updated = await shop.call('PUT', `/${product.id}`, lists)
    expect([created.status, created.body, updated.status, updated.body]).toEqual([422, errors, 422, errors])
  })

  it('takes one asset in several lists', async () => {
    const body = { assets: [good.id], ...packaged(good.id), ...grouped(good.id) }
    expect((await shop.create(body)).assets.map(({ id }) => id)).toEqual([good.id])
  })
})
