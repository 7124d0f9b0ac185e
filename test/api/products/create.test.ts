// POST /v1/products: what is stored, what is made of what is left out, and what is refused.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { expectUnchanged, malformedField, notValidFields, price } from '../../support/shop.ts'
import { addAsset, addCategory, counted, countsOf, openShop } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const yen = await openShop(app, { currency: 'JPY' })

describe('POST /v1/products', () => {
  it('stores every field that is sent', async () => {
    const [document, image] = [await addAsset(app, shop, { isImage: false }), await addAsset(app, shop)]
    const [first, second] = [await addCategory(app, shop, 'b-first'), await addCategory(app, shop, 'a-second')]
    const short = { name: 'Related', sku: 'R-1', permalink: 'related' }
    const related = await shop.create({ ...short, assets: [image.id] })
    const plain = {
      name: 'Everything – “ü” 🧦',
      description: '<p>All of it.</p>',
      permalink: 'Every_thing.v2~x',
      sku: 'SKU 1',
      active: false,
      sort_order: -3,
      seo: { title: 'Title', description: 'Description' },
      thank_you_url: 'https://example.com/thanks?a=b',
      meta: { z: 1, a: { deep: [true, null] } },
    }
    const collects = { fullname: true, shipping_address: false, billing_address: true }
    const lifespan = { duration: 2, period: 'weeks', download_limit: 5 }
    const poster = { asset: image.id, name: 'Poster', is_sample: true }
    const product = await shop.create({
      ...plain,
      collects,
      price: '1234.5',
      tax_exempt: true,
      pay_what_you_want: true,
      inventory: { managed: true, available: 7 },
      delivery: { physical: true, weight: 350, digital: { packages: [{ asset: document.id }, poster], lifespan } },
      assets: [document.id, { id: image.id }],
      categories: [{ id: first.id }, second.id],
      related_products: [related.id],
      extra_fields: [
        { name: 'Engraving', required: true, meta: { a: 1 } },
        { name: 'Size', type: 'radio', options: ['S', 'M'] },
      ],
      variant_groups: [
        {
          name: 'Colour',
          meta: { swatch: true },
          options: [
            { name: 'Red', price: '-2.50', assets: [image.id], meta: { hex: '#f00' } },
            { name: 'Blue', price: 3 },
          ],
        },
        { name: 'Cut' },
      ],
    })
    const fields = [
      { name: 'Engraving', type: 'text', required: true, options: null, meta: { a: 1 } },
      { name: 'Size', type: 'radio', required: false, options: ['S', 'M'], meta: null },
    ]
    const red = { name: 'Red', price: price(-2.5, '-2.50'), assets: [image.id], meta: { hex: '#f00' } }
    const blue = { name: 'Blue', price: price(3, '3.00'), assets: null, meta: null }
    const packages = [{ asset: document.id, name: document.filename, is_sample: false }, poster]
    const flags = {
      is: {
        ...{ active: false, free: false, tax_exempt: true, pay_what_you_want: true, sold_out: false },
        ...{ inventory_managed: true, quantity_limited: true },
      },
      has: { digital_delivery: true, physical_delivery: true, images: true, video: false, rich_embed: false },
      collects: { ...collects, extra_fields: true, extrafields: true },
    }
    expect(product).toMatchObject({
      ...plain,
      ...flags,
      price: price(1234.5, '1,234.50'),
      quantity: 7,
      inventory: counted(true, 7),
      image,
      assets: [document, image],
      variant_groups: [
        { name: 'Colour', meta: { swatch: true }, options: [red, blue] },
        { name: 'Cut', meta: null, options: [] },
      ],
      extra_fields: fields,
      extrafields: fields,
      categories: [first, second],
      related_products: [{ id: related.id, ...short, active: true, price: price(10, '10.00'), image }],
      delivery: { physical: true, weight: 350, digital: { packages, lifespan }, shipping_zones: null },
    })
    expect(product.conditionals).toEqual(
      Object.fromEntries(
        Object.entries(flags).flatMap(([family, members]) =>
          Object.entries(members).map(([name, value]) => [`${family}_${name}`, value]),
        ),
      ),
    )
    expect(JSON.stringify(product.meta)).toBe('{"z":1,"a":{"deep":[true,null]}}')
  })

  it.each([
    ['quantity alone manages the stock', { quantity: 4 }, counted(true, 4)],
    ['a quantity of none is sold out', { quantity: 0 }, counted(true, 0)],
    ['quantity null does not manage it', { quantity: null }, counted(false, 0)],
    ['available alone manages the stock', { inventory: { available: 4 } }, counted(true, 4)],
    ['on_hand alone manages the stock', { inventory: { on_hand: 4 } }, counted(true, 4)],
    ['a count can wait unmanaged', { inventory: { managed: false, available: 4 } }, counted(false, 4)],
    ['inventory counts beside quantity', { inventory: { managed: false }, quantity: 4 }, counted(false, 0)],
  ])('keeps quantity and inventory together, in both modes: %s', async (_rule, body, inventory) => {
    const product = await shop.create(body)
    expect([product.inventory, product.quantity]).toEqual([inventory, inventory.available])
    expect(product.is.sold_out).toBe(inventory.managed && inventory.available === 0)
    expect((await shop.get(product.id, shop.keys.live.secret)).inventory).toEqual(inventory)
  })

  it('says that a price of zero is free, unless shoppers pay what they want', async () => {
    const [free, donation] = [
      await shop.create({ price: 0 }),
      await shop.create({ price: '0.00', pay_what_you_want: true }),
    ]
    expect([free.is.free, free.conditionals.is_free, donation.is.free]).toEqual([true, true, false])
  })

  it('leads with the first image that a browser can show, and places assets by sort_order', async () => {
    const traits = [{ isImage: false }, { isPrivate: true }, {}, {}]
    const assets = []
    for (const each of traits) assets.push(await addAsset(app, shop, each))
    const [first, second, third, fourth] = assets
    const product = await shop.create({ assets: assets.map(({ id }) => id) })
    expect([product.image, product.has.images]).toEqual([third, true])
    const none = await shop.create({ assets: assets.slice(0, 2).map(({ id }) => id) })
    expect([none.image, none.has.images]).toEqual([null, false])
    const placed = [first?.id, { id: third?.id, sort_order: 9 }, { id: fourth?.id, sort_order: 0 }, second?.id]
    expect((await shop.create({ assets: placed })).assets.map(({ id }) => id)).toEqual(
      [fourth, first, second, third].map((asset) => asset?.id),
    )
  })
})

/** Sends what must be refused, and checks that neither a product nor an event was written. */
const refused = (body: unknown, by = shop) =>
  expectUnchanged(
    () => countsOf(app, by),
    () => by.ask('POST', '', body),
  )

describe('POST /v1/products refuses', () => {
  it('decimals that the currency does not have', async () => {
    expect(await refused({ name: 'Thing', price: 1.5 }, yen)).toEqual(
      malformedField('price', 'must be a whole number, as JPY has no decimals.'),
    )
  })

  it.each<[object, string, string]>([
    [{ price: -1 }, 'price', 'must not be negative.'],
    [
      { permalink: 'a/b' },
      'permalink',
      'must begin with a letter a to z or a digit and may hold letters a to z, digits, hyphens, underscores, dots and tildes.',
    ],
    [
      { thank_you_url: 'javascript:alert(1)' },
      'thank_you_url',
      'must be an address that begins with https:// or http://.',
    ],
  ])('a body with %j: %s %s', async (body, field, rule) => {
    expect(await refused({ name: 'Thing', price: 1, ...body })).toEqual(malformedField(field, rule))
  })

  it('what it refers to and cannot find, each by its path', async () => {
    const other = await openShop(app)
    const rules = {
      'categories.0': 'is not the id of a category.',
      'related_products.0.id': 'is not the id of a product.',
      'attributes.0.id': 'is not the id of an attribute.',
    }
    const body = {
      name: 'Thing',
      price: 1,
      categories: [(await addCategory(app, other, 'other')).id],
      related_products: [{ id: (await other.create()).id }],
      attributes: [{ id: 'attr_none', value: 1 }],
    }
    expect(await refused(body)).toEqual(notValidFields(rules))
  })

  it('lists that contradict themselves', async () => {
    const { id: asset } = await addAsset(app, shop)
    const rules = {
      'delivery.digital.lifespan.duration': 'and .period belong together: set both, or neither for no expiry.',
      'variant_groups.1.name': 'must differ from the other names.',
      'variant_groups.0.options.1.name': 'must differ from the other names.',
      'extra_fields.1.name': 'must differ from the other names.',
      'extra_fields.2.id': 'is not the id of an existing entry.',
      'extra_fields.0.options': 'must list the choices, because the field is of type options.',
      'extra_fields.1.options': 'are for the types options and radio; a field of type text has none.',
      'delivery.digital.packages.1.asset': 'is listed twice.',
    }
    const body = {
      name: 'Thing',
      price: 1,
      extra_fields: [
        { name: 'A', type: 'options' },
        { name: 'A', options: ['x'] },
        { id: 'extr_none', name: 'C' },
      ],
      variant_groups: [{ name: 'A', options: [{ name: 'B' }, { name: 'B' }] }, { name: 'A' }],
      delivery: { digital: { packages: [{ asset }, { asset }], lifespan: { duration: 3 } } },
    }
    expect(await refused(body)).toEqual(notValidFields(rules))
  })
})
