// A checkout token and its live totals in every version: what came and went from each to the next, and what storefronts of a
// version read without asking whether it is there.

import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/versions/change.ts'
import { openCheckoutShop } from '../api/checkouts/support.ts'
import { addAsset, type Shop } from '../api/products/support.ts'
import { testApp } from '../support/app.ts'
import { below, history, missingAt, unique } from './differences.ts'

const app = await testApp()
const shop = await openCheckoutShop(app)
const asset = await addAsset(app, shop as unknown as Shop)

/** A token with all that a version could show otherwise: pictures, a variant with its own, a discount, a gift card, shipping and tax. */
async function fullToken() {
  const shirt = await shop.product({
    name: 'Shirt',
    assets: [asset.id],
    variant_groups: [{ name: 'Size', options: [{ name: 'S' }] }],
    extra_fields: [{ name: 'Initials', required: true }],
  })
  const [size] = shirt.variant_groups
  const [small] = size?.options ?? []
  if (!size || !small) throw new Error('The shirt has no sizes.')
  const options = { [size.id]: small.id }
  await shop.variant(shirt.id, { options, sku: 'SHIRT-S', assets: [asset.id] })
  const mug = await shop.product({ name: 'Mug' })
  const zone = await shop.zone()
  await shop.taxZone({ country: 'US', rates: [{ type: 'state', rate: 0.06 }] })
  const cart = await shop.cart([{ id: shirt.id, options }, { id: mug.id }])
  const token = await shop.ofCart(cart.id)
  await shop.choose.discount(token, await shop.discount({ type: 'percentage', value: 10, product_ids: [shirt.id] }))
  await shop.choose.giftCard(token, await shop.giftCard({ value: 3 }))
  await shop.choose.shipping(token, 'US', null, zone.methods[0]?.id)
  await shop.set(token, { adjustments: [{ description: 'Wrapping', amount: 1 }], meta: { note: 'x' } })
  return { cart, token }
}

const { cart, token } = await fullToken()

const read = async (path: string, version: string, status = 200): Promise<Json> => {
  const answer = await app.call('GET', `/v1/checkouts/${path}`, { key: shop.keys.sandbox.public, version })
  expect([answer.status, answer.text]).toEqual([status, answer.text])
  return answer.body as Json
}

const PICTURE = ['+ image', '- media']
const INLINE = [
  '- data',
  ...'description file_extension file_size filename image_dimensions'.split(' ').map((field) => `+ ${field}`),
]
const PRODUCTS = ['+ product_ids', '- product_id']

type OldLine = { id: string; variants: { variant_id: string; option_id: string }[] }
type Made = { id: string; live: { line_items: OldLine[] } }

describe('a checkout from one version to the next', () => {
  it('changes its live totals in these fields and no others', async () => {
    expect(await history((version) => read(`${token.id}/live`, version))).toEqual({
      '2022-07-21': ['~ discount'],
      '2021-09-29': unique(below(['line_items[].'], PICTURE)),
      '2020-09-23': unique(below(['line_items[].variant.assets[].'], INLINE)),
      '2020-08-12': ['- future_charges', '- line_items[].variant.assets[].merchant_id'],
      '2020-07-29': unique(below(['discount.'], PRODUCTS)),
    })
  })

  it('changes its token in these fields and no others', async () => {
    const lists = ['line_items[].', 'live.line_items[].']
    const assets = lists.map((list) => `${list}variant.assets[].`)
    expect(await history((version) => read(`tokens/${token.id}`, version))).toEqual({
      '2022-07-21': ['~ discount', '~ live.discount'],
      '2021-09-29': unique(below([...lists, 'products[].'], PICTURE)),
      '2020-09-23': unique(['+ products', '- gateways.available.amazon_pay', ...below(assets, INLINE)]),
      '2020-08-12': unique(['- live.future_charges', ...below(assets, ['- merchant_id'])]),
      '2020-07-29': unique(below(['discount.', 'live.discount.'], PRODUCTS)),
    })
  })

  it.each(['2020-02-01', '2020-08-26', '2021-03-10', '2021-09-29', '2022-07-21'])(
    'is made in %s as that version reads it later',
    async (version) => {
      const made = (await read(`${cart.id}?type=cart`, version, 201)) as Made
      expect(await read(`tokens/${made.id}`, version)).toEqual(made)
      expect(await read(`${made.id}/live`, version)).toEqual(made.live)
    },
  )

  it('shows the same totals beside the answer of every check and helper, at 2020-02-01', async () => {
    const version = '2020-02-01'
    const { id, live } = (await read(`${cart.id}?type=cart`, version, 201)) as Made
    const [line] = live.line_items
    const [chosen] = line?.variants ?? []
    for (const path of [
      `check/${line?.id}/quantity?amount=2`,
      `check/${line?.id}/variant?variant_id=${chosen?.variant_id}&option_id=${chosen?.option_id}`,
      'check/discount?code=none',
      'check/giftcard?code=none',
      'check/shipping?shipping_option_id=none&country=US',
      'check/pay_what_you_want?customer_set_price=1',
      'check/is_free',
      'helper/set_tax_zone?country=US',
    ]) {
      const answer = (await read(`${id}/${path}`, version)) as { live: Json }
      expect({ path, live: answer.live }).toEqual({ path, live: await read(`${id}/live`, version) })
      expect(answer.live).toHaveProperty('future_charges', [])
    }
  })

  it('is answered to an integration in its version too', async () => {
    const answer = await app.call('PUT', `/v1/checkouts/${token.id}`, {
      key: shop.keys.sandbox.secret,
      version: '2020-02-01',
      body: {},
    })
    expect([answer.status, answer.body]).toEqual([200, await read(`tokens/${token.id}`, '2020-02-01')])
  })
})

const LINE = 'id product_name quantity line_total.formatted_with_code'.split(' ')
const TOTALS = ['subtotal', 'tax.amount', 'shipping.price', 'total'].map(
  (field) => `live.${field}.formatted_with_symbol`,
)
const CHOSEN = ['group_id', 'group_name', 'option_id', 'option_name']
const VARIANTS = ['id', 'quantity', 'variants[].variant_id', 'variants[].option_id'].map(
  (field) => `live.line_items[].${field}`,
)

/** Of three published storefronts, by the version they ask for; the last one names none, and may meet the newest or the oldest. */
const READ: [storefront: string, version: string, paths: string[]][] = [
  [
    'one with pictures and a choice of gateways',
    '2021-03-10',
    [
      'collects.billing_address',
      'gateways.available.test_gateway',
      'gateways.available.stripe',
      ...TOTALS,
      ...LINE.map((field) => `live.line_items[].${field}`),
      ...CHOSEN.map((field) => `live.line_items[].selected_options[].${field}`),
      'live.line_items[].media.source',
    ],
  ],
  [
    'one that asks in steps',
    '2021-03-10',
    ['id', 'extrafields[].id', 'collects.shipping_address', 'live.line_items[].id', ...TOTALS],
  ],
  ['one that names no version', '2022-07-21', VARIANTS],
  ['one that names no version', '2020-02-01', VARIANTS],
]

describe('what a storefront reads of a token unasked', () => {
  it.each(READ)('is there: %s, at %s', async (_, version, paths) => {
    const body = await read(`tokens/${token.id}`, version)
    expect(missingAt(body, paths)).toEqual([])
  })
})
