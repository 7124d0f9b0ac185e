// POST /v1/checkouts/{id} and GET /v1/checkouts/{id}/receipt: what a capture that succeeds answers, and what it leaves alone.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { errorBody } from '../../http/harness.ts'
import { sharedApp } from '../../support/app.ts'
import { matching, missing, price, replyOf, ruleSentences } from '../../support/shop.ts'
import { statementsOf } from '../statements.ts'
import { ADDRESS, CARD, CUSTOMER, digital, digitalBody, noAddress, openCaptureShop } from './capture-support.ts'
import { NOT_FOUND } from './support.ts'

// For live keys, which need HTTPS.
const app = await sharedApp()
const shop = await openCaptureShop(app)
const secret = shop.keys.sandbox.secret
await shop.succeed(201, 'POST', 'gateways', { code: 'test_redirect' }, secret)
const thing = await shop.product()
const file = await shop.product({ name: 'File', ...digital })

const NO_RECEIPT = missing('receipt')

const FIFTEEN = price(15, '15.00')
/** One thing of 10.00 that is sent for 5.00 and paid with the test card. */
const BOUGHT = {
  status_payment: 'paid',
  status_fulfillment: 'not_fulfilled',
  order_value: FIFTEEN,
  shipping: ADDRESS,
  billing: null,
  order: {
    line_items: [{ product_id: thing.id, quantity: 1, line_total: thing.price }],
    shipping: { id: shop.method, price: price(5, '5.00') },
    total_with_tax: FIFTEEN,
    total_due: FIFTEEN,
    total_paid: FIFTEEN,
    total_refundable: FIFTEEN,
  },
  payments: [{ gateway: 'test_gateway', reference: '4242', amount: FIFTEEN }],
  transactions: [{ type: 'charge', status: 'complete', gateway: 'test_gateway', amount: FIFTEEN }],
  fulfillment: { physical: { items: [{ quantity: 1, quantity_fulfilled: 0, shipping_method_id: shop.method }] } },
}

describe('a capture', () => {
  it('that is paid by card answers the order, and its receipt is the same', async () => {
    const token = await shop.token({ id: thing.id })
    expect(await replyOf(shop.call('GET', `checkouts/${token.id}/receipt`))).toEqual([404, NO_RECEIPT])

    const answer = await shop.capture(token, shop.body())
    // The golden body of the capture has the other fields.
    expect([answer.status, answer.body]).toMatchObject([200, { ...BOUGHT, checkout_token_id: token.id }])
    const receipt = await shop.call('GET', `checkouts/${token.id}/receipt`)
    expect([receipt.status, receipt.body]).toEqual([200, answer.body])
    expect([answer.headers['cache-control'], receipt.headers['cache-control']]).toEqual(['no-store', 'no-store'])
  })

  it('that is paid by hand leaves the payment open', async () => {
    const method = { code: 'manual', config: { name: 'Bank transfer' } }
    const manual = await shop.succeed<{ id: string }>(201, 'POST', 'gateways', method, secret)
    const byId = { gateway: 'manual', manual: { id: manual.id } }
    for (const payment of [{ gateway: 'manual' }, byId, { gateway: manual.id }]) {
      const token = await shop.token({ id: thing.id })
      expect(await shop.order(token, shop.body({ payment }))).toMatchObject({
        ...BOUGHT,
        status_payment: 'not_paid',
        order: { ...BOUGHT.order, total_paid: price(0, '0.00'), total_refundable: price(0, '0.00') },
        payments: [],
        transactions: [{ status: 'pending', status_reason: 'awaiting_capture', gateway: 'manual', amount: FIFTEEN }],
      })
    }
  })

  it('of which nothing is due asks no gateway, whatever its body says of paying', async () => {
    await shop.discount({ type: 'percentage', value: 100, code: 'GIFT' })
    for (const payment of [undefined, {}, { gateway: 'bitcoin', card: { number: '1' } }]) {
      const token = await shop.token({ id: file.id })
      const order = await shop.order(token, { customer: CUSTOMER, discount_code: ' gift ', payment })
      expect(order).toMatchObject({
        status_payment: 'paid',
        status_fulfillment: 'fulfilled',
        order_value: { raw: 0 },
        is: { free: true, fulfilled: true },
        shipping: noAddress,
        order: {
          line_items: [{ line_total: { raw: 10 }, taxable_amount: { raw: 0 } }],
          discount: { code: 'GIFT', value: 100, amount_saved: { raw: 10 } },
          shipping: { id: null },
          total_due: { raw: 0 },
          total_refundable: { raw: 0 },
        },
        payments: [],
        transactions: [],
        fulfillment: { physical: { items: [] }, digital: { downloads: [] } },
      })
    }
  })

  it('leaves the cart and the token as they are, and the next cart can be made', async () => {
    const cart = await shop.cart([{ id: thing.id, quantity: 2 }])
    const token = await shop.ofCart(cart.id)
    const before = await shop.get(token)
    const line_items = { [token.products[0]?.id ?? '']: { quantity: 3 } }
    const order = await shop.order(token, shop.body({ line_items, meta: { a: 1 } }))
    expect([order.cart_id, order.order.line_items[0]?.quantity]).toEqual([cart.id, 3])
    expect(await shop.get(token)).toEqual(before)
    expect((await shop.call('GET', `carts/${cart.id}`)).body).toEqual(cart)
    expect((await shop.call('GET', 'carts')).status).toBe(201)
  })

  it('that is sent again answers the same order, in whatever order its fields come; another body is refused', async () => {
    const token = await shop.token({ id: file.id })
    const body = { customer: { email: 'a@example.com', phone: '1' }, payment: CARD, meta: { x: [1, 2] } }
    const order = await shop.order(token, body)
    const turned = { meta: body.meta, payment: CARD, customer: { phone: '1', email: 'a@example.com' } }
    expect(await shop.order(token, turned)).toEqual(order)
    const message = 'There is an order for this checkout token already, and it was captured with another body.'
    for (const other of [{ ...body, meta: { x: [2, 1] } }, {}])
      expect((await shop.capture(token, other)).body).toEqual(errorBody(409, 'conflict', message))
  })

  it('of a token that has expired is none, and its receipt stays', async () => {
    const [bought, late] = [await shop.token({ id: file.id }), await shop.token({ id: file.id })]
    const order = await shop.order(bought, digitalBody())
    app.clock.advance(8 * 86_400)
    expect((await shop.capture(late, digitalBody())).body).toEqual(NOT_FOUND)
    expect((await shop.call('GET', `checkouts/${bought.id}/receipt`)).body).toEqual(order)
  })

  it('with an Idempotency-Key gets its order or its decline again, but nothing that is still under way', async () => {
    const send = async (token: { id: string }, name: string, payment: Record<string, unknown>) => {
      const headers = { 'idempotency-key': name }
      const sent = { key: shop.keys.sandbox.public, body: digitalBody({ payment }), headers }
      const answer = await app.call('POST', `/v1/checkouts/${token.id}`, sent)
      return { ...answer, isReplayed: answer.headers['idempotency-replayed'] === 'true' }
    }
    const card = (number: string) => ({ gateway: 'test_gateway', card: { number } })

    const elsewhere = await shop.token({ id: file.id })
    const redirected = await send(elsewhere, 'one', { gateway: 'test_redirect' })
    const { paykey } = redirected.body as { paykey: string }
    expect([redirected.status, redirected.isReplayed]).toEqual([200, false])
    await app.call('POST', `/test-gateway/${shop.id}/${paykey}/approve`)
    for (const isReplayed of [false, true]) {
      const paid = { isReplayed, body: { status_payment: 'paid' } }
      expect(await send(elsewhere, 'one', { gateway: 'test_redirect' })).toMatchObject(paid)
    }

    const verified = await shop.token({ id: file.id })
    const asked = await send(verified, 'two', card('4000 0000 0000 3220'))
    const { param } = (asked.body as { error: { param: string } }).error
    const confirmation = { gateway: 'test_gateway', test_gateway: { payment_intent_id: param } }
    for (const isReplayed of [false, true])
      expect(await send(verified, 'two', confirmation)).toMatchObject({ status: 200, isReplayed })

    const declined = await shop.token({ id: file.id })
    for (const isReplayed of [false, true])
      expect(await send(declined, 'three', card('4000 0000 0000 0002'))).toMatchObject({ status: 402, isReplayed })
  })

  it('shows public keys nothing that the merchant has written about the order since', async () => {
    const token = await shop.token({ id: file.id })
    const order = await shop.order(token, digitalBody())
    const [charge] = order.transactions
    const note = { notes: 'Rude on the phone', meta: { risk: 'high' } }
    await shop.succeed(200, 'PUT', `orders/${order.id}/transactions/${charge?.id}`, note, secret)
    await shop.succeed(200, 'POST', `orders/${order.id}/refund`, { reason: 'A nuisance' }, secret)
    await shop.succeed(200, 'POST', `orders/${order.id}/cancel`, { reason: 'Never again' }, secret)
    const receipt = (key?: string) => shop.call('GET', `checkouts/${token.id}/receipt`, undefined, key)
    const whole = (await receipt(secret)).body as Order
    expect(whole).toMatchObject({
      cancel_reason: 'Never again',
      refunds: [{ reason: 'A nuisance' }],
      transactions: [note, { reason: 'A nuisance' }],
    })
    const blanked = {
      ...whole,
      cancel_reason: null,
      refunds: whole.refunds.map((refund) => ({ ...refund, reason: null })),
      transactions: whole.transactions.map((each) => ({ ...each, notes: '', meta: null, reason: null })),
    }
    expect((await receipt()).body).toEqual(blanked)
    expect(await shop.order(token, digitalBody())).toEqual(blanked)
    expect(await shop.order(token, digitalBody(), secret)).toEqual(whole)
  })

  it('is prepared in two statements, and one for each code that the token does not have', async () => {
    await shop.discount({ type: 'fixed', value: 1, code: 'ONE' })
    await shop.giftCard({ value: 5, code: 'FIVE' })
    const reads = async (body: Record<string, unknown>) => {
      const token = await shop.token({ id: thing.id })
      const sent = await statementsOf(() => shop.capture(token, body))
      return sent.filter((name) => !name.startsWith('capture.') && !name.startsWith('signing_secrets.'))
    }
    const prepared = ['checkouts.find', 'checkouts.find_capture_facts']
    expect((await reads(shop.body())).slice(0, 2)).toEqual(prepared)
    const entered = await reads(shop.body({ discount_code: 'ONE', giftcard_code: 'FIVE' }))
    expect([entered[0], entered.slice(1, 4).sort()]).toEqual([
      'checkouts.find',
      ['checkouts.find_capture_facts', 'discounts.guess_usable', 'gift_cards.guess_usable'],
    ])
  })
})

describe('the customer of a capture', () => {
  it('is made from the e-mail address, and known by it again, whatever its case', async () => {
    const bought = async (customer: Record<string, unknown>) =>
      (await shop.order(await shop.token({ id: file.id }), digitalBody({ customer }))).customer
    const grace = { firstname: 'Grace', lastname: 'Hopper', phone: '+1 555' }
    const first = await bought({ email: ' Grace@Example.com ', ...grace })
    expect(first).toEqual({ id: matching('cstmr_'), email: 'Grace@Example.com', ...grace })
    // Nothing that is stored comes back: who sends an address need not be its owner.
    expect(await bought({ email: 'grace@example.com' })).toEqual({ id: first.id, email: 'grace@example.com' })
    const other = { id: first.id, email: 'other@example.com' }
    expect(await bought({ ...other, firstname: ' ' })).toEqual(other)
  })

  it('who is named by id alone is shown to public keys without the address that is stored', async () => {
    const email = 'known@example.com'
    const { id } = (await shop.order(await shop.token({ id: file.id }), digitalBody({ customer: { email } }))).customer
    const token = await shop.token({ id: file.id })
    const body = digitalBody({ customer: { id } })
    const seenBy = async (key?: string) => {
      const receipt = await shop.call('GET', `checkouts/${token.id}/receipt`, undefined, key)
      return [(await shop.order(token, body, key)).customer, (receipt.body as Order).customer]
    }
    expect((await shop.order(token, body)).customer).toEqual({ id, email: '' })
    expect(await seenBy()).toEqual(Array(2).fill({ id, email: '' }))
    expect(await seenBy(secret)).toEqual(Array(2).fill({ id, email }))
  })

  it('is one of this merchant and of this mode', async () => {
    const other = await openCaptureShop(app)
    const foreign = await other.order(await other.token({ id: (await other.product(digital)).id }), digitalBody())
    const refusal = ruleSentences({ 'customer.id': 'must be the id of a customer.' })
    for (const id of [foreign.customer.id, 'cstmr_1'])
      expect(await shop.errors(await shop.token({ id: file.id }), digitalBody({ customer: { id } }))).toEqual(refusal)
    const own = await shop.order(await shop.token({ id: file.id }), digitalBody())
    const key = shop.keys.live.public
    const live = await shop.ofCart((await shop.cart([{ id: file.id }], key)).id, key)
    const body = digitalBody({ customer: { id: own.customer.id }, discount_code: 'GIFT' })
    expect(await shop.errors(live, body, key)).toEqual(refusal)
  })
})

it('an address that is not asked for is kept with the order', async () => {
  const token = await shop.token({ id: file.id })
  const billing = { ...ADDRESS, street_2: 'Floor 2', country: 'us', meta: { vat: '1' }, delivery_instructions: 'Ring' }
  const order = await shop.order(token, digitalBody({ shipping: { name: 'Ada' }, billing }))
  expect([order.shipping, order.billing]).toEqual([
    { ...noAddress, name: 'Ada' },
    { ...noAddress, ...billing, country: 'US' },
  ])
  expect(order.collected).toMatchObject({ shipping_address: true, billing_address: true })
})
