// What shipping and tax make of a checkout: which methods are offered where and for how much, and by which place it is taxed.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { addAsset, type Shop } from '../products/support.ts'
import { amounts, openCheckoutShop } from './support.ts'

const app = await sharedApp()

describe('shipping', async () => {
  const shop = await openCheckoutShop(app)
  const secret = shop.keys.sandbox.secret
  const [heavy, light] = [
    await shop.product({ name: 'Heavy', delivery: { weight: 900 } }),
    await shop.product({ name: 'Light', delivery: { weight: 100 } }),
  ]
  const home = await shop.zone({
    countries: ['US'],
    regions: { US: ['NY', 'NJ'] },
    methods: [
      { description: 'Flat', price: 5 },
      { description: 'Per unit', price: 1, on_own: 2, with_others: 0.5 },
      { description: 'Over 50', price: 0, min_order_value: 50 },
      { description: 'Up to 1 kg', price: 3, max_weight: 1_000 },
    ],
  })
  await shop.zone({ countries: ['CA', 'US'], methods: [{ description: 'Abroad', price: 20 }] })
  const idOf = (description: string) => home.methods.find((method) => method.description === description)?.id ?? ''
  const offered = (live: { shipping: { available_options: { description: string; price: { raw: number } }[] } }) =>
    Object.fromEntries(live.shipping.available_options.map((option) => [option.description, option.price.raw]))

  it.each([
    ['two units', 2, 0, { Flat: 5, 'Per unit': 3.5, 'Up to 1 kg': 3, Abroad: 20 }],
    ['units of two products', 1, 1, { Flat: 5, 'Per unit': 3.5, 'Up to 1 kg': 3, Abroad: 20 }],
    ['more weight', 0, 2, { Flat: 5, 'Per unit': 3.5, Abroad: 20 }],
    ['a value of 50', 5, 0, { Flat: 5, 'Per unit': 5, 'Over 50': 0, 'Up to 1 kg': 3, Abroad: 20 }],
  ])('is priced and offered by what is bought: %s', async (_, lightOnes, heavyOnes, expected) => {
    const lines = [
      { id: light.id, quantity: lightOnes },
      { id: heavy.id, quantity: heavyOnes },
    ]
    const token = await shop.token(...lines.filter(({ quantity }) => quantity > 0))
    expect(offered(token.live)).toEqual(expected)
  })

  it('goes by the value after the discount', async () => {
    const code = await shop.discount({ type: 'fixed', value: 0.01 })
    const token = await shop.token({ id: light.id, quantity: 5 })
    await shop.choose.discount(token, code)
    expect(offered(await shop.live(token))).not.toHaveProperty('Over 50')
  })

  it('counts as long as the chosen method is offered, and then no longer', async () => {
    const token = await shop.token({ id: light.id, quantity: 5 })
    const chosen = async () => {
      const { id, description, price } = (await shop.live(token)).shipping
      return [id, description, price.raw]
    }
    await shop.choose.shipping(token, 'US', 'NY', idOf('Per unit'))
    expect([await chosen(), amounts(await shop.live(token)).total]).toEqual([[idOf('Per unit'), 'Per unit', 5], 55])
    await shop.choose.shipping(token, 'CA', 'BC', idOf('Per unit'))
    expect(await chosen()).toEqual([null, null, 0])
    await shop.choose.shipping(token, 'US', 'NY', idOf('Over 50'))
    expect(await chosen()).toEqual([idOf('Over 50'), 'Over 50', 0])
    await shop.succeed(200, 'PUT', `products/${light.id}`, { price: 9.99 }, secret)
    expect(await chosen()).toEqual([null, null, 0])
    await shop.succeed(200, 'PUT', `products/${light.id}`, { price: 10 }, secret)
    expect(await chosen()).toEqual([idOf('Over 50'), 'Over 50', 0])
  })

  it('is by one zone that serves all products, and of what is not shipped there is none', async () => {
    const file = await addAsset(app, shop as unknown as Shop, { isImage: false })
    const [local, digital] = [
      await shop.product({ delivery: { shipping_zones: [home.id] } }),
      await shop.product({ delivery: { digital: { packages: [{ asset: file.id }] } } }),
    ]
    const atHome = { Flat: 5, 'Per unit': 3.5, 'Up to 1 kg': 3 }
    expect(offered((await shop.token({ id: light.id }, { id: local.id })).live)).toEqual(atHome)
    const token = await shop.token({ id: digital.id })
    await shop.choose.shipping(token, 'US', 'NY', idOf('Flat'))
    const live = await shop.live(token)
    expect([offered(live), live.shipping.id, live.shipping.price.raw]).toEqual([{}, null, 0])
    // Beside something that is shipped, what is not counts neither as a unit nor by its weight.
    const all = { Flat: 5, 'Per unit': 3, 'Over 50': 0, 'Up to 1 kg': 3, Abroad: 20 }
    expect(offered((await shop.token({ id: digital.id, quantity: 9 }, { id: light.id })).live)).toEqual(all)
  })
})

describe('tax', async () => {
  const shop = await openCheckoutShop(app)
  const file = await addAsset(app, shop as unknown as Shop, { isImage: false })
  const [goods, digital, exempt] = [
    await shop.product({ price: 100 }),
    await shop.product({ price: 100, delivery: { digital: { packages: [{ asset: file.id }] } } }),
    await shop.product({ price: 100, tax_exempt: true }),
  ]
  const zone = await shop.zone({ countries: ['US', 'DE', 'FR'], methods: [{ description: 'Post', price: 10 }] })
  const post = zone.methods[0]?.id ?? ''
  await shop.taxZone({ country: 'US', rates: [{ type: 'federal', rate: 0.01 }] })
  const state = { type: 'state', rate: 0.04 }
  await shop.taxZone({ country: 'US', region: 'NY', rates: [state] })
  const rates = [state, { type: 'city', rate: 0.045 }]
  await shop.taxZone({ country: 'US', region: 'NY', postal_prefix: '100', rates })
  await shop.taxZone({ country: 'DE', rates: [{ type: 'VAT', rate: 0.19, digital_rate: 0.07 }] })
  const all = [{ id: goods.id }, { id: digital.id }, { id: exempt.id }]

  it.each([
    ['exclusive', false, false, [310, 26, 336]],
    ['exclusive, on shipping', false, true, [310, 27.9, 337.9]],
    ['inclusive', true, false, [287.49, 22.51, 310]],
    ['inclusive, on shipping', true, true, [285.89, 24.11, 310]],
  ])(
    'is %s as the merchant has set it, lower on what is digital and none on what is exempt',
    async (_, included_in_price, on_shipping, expected) => {
      await shop.settings({ tax: { included_in_price, on_shipping } })
      const token = await shop.token(...all)
      await shop.choose.shipping(token, 'DE', undefined, post)
      const live = await shop.live(token)
      const { total, tax, with_tax } = amounts(live)
      expect([[total, tax, with_tax], live.tax.included_in_price]).toEqual([expected, included_in_price])
      const percentages = live.line_items.map((line) => line.tax.breakdown?.map((part) => part.rate_percentage) ?? null)
      expect(percentages).toEqual([['19%'], ['7%'], null])
      await shop.settings({ tax: { included_in_price: false, on_shipping: false } })
    },
  )

  const IP = '203.0.113.7'
  const US = { country: 'US', region: 'NY', postal_code: '100 01', ip_address: IP }
  const CODE = { country: 'US', postal_code: '100 01' }
  const NEW_YORK = ['US', 'NY', '100 01', IP] as const

  it.each([
    ['as was said for the tax', null, US, 8.5, NEW_YORK],
    ['where it is sent, whatever was said for the tax', ['DE', undefined], US, 19, ['DE', null, null, null]],
    ['by the postal code too when both are the same region', ['US', 'NY'], US, 8.5, NEW_YORK],
    ['by the region that was said when only the country is chosen', ['US', undefined], US, 8.5, NEW_YORK],
    ['by the postal code that was said without a region', ['US', 'NY'], CODE, 8.5, ['US', 'NY', '100 01', null]],
    ['not by the postal code of another region', ['US', 'NJ'], US, 1, ['US', 'NJ', null, null]],
    ['not by the region that was said when an unknown one was chosen', ['US', null], US, 1, ['US', null, null, null]],
    ['nowhere while no place is known', null, {}, 0, [null, null, null, null]],
    ['nowhere in a country without a zone', ['FR', undefined], {}, 0, ['FR', null, null, null]],
  ] as const)('is due %s', async (_, sent, said, tax, [country, region, postal_zip_code, ip_address]) => {
    const token = await shop.token({ id: goods.id })
    await shop.choose.tax(token, said)
    if (sent) await shop.choose.shipping(token, sent[0], sent[1])
    const live = await shop.live(token)
    expect([live.tax.amount.raw, live.tax.zone]).toEqual([tax, { country, region, postal_zip_code, ip_address }])
  })
})
