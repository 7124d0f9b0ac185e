// What helpers and capture are made with: saving a choice on a token that is alive, and the list of what capture will demand.

import { beforeAll, describe, expect, it } from 'vitest'
import { changeLine } from '../../../src/api/checkouts/checks/change.ts'
import { methodsFor, priceCheckout } from '../../../src/api/checkouts/price.ts'
import { findCheckout, findDetails } from '../../../src/api/checkouts/read-store.ts'
import { demandsOf, dottedPath, formName } from '../../../src/api/checkouts/requirements.ts'
import {
  saveCustomerSetPrice,
  saveDiscount,
  saveExternals,
  saveGiftCard,
  saveShipping,
  saveTaxZone,
  type TokenAt,
} from '../../../src/api/checkouts/store.ts'
import { countedProducts, productsWithStock } from '../../../src/api/lines/goods.ts'
import { findStock } from '../../../src/api/lines/read-store.ts'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { DAY } from '../../support/shop.ts'
import { amounts, openCheckoutShop, UNKNOWN_ID } from './support.ts'

const app = await testApp()
const shop = await openCheckoutShop(app)

const stored = statement<{ checkouts: string; lines: string }>(
  'test.checkouts_stored',
  `select (select json_agg(c order by c.id) from checkouts c where c.merchant_id = :merchant_id)::text as checkouts,
     (select json_agg(l order by l.id) from checkout_lines l where l.merchant_id = :merchant_id)::text as lines`,
)

describe('a choice', () => {
  it('is saved on a token that is alive, in its own mode, and on no other', async () => {
    const product = await shop.product()
    const token = await shop.token({ id: product.id })
    const lineId = token.products[0]?.id ?? ''
    const nowhere = { country: 'US', region: 'NY', postal_code: '1', ip_address: null }
    const more = { quantity: 3, options: null, variantId: null }
    const saves: ((at: TokenAt) => Promise<boolean>)[] = [
      (at) => saveShipping(app.db, at, { country: 'US', region: 'NY', methodId: 'ship_1' }),
      (at) => saveTaxZone(app.db, at, nowhere),
      (at) => saveDiscount(app.db, at, 'code_1'),
      (at) => saveGiftCard(app.db, at, 'gift_1'),
      (at) => saveCustomerSetPrice(app.db, at, 5),
      async (at) => {
        const changed = await changeLine(app.db, { ...at, isSecret: false }, lineId, more)
        return typeof changed === 'object' && changed.isAccepted
      },
      (at) => saveExternals(app.db, at, { meta: { saved: true } }),
    ]
    const alive = shop.tokenAt(token)
    const expired = new Date(alive.now.getTime() + 7 * DAY * 1_000)
    const before = await app.db.one(stored, { merchant_id: shop.id })
    for (const save of saves)
      for (const dead of [
        { ...alive, id: UNKNOWN_ID },
        { ...alive, isSandbox: false },
        { ...alive, merchantId: shop.id + 1 },
        { ...alive, now: expired },
      ])
        expect([await save(dead), await app.db.one(stored, { merchant_id: shop.id })]).toEqual([false, before])
    const unknown = await changeLine(app.db, { ...alive, isSecret: false }, `item_${'0'.repeat(26)}`, more)
    expect([unknown, await app.db.one(stored, { merchant_id: shop.id })]).toEqual(['no line', before])

    app.clock.advance(1)
    for (const save of saves) {
      const was = await app.db.one(stored, { merchant_id: shop.id })
      expect(await save(shop.tokenAt(token))).toBe(true)
      expect(await app.db.one(stored, { merchant_id: shop.id })).not.toEqual(was)
      expect((await shop.get(token)).updated).toBe(token.updated + 1)
    }
    expect((await shop.live(token)).line_items[0]?.quantity).toBe(3)
  })

  it('of options changes what the line costs, and keeps its quantity', async () => {
    const product = await shop.product({
      variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L', price: 2 }] }],
    })
    const [size] = product.variant_groups
    const token = await shop.token({ id: product.id, quantity: 2 })
    const lineId = token.products[0]?.id ?? ''
    await shop.succeed(
      200,
      'GET',
      `checkouts/${token.id}/check/${lineId}/variant?group_id=${size?.id}&option_id=${size?.options[1]?.id}`,
    )
    const live = await shop.live(token)
    expect([amounts(live).subtotal, live.line_items[0]?.selected_options.map((one) => one.option_name)]).toEqual([
      24,
      ['L'],
    ])
  })
})

describe('the demands of a checkout', () => {
  beforeAll(() => shop.zone())

  /** What each field is, required ones with a star. */
  async function demanded(token: { id: string }) {
    const now = app.clock.now()
    const caller = { merchantId: shop.id, isSandbox: true, isSecret: false }
    const row = await findCheckout(app.db, caller, token.id, now)
    if (row === null) throw new Error('There is no such token.')
    const details = await findDetails(app.db, { ...caller, now }, row.lines)
    const counted = countedProducts(row.lines).map(({ id }) => id)
    const products = await productsWithStock(app.db, caller, row.lines, await findStock(app.db, caller, counted))
    return demandsOf(row, priceCheckout(row), { ...details, products })
  }
  const fields = async (token: { id: string }) =>
    (await demanded(token)).map((demand) => `${formName(demand)}${demand.isRequired ? '*' : ''}`)
  const EMAIL = ['customer[email]*', 'customer[firstname]', 'customer[lastname]']
  const address = (whose: string) => [
    `${whose}[name]*`,
    `${whose}[street]*`,
    `${whose}[street_2]`,
    `${whose}[town_city]${whose === 'billing' ? '*' : ''}`,
    `${whose}[county_state]`,
    `${whose}[postal_zip_code]`,
    `${whose}[country]*`,
  ]
  const METHOD = 'fulfillment[shipping_method]*'
  const PAYMENT = 'payment[gateway]*'
  const ONLINE = { delivery: { physical: false } }

  it.each([
    [
      'something that is shipped',
      { delivery: { physical: true } },
      [...EMAIL, ...address('shipping'), METHOD, PAYMENT],
    ],
    ['something online', ONLINE, [...EMAIL, PAYMENT]],
    ['something free online', { ...ONLINE, price: 0 }, EMAIL],
    [
      'something with an address only',
      { ...ONLINE, collects: { shipping_address: true } },
      [...EMAIL, ...address('shipping'), PAYMENT],
    ],
    [
      'something with a name and a bill',
      { ...ONLINE, collects: { fullname: true, billing_address: true } },
      ['customer[email]*', 'customer[firstname]*', 'customer[lastname]*', ...address('billing'), PAYMENT],
    ],
    [
      'something at a price of choice',
      { ...ONLINE, pay_what_you_want: true },
      [...EMAIL, 'pay_what_you_want', PAYMENT],
    ],
  ])('follow from what is bought: %s', async (_, body, expected) => {
    expect(await fields(await shop.token({ id: (await shop.product(body)).id }))).toEqual(expected)
  })

  it('name the options that are still to be chosen, and the extra fields', async () => {
    const product = await shop.product({
      ...ONLINE,
      name: 'Shirt',
      variant_groups: [
        { name: 'Size', options: [{ name: 'S' }] },
        { name: 'Cut', options: [{ name: 'Slim' }, { name: 'Wide' }] },
      ],
      extra_fields: [{ name: 'Initials' }, { name: 'Color', type: 'radio', options: ['red', 'blue'], required: true }],
    })
    const [size, cut] = product.variant_groups
    const [initials, color] = product.extra_fields
    const token = await shop.token({ id: product.id, options: { [size?.id ?? '']: size?.options[0]?.id } })
    const lineId = token.products[0]?.id ?? ''
    const asked = await demanded(token)
    expect(asked.filter(({ path: [first] }) => first === 'line_items' || first === 'extrafields')).toEqual([
      {
        path: ['line_items', lineId, 'variants', cut?.id],
        label: 'Shirt: Cut',
        name: 'Cut',
        type: 'option',
        isRequired: true,
        isLeftToForms: false,
        options: cut?.options.map(({ id, name }) => ({ value: id, label: name })),
        rules: { options: cut?.options.map(({ id }) => id) },
      },
      {
        path: ['extrafields', initials?.id],
        label: 'Initials',
        name: 'Initials',
        type: 'text',
        isRequired: false,
        isLeftToForms: false,
        options: null,
        rules: {},
      },
      {
        path: ['extrafields', color?.id],
        label: 'Color',
        name: 'Color',
        type: 'radio',
        isRequired: true,
        isLeftToForms: false,
        options: [
          { value: 'red', label: 'red' },
          { value: 'blue', label: 'blue' },
        ],
        rules: { options: ['red', 'blue'] },
      },
    ])
    expect(asked.map(dottedPath)).toContain('customer.email')
  })

  it('ask for no payment when a gift card pays all of it, and offer the methods for the place', async () => {
    const zone = await shop.zone({ countries: ['NO'], methods: [{ description: 'Post', price: 0 }] })
    const token = await shop.token({ id: (await shop.product()).id })
    await shop.choose.giftCard(token, await shop.giftCard({ value: 10 }))
    await shop.choose.shipping(token, 'NO')
    expect(await fields(token)).toEqual([...EMAIL, ...address('shipping'), METHOD])
    const method = (await demanded(token)).find(({ type }) => type === 'shipping_method')
    expect(method?.options).toEqual([{ value: zone.methods[0]?.id, label: 'Post' }])
    const row = await findCheckout(
      app.db,
      { merchantId: shop.id, isSandbox: true, isSecret: false },
      token.id,
      app.clock.now(),
    )
    if (row === null) throw new Error('There is no such token.')
    expect(methodsFor(priceCheckout(row).methods, { country: 'SE', region: undefined })).toEqual([])
  })
})
