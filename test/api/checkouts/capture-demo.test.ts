// A capture in the sandbox of the demo shop that names no shipping method of it: the cheapest that serves the address is taken. In no other
// shop, and never with a live key.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { openShop, refusedFields } from '../../support/shop.ts'
import { CARD } from './capture-support.ts'

const app = await sharedApp()
const UNKNOWN = 'ship_7RyWOwmK5nEa2V'

const METHODS = [
  { description: 'Express', price: 20 },
  { description: 'Post', price: 5 },
  { description: 'Parcel', price: 5 },
]

async function openWith(settings: Record<string, unknown>) {
  const shop = await openShop(app, { settings })
  const zone = await shop.zone({ methods: METHODS })
  const abroad = await shop.zone({ name: 'Abroad', countries: ['FR'], methods: [{ description: 'Ship', price: 1 }] })
  const thing = await shop.product({ price: 10, delivery: { physical: true } })
  return {
    ...shop,
    methods: Object.fromEntries([...zone.methods, ...abroad.methods].map(({ id, description }) => [description, id])),
    /** Buys one; `named`: the method, undefined for none. */
    buy: async (more: object = {}, key?: string) => {
      const cart = await shop.cart([{ id: thing.id }], key)
      const token = await shop.ofCart(cart.id, key)
      return shop.call('POST', `checkouts/${token.id}`, { ...BODY, ...more }, key)
    },
  }
}

const BODY = {
  customer: { email: 'ada@example.com', firstname: 'Ada', lastname: 'Byron' },
  shipping: { name: 'Ada Byron', street: '1 Main St', town_city: 'Austin', county_state: 'TX', country: 'US' },
  payment: CARD,
}

const demo = await openWith({ demo: true })

const REFUSED = [422, ['fulfillment.shipping_method']]

describe("in the demo shop's sandbox", () => {
  it.each([
    ['none', {}],
    ['an empty one', { fulfillment: { shipping_method: '' } }],
    ['null', { fulfillment: { shipping_method: null } }],
    ['no fulfillment at all', { fulfillment: [] }],
    ['one of another account', { fulfillment: { shipping_method: UNKNOWN } }],
  ])('the cheapest is taken where the capture names %s, and the order says so', async (_, named) => {
    const { status, body, text } = await demo.buy(named)
    expect([status, text]).toEqual([200, text])
    expect(body).toMatchObject({
      order: {
        shipping: { id: demo.methods.Post, description: 'Post', price: { raw: 5 } },
        subtotal: { raw: 10 },
        total: { raw: 15 },
      },
      order_value: { raw: 15 },
      transactions: [{ amount: { raw: 15 } }],
    })
  })

  it('a method of the shop that does not serve the address is refused, and an address that no method serves', async () => {
    expect(await refusedFields(demo.buy({ fulfillment: { shipping_method: demo.methods.Ship } }))).toEqual(REFUSED)
    const shipping = { ...BODY.shipping, county_state: null, country: 'JP' }
    expect(await refusedFields(demo.buy({ shipping, fulfillment: { shipping_method: UNKNOWN } }))).toEqual(REFUSED)
  })
})

it.each([{}, { fulfillment: { shipping_method: UNKNOWN } }])(
  'in another shop, and with a live key of the demo shop, %j is refused',
  async (named) => {
    const other = await openWith({})
    expect(await refusedFields(other.buy(named))).toEqual(REFUSED)
    for (const { keys, buy } of [demo, other]) {
      const [status, fields] = await refusedFields(buy(named, keys.live.public))
      expect([status, fields]).toEqual([422, expect.arrayContaining(['fulfillment.shipping_method'])])
    }
  },
)
