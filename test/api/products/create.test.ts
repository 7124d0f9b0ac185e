// POST /v1/products: what is stored, and what is made of what is left out.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { testApp } from '../../support/app.ts'
import { matching, price, unixNow } from '../../support/shop.ts'
import {
  addAsset,
  addCategory,
  counted,
  eventsOf,
  flags,
  openShop,
  shown,
  told,
  UNKNOWN_ID,
  UNSENT,
} from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)

describe('POST /v1/products', () => {
  it('creates a product from name and price, with every default', async () => {
    const { delivery } = shown(app, shop)
    const unsent = { ...flags(UNSENT), delivery: { ...delivery, physical: false } }
    expect(await shop.create()).toEqual(shown(app, shop, unsent))
  })

  it('stores every field that is sent', async () => {
    const [document, image] = [await addAsset(app, shop, { isImage: false }), await addAsset(app, shop)]
    const [first, second] = [await addCategory(app, shop, 'b-first'), await addCategory(app, shop, 'a-second')]
    const related = await shop.create({ name: 'Related', sku: 'R-1', assets: [image.id], permalink: 'related' })
    const product = await shop.create({
      name: 'Everything – “ü” 🧦',
      price: '1234.5',
      description: '<p>All of it.</p>',
      permalink: 'Every_thing.v2~x',
      sku: 'SKU 1',
      active: false,
      tax_exempt: true,
      pay_what_you_want: true,
      sort_order: -3,
      inventory: { managed: true, available: 7 },
      seo: { title: 'Title', description: 'Description' },
      thank_you_url: 'https://example.com/thanks?a=b',
      meta: { z: 1, a: { deep: [true, null] } },
      collects: { fullname: true, shipping_address: false, billing_address: true },
      delivery: {
        physical: true,
        weight: 350,
        digital: {
          packages: [{ asset: document.id }, { asset: image.id, name: 'Poster', is_sample: true }],
          lifespan: { duration: 2, period: 'weeks', download_limit: 5 },
        },
      },
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
    const now = unixNow(app)
    const moments = { created: now, updated: now }
    const fields = [
      {
        id: matching('extr_'),
        name: 'Engraving',
        type: 'text',
        required: true,
        options: null,
        meta: { a: 1 },
        ...moments,
      },
      {
        id: matching('extr_'),
        name: 'Size',
        type: 'radio',
        required: false,
        options: ['S', 'M'],
        meta: null,
        ...moments,
      },
    ]
    expect(product).toEqual(
      shown(app, shop, {
        name: 'Everything – “ü” 🧦',
        price: price(1234.5, '1,234.50'),
        description: '<p>All of it.</p>',
        permalink: 'Every_thing.v2~x',
        sku: 'SKU 1',
        active: false,
        sort_order: -3,
        quantity: 7,
        inventory: counted(true, 7),
        seo: { title: 'Title', description: 'Description' },
        thank_you_url: 'https://example.com/thanks?a=b',
        meta: { z: 1, a: { deep: [true, null] } },
        ...flags({
          is: {
            active: false,
            tax_exempt: true,
            pay_what_you_want: true,
            inventory_managed: true,
            quantity_limited: true,
          },
          has: { digital_delivery: true, images: true },
          collects: {
            fullname: true,
            shipping_address: false,
            billing_address: true,
            extra_fields: true,
            extrafields: true,
          },
        }),
        image,
        assets: [document, image],
        variant_groups: [
          {
            id: matching('vgrp_'),
            name: 'Colour',
            meta: { swatch: true },
            ...moments,
            options: [
              {
                id: matching('optn_'),
                name: 'Red',
                price: price(-2.5, '-2.50'),
                assets: [image.id],
                meta: { hex: '#f00' },
                ...moments,
              },
              { id: matching('optn_'), name: 'Blue', price: price(3, '3.00'), assets: null, meta: null, ...moments },
            ],
          },
          { id: matching('vgrp_'), name: 'Cut', meta: null, ...moments, options: [] },
        ],
        extra_fields: fields,
        extrafields: fields,
        categories: [first, second],
        related_products: [
          {
            id: related.id,
            permalink: 'related',
            name: 'Related',
            sku: 'R-1',
            active: true,
            price: price(10, '10.00'),
            image,
          },
        ],
        delivery: {
          physical: true,
          weight: 350,
          digital: {
            packages: [
              { asset: document.id, name: document.filename, is_sample: false },
              { asset: image.id, name: 'Poster', is_sample: true },
            ],
            lifespan: { duration: 2, period: 'weeks', download_limit: 5 },
          },
          shipping_zones: null,
        },
      }),
    )
    expect(JSON.stringify(product.meta)).toBe('{"z":1,"a":{"deep":[true,null]}}')
  })

  it('writes the event products.create with the body that is answered', async () => {
    const own = await openShop(app)
    const product = await own.create()
    expect(await eventsOf(app, own)).toEqual([
      { name: 'products.create', kind: 'product', sandbox: null, payload: told(product), response_code: 201 },
    ])
  })

  it('leaves the signature of a private asset out of the event', async () => {
    const own = await openShop(app)
    const asset = await addAsset(app, own, { isPrivate: true })
    const product = await own.create({ assets: [asset.id] })
    const [event] = await eventsOf(app, own)
    expect(product.assets[0]?.url).toMatch(new RegExp(`^${asset.url}\\?`))
    expect(event?.payload).toEqual(told({ ...product, assets: [asset as Product['assets'][number]] }))
  })

  it('takes the price in the decimals of the currency', async () => {
    const yen = await openShop(app, { currency: 'JPY' })
    const product = await yen.create({ price: '1200' })
    expect(product.price).toEqual({
      raw: 1200,
      formatted: '1,200',
      formatted_with_symbol: '¥1,200',
      formatted_with_code: '1,200 JPY',
    })
  })

  it.each([
    ['quantity alone manages the stock', { quantity: 4 }, counted(true, 4)],
    ['quantity null does not manage it', { quantity: null }, counted(false, 0)],
    ['available alone manages the stock', { inventory: { available: 4 } }, counted(true, 4)],
    ['on_hand alone manages the stock', { inventory: { on_hand: 4 } }, counted(true, 4)],
    ['a count can wait unmanaged', { inventory: { managed: false, available: 4 } }, counted(false, 4)],
    ['inventory counts beside quantity', { inventory: { managed: false }, quantity: 4 }, counted(false, 0)],
  ])('keeps quantity and inventory together: %s', async (_rule, body, inventory) => {
    const product = await shop.create(body)
    expect([product.inventory, product.quantity]).toEqual([inventory, inventory.available])
  })

  it('sets the stock of both modes', async () => {
    const { id } = await shop.create({ quantity: 4 })
    expect((await shop.get(id, shop.keys.live.secret)).quantity).toBe(4)
  })

  it('takes what consists of packages only for digital, and asks for no shipping address then', async () => {
    const asset = await addAsset(app, shop)
    const product = await shop.create({ delivery: { digital: { packages: [{ asset: asset.id }] } } })
    expect([product.delivery?.physical, product.has, product.collects.shipping_address]).toEqual([
      false,
      { digital_delivery: true, physical_delivery: false, images: false, video: false, rich_embed: false },
      false,
    ])
  })

  it('says that a price of zero is free, unless shoppers pay what they want', async () => {
    const [free, donation] = [
      await shop.create({ price: 0 }),
      await shop.create({ price: '0.00', pay_what_you_want: true }),
    ]
    expect([free.is.free, free.conditionals.is_free, donation.is.free]).toEqual([true, true, false])
  })

  it('ignores fields it does not know', async () => {
    const product = await shop.create({ id: UNKNOWN_ID, merchant_id: 1, created: 1, conditionals: { is_free: true } })
    expect([product.id === UNKNOWN_ID, product.created, product.is.free]).toEqual([false, unixNow(app), false])
  })

  it('leads with the first image that a browser can show', async () => {
    const traits = [{ isImage: false }, { isPrivate: true }, {}, {}]
    const assets = []
    for (const each of traits) assets.push(await addAsset(app, shop, each))
    const product = await shop.create({ assets: assets.map(({ id }) => id) })
    expect([product.image, product.has.images]).toEqual([assets[2], true])
    const none = await shop.create({ assets: assets.slice(0, 2).map(({ id }) => id) })
    expect([none.image, none.has.images]).toEqual([null, false])
  })

  it('places assets by sort_order', async () => {
    const ids = []
    for (let count = 0; count < 3; count++) ids.push((await addAsset(app, shop)).id)
    const [first, second, third] = ids
    const product = await shop.create({ assets: [first, { id: second, sort_order: 9 }, { id: third, sort_order: 0 }] })
    expect(product.assets.map(({ id }) => id)).toEqual([third, first, second])
  })
})
