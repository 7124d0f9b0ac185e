// Rules for every request about a token: when it can be changed, what a request costs, and which parameters it needs. The access matrix
// proves who may send them.

import { expect, it } from 'vitest'
import { changeCheckoutLine } from '../../../src/api/checkouts/checks/change.ts'
import {
  saveCustomerSetPrice,
  saveDiscount,
  saveGiftCard,
  saveIntegrationData,
  saveShipping,
  saveTaxZone,
  type TokenAt,
} from '../../../src/api/checkouts/store.ts'
import { errorBody } from '../../http/harness.ts'
import { sharedApp } from '../../support/app.ts'
import { rowTexts } from '../../support/rows.ts'
import { DAY, errorReply, replyOf } from '../../support/shop.ts'
import { statementsOf } from '../statements.ts'
import { openCaptureShop } from './capture-support.ts'
import { UNKNOWN_ID } from './support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const { product, group, small, large } = await shop.sized({ price: 5, pay_what_you_want: true })
await shop.discount({ type: 'fixed', value: 1, code: 'LATE' })
await shop.giftCard({ value: 1, code: 'CARD' })

const MESSAGE = 'This checkout has been ordered and can no longer be changed.'
const SAID = 'This order has been placed already.'

const bought = async () => {
  const token = await shop.token({ id: product.id, options: small })
  await shop.order(token, shop.body())
  return shop.get(token)
}

it('a token with an order is refused every choice, and stays as it is', async () => {
  const token = await bought()
  const line = `check/${token.products[0]?.id}`
  app.clock.advance(1)
  for (const path of [
    `${line}/quantity?amount=2`,
    `${line}/variant?option_id=${large[group]}`,
    'check/discount?code=LATE',
    'check/discount?code=',
    'check/giftcard?code=CARD',
    'check/giftcard?code=',
    `check/shipping?shipping_option_id=${shop.method}&country=US`,
    'check/pay_what_you_want?customer_set_price=9',
    'helper/set_tax_zone?country=US',
  ]) {
    const answer = await shop.call('GET', `checkouts/${token.id}/${path}`)
    const { valid, available, message, live } = answer.body as Record<string, unknown>
    expect([path, answer.status, valid ?? available, message, live]).toEqual([path, 200, false, SAID, token.live])
  }
  expect(await shop.get(token)).toEqual(token)
})

it('a token with an order is not updated by an integration: 409', async () => {
  const token = await bought()
  for (const body of [{ meta: { late: true } }, { adjustments: [{ amount: 1 }] }, {}])
    expect(await replyOf(shop.call('PUT', `checkouts/${token.id}`, body, shop.keys.sandbox.secret))).toEqual(
      errorReply(409, { type: 'conflict', message: MESSAGE }),
    )
  expect(await shop.get(token)).toEqual(token)
})

it('another token of the same cart can still be changed', async () => {
  const cart = await shop.cart([{ id: product.id }])
  const [first, second] = [await shop.ofCart(cart.id), await shop.ofCart(cart.id)]
  await shop.order(first, shop.body({ line_items: { [first.products[0]?.id ?? '']: { variants: small } } }))
  const { body } = await shop.call('GET', `checkouts/${second.id}/check/discount?code=LATE`)
  expect(body).toMatchObject({ valid: true })
})

const stored = () => rowTexts(app.db, shop.id, 'checkouts', 'checkout_lines')

it('a choice is saved on a token that is alive, in its own mode, and on no other', async () => {
  const plain = await shop.product()
  const token = await shop.token({ id: plain.id })
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
      const changed = await changeCheckoutLine(app.db, { ...at, isSecret: false }, lineId, more)
      return typeof changed === 'object' && changed.isAccepted
    },
    (at) => saveIntegrationData(app.db, at, { meta: { saved: true } }),
  ]
  const alive = shop.tokenAt(token)
  const expired = new Date(alive.now.getTime() + 7 * DAY * 1_000)
  const before = await stored()
  for (const save of saves)
    for (const dead of [
      { ...alive, id: UNKNOWN_ID },
      { ...alive, is_sandbox: false },
      { ...alive, merchant_id: shop.id + 1 },
      { ...alive, now: expired },
    ])
      expect([await save(dead), await stored()]).toEqual([false, before])
  const unknown = await changeCheckoutLine(app.db, { ...alive, isSecret: false }, `item_${'0'.repeat(26)}`, more)
  expect([unknown, await stored()]).toEqual(['no line', before])

  app.clock.advance(1)
  for (const save of saves) {
    const was = await stored()
    expect(await save(shop.tokenAt(token))).toBe(true)
    expect(await stored()).not.toEqual(was)
    expect((await shop.get(token)).updated).toBe(token.updated + 1)
  }
  expect((await shop.live(token)).line_items[0]?.quantity).toBe(3)
})

const PLACE = 'country, or ip_address,'
const PLAIN = ['checkouts.find']
const SHOWN = ['checkouts.find', 'checkouts.find_details']
/** A choice is saved and shown in one transaction. */
const saving = (name: string) => ['begin', `checkouts.${name}`, 'checkouts.find', 'commit']

it.each([
  ['TOKEN/live', PLAIN],
  ['tokens/TOKEN', SHOWN],
  ['CART?type=cart', ['checkouts.find_in_cart', 'checkouts.insert']],
  ['PRODUCT?type=product_id', ['checkouts.find_product', 'checkouts.insert']],
  ['PERMALINK', ['checkouts.find_product_by_permalink', 'checkouts.insert']],
  ['TOKEN/check/discount?code=LATE', ['discounts.guess_usable', ...saving('set_discount')]],
  ['TOKEN/check/giftcard?code=CARD', ['gift_cards.guess_usable', ...saving('set_gift_card')]],
  ['TOKEN/check/shipping?id=METHOD&country=US', ['checkouts.find', ...saving('set_shipping')]],
  ['TOKEN/check/pay_what_you_want?customer_set_price=9', ['checkouts.find', ...saving('set_customer_set_price')]],
  ['TOKEN/check/is_free', PLAIN],
  ['TOKEN/helper/shipping_options?country=US', PLAIN],
  ['TOKEN/helper/set_tax_zone?country=US', saving('set_tax_zone')],
  ['TOKEN/helper/location_from_ip', ['checkouts.find_id']],
  ['TOKEN/helper/validation', SHOWN],
  ['TOKEN/fields', SHOWN],
])('%s costs these statements and no more: %j', async (path, statements) => {
  const cart = await shop.cart([{ id: product.id }])
  const names = { TOKEN: (await shop.ofCart(cart.id)).id, CART: cart.id, PRODUCT: product.id, METHOD: shop.method }
  const values = Object.entries({ ...names, PERMALINK: product.permalink })
  const filled = values.reduce((text, [name, value]) => text.replace(name, value), path)
  const call = async () => {
    const answer = await shop.call('GET', `checkouts/${filled}`)
    expect([answer.status < 300, answer.headers['cache-control']]).toEqual([true, 'no-store'])
  }
  expect(await statementsOf(call)).toEqual(statements)
})

it.each([
  ['check/discount', 'code'],
  ['check/giftcard', 'code'],
  ['check/pay_what_you_want', 'customer_set_price'],
  ['check/shipping?country=US', 'shipping_option_id'],
  ['check/shipping?shipping_option_id=ship_x', 'country'],
  ['check/LINE/variant', 'variant_id'],
  ['check/LINE/variant?group_id=vgrp_x', 'option_id'],
  ['helper/shipping_options?region=BC', 'country'],
  ...['', '?region=BC', '?country=', '?ip_address='].map((query) => [`helper/set_tax_zone${query}`, PLACE]),
])('%s is a 400 that names what is missing: %s', async (path, missing) => {
  const { id, products } = await shop.token({ id: product.id })
  const answer = await shop.call('GET', `checkouts/${id}/${path.replace('LINE', products[0]?.id ?? '')}`)
  const message = `The query parameter ${missing} is required.`
  expect([answer.status, answer.body]).toEqual([400, errorBody(400, 'bad_request', message)])
})

it('protect is a script that does nothing, whatever the token', async () => {
  const answer = await shop.call('GET', `checkouts/${UNKNOWN_ID}/protect`)
  expect([answer.status, answer.body, answer.headers['cache-control']]).toEqual([200, { sift_js: '' }, 'no-store'])
})
