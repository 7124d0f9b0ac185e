// GET /v1/checkouts/{id}/check/shipping and /helper/shipping_options: which methods there are for a place, and choosing one.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { bodyOf, price } from '../../support/shop.ts'
import { besideStatement, openCheckoutShop } from './support.ts'

const app = await sharedApp()
const shop = await openCheckoutShop(app)
const ferries = [{ description: 'Ferry', price: 3, with_others: 1 }]
const canada = await shop.zone({ countries: ['CA'], regions: { CA: ['BC'] }, methods: ferries })
// Methods are listed by the age of their zones.
app.clock.advance(1)
const north = await shop.zone({
  countries: ['CA', 'US'],
  methods: [
    { description: 'Post', price: 5 },
    { description: 'Freight', price: 50, min_order_value: 100 },
  ],
})
const [ferry = '', post = '', freight = ''] = [...canada.methods, ...north.methods].map(({ id }) => id)
const digital = { delivery: { physical: false } }
const product = await shop.product()

const token = (quantity = 1) => shop.token({ id: product.id, quantity })
const options = async (checkout: { id: string }, query: string) => {
  const answer = await shop.call('GET', `checkouts/${checkout.id}/helper/shipping_options?${query}`)
  expect([query, answer.status, answer.headers['cache-control']]).toEqual([query, 200, 'no-store'])
  return answer.body as { id: string }[]
}
const choose = (checkout: { id: string }, query: string) =>
  shop.call('GET', `checkouts/${checkout.id}/check/shipping?${query}`)

describe('helper/shipping_options', () => {
  it('gives a bare list of the methods for a place, each at what it costs for all that is bought', async () => {
    const checkout = await token(3)
    const common = { provider: 'chec', price: price(5, '5.00') }
    expect(await options(checkout, 'country=CA&region=BC')).toEqual([
      { ...common, id: ferry, description: 'Ferry', countries: ['CA'], regions: { CA: ['CA-BC'] } },
      { ...common, id: post, description: 'Post', countries: ['CA', 'US'], regions: {} },
    ])
    expect(await shop.get(checkout)).toEqual(checkout)
  })

  it.each([
    ['country=CA', [ferry, post]],
    ['country=ca&region=', [ferry, post]],
    ['country=CA&region=CA-BC', [ferry, post]],
    ['country=CA&region=british+columbia', [ferry, post]],
    ['country=CA&region=ON', [post]],
    ['country=CA&region=Atlantis', [post]],
    ['country=US&region=CA', [post]],
    ['country=DE', []],
    ['country=XX', []],
    ['country=', []],
  ])('knows the place %s', async (query, expected) => {
    expect((await options(await token(), query)).map(({ id }) => id)).toEqual(expected)
  })

  it('gives the methods for what the goods are worth, those of integrations, and none where nothing is shipped', async () => {
    const many = await token(10)
    await shop.set(many, { shipping_methods: [{ id: 'drone', description: 'Drone', price: 9 }] })
    expect((await options(many, 'country=US')).map(({ id }) => id)).toEqual([post, freight, 'drone'])
    expect((await options(many, 'country=DE')).map(({ id }) => id)).toEqual(['drone'])
    const download = await shop.product(digital)
    expect(await options(await shop.token({ id: download.id }), 'country=US')).toEqual([])
  })
})

describe('check/shipping', () => {
  it('chooses a method and the place it goes to, also by the older name', async () => {
    const checkout = await token(2)
    const answer = await choose(checkout, `shipping_option_id=${ferry}&country=ca&region=British+Columbia`)
    const live = await shop.live(checkout)
    expect(bodyOf(200, answer)).toEqual({ valid: true, id: ferry, description: 'Ferry', price: price(4, '4.00'), live })
    expect(live.shipping).toMatchObject({ id: ferry, description: 'Ferry', price: price(4, '4.00') })
    expect(live.shipping.available_options.map(({ id }) => id)).toEqual([ferry, post])
    const zone = { country: 'CA', region: 'BC', postal_zip_code: null, ip_address: null }
    expect([live.total.raw, live.tax.zone]).toEqual([24, zone])
    await choose(checkout, `id=${post}&country=US`)
    expect((await shop.live(checkout)).shipping).toMatchObject({ id: post, description: 'Post' })
  })

  it('refuses what is not offered for what is bought and where it goes, and saves nothing', async () => {
    const checkout = await token()
    await shop.succeed(200, 'GET', `checkouts/${checkout.id}/check/shipping?shipping_option_id=${ferry}&country=CA`)
    const before = await shop.get(checkout)
    app.clock.advance(1)
    const message = 'This shipping method is not offered for your order. Please choose another one.'
    for (const [query, reason] of [
      [`shipping_option_id=${ferry}&country=CA&region=ON`, message],
      [`shipping_option_id=${ferry}&country=CA&region=Atlantis`, message],
      [`shipping_option_id=${post}&country=DE`, message],
      [`shipping_option_id=${freight}&country=US`, message],
      ['shipping_option_id=ship_x&country=US', message],
      ['shipping_option_id=&country=US', message],
      [`shipping_option_id=${post}&country=XX`, 'Choose a country from the list.'],
    ])
      expect(bodyOf(200, await choose(checkout, query ?? '')), query).toEqual({
        valid: false,
        message: reason,
        live: before.live,
      })
    expect(await shop.get(checkout)).toEqual(before)
  })

  it('refuses a method where nothing is to be shipped', async () => {
    const checkout = await shop.token({ id: (await shop.product(digital)).id })
    const refused = { valid: false, message: 'Nothing in this order has to be shipped.', live: checkout.live }
    expect((await choose(checkout, `shipping_option_id=${post}&country=US`)).body).toEqual(refused)
  })

  it('tells when the method no longer fits what was saved in the meantime', async () => {
    const checkout = await token(10)
    const path = `checkouts/${checkout.id}/check/${checkout.products[0]?.id}/quantity?amount=1`
    // The quantity falls after the method was judged, and before it is saved.
    besideStatement(app, 'after', 'checkouts.find', () => shop.succeed(200, 'GET', path))
    const { body } = await choose(checkout, `shipping_option_id=${freight}&country=US`)
    const live = await shop.live(checkout)
    expect(body).toMatchObject({ valid: false, live })
    expect([live.shipping.id, live.shipping.price.raw]).toEqual([null, 0])
  })
})
