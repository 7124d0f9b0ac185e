// A checkout token that has become an order: what was bought is shown as it was, and nothing of it can be chosen any more.

import { expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { openCaptureShop } from './capture-support.ts'

const app = await testApp()
const shop = await openCaptureShop(app)
const product = await shop.product({
  price: 5,
  pay_what_you_want: true,
  variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }],
})
const [size] = product.variant_groups
const [small, large] = size?.options.map(({ id }) => id) ?? []
await shop.discount({ type: 'fixed', value: 1, code: 'LATE' })
await shop.giftCard({ value: 1, code: 'CARD' })

const MESSAGE = 'There is an order for this checkout already; it cannot be changed any more.'
const SAID = 'This order has been placed already.'

const bought = async () => {
  const token = await shop.token({ id: product.id, options: { [size?.id ?? '']: small } })
  await shop.order(token, shop.body())
  return shop.get(token)
}

it('a token with an order is refused every choice, and stays as it is', async () => {
  const token = await bought()
  const line = `check/${token.products[0]?.id}`
  app.clock.advance(1)
  for (const path of [
    `${line}/quantity?amount=2`,
    `${line}/variant?option_id=${large}`,
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
  for (const body of [{ meta: { late: true } }, { adjustments: [{ amount: 1 }] }, {}]) {
    const answer = await shop.call('PUT', `checkouts/${token.id}`, body, shop.keys.sandbox.secret)
    expect([answer.status, answer.body]).toEqual([
      409,
      { error: { type: 'conflict', message: MESSAGE }, status_code: 409 },
    ])
  }
  expect(await shop.get(token)).toEqual(token)
})

it('another token of the same cart can still be changed', async () => {
  const cart = await shop.cart([{ id: product.id }])
  const [first, second] = [await shop.ofCart(cart.id), await shop.ofCart(cart.id)]
  await shop.order(
    first,
    shop.body({ line_items: { [first.products[0]?.id ?? '']: { variants: { [size?.id ?? '']: small } } } }),
  )
  expect((await shop.call('GET', `checkouts/${second.id}/check/discount?code=LATE`)).body).toMatchObject({
    valid: true,
  })
})
