// The older form of a product's body, under `product`: accepted in every version, and the same product as the flat form makes. Every
// number may be text in it, and an option has a `quantity`.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { versions } from '../../../src/versions/index.ts'
import { sharedApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'
import { malformed, malformedField, malformedFields, notValidField, price, refusedFields } from '../../support/shop.ts'
import { addAsset, addCategory, addZone, counted, countsOf, openShop } from './support.ts'
import { stockOf, variantsOf } from './variants/support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const key = shop.keys.sandbox.secret
const category = await addCategory(app, shop, 'socks')

describe('a flat body', () => {
  it('takes extrafields for extra_fields, on creation and on update', async () => {
    const named = ({ extra_fields, extrafields }: Product) => {
      expect(extrafields).toEqual(extra_fields)
      return extra_fields.map(({ name, required }) => [name, required])
    }
    const product = await shop.create({ extrafields: [{ name: 'Engraving', required: true }, { name: 'Note' }] })
    expect(named(product)).toEqual([
      ['Engraving', true],
      ['Note', false],
    ])
    expect(product.collects.extrafields).toBe(true)
    const updated = await shop.update(product.id, { extrafields: [{ name: 'Note', required: true }] })
    expect(named(updated)).toEqual([['Note', true]])
    expect(updated.extra_fields[0]?.id).toBe(product.extra_fields[1]?.id)
    expect(await shop.get(product.id)).toEqual(updated)
    const both = { extra_fields: [{ name: 'Newer' }], extrafields: [{ name: 'Older' }] }
    expect(named(await shop.update(product.id, both))).toEqual([['Newer', false]])
  })
})

const PLAIN = { name: 'Kettle', description: '<p>Boils.</p>', active: true }
const SEEDED = {
  product: { ...PLAIN, price: '18.00', quantity: '12', sort_order: '-2' },
  variant: [{ name: 'Colour', options: [{ description: 'Red', price: '0.00', quantity: '0' }] }],
  categories: [{ id: category.id }],
  collect: { fullname: true, shipping: false, billing: true },
  extra_field: [{ name: 'Engraving', required: false }],
  seo: { title: 'A kettle', description: null },
  delivery: { enabled: { digital: false, shipping_native_v1: false }, weight: '900' },
}

const EXPECTED = {
  name: 'Kettle',
  permalink: 'kettle',
  description: '<p>Boils.</p>',
  price: price(2, '2.00'),
  quantity: 12,
  inventory: counted(true, 12),
  sort_order: -2,
  seo: { title: 'A kettle', description: null },
  collects: { fullname: true, shipping_address: false, billing_address: true, extra_fields: true },
  variant_groups: [{ name: 'Colour', options: [{ name: 'Red', price: price(0, '0.00') }] }],
  extra_fields: [{ name: 'Engraving', required: false }],
  categories: [category],
  delivery: { physical: false, weight: 900, digital: { packages: [], lifespan: null } },
}

/** Parts of a body. */
type Said = Readonly<Record<string, unknown>>

describe('a body under `product`', () => {
  it('is accepted in every version', { timeout: patient(60_000) }, async () => {
    for (const { date } of versions) {
      const send = (method: 'POST' | 'PUT', path: string, body: object) =>
        app.call(method, `/v1/products${path}`, { key, version: date, body })
      const created = await send('POST', '', SEEDED)
      const { id } = created.body as { id: string }
      const updated = await send('PUT', `/${id}`, { product: { price: 2 } })
      expect([date, created.status, updated.status]).toEqual([date, 201, 200])
      expect(await shop.get(id)).toMatchObject(EXPECTED)
      await app.call('DELETE', `/v1/products/${id}`, { key })
    }
  })

  it('gives way to the newer names beside it', async () => {
    const product = await shop.create({
      product: { name: 'Old', price: 1, inventory: { managed: true, available: '3' } },
      name: 'New',
      price: 2,
      collect: { fullname: true },
      collects: { billing_address: true },
      extra_field: [{ name: 'Old' }],
      extrafields: [{ name: 'New' }],
      variant: [{ name: 'Old' }],
      variant_groups: [{ name: 'New', options: [{ description: 'Described' }] }],
      delivery: { physical: true, enabled: { shipping_native_v1: false } },
    })
    expect(product).toMatchObject({
      name: 'New',
      price: { raw: 2 },
      quantity: 3,
      collects: { fullname: false, billing_address: true },
      extra_fields: [{ name: 'New' }],
      variant_groups: [{ name: 'New', options: [{ name: 'Described' }] }],
      delivery: { physical: true },
    })
  })

  it('accepts a group beside it alone, and numbers as text, on update', async () => {
    const { id } = await shop.create({ name: 'Groups' })
    const product = await shop.update(id, {
      extra_field: [{ name: 'Note', required: true }],
      collect: { shipping: false },
    })
    expect([product.extra_fields.map(({ name }) => name), product.collects.shipping_address]).toEqual([['Note'], false])
    const counted = await shop.update(id, { product: { quantity: '4' }, delivery: { weight: '10' } })
    expect([counted.quantity, counted.delivery?.weight]).toEqual([4, 10])
  })

  it.each<[string, Said | undefined, Said | undefined, boolean]>([
    ['that collects a shipping address is sent', { shipping: true }, undefined, true],
    ['that collects none is not', { fullname: true, shipping: false }, undefined, false],
    ['that does not speak of it is not', { fullname: true }, undefined, false],
    ['that says nothing at all is, where there is a zone', undefined, undefined, true],
    ['that says so in the newer way is', { fullname: true }, { physical: true }, true],
    ['that leaves it open in the newer way is, where there is a zone', { fullname: true }, { physical: null }, true],
    ['that enables shipping is', { fullname: true }, { enabled: { shipping_native_v1: true } }, true],
    ['that is weighed only is not', { fullname: true }, { weight: 100 }, false],
  ])('of a product %s', async (_what, collect, delivery, isSent) => {
    const own = await openShop(app)
    const zone = await addZone(app, own)
    const { id, has, collects } = await own.create({ product: { name: 'Old', price: 1 }, collect, delivery })
    expect([has.physical_delivery, collects.shipping_address]).toEqual([isSent, isSent])
    // A change in the older form says nothing of what it leaves out.
    await own.update(id, { product: { name: 'Older' }, collect: { fullname: false } })
    expect((await own.get(id)).has.physical_delivery).toBe(isSent)
    // Stored choices are kept; open ones follow the zones.
    await app.call('DELETE', `/v1/shipping_zones/${zone}`, { key: own.keys.sandbox.secret })
    const isSaid = collect?.shipping !== undefined || delivery?.physical === true || delivery?.enabled !== undefined
    expect((await own.get(id)).has.physical_delivery).toBe(isSent && isSaid)
  })

  it.each<[string, Said]>([
    ['says so in the newer way', { physical: false }],
    ['enables no shipping', { enabled: { shipping_native_v1: false } }],
  ])('still collects the address of a product that is not sent: it %s', async (_how, delivery) => {
    const { has, collects } = await shop.create({
      product: { name: 'Visit', price: 1 },
      collect: { shipping: true },
      delivery,
    })
    expect([has.physical_delivery, collects.shipping_address]).toEqual([false, true])
  })

  it.each([
    ['a list', { product: [] }, { name: ['name is required.'], price: ['price is required.'] }],
    ['text', { product: 'Kettle' }, { name: ['name is required.'], price: ['price is required.'] }],
    [
      'wrong groups',
      { product: { name: 'A', price: 1 }, variant: 'x', collect: 'x', extra_field: {}, delivery: [] },
      {
        collects: ['collects must be a JSON object.'],
        delivery: ['delivery must be a JSON object.'],
        extra_fields: ['extra_fields must be a list.'],
        variant_groups: ['variant_groups must be a list.'],
      },
    ],
    [
      'an option without a name',
      { product: { name: 'A', price: 1 }, variant: [{ name: 'B', options: [{ price: '1.00' }, null] }] },
      {
        'variant_groups.0.options.0.name': ['variant_groups.0.options.0.name is required.'],
        'variant_groups.0.options.1': ['variant_groups.0.options.1 must be a JSON object.'],
      },
    ],
  ])('is refused as %s', async (_what, body, errors) => {
    expect(await shop.ask('POST', '', body)).toEqual([422, malformed(errors as unknown as Record<string, string[]>)])
  })
})

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
    expect(product).toMatchObject({
      name: '12',
      sku: '34',
      meta: { a: '1' },
      price: { raw: 18 },
      quantity: 7,
      sort_order: -2,
      assets: [{ id: second.id }, { id: first.id }],
      delivery: {
        weight: 900,
        digital: {
          packages: [{ asset: first.id, name: '56', is_sample: true }],
          lifespan: { duration: 2, period: 'days', download_limit: 3 },
        },
      },
    })
  })

  it('are refused when the text is no number, or not one that is accepted, and as text in a flat body', async () => {
    const refusal = malformedField('quantity', 'must be an integer or null.')
    expect(await shop.ask('POST', '', { name: 'Flat', price: '1', quantity: '12' })).toEqual(refusal)
    const lifespan = { duration: '2 days', period: 'days', download_limit: '0' }
    const delivery = { weight: '1.5', digital: { lifespan } }
    expect(await shop.ask('POST', '', { product: { name: 'A', price: 1, sort_order: '' }, delivery })).toEqual(
      malformedFields({
        sort_order: 'must be an integer.',
        'delivery.weight': 'must be an integer or null.',
        'delivery.digital.lifespan.duration': 'must be an integer or null.',
        'delivery.digital.lifespan.download_limit': 'must be 1 or more.',
      }),
    )
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
    const rule = 'is only for a product with one variant group. Create variants and set their inventory.'
    expect(await shop.ask('POST', '', { product, variant: [...variant, { name: 'Size', options: [] }] })).toEqual(
      notValidField('variant_groups.0.options.1.inventory', rule),
    )
    expect(await countsOf(app, shop)).toEqual(before)
    await create({ product, variant: ['A', 'B'].map((name) => ({ name, options: [option('C', '0')] })) })
  })

  it('is refused in an update, which sets stock on variants', async () => {
    const product = await create(nested([option('Red', '5')]))
    expect(await shop.ask('PUT', `/${product.id}`, nested([option('Red', '6')]))).toEqual(
      notValidField(
        'variant_groups.0.options.0.inventory',
        'is only for new products. Set the inventory of the variants instead.',
      ),
    )
    expect(await shop.get(product.id)).toEqual(product)
    expect((await shop.call('PUT', `/${product.id}`, nested([option('Red', '0')]))).status).toBe(200)
  })

  it.each(['-3', '1.5', 'many', true])('is refused as %j', async (quantity) => {
    const fields = ['variant_groups.0.options.0.inventory']
    expect(await refusedFields(shop.call('POST', '', nested([option('Red', quantity)])))).toEqual([422, fields])
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
