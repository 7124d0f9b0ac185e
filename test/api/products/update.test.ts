// PUT /v1/products/{id}: what is sent changes, what is left out stays, and lists replace.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { FORBIDDEN, malformed, matching, notValid, price, unixNow } from '../../support/shop.ts'
import { addAsset, addCategory, counted, eventsOf, flags, NOT_FOUND, openShop, told, UNKNOWN_ID } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)

const asset = await addAsset(app, shop)
const category = await addCategory(app, shop, 'socks')

const full = async () => {
  const related = await shop.create({ name: 'Related' })
  return shop.create({
    price: 12.5,
    description: 'Text',
    sku: 'SKU',
    sort_order: 4,
    tax_exempt: true,
    pay_what_you_want: true,
    quantity: 3,
    seo: { title: 'Title', description: 'Description' },
    thank_you_url: 'https://example.com',
    meta: { a: 1, b: { c: 2 } },
    collects: { fullname: true, shipping_address: true, billing_address: true },
    delivery: {
      weight: 5,
      digital: {
        packages: [{ asset: asset.id, is_sample: true }],
        lifespan: { duration: 1, period: 'days', download_limit: 2 },
      },
    },
    assets: [asset.id],
    categories: [category.id],
    related_products: [related.id],
    extra_fields: [
      { name: 'Note' },
      { name: 'Gift', type: 'radio', options: ['yes', 'no'], required: true, meta: { x: 1 } },
    ],
    variant_groups: [
      { name: 'Colour', meta: { y: 1 }, options: [{ name: 'Red', price: 1, assets: [asset.id] }, { name: 'Blue' }] },
      { name: 'Cut', options: [{ name: 'Slim' }] },
    ],
  })
}

describe('PUT /v1/products/{id}', () => {
  it('changes nothing but `updated` when nothing is sent', async () => {
    const before = await full()
    app.clock.advance(5)
    expect(await shop.update(before.id, {})).toEqual({ ...before, updated: unixNow(app) })
  })

  it('changes one field and leaves the rest', async () => {
    const before = await full()
    app.clock.advance(5)
    const expected = { ...before, updated: unixNow(app), price: price(3, '3.00') }
    expect(await shop.update(before.id, { price: '3.00' })).toEqual(expected)
    expect(await shop.get(before.id)).toEqual(expected)
  })

  it('takes back what can be taken back, with null', async () => {
    const before = await full()
    const product = await shop.update(before.id, {
      description: null,
      sku: null,
      seo: { title: null, description: null },
      thank_you_url: null,
      meta: null,
      quantity: null,
      delivery: { weight: null, digital: null },
    })
    expect(product).toEqual({
      ...before,
      description: '',
      sku: null,
      seo: { title: null, description: null },
      thank_you_url: null,
      meta: null,
      inventory: counted(false, 3),
      ...flags({
        is: { tax_exempt: true, pay_what_you_want: true },
        has: { images: true, physical_delivery: false },
        collects: { fullname: true, billing_address: true, extra_fields: true, extrafields: true },
      }),
      delivery: { physical: false, weight: null, digital: { packages: [], lifespan: null }, shipping_zones: null },
    })
  })

  it('merges seo, collects, inventory and delivery one level deep, and replaces meta', async () => {
    const before = await full()
    const product = await shop.update(before.id, {
      seo: { title: 'New' },
      collects: { fullname: false },
      inventory: { available: 9 },
      delivery: { physical: true },
      meta: { b: { d: 3 } },
    })
    expect(product).toEqual({
      ...before,
      seo: { title: 'New', description: 'Description' },
      inventory: counted(true, 9),
      quantity: 9,
      meta: { b: { d: 3 } },
      ...flags({
        is: { tax_exempt: true, pay_what_you_want: true, inventory_managed: true, quantity_limited: true },
        has: { images: true, digital_delivery: true },
        collects: { billing_address: true, extra_fields: true, extrafields: true },
      }),
      delivery: { ...before.delivery, physical: true },
    })
  })

  it('replaces lists', async () => {
    const before = await full()
    const [added, other] = [await addAsset(app, shop), await addCategory(app, shop, 'hats')]
    const related = await shop.create({ name: 'Another' })
    const product = await shop.update(before.id, {
      assets: [added.id, asset.id],
      categories: [other.id],
      related_products: [{ id: related.id }],
      delivery: { digital: { packages: [{ asset: added.id, name: 'Manual' }] } },
    })
    expect([
      product.assets,
      product.image,
      product.categories,
      product.related_products.map(({ id }) => id),
      product.delivery?.digital,
    ]).toEqual([
      [added, asset],
      added,
      [other],
      [related.id],
      { packages: [{ asset: added.id, name: 'Manual', is_sample: false }], lifespan: null },
    ])
    const emptied = await shop.update(before.id, {
      assets: [],
      categories: [],
      related_products: [],
      extra_fields: [],
      variant_groups: [],
    })
    expect([
      emptied.assets,
      emptied.categories,
      emptied.related_products,
      emptied.extra_fields,
      emptied.extrafields,
      emptied.variant_groups,
    ]).toEqual([[], [], [], [], [], []])
  })

  it('keeps the ids of extra fields that are sent with their id or their name', async () => {
    const before = await full()
    const [note, gift] = before.extra_fields
    app.clock.advance(5)
    const updated = unixNow(app)
    const product = await shop.update(before.id, {
      extra_fields: [
        { name: 'Gift', required: false },
        { id: note?.id, name: 'Remark', meta: { z: 1 } },
        { name: 'Note', type: 'number' },
      ],
    })
    expect(product.extra_fields).toEqual([
      { ...gift, required: false, updated },
      { ...note, name: 'Remark', meta: { z: 1 }, updated },
      {
        id: matching('extr_'),
        name: 'Note',
        type: 'number',
        required: false,
        options: null,
        meta: null,
        created: updated,
        updated,
      },
    ])
    expect(product.extra_fields[2]?.id).not.toBe(note?.id)
    const text = await shop.update(before.id, { extra_fields: [{ name: 'Gift', type: 'text' }] })
    expect(text.extra_fields).toEqual([{ ...gift, required: false, type: 'text', options: null, updated }])
  })

  it('keeps the ids of groups and options that are sent with their id or their name', async () => {
    const before = await full()
    const [colour, cut] = before.variant_groups
    const [red, blue] = colour?.options ?? []
    app.clock.advance(5)
    const updated = unixNow(app)
    const product = await shop.update(before.id, {
      variant_groups: [
        { name: 'Cut' },
        {
          id: colour?.id,
          name: 'Shade',
          options: [{ name: 'Green' }, { id: red?.id, name: 'Crimson' }, { name: 'Blue', price: -1 }],
        },
      ],
    })
    expect(product.variant_groups).toEqual([
      { ...cut, updated, options: cut?.options.map((option) => ({ ...option, updated })) },
      {
        ...colour,
        name: 'Shade',
        updated,
        options: [
          {
            id: matching('optn_'),
            name: 'Green',
            price: price(0, '0.00'),
            assets: null,
            meta: null,
            created: updated,
            updated,
          },
          { ...red, name: 'Crimson', updated },
          { ...blue, price: price(-1, '-1.00'), updated },
        ],
      },
    ])
  })

  it("sets the stock of the key's own mode alone", async () => {
    const { id } = await shop.create({ quantity: 5 })
    await shop.update(id, { quantity: 7 })
    await shop.update(id, { inventory: { available: 9 } }, shop.keys.live.secret)
    const quantities = [await shop.get(id), await shop.get(id, shop.keys.live.public)].map(({ quantity }) => quantity)
    expect(quantities).toEqual([7, 9])
    await shop.update(id, { price: 1 })
    expect((await shop.get(id)).quantity).toBe(7)
  })

  it('follows delivery with the question for the shipping address until that is set', async () => {
    const { id } = await shop.create()
    const steps = [
      { delivery: { physical: false } },
      { collects: { shipping_address: true } },
      { delivery: { physical: true } },
      { collects: { shipping_address: false } },
    ]
    const answers = []
    for (const body of steps) answers.push((await shop.update(id, body)).collects.shipping_address)
    expect(answers).toEqual([false, true, true, false])
  })

  it('writes the event products.update with the body that is answered', async () => {
    const own = await openShop(app)
    const { id } = await own.create()
    app.clock.advance(1)
    const product = await own.update(id, { name: 'Renamed' })
    expect((await eventsOf(app, own)).slice(1)).toEqual([
      { name: 'products.update', kind: 'product', sandbox: null, payload: told(product), response_code: 200 },
    ])
  })

  it('loses none of the changes that are sent at once', async () => {
    const { id } = await shop.create()
    const bodies = [
      { name: 'New' },
      { sku: 'new' },
      { seo: { title: 'new' } },
      { seo: { description: 'new' } },
      { meta: { a: 1 } },
      { sort_order: 8 },
      { extra_fields: [{ name: 'new' }] },
      { categories: [category.id] },
    ]
    const answers = await Promise.all(bodies.map((body) => shop.call('PUT', `/${id}`, body)))
    expect(answers.map(({ status }) => status)).toEqual(Array(bodies.length).fill(200))
    const product = await shop.get(id)
    expect([
      product.name,
      product.sku,
      product.seo,
      product.meta,
      product.sort_order,
      product.extra_fields.length,
      product.categories,
    ]).toEqual(['New', 'new', { title: 'new', description: 'new' }, { a: 1 }, 8, 1, [category]])
  })

  it.each([
    ['null for a name', { name: null }, { name: ['name must be a string.'] }],
    ['null for a price', { price: null }, { price: ['price must be a number or a string.'] }],
    ['a negative price', { price: '-0.01' }, { price: ['price must not be negative.'] }],
    ['an empty permalink', { permalink: '' }, { permalink: [expect.stringMatching(/^permalink must begin with/)] }],
    ['half an integer', { sort_order: 1.5 }, { sort_order: ['sort_order must be an integer.'] }],
    [
      'a lifespan of an unknown period',
      { delivery: { digital: { lifespan: { duration: 1, period: 'years' } } } },
      {
        'delivery.digital.lifespan.period': [
          'delivery.digital.lifespan.period must be one of days, weeks, months, null.',
        ],
      },
    ],
  ])('refuses %s and changes nothing', async (_what, body, errors) => {
    const before = await full()
    const answer = await shop.call('PUT', `/${before.id}`, { ...body, sku: 'changed' })
    const [[message]] = Object.values(errors) as [[string]]
    expect([answer.status, answer.body]).toEqual([
      422,
      { error: { type: 'unprocessable_entity', message, errors }, status_code: 422 },
    ])
    expect(await shop.get(before.id)).toEqual(before)
  })

  it('refuses a product as related to itself', async () => {
    const { id } = await shop.create()
    const answer = await shop.call('PUT', `/${id}`, { related_products: [id] })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({ 'related_products.0': ['related_products.0 must be another product.'] }),
    ])
  })

  it('refuses a body that is not an object', async () => {
    const { id } = await shop.create()
    const answer = await shop.call('PUT', `/${id}`, [1])
    expect([answer.status, answer.body]).toEqual([422, malformed({ body: ['body must be a JSON object.'] })])
  })

  it('knows neither an unknown product nor that of another merchant', async () => {
    const other = await openShop(app)
    const product = await other.create()
    for (const id of [UNKNOWN_ID, product.id]) {
      const answer = await shop.call('PUT', `/${id}`, { name: 'Mine' })
      expect([answer.status, answer.body]).toEqual([404, NOT_FOUND])
    }
    expect(await other.get(product.id)).toEqual(product)
  })

  it('refuses a public key', async () => {
    const { id } = await shop.create()
    const answer = await shop.call('PUT', `/${id}`, { name: 'Mine' }, shop.keys.sandbox.public)
    expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
  })
})
