// GET /v1/shipping_zones/for: which terms apply to an address. What it says is what a checkout that goes there says.

import { describe, expect, it } from 'vitest'
import type { Live } from '../../../src/api/checkouts/schema.ts'
import type { AddressTerms } from '../../../src/api/checkouts/terms/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { errorReply, openShop, price, refusedFields, replyOf, type Shop } from '../../support/shop.ts'

const app = await sharedApp()

const ask = (shop: Shop, query: Record<string, string | number>, key = shop.keys.sandbox.secret) =>
  shop.call('GET', `shipping_zones/for?${new URLSearchParams(query as Record<string, string>)}`, undefined, key)

async function termsOf(shop: Shop, query: Record<string, string | number>): Promise<AddressTerms> {
  const answer = await ask(shop, query)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.body as AddressTerms
}

/** A shop with zones for the United States, for California alone, and taxes by state and postal code. */
async function openTermsShop() {
  const shop = await openShop(app)
  const post = { description: 'Post', price: 5, on_own: 1, with_others: 0.5 }
  const home = await shop.zone({
    methods: [
      post,
      { description: 'Free', price: 0, min_order_value: 50 },
      { description: 'Light', price: 2, max_weight: 100 },
    ],
  })
  app.clock.advance(1)
  const coast = await shop.zone({
    name: 'Coast',
    countries: ['US', 'CA'],
    regions: { US: ['CA'] },
    methods: [{ description: 'Courier', price: 12 }],
  })
  const state = await shop.taxZone({ country: 'US', region: 'CA', rates: [{ type: 'state', rate: 0.06 }] })
  const town = await shop.taxZone({
    country: 'US',
    region: 'CA',
    postal_prefix: '941',
    rates: [
      { type: 'state', rate: 0.06 },
      { type: 'city', rate: 0.0125, digital_rate: 0 },
    ],
  })
  return { ...shop, home, coast, state, town }
}

describe('the terms for an address', () => {
  it('are the zones, methods, sums and rates of that place, of what is made up', async () => {
    const shop = await openTermsShop()
    const [post, free, light] = shop.home.methods
    const [courier] = shop.coast.methods
    const terms = await termsOf(shop, {
      country: 'us',
      region: 'California',
      postal_zip_code: '94103',
      price: '10',
      quantity: 2,
      weight: 200,
    })
    const sums = { tax_amount: price(1.45, '1.45') }
    expect(terms).toEqual({
      country: 'US',
      region: 'CA',
      postal_zip_code: '94103',
      depends_on_region: false,
      goods: { product_id: null, name: null, quantity: 2, weight: 400, is_shipped: true },
      subtotal: price(20, '20.00'),
      ...sums,
      total_with_tax: price(21.45, '21.45'),
      zones: [
        { id: shop.home.id, name: 'Home' },
        { id: shop.coast.id, name: 'Coast' },
      ],
      methods: [
        {
          id: post?.id,
          description: 'Post',
          zone_id: shop.home.id,
          price: price(6.5, '6.50'),
          ...sums,
          total_with_tax: price(27.95, '27.95'),
        },
        {
          id: courier?.id,
          description: 'Courier',
          zone_id: shop.coast.id,
          price: price(12, '12.00'),
          ...sums,
          total_with_tax: price(33.45, '33.45'),
        },
      ],
      not_offered: [
        { id: free?.id, description: 'Free', zone_id: shop.home.id, reason: 'order_value' },
        { id: light?.id, description: 'Light', zone_id: shop.home.id, reason: 'weight' },
      ],
      tax: {
        zone: { id: shop.town.id, country: 'US', region: 'CA', postal_prefix: '941' },
        rates: [
          { type: 'state', rate: 0.06, rate_percentage: '6%', digital_rate: null },
          { type: 'city', rate: 0.0125, rate_percentage: '1.25%', digital_rate: 0 },
        ],
        included_in_price: false,
        on_shipping: false,
      },
    })
  })

  it.each([
    ['a place with a postal code', { country: 'US', region: 'US-CA', postal_zip_code: '94103' }, {}],
    ['another state', { country: 'US', region: 'NY' }, {}],
    ['a country of which only a part is served', { country: 'US' }, {}],
    ['taxes that are in the price', { country: 'US', region: 'CA' }, { included_in_price: true, on_shipping: true }],
    ['taxes on shipping', { country: 'US', region: 'CA', postal_zip_code: '94199' }, { on_shipping: true }],
    ['a country that nothing is sent to', { country: 'FR' }, {}],
  ])('are to the cent those of a checkout: %s', async (_, address: Record<string, string>, tax) => {
    const shop = await openTermsShop()
    await shop.settings({ tax })
    const product = await shop.product({ price: 19.99, delivery: { weight: 80 } })
    const terms = await termsOf(shop, { ...address, product_id: product.id, quantity: 3 })
    const { id } = await shop.token({ id: product.id, quantity: 3 })
    const place = new URLSearchParams(address)
    await shop.succeed(200, 'GET', `checkouts/${id}/helper/set_tax_zone?${place}`)
    const options = await shop.succeed<Live['shipping']['available_options']>(
      200,
      'GET',
      `checkouts/${id}/helper/shipping_options?${place}`,
    )
    expect(terms.methods.map((method) => [method.id, method.price])).toEqual(
      options.map((option) => [option.id, option.price]),
    )
    const before = await shop.succeed<Live>(200, 'GET', `checkouts/${id}/live`)
    expect([terms.subtotal, terms.tax_amount, terms.total_with_tax]).toEqual([
      before.subtotal,
      before.tax.amount,
      before.total_with_tax,
    ])
    for (const method of terms.methods) {
      const query = new URLSearchParams({ ...address, shipping_option_id: method.id })
      await shop.succeed(200, 'GET', `checkouts/${id}/check/shipping?${query}`)
      const live = await shop.succeed<Live>(200, 'GET', `checkouts/${id}/live`)
      expect([live.shipping.id, live.shipping.price, live.tax.amount, live.total_with_tax]).toEqual([
        method.id,
        method.price,
        method.tax_amount,
        method.total_with_tax,
      ])
      expect(live.tax.included_in_price).toBe(terms.tax.included_in_price)
    }
  })

  it('say that they depend on the region where none is named, and that a product is not sent by a zone', async () => {
    const shop = await openTermsShop()
    const product = await shop.product({ delivery: { shipping_zones: [shop.home.id] } })
    const open = await termsOf(shop, { country: 'US', product_id: product.id })
    expect(open).toMatchObject({ region: null, depends_on_region: true, tax: { zone: null, rates: [] } })
    expect(open.goods).toMatchObject({ product_id: product.id, name: 'Thing', is_shipped: true })
    const named = await termsOf(shop, { country: 'US', region: 'CA', product_id: product.id })
    expect(named.depends_on_region).toBe(false)
    expect(named.not_offered).toContainEqual({
      id: shop.coast.methods[0]?.id,
      description: 'Courier',
      zone_id: shop.coast.id,
      reason: 'product',
    })
  })

  it('offer no method for what is not sent, nor where the shop has no zone', async () => {
    const shop = await openTermsShop()
    const digital = await shop.product({ delivery: { physical: false } })
    const terms = await termsOf(shop, { country: 'US', region: 'CA', postal_zip_code: '94103', product_id: digital.id })
    expect([terms.goods.is_shipped, terms.methods, terms.not_offered]).toEqual([false, [], []])
    expect(terms.tax_amount.raw).toBe(0.6)
    const bare = await openShop(app)
    expect(await termsOf(bare, { country: 'DE', price: 5 })).toMatchObject({ zones: [], methods: [], not_offered: [] })
  })

  it.each([
    [{ country: 'Utopia' }, 'country'],
    [{ country: 'US', region: 'Bavaria' }, 'region'],
    [{ country: 'US', quantity: 0 }, 'quantity'],
    [{ country: 'US', weight: -1 }, 'weight'],
    [{ country: 'US', price: 'much' }, 'price'],
    [{ country: 'US', price: 5, product_id: 'prod_1' }, 'price'],
    [{ country: 'US', weight: 5, product_id: 'prod_1' }, 'weight'],
  ])('are refused for %o, which names the field', async (query: Record<string, string | number>, field) => {
    const shop = await openShop(app)
    expect(await refusedFields(ask(shop, query))).toEqual([422, [field]])
  })

  it('are not asked for without a country', async () => {
    expect(await replyOf(ask(await openShop(app), {}))).toEqual(
      errorReply(400, { type: 'bad_request', message: 'The query parameter country is required.' }),
    )
  })
})
