// Numbers and stock in the older form of a product's body, in which every number may be text and an option has a `quantity`.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { testApp } from '../../support/app.ts'
import { malformed, notValid } from '../../support/shop.ts'
import { addAsset, counted, countsOf, openShop } from './support.ts'
import { stockOf, variantsOf } from './variants/support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const { sandbox, live } = shop.keys

const create = async (body: unknown) => {
  const answer = await shop.call('POST', '', body)
  expect([answer.status, answer.text]).toEqual([201, answer.text])
  return answer.body as Product
}

const option = (description: string, quantity?: unknown) => ({ description, price: '0.00', quantity })
const nested = (options: object[], product: object = {}) => ({
  product: { name: 'Kettle', price: '18.00', ...product },
  variant: [{ name: 'Colour', options }],
})

describe('numbers in a body under `product`', () => {
  it('may be text wherever a number is meant, within and beside it', async () => {
    const [first, second] = [await addAsset(app, shop), await addAsset(app, shop)]
    const lifespan = { duration: '2', period: 'days', download_limit: '3' }
    const product = await create({
      product: { name: '12', price: '18.00', sku: '34', quantity: '5', sort_order: '-2', meta: { a: '1' } },
      inventory: { managed: true, available: '7' },
      assets: [first.id, { id: second.id, sort_order: '0' }],
      delivery: { weight: '900', digital: { packages: [{ asset: first.id, name: '56', is_sample: true }], lifespan } },
    })
    expect([
      [product.name, product.sku, product.meta, product.price.raw, product.quantity, product.sort_order],
      product.assets.map(({ id }) => id),
      product.delivery,
    ]).toEqual([
      ['12', '34', { a: '1' }, 18, 7, -2],
      [second.id, first.id],
      {
        physical: false,
        weight: 900,
        digital: {
          packages: [{ asset: first.id, name: '56', is_sample: true }],
          lifespan: { duration: 2, period: 'days', download_limit: 3 },
        },
        shipping_zones: null,
      },
    ])
  })

  it('are text in an update too', async () => {
    const { id } = await shop.create()
    const product = await shop.update(id, { product: { quantity: '4' }, delivery: { weight: '10' } })
    expect([product.quantity, product.delivery?.weight]).toEqual([4, 10])
  })

  it('are refused when the text is no number, or not one that is accepted', async () => {
    const lifespan = { duration: '2 days', period: 'days', download_limit: '0' }
    const delivery = { weight: '1.5', digital: { lifespan } }
    const answer = await shop.call('POST', '', { product: { name: 'A', price: 1, sort_order: '' }, delivery })
    expect([answer.status, answer.body]).toEqual([
      422,
      malformed({
        sort_order: ['sort_order must be an integer.'],
        'delivery.weight': ['delivery.weight must be an integer or null.'],
        'delivery.digital.lifespan.duration': ['delivery.digital.lifespan.duration must be an integer or null.'],
        'delivery.digital.lifespan.download_limit': ['delivery.digital.lifespan.download_limit must be 1 or more.'],
      }),
    ])
  })
})

describe('the quantity of an option', () => {
  it('becomes the stock of a variant of it, in both modes, and stock is then managed', async () => {
    const product = await create(nested([option('Red', '5'), option('Blue', 2)]))
    const [group] = product.variant_groups
    const variants = await variantsOf(shop, product.id, sandbox.secret)
    expect(product.inventory).toEqual(counted(true, 0))
    expect(product.is.sold_out).toBe(false)
    expect(variants.map(({ options, inventory }) => [options[group?.id ?? ''], inventory])).toEqual([
      [group?.options[0]?.id, 5],
      [group?.options[1]?.id, 2],
    ])
    expect((await variantsOf(shop, product.id, live.secret)).map(({ inventory }) => inventory)).toEqual([5, 2])
    expect(await stockOf(app, shop, variants[0]?.id ?? '')).toEqual([5, 5])
  })

  it('leaves it to `managed` whether stock is counted', async () => {
    const product = await create(nested([option('Red', '5')], { inventory: { managed: false } }))
    expect([product.inventory.managed, (await variantsOf(shop, product.id))[0]?.inventory]).toEqual([false, 5])
  })

  it('says nothing when it is zero: such options sell from the stock of the product', async () => {
    for (const nothing of ['0', 0, '', null, undefined]) {
      const product = await create(nested([option('Red', nothing)], { quantity: '12' }))
      expect([await variantsOf(shop, product.id), product.quantity, product.is.sold_out]).toEqual([[], 12, false])
      const unmanaged = await create(nested([option('Red', nothing)]))
      expect([await variantsOf(shop, unmanaged.id), unmanaged.inventory.managed]).toEqual([[], false])
    }
  })

  it('that is zero beside others makes a variant without stock of its own', async () => {
    const product = await create(nested([option('Red', '0'), option('Blue', '3')], { quantity: '12' }))
    expect((await variantsOf(shop, product.id)).map(({ inventory }) => inventory)).toEqual([null, 3])
  })

  it('is refused with several groups, as stock is then that of a combination', async () => {
    const before = await countsOf(app, shop)
    const { product, variant } = nested([option('Red', '0'), option('Blue', '3')])
    const answer = await shop.call('POST', '', { product, variant: [...variant, { name: 'Size', options: [] }] })
    const field = 'variant_groups.0.options.1.inventory'
    const sentence = `${field} is for a product with one variant group. Create variants, and set theirs.`
    expect([answer.status, answer.body]).toEqual([422, notValid({ [field]: [sentence] })])
    expect(await countsOf(app, shop)).toEqual(before)
    await create({ product, variant: ['A', 'B'].map((name) => ({ name, options: [option('C', '0')] })) })
  })

  it('is refused in an update, which sets stock on variants', async () => {
    const product = await create(nested([option('Red', '5')]))
    const answer = await shop.call('PUT', `/${product.id}`, nested([option('Red', '6')]))
    const field = 'variant_groups.0.options.0.inventory'
    const sentence = `${field} is for new products. Set that of its variants.`
    expect([answer.status, answer.body]).toEqual([422, notValid({ [field]: [sentence] })])
    expect(await shop.get(product.id)).toEqual(product)
    expect((await shop.call('PUT', `/${product.id}`, nested([option('Red', '0')]))).status).toBe(200)
  })

  it.each(['-3', '1.5', 'many', true])('is refused as %j', async (quantity) => {
    const answer = await shop.call('POST', '', nested([option('Red', quantity)]))
    expect([answer.status, Object.keys((answer.body as { error: { errors: object } }).error.errors)]).toEqual([
      422,
      ['variant_groups.0.options.0.inventory'],
    ])
  })

  it('is called `inventory` in a flat body, where zero is a count', async () => {
    const product = await shop.create({
      variant_groups: [{ name: 'Colour', options: [{ name: 'Red', inventory: 0, quantity: '7' }] }],
    })
    expect([(await variantsOf(shop, product.id)).map(({ inventory }) => inventory), product.is.sold_out]).toEqual([
      [0],
      true,
    ])
  })
})
