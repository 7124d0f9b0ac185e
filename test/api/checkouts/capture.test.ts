// POST /v1/checkouts/{id} and GET /v1/checkouts/{id}/receipt: what a capture that succeeds answers, and what it leaves alone.

import { describe, expect, it } from 'vitest'
import { setMerchantDisabled } from '../../../src/api/merchants/merchant.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { testApp } from '../../support/app.ts'
import { matching, ORIGIN, price } from '../../support/shop.ts'
import { toldOf } from '../words.ts'
import {
  ADDRESS,
  CARD,
  CUSTOMER,
  digital,
  digitalBody,
  noAddress,
  openCaptureShop,
  orderFlags,
  orderOf,
} from './capture-support.ts'
import { NOT_FOUND, statementsOf, UNKNOWN_ID } from './support.ts'

// For live keys, which need HTTPS.
const app = await testApp({ trustProxy: () => true })
const shop = await openCaptureShop(app)
const secret = shop.keys.sandbox.secret
await shop.succeed(201, 'POST', 'gateways', { code: 'test_redirect' }, secret)
const thing = await shop.product()
const file = await shop.product({ name: 'File', ...digital })

const NO_RECEIPT = {
  error: toldOf({ type: 'not_found', message: 'There is no receipt with that id.' }),
  status_code: 404,
}

describe('a capture', () => {
  it('that is paid by card answers the order, and its receipt is the same', async () => {
    const token = await shop.token({ id: thing.id })
    const before = await shop.call('GET', `checkouts/${token.id}/receipt`)
    expect([before.status, before.body]).toEqual([404, NO_RECEIPT])

    const answer = await shop.capture(token, shop.body())
    expect([answer.status, answer.body]).toEqual([200, orderOf(app, shop, token, thing)])
    const receipt = await shop.call('GET', `checkouts/${token.id}/receipt`)
    expect([receipt.status, receipt.body]).toEqual([200, answer.body])
    expect([answer.headers['cache-control'], receipt.headers['cache-control']]).toEqual(['no-store', 'no-store'])
  })

  it('that is paid by hand leaves the payment open', async () => {
    const manual = await shop.succeed<{ id: string }>(
      201,
      'POST',
      'gateways',
      { code: 'manual', config: { name: 'Bank transfer' } },
      secret,
    )
    for (const payment of [
      { gateway: 'manual' },
      { gateway: 'manual', manual: { id: manual.id } },
      { gateway: manual.id },
    ]) {
      const token = await shop.token({ id: thing.id })
      const { transactions, ...order } = orderOf(app, shop, token, thing)
      expect(await shop.order(token, shop.body({ payment }))).toEqual({
        ...order,
        status_payment: 'not_paid',
        order: { ...order.order, total_paid: price(0, '0.00'), total_refundable: price(0, '0.00') },
        payments: [],
        transactions: [
          {
            ...transactions[0],
            status: 'pending',
            status_reason: 'awaiting_capture',
            charge_date: null,
            gateway: 'manual',
            gateway_name: 'Manual payment',
            gateway_transaction_id: null,
            gateway_reference: null,
            payment_source_type: null,
            payment_source: { brand: null, country: null, billing_zip_postal_code: null },
          },
        ],
      })
    }
  })

  it('of which nothing is due asks no gateway, whatever its body says of paying', async () => {
    await shop.discount({ type: 'percentage', value: 100, code: 'GIFT' })
    for (const payment of [undefined, {}, { gateway: 'bitcoin', card: { number: '1' } }]) {
      const token = await shop.token({ id: file.id })
      const order = await shop.order(token, { customer: CUSTOMER, discount_code: ' gift ', payment })
      const { order: bought, ...plain } = orderOf(app, shop, token, file)
      const [zero, ten] = [price(0, '0.00'), price(10, '10.00')]
      const tax = { ...plain.tax, zone: { country: null, region: null, postal_zip_code: null, ip_address: null } }
      expect(order).toEqual({
        ...plain,
        status_fulfillment: 'fulfilled',
        order_value: zero,
        ...orderFlags({
          collected: { shipping_address: false },
          has: { physical_fulfillment: false, discounts: true },
          is: { free: true, fulfilled: true },
        }),
        shipping: noAddress,
        order: {
          ...bought,
          line_items: [
            {
              ...bought.line_items[0],
              taxable_amount: zero,
              tax: { ...bought.line_items[0]?.tax, taxable_amount: zero },
            },
          ],
          discount: { type: 'percentage', code: 'GIFT', value: 100, amount_saved: ten, product_ids: [] },
          shipping: { id: null, description: null, provider: 'chec', price: zero },
          tax,
          total: zero,
          total_with_tax: zero,
          total_due: zero,
          total_paid: zero,
          total_refundable: zero,
        },
        tax,
        payments: [],
        transactions: [],
        fulfillment: { physical: { items: [], shipments: [] }, digital: { downloads: [] } },
      })
    }
  })

  it('leaves the cart and the token as they are, and the next cart can be made', async () => {
    const cart = await shop.cart([{ id: thing.id, quantity: 2 }])
    const token = await shop.ofCart(cart.id)
    const before = await shop.get(token)
    const order = await shop.order(
      token,
      shop.body({ line_items: { [token.products[0]?.id ?? '']: { quantity: 3 } }, meta: { a: 1 } }),
    )
    expect([order.cart_id, order.order.line_items[0]?.quantity]).toEqual([cart.id, 3])
    expect(await shop.get(token)).toEqual(before)
    expect((await shop.call('GET', `carts/${cart.id}`)).body).toEqual(cart)
    expect((await shop.call('GET', 'carts')).status).toBe(201)
  })

  it('that is sent again answers the same order, in whatever order its fields come; another body is refused', async () => {
    const token = await shop.token({ id: file.id })
    const order = await shop.order(token, {
      customer: { email: 'a@example.com', phone: '1' },
      payment: CARD,
      meta: { x: [1, 2] },
    })
    expect(
      await shop.order(token, { meta: { x: [1, 2] }, payment: CARD, customer: { phone: '1', email: 'a@example.com' } }),
    ).toEqual(order)
    for (const other of [
      { customer: { email: 'a@example.com', phone: '1' }, payment: CARD, meta: { x: [2, 1] } },
      {},
    ]) {
      const answer = await shop.capture(token, other)
      expect([answer.status, answer.body]).toEqual([
        409,
        {
          error: toldOf({
            type: 'conflict',
            message: 'There is an order for this checkout token already, and it was captured with another body.',
          }),
          status_code: 409,
        },
      ])
    }
  })

  it('may be made with the secret key, and by nobody who does not know the token', async () => {
    const token = await shop.token({ id: file.id })
    const other = await openCaptureShop(app)
    for (const key of [other.keys.sandbox.public, other.keys.sandbox.secret, shop.keys.live.secret]) {
      const foreign = await shop.capture(token, digitalBody(), key)
      expect([foreign.status, foreign.body]).toEqual([404, NOT_FOUND])
    }
    const unknown = await shop.capture({ id: UNKNOWN_ID }, digitalBody())
    expect([unknown.status, unknown.body]).toEqual([404, NOT_FOUND])

    const order = await shop.order(token, digitalBody(), secret)
    expect(order).toMatchObject({ checkout_token_id: token.id, status_payment: 'paid' })
    for (const key of [other.keys.sandbox.public, shop.keys.live.public]) {
      const receipt = await shop.call('GET', `checkouts/${token.id}/receipt`, undefined, key)
      expect([receipt.status, receipt.body]).toEqual([404, NO_RECEIPT])
    }
    const unread = await shop.call('GET', `checkouts/${UNKNOWN_ID}/receipt`)
    expect([unread.status, unread.body]).toEqual([404, NO_RECEIPT])
  })

  it('of a token that has expired is none, and its receipt stays', async () => {
    const [bought, late] = [await shop.token({ id: file.id }), await shop.token({ id: file.id })]
    const order = await shop.order(bought, digitalBody())
    app.clock.advance(8 * 86_400)
    expect((await shop.capture(late, digitalBody())).body).toEqual(NOT_FOUND)
    expect((await shop.call('GET', `checkouts/${bought.id}/receipt`)).body).toEqual(order)
  })

  it('is refused while the account of the merchant is disabled, and nothing is charged', async () => {
    const closed = await openCaptureShop(app)
    const token = await closed.token({ id: (await closed.product(digital)).id })
    await setMerchantDisabled(app, closed.id, true)
    // Until this process has heard of it.
    await expect.poll(async () => (await closed.capture({ id: UNKNOWN_ID }, {})).status).toBe(402)
    const answer = await closed.capture(token, digitalBody())
    expect([answer.status, answer.body]).toEqual([
      402,
      {
        error: toldOf({
          type: 'account_limitation',
          message: 'The account of this shop is disabled: nothing can be bought at the moment.',
        }),
        status_code: 402,
      },
    ])
    expect((await closed.call('GET', `checkouts/${token.id}/receipt`)).status).toBe(404)
  })

  it('that is declined leaves the token usable for another card; one to be verified tells how, and goes on', async () => {
    const token = await shop.token({ id: file.id })
    const card = (number: string) => digitalBody({ payment: { gateway: 'test_gateway', card: { number } } })
    const declined = await shop.capture(token, card('4000 0000 0000 0002'))
    expect([declined.status, declined.body]).toEqual([
      402,
      { error: toldOf({ type: 'gateway_error', message: expect.any(String) }), status_code: 402 },
    ])
    const asked = await shop.capture(token, card('4000 0000 0000 3220'))
    const param = (asked.body as { error: { param: string } }).error.param
    expect([asked.status, asked.body]).toEqual([
      402,
      { error: toldOf({ type: 'requires_verification', message: expect.any(String), param }), status_code: 402 },
    ])
    const payment = { gateway: 'test_gateway', test_gateway: { payment_intent_id: param } }
    expect(await shop.order(token, digitalBody({ payment }))).toMatchObject({ status_payment: 'paid' })
  })

  it('with an Idempotency-Key gets its order or its decline again, but nothing that is still under way', async () => {
    const send = async (token: { id: string }, name: string, payment: Record<string, unknown>) => {
      const headers = { 'idempotency-key': name }
      const url = `/v1/checkouts/${token.id}`
      const answer = await app.call('POST', url, {
        key: shop.keys.sandbox.public,
        body: digitalBody({ payment }),
        headers,
      })
      return { ...answer, isReplayed: answer.headers['idempotency-replayed'] === 'true' }
    }
    const card = (number: string) => ({ gateway: 'test_gateway', card: { number } })

    const elsewhere = await shop.token({ id: file.id })
    const redirected = await send(elsewhere, 'one', { gateway: 'test_redirect' })
    const { paykey } = redirected.body as { paykey: string }
    expect([redirected.status, redirected.isReplayed]).toEqual([200, false])
    await app.call('POST', `/test-gateway/${shop.id}/${paykey}/approve`)
    for (const isReplayed of [false, true])
      expect(await send(elsewhere, 'one', { gateway: 'test_redirect' })).toMatchObject({
        isReplayed,
        body: { status_payment: 'paid' },
      })

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

  it('by a gateway that redirects answers where to send the shopper', async () => {
    const token = await shop.token({ id: file.id })
    const answer = await shop.capture(token, digitalBody({ payment: { gateway: 'test_redirect' } }))
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        payment_redirect: true,
        gateway: 'test_redirect',
        payment_id: (answer.body as { paykey: string }).paykey,
        paykey: expect.any(String),
        redirect_url: expect.stringContaining(`${ORIGIN}/`),
      },
    ])
    expect((await shop.call('GET', `checkouts/${token.id}/receipt`)).status).toBe(404)
  })

  it('is prepared in two statements, and one for each code that the token does not have', async () => {
    await shop.discount({ type: 'fixed', value: 1, code: 'ONE' })
    await shop.giftCard({ value: 5, code: 'FIVE' })
    const reads = async (body: Record<string, unknown>) => {
      const token = await shop.token({ id: thing.id })
      const sent = await statementsOf(app, () => shop.capture(token, body))
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
    const first = await bought({
      email: ' Grace@Example.com ',
      firstname: 'Grace',
      lastname: 'Hopper',
      phone: '+1 555',
    })
    expect(first).toEqual({
      id: matching('cstmr_'),
      email: 'Grace@Example.com',
      firstname: 'Grace',
      lastname: 'Hopper',
      phone: '+1 555',
    })
    // Nothing that is stored comes back: who sends an address need not be its owner.
    expect(await bought({ email: 'grace@example.com' })).toEqual({ id: first.id, email: 'grace@example.com' })
    expect(await bought({ id: first.id, email: 'other@example.com', firstname: ' ' })).toEqual({
      id: first.id,
      email: 'other@example.com',
    })
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
    expect(await seenBy()).toEqual([
      { id, email: '' },
      { id, email: '' },
    ])
    expect(await seenBy(secret)).toEqual([
      { id, email },
      { id, email },
    ])
  })

  it('is one of this merchant and of this mode', async () => {
    const other = await openCaptureShop(app)
    const foreign = await other.order(await other.token({ id: (await other.product(digital)).id }), digitalBody())
    const sentence = 'customer.id must be the id of a customer.'
    for (const id of [foreign.customer.id, 'cstmr_1'])
      expect(await shop.errors(await shop.token({ id: file.id }), digitalBody({ customer: { id } }))).toEqual({
        'customer.id': [sentence],
      })
    const own = await shop.order(await shop.token({ id: file.id }), digitalBody())
    const live = await shop.ofCart(
      (await shop.cart([{ id: file.id }], shop.keys.live.public)).id,
      shop.keys.live.public,
    )
    const body = digitalBody({ customer: { id: own.customer.id }, discount_code: 'GIFT' })
    expect(await shop.errors(live, body, shop.keys.live.public)).toEqual({ 'customer.id': [sentence] })
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
