// No number of a card is kept in a field that is for something else: what holds one is refused by its path, and nothing is charged or stored.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { replyOf } from '../../support/shop.ts'
import { digital, digitalBody, openCaptureShop } from './capture-support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const { keys } = shop
const field = { name: 'Engraving', type: 'text', required: false }
const product = await shop.product({ price: 10, ...digital, extra_fields: [field] })
const [extra = { id: '' }] = (product as unknown as { extra_fields: { id: string }[] }).extra_fields
const newCart = () => shop.cart([{ id: product.id, quantity: 1 }])
const send = (method: 'POST' | 'PUT', path: string, body: unknown, key = keys.sandbox.public) =>
  app.call(method, `/v1/${path}`, { key, body })

const NUMBER = '4242 4242 4242 4242'
const errorsFor = (...paths: string[]) =>
  Object.fromEntries(
    paths.map((path) => [
      path,
      [`${path} must not hold the number of a payment card. Send cards to the payment provider only.`],
    ]),
  )

describe('a capture', () => {
  it.each<[string, string[], Record<string, unknown>]>([
    ['meta', ['meta.note'], { meta: { note: NUMBER } }],
    ['meta, as a number', ['meta.pan'], { meta: { pan: 4242424242424242 } }],
    ['meta, in a list', ['meta.list.1.deep'], { meta: { list: ['x', { deep: `pay with ${NUMBER}` }] } }],
    ['meta, as a name', ['meta'], { meta: { '4242-4242-4242-4242': 'yes' } }],
    ['meta of the customer', ['customer.meta.a'], { customer: { email: 'a@example.com', meta: { a: NUMBER } } }],
    ['name of the customer', ['customer.lastname'], { customer: { email: 'a@example.com', lastname: NUMBER } }],
    ['billing address', ['billing.street'], { billing: { street: NUMBER } }],
    [
      'shipping address',
      ['shipping.delivery_instructions', 'shipping.meta.b'],
      { shipping: { delivery_instructions: `Use ${NUMBER}`, meta: { b: '378282246310005' } } },
    ],
    ['extra field', [`extrafields.${extra.id}`], { extrafields: { [extra.id]: NUMBER } }],
  ])('with one in the %s is 422 by %j, and can be sent again without it', async (_, paths, more) => {
    const token = await shop.ofCart((await newCart()).id)
    const refused = await send('POST', `checkouts/${token.id}`, digitalBody(more))
    expect(refused.status).toBe(422)
    expect((refused.body as { error: { errors: unknown } }).error.errors).toMatchObject(errorsFor(...paths))
    expect(refused.text.replace(/\D/g, '')).not.toContain('42424242')
    const accepted = await send('POST', `checkouts/${token.id}`, digitalBody())
    expect([accepted.status, accepted.text]).toEqual([200, accepted.text])
  })

  it('takes what only looks like one', async () => {
    const token = await shop.ofCart((await newCart()).id)
    const meta = { ean: '4006381333931', at: 1767323045000, phone: '+49 151 12345678', order: '4242424242424241' }
    expect(await replyOf(send('POST', `checkouts/${token.id}`, digitalBody({ meta })))).toMatchObject([200, { meta }])
  })
})

it('a cart, a checkout, a customer and an address keep none either', async () => {
  const cart = await newCart()
  const meta = { note: NUMBER }
  const token = await shop.ofCart(cart.id)
  const secret = keys.sandbox.secret
  const customer = await send('POST', 'customers', { email: 'kept@example.com' }, secret)
  const { id } = customer.body as { id: string }
  for (const [method, path, body, field] of [
    ['PUT', `carts/${cart.id}`, { meta }, 'meta.note'],
    ['PUT', `checkouts/${token.id}`, { meta }, 'meta.note'],
    ['PUT', `customers/${id}`, { meta }, 'meta.note'],
    ['POST', 'customers', { email: 'other@example.com', meta }, 'meta.note'],
    ['POST', `customers/${id}/addresses`, { meta }, 'meta.note'],
    ['POST', `customers/${id}/addresses`, { street: NUMBER }, 'street'],
  ] as const) {
    const answer = await send(method, path, body, secret)
    expect([path, answer.status, answer.body]).toMatchObject([path, 422, { error: { errors: errorsFor(field) } }])
  }
})
