// The demo shop as a storefront sees it: enough of every kind of thing to look at, pictures that can be fetched, and terms to try out.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Asset } from '../../src/api/assets/schema.ts'
import type { Cart } from '../../src/api/carts/schema.ts'
import type { Category } from '../../src/api/categories/schema.ts'
import type { CheckoutToken } from '../../src/api/checkouts/schema.ts'
import type { Discount } from '../../src/api/discounts/schema.ts'
import type { GiftCard } from '../../src/api/gift-cards/schema.ts'
import type { CreatedMerchant } from '../../src/api/merchants/merchant.ts'
import type { GatewayRecord } from '../../src/api/payment-methods/schema.ts'
import type { Product } from '../../src/api/products/schema.ts'
import type { Variant } from '../../src/api/products/variants/schema.ts'
import type { TaxZone } from '../../src/api/tax/schema.ts'
import { demoFolder } from '../../src/demo/files.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { seedInto } from './support.ts'

let app: TestApp
let demo: CreatedMerchant
let products: Product[]

const get = async (path: string, key = demo.keys.sandbox.secret) => {
  const answer = await app.call('GET', path, { key })
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, answer.text.slice(0, 200)])
  return answer.body
}

const list = async <T>(path: string, key?: string) => ((await get(path, key)) as { data: T[] }).data

beforeAll(async () => {
  app = await testApp({ trustProxy: () => true })
  const made = await seedInto(app.db, app.clock, app.dataDir)
  if (made === null) throw new Error('The shop was not made.')
  demo = made
  products = await list<Product>('/v1/products?limit=200')
})

/** Live keys work over HTTPS alone. */
const headers = { 'x-forwarded-proto': 'https' }

const withKind = (isOf: (product: Product) => boolean) => products.filter(isOf).map(({ permalink }) => permalink)

describe('the products', () => {
  it('are enough to fill a page, each with a text, a SKU of its own, a category and search texts', () => {
    expect(products.length).toBeGreaterThanOrEqual(26)
    expect(new Set(products.map(({ sku }) => sku)).size).toBe(products.length)
    for (const { name, description, sku, categories, seo } of products) {
      expect([name, description.length > 30, sku, categories.length > 0, seo]).toEqual([
        name,
        true,
        expect.stringMatching(/^CW-/),
        true,
        { title: `${name} | Cartwright Demo`, description },
      ])
    }
  })

  it('come in the order of the shop, those without options first, and the first one leads to others', () => {
    expect(products.map(({ sort_order }) => sort_order)).toEqual(products.map((_, index) => (index + 1) * 10))
    // Most published storefronts have no menu for options.
    const needChoice = products.map(({ variant_groups }) => variant_groups.length > 0)
    expect(needChoice).toEqual([...needChoice].sort())
    expect(needChoice.indexOf(true)).toBeGreaterThan(10)
    expect(products[0]).toMatchObject({ permalink: 'dinner-plates', price: { formatted_with_symbol: '$64.00' } })
    expect(products[0]?.related_products.map(({ permalink }) => permalink)).toEqual(['water-carafe'])
  })

  it('have a sold-out one, one that is nearly so, and some that are not counted', () => {
    expect(withKind(({ inventory, active }) => active && inventory.managed && inventory.available === 0)).toEqual([
      'wall-shelf',
    ])
    expect(withKind(({ inventory: { managed, available } }) => managed && available > 0 && available < 5)).toEqual([
      'water-carafe',
    ])
    expect(withKind(({ inventory }) => !inventory.managed).length).toBeGreaterThanOrEqual(4)
  })

  it('have some that pay what you want, one without tax and one that asks a question', () => {
    expect(withKind(({ conditionals }) => conditionals.is_pay_what_you_want)).toEqual(['wallpapers', 'gift-card'])
    expect(withKind(({ conditionals }) => conditionals.is_tax_exempt)).toEqual(['gift-card'])
    expect(withKind(({ extra_fields }) => extra_fields.length > 0)).toEqual(['chopping-board', 'gift-card'])
  })

  it('show a public key everything but the inactive one, and nothing for the warehouse', async () => {
    const shown = await list<Product>('/v1/products?limit=200', demo.keys.sandbox.public)
    expect(withKind(({ active }) => !active)).toEqual(['round-mirror'])
    expect(shown.map(({ permalink }) => permalink)).toEqual(withKind(({ active }) => active))
    const named = (given: Product[]) => new Set(given.flatMap(({ attributes }) => attributes.map(({ name }) => name)))
    expect(named(products)).toContain('Supplier code')
    expect(named(shown)).not.toContain('Supplier code')
  })

  it('weigh something exactly when they are shipped', () => {
    for (const { permalink, delivery } of products)
      expect([permalink, delivery?.weight !== null]).toEqual([permalink, delivery?.physical])
  })

  it('carry values for every attribute of the shop, and the day ahead lies ahead', () => {
    const values = products.flatMap(({ attributes }) => attributes)
    expect(new Set(values.map(({ name }) => name)).size).toBe(7)
    expect(values.every(({ value }) => value !== null)).toBe(true)
    const [available] = values.filter(({ name }) => name === 'Available from')
    expect(String(available?.value) > app.clock.now().toISOString().slice(0, 10)).toBe(true)
  })
})

describe('the variants', () => {
  it('give at least six products a choice, and some choices cost more or less', () => {
    expect(withKind(({ variant_groups }) => variant_groups.length > 0).length).toBeGreaterThanOrEqual(6)
    const prices = products.flatMap((product) => product.variant_groups.flatMap(({ options }) => options))
    expect(prices.some(({ price }) => price.raw > 0)).toBe(true)
    expect(prices.some(({ price }) => price.raw < 0)).toBe(true)
  })

  it('are each valid, with a SKU, a picture and stock of their own', async () => {
    const variants: Variant[] = []
    for (const { id, variant_groups } of products)
      if (variant_groups.length > 0) variants.push(...(await list<Variant>(`/v1/products/${id}/variants`)))
    expect(Object.fromEntries(variants.map(({ sku, inventory }) => [sku, inventory]))).toEqual({
      'CW-MUG-SAND': 40,
      'CW-MUG-SAGE': 24,
      'CW-MUG-CLAY': 0,
      'CW-BLANKET-RUST': 14,
      'CW-BLANKET-SAGE': 9,
      'CW-BLANKET-INK': 8,
      'CW-CUSHION-MU-40': 15,
      'CW-CUSHION-MU-60': 6,
      'CW-CUSHION-SE-40': 17,
      'CW-CUSHION-SE-60': 2,
    })
    for (const { is_valid, assets } of variants)
      expect([is_valid, assets.map(({ is_image }) => is_image)]).toEqual([true, [true]])
    // One has a price of its own.
    const priced = variants.filter(({ price }) => price !== null)
    expect(priced.map(({ sku, price }) => [sku, price?.raw])).toEqual([['CW-BLANKET-INK', 135]])
  })
})

describe('the pictures', () => {
  it('are there for every product, and each answers with a PNG of 640 by 640', async () => {
    for (const { permalink, assets, image } of products)
      expect([permalink, assets.length > 0, image?.id]).toEqual([permalink, true, assets[0]?.id])
    const pictures = new Map(products.flatMap(({ assets }) => assets).map((asset) => [asset.url, asset]))
    for (const [url, { description, image_dimensions }] of pictures) {
      const answer = await app.server.inject({ method: 'GET', url: new URL(url).pathname })
      expect([url, answer.statusCode, answer.headers['content-type']]).toEqual([url, 200, 'image/png'])
      expect(answer.rawPayload.subarray(1, 4).toString()).toBe('PNG')
      expect(image_dimensions).toEqual({ width: 640, height: 640 })
      expect(description).toEqual(expect.stringMatching(/\w/))
    }
    expect(pictures.size).toBeGreaterThan(products.length)
  })
})

describe('the downloads', () => {
  const digital = () => products.filter(({ delivery }) => (delivery?.digital?.packages ?? []).length > 0)

  it('are files that are kept from the public and are what their names say', async () => {
    expect(digital().map(({ permalink }) => permalink)).toEqual(['stool-plans', 'one-pot-suppers', 'wallpapers'])
    const assets = (await list<Asset>('/v1/assets?limit=200')).filter(({ is_image }) => !is_image)
    expect(assets.map(({ filename }) => filename).sort()).toEqual([
      'one-pot-suppers.pdf',
      'stool-plans.pdf',
      'wallpapers.zip',
    ])
    for (const { url, filename } of assets) {
      const { pathname, search } = new URL(url)
      expect((await app.server.inject({ method: 'GET', url: pathname })).statusCode).toBe(404)
      const answer = await app.server.inject({ method: 'GET', url: pathname + search })
      expect(answer.statusCode).toBe(200)
      expect(answer.rawPayload).toEqual(await readFile(join(demoFolder, 'downloads', filename)))
    }
  })

  it('end after a time or a number of downloads, or never', () => {
    expect(digital().map(({ delivery }) => delivery?.digital?.lifespan)).toEqual([
      { duration: 30, period: 'days', download_limit: 5 },
      { duration: 12, period: 'months', download_limit: null },
      null,
    ])
  })
})

describe('the categories', () => {
  it('are a tree, with a picture and products in each', async () => {
    const categories = await list<Category>('/v1/categories?limit=200')
    const top = categories.filter(({ parent_id }) => parent_id === null)
    const below = top.map(({ slug, children }) => [slug, children.map((child) => child.slug).sort()])
    expect(Object.fromEntries(below)).toEqual({
      kitchen: ['cooking', 'tableware'],
      home: ['furniture', 'lighting-and-decor', 'textiles'],
      'downloads-and-gifts': [],
    })
    expect(categories).toHaveLength(8)
    for (const { slug, assets, products } of categories)
      expect([slug, assets.length, products > 2]).toEqual([slug, 1, true])
  })

  it('find below a room what stands on its shelves', async () => {
    const found = await list<Product>('/v1/products?limit=200&category_slug=kitchen')
    expect(found).toHaveLength(12)
  })
})

const idOf = (permalink: string) => products.find((product) => product.permalink === permalink)?.id

describe('shipping', () => {
  const PARCEL = 'Parcel, 3 to 6 days'

  it.each([
    {
      permalink: 'stoneware-mug',
      quantity: 1,
      offers: {
        CA: { 'Pick-up at the workshop in Vancouver': 0, [PARCEL]: 9, 'Courier, next day': 32 },
        US: { 'Ground, 3 to 5 days': 8.5, 'Express, up to 2 kg': 15 },
        DE: { 'Air parcel, up to 2 kg': 18 },
        JP: { 'International parcel': 25 },
      },
    },
    {
      permalink: 'stoneware-mug',
      quantity: 6,
      offers: {
        CA: { 'Pick-up at the workshop in Vancouver': 0, [PARCEL]: 16.5, 'Courier, next day': 32 },
        US: { 'Ground, free from $100': 0, 'Express, up to 10 kg': 29 },
        DE: { 'Air parcel, up to 10 kg': 36 },
        JP: { 'International parcel': 55 },
      },
    },
    {
      permalink: 'reading-chair',
      quantity: 1,
      offers: {
        CA: { 'Pick-up at the workshop in Vancouver': 0, [PARCEL]: 9, 'Courier, next day': 32 },
        US: { 'Ground, free from $100': 0, 'Freight to your door': 89 },
        DE: {},
        JP: {},
      },
    },
    { permalink: 'stool-plans', quantity: 1, offers: { CA: {}, US: {}, DE: {}, JP: {} } },
  ])('of $quantity × $permalink costs by the piece, by order value or by weight', async (order) => {
    const key = demo.keys.sandbox.public
    const cart = (await app.call('GET', '/v1/carts', { key })).body as Cart
    const body = { id: idOf(order.permalink), quantity: order.quantity }
    expect((await app.call('POST', `/v1/carts/${cart.id}`, { key, body })).status).toBe(200)
    const answer = await app.call('GET', `/v1/checkouts/${cart.id}?type=cart`, { key })
    const options = (answer.body as CheckoutToken).live.shipping.available_options
    const to = (country: string) =>
      Object.fromEntries(
        options
          .filter(({ countries }) => countries.includes(country))
          .map(({ description, price }) => [description, price.raw]),
      )
    expect({ CA: to('CA'), US: to('US'), DE: to('DE'), JP: to('JP') }).toEqual(order.offers)
  })
})

describe('what is added to prices and taken off them', () => {
  it('are taxes for a country, a region, the beginning of a postal code, and others for files', async () => {
    const zones = await list<TaxZone>('/v1/tax_zones')
    const place = ({ country, region, postal_prefix }: TaxZone) => [country, region, postal_prefix].join(' ').trim()
    const rates = (zone: TaxZone) =>
      zone.rates.map(
        ({ type, rate_percentage, digital_rate }) =>
          `${type} ${rate_percentage}${digital_rate === null ? '' : `, files ${digital_rate}`}`,
      )
    expect(Object.fromEntries(zones.map((zone) => [place(zone), rates(zone)]))).toEqual({
      CA: ['GST 5%'],
      'CA BC': ['GST 5%', 'PST 7%'],
      'US CA': ['state 6%, files 0', 'county 1.25%, files 0'],
      'US CA 900': ['state 6%, files 0', 'county 1.25%, files 0', 'district 2.25%, files 0'],
      DE: ['VAT 19%, files 0.07'],
    })
  })

  it('are codes: percentages and an amount, for everything and for some of it, for ever and a hundred times', async () => {
    const codes = await list<Discount>('/v1/discounts')
    const tea = ['stoneware-mug', 'round-teapot', 'whistling-kettle'].map(idOf)
    expect(
      Object.fromEntries(
        codes.map(({ code, type, value, product_ids, limit }) => [code, [type, value, product_ids, limit]]),
      ),
    ).toEqual({
      WELCOME10: ['percentage', 10, [], null],
      TAKE5: ['fixed', 5, [], 100],
      TEATIME: ['percentage', 15, tea, null],
      CUSTOMCOMMERCE: ['percentage', 20, [], null],
    })
  })
})

describe('what pays', () => {
  it('is a gift card that is worth something in the sandbox alone', async () => {
    const [card] = await list<GiftCard>('/v1/giftcards')
    expect([card?.code, card?.balance.raw]).toEqual(['DEMO-GIFT-CARD', 25])
    const answer = await app.call('GET', `/v1/giftcards/${card?.id}`, { key: demo.keys.live.secret, headers })
    expect(answer.body).toMatchObject({ code: 'DEMO-GIFT-CARD', balance: { raw: 0 } })
  })

  const SIMULATED = ['stripe', 'square', 'razorpay', 'paypal']

  it('is a bank transfer, the test gateway and the simulated providers in the sandbox, and nothing live', async () => {
    const gateways = await list<GatewayRecord>('/v1/gateways')
    expect(Object.fromEntries(gateways.map(({ code, enabled, simulated }) => [code, [enabled, simulated]]))).toEqual({
      manual: [true, false],
      ...Object.fromEntries(SIMULATED.map((code) => [code, [true, true]])),
    })
    expect(gateways.find(({ code }) => code === 'manual')?.config.name).toBe('Bank transfer')
    const available = async (key: string) => {
      const answer = await app.call('GET', '/v1/checkouts/wallpapers', { key, headers })
      const { available } = (answer.body as CheckoutToken).gateways
      return Object.entries(available).flatMap(([code, isOn]) => (isOn ? [code] : []))
    }
    expect((await available(demo.keys.sandbox.public)).sort()).toEqual(['manual', ...SIMULATED, 'test_gateway'].sort())
    expect(await available(demo.keys.live.public)).toEqual([])
  })
})
