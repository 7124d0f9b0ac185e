// The demo shop's terms: what shipping costs, what is taxed, which codes and which ways to pay there are to try out.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Cart } from '../../src/api/carts/schema.ts'
import type { CheckoutToken } from '../../src/api/checkouts/schema.ts'
import type { Discount } from '../../src/api/discounts/schema.ts'
import type { GiftCard } from '../../src/api/gift-cards/schema.ts'
import type { OpenedMerchant } from '../../src/api/merchants/merchant.ts'
import type { GatewayRecord } from '../../src/api/payment-methods/schema.ts'
import type { Product } from '../../src/api/products/schema.ts'
import type { ShippingZone } from '../../src/api/shipping/schema.ts'
import type { TaxZone } from '../../src/api/tax/schema.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { seedInto } from './support.ts'

let app: TestApp
let demo: OpenedMerchant

/** Live keys work over HTTPS alone. */
const headers = { 'x-forwarded-proto': 'https' }

const list = async <T>(path: string, key = demo.keys.sandbox.secret) =>
  ((await app.call('GET', path, { key })).body as { data: T[] }).data

beforeAll(async () => {
  app = await testApp({ trustProxy: () => true })
  const made = await seedInto(app.db, app.clock, app.dataDir)
  if (made === null) throw new Error('The shop was not made.')
  demo = made
})

const idOf = async (permalink: string) => {
  const answer = await app.call('GET', `/v1/products/${permalink}?type=permalink`, { key: demo.keys.sandbox.public })
  return (answer.body as Product).id
}

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
    const body = { id: await idOf(order.permalink), quantity: order.quantity }
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

  it('to a part of a country is one zone of several', async () => {
    const zones = await list<ShippingZone>('/v1/shipping_zones')
    expect(
      Object.fromEntries(zones.map(({ name, countries, regions }) => [name, [countries.length, regions]])),
    ).toEqual({
      'British Columbia': [1, { CA: ['BC'] }],
      Canada: [1, {}],
      'United States': [1, {}],
      Europe: [27, {}],
      'Further away': [40, {}],
    })
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
    const tea = await Promise.all(['stoneware-mug', 'round-teapot', 'whistling-kettle'].map(idOf))
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
