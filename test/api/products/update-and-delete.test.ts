// PUT /v1/products/{id}: null takes back, lists replace, and ids stay. DELETE /v1/products/{id} deletes all that belongs to it.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { notValidField, price, replyOf, unixNow } from '../../support/shop.ts'
import {
  addAsset,
  addAttribute,
  addCategory,
  counted,
  NOT_FOUND,
  openShop,
  shownField,
  shownOption,
} from './support.ts'
import { addVariant, choose } from './variants/support.ts'

const app = await sharedApp()
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
  it('takes back what can be taken back, with null', async () => {
    const before = await full()
    const product = await shop.update(before.id, { description: null, quantity: null, delivery: { digital: null } })
    expect(product).toMatchObject({
      ...before,
      description: '',
      inventory: counted(false, 3),
      is: { ...before.is, inventory_managed: false, quantity_limited: false },
      has: { ...before.has, digital_delivery: false },
      conditionals: expect.anything(),
      delivery: { physical: false, weight: 5, digital: { packages: [], lifespan: null } },
    })
  })

  it('replaces lists, and what is digital as a whole', async () => {
    const before = await full()
    const packages = [{ asset: asset.id, name: 'Manual' }]
    const lists = { assets: [], categories: [], related_products: [], extra_fields: [], variant_groups: [] }
    expect(await shop.update(before.id, { ...lists, delivery: { digital: { packages } } })).toMatchObject({
      ...lists,
      extrafields: [],
      image: null,
      delivery: { digital: { packages: [{ ...packages[0], is_sample: false }], lifespan: null } },
    })
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
      shownField(app, 'Note', { type: 'number' }),
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
          shownOption(app, 'Green'),
          { ...red, name: 'Crimson', updated },
          { ...blue, price: price(-1, '-1.00'), updated },
        ],
      },
    ])
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

  it('refuses a product as related to itself', async () => {
    const { id } = await shop.create()
    expect(await shop.ask('PUT', `/${id}`, { related_products: [id] })).toEqual(
      notValidField('related_products.0', 'must be another product.'),
    )
  })
})

const TABLES = [
  'product_categories',
  'product_assets',
  'product_packages',
  'extra_fields',
  'variant_groups',
  'variant_options',
  'option_assets',
  'stock',
  'variants',
  'variant_assets',
  'product_attributes',
]
const counts = TABLES.map(
  (table) =>
    `(select count(*) from ${table} where merchant_id = :merchant_id and product_id = :product_id) as ${table}`,
)
const leftOver = sql<Record<string, number>>`
  select ${counts.join(', ')},
    (select count(*) from related_products where merchant_id = :merchant_id and product_id = :product_id) as relates_to,
    (select count(*) from related_products where merchant_id = :merchant_id and related_id = :product_id) as is_related_to`

describe('DELETE /v1/products/{id}', () => {
  it('deletes the product with all that belongs to it, without a body in an old version too', async () => {
    const [asset, category] = [await addAsset(app, shop), await addCategory(app, shop, 'deleted')]
    const [attribute, related] = [await addAttribute(app, shop, 'short_text'), await shop.create({ name: 'Related' })]
    const product = await shop.create({
      quantity: 3,
      assets: [asset.id],
      categories: [category.id],
      extra_fields: [{ name: 'A' }],
      delivery: { digital: { packages: [{ asset: asset.id }] } },
      variant_groups: [{ name: 'A', options: [{ name: 'B', assets: [asset.id] }] }],
      attributes: [{ id: attribute.id, value: 'red' }],
      related_products: [related.id],
    })
    const { id } = product
    await addVariant(app, shop, id, { options: choose(product, 'B'), assets: [asset.id], inventory: 2 })
    const other = await shop.create({ name: 'Other', related_products: [id, related.id] })
    const names = [...TABLES, 'relates_to', 'is_related_to']
    const all = (rows: number) => Object.fromEntries(names.map((name) => [name, rows]))
    // Stock: of the product and of the variant, in both modes.
    expect(await app.db.one(leftOver, { merchant_id: shop.id, product_id: id })).toEqual({ ...all(1), stock: 4 })
    const key = shop.keys.sandbox.secret
    const answer = await app.call('DELETE', `/v1/products/${id}`, { key, version: '2020-02-01' })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await app.db.one(leftOver, { merchant_id: shop.id, product_id: id })).toEqual(all(0))
    expect(await replyOf(shop.call('GET', `/${id}`))).toEqual([404, NOT_FOUND])
    expect((await shop.get(other.id)).related_products.map(({ name }) => name)).toEqual(['Related'])
  })
})
