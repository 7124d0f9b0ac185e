// A shop that is paid by Stripe, with the bodies that storefronts send: set up over the API, paid, declined, verified, twice at once, with
// answers that get lost, held and taken, refunded. A server stands in Stripe's place.

import { afterEach, describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { runJobs } from '../../api/assets/support.ts'
import { digital, digitalBody, openCaptureShop } from '../../api/checkouts/capture-support.ts'
import { openStripe, SECRET_KEY, WEBHOOK_SECRET } from '../doubles/stripe.ts'
import { errorOf, openProviderApp, openProviderShop } from '../provider-shop.ts'

/** A gateway has two thirds of it to answer. */
const SETTLE_S = 9

const { app, double, errors, complete } = await openProviderApp(openStripe, { settleSeconds: SETTLE_S })
const config = { publishable_key: 'pk_test_double', secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET }
const shop = await openProviderShop(app, { code: 'stripe', config })
const { secret, gateway, token, change: setUp, available: availableNow } = shop

const body = (fields: Record<string, unknown>) => digitalBody({ payment: { gateway: 'stripe', stripe: fields } })
const VISA = body({ payment_method_id: 'pm_card_visa' })
const VERIFY = body({ payment_method_id: 'pm_card_threeDSecure2Required' })

/** Those that were begun while `work` ran, and what they came to. */
async function intentsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = double.intents.size
  await work()
  return [...double.intents.values()].slice(before).map(({ status }) => status)
}
/** A capture that the bank asks about: the client secret, and what the storefront sends next. */
async function ask(bought: { id: string }) {
  const asked = await shop.capture(bought, VERIFY)
  expect([asked.status, errorOf(asked).type]).toEqual([402, 'requires_verification'])
  const param = errorOf(asked).param ?? ''
  const intent = param.split('_secret_')[0] ?? ''
  return { param, intent, back: body({ payment_intent_id: intent }) }
}

afterEach(() => {
  // F51: nothing that is secret is told by the log.
  const told = [app.logged.join(''), JSON.stringify(errors)].join('')
  expect(told).not.toMatch(/sk_test_|whsec_|_secret_3|pm_card_/)
})

it('shows shoppers the publishable key alone, and merchants no secret', async () => {
  expect(gateway).toMatchObject({ enabled: true, config: { publishable_key: 'pk_test_double', capture: null } })
  expect(JSON.stringify(gateway)).not.toMatch(/sk_test_double|whsec_double/)
  const { gateways } = (await token()) as unknown as { gateways: { available: object; stripe: object } }
  expect(gateways.available).toMatchObject({ stripe: true })
  expect(gateways.stripe).toMatchObject({ type: 'card', settings: { publishable_key: 'pk_test_double' } })
})

describe('a card', () => {
  it('pays; the order names the intent, and the same capture again is the same order (F1)', async () => {
    const bought = await token()
    const order = await shop.order(bought, VISA)
    expect(order).toMatchObject({ status_payment: 'paid', sandbox: true })
    const [charge] = order.transactions
    expect(charge).toMatchObject({ gateway: 'stripe', status: 'complete', gateway_reference: '4242' })
    const intent = double.intents.get(charge?.gateway_transaction_id ?? '')
    expect(intent).toMatchObject({ status: 'succeeded', amount: 1_000, received: 1_000, currency: 'usd' })
    expect((await shop.order(bought, VISA)).id).toBe(order.id)
  })

  it('by its older token, and by the id of the gateway, pays too', async () => {
    const older = digitalBody({ payment: { gateway: 'stripe', card: { token: 'tok_visa' } } })
    expect((await shop.order(await token(), older)).status_payment).toBe('paid')
    const named = digitalBody({ payment: { gateway: gateway.id, stripe: { payment_method_id: 'pm_card_amex' } } })
    expect((await shop.order(await token(), named)).transactions).toMatchObject([{ gateway_reference: '0005' }])
  })

  it('that is declined gives everything back, and another card pays the same token (F2)', async () => {
    const before = await availableNow()
    const bought = await token()
    const declined = await shop.capture(bought, body({ payment_method_id: 'pm_card_chargeDeclinedExpiredCard' }))
    expect([declined.status, errorOf(declined)]).toEqual([
      402,
      expect.objectContaining({ type: 'gateway_error', message: 'The card has expired.' }),
    ])
    expect(await availableNow()).toBe(before)
    expect((await shop.order(bought, VISA)).status_payment).toBe('paid')
  })

  it('is 422 by its number, and the number is repeated nowhere', async () => {
    const number = digitalBody({ payment: { gateway: 'stripe', card: { number: '4242 4242 4242 4242', cvc: '123' } } })
    const refused = await shop.errors(await token(), number)
    expect(refused).toEqual({
      'payment.card.number': [
        'payment.card.number must not be sent: Stripe takes a payment method that Stripe.js has made (pm_…) in payment.stripe.payment_method_id.',
      ],
    })
  })
})

describe('a card that the bank asks about', () => {
  it('is 402 with the client secret; the intent ends it, once (F3, F4)', async () => {
    const bought = await token()
    const { param, intent, back } = await ask(bought)
    expect(param).toMatch(/^pi_\w+_secret_\w+$/)
    // The same first capture again: the same secret.
    expect(errorOf(await shop.capture(bought, VERIFY)).param).toBe(param)
    double.shopper.passes(intent)
    const withNumber = {
      gateway: 'stripe',
      stripe: { payment_intent_id: intent },
      card: { number: '4242424242424242' },
    }
    const refused = await shop.errors(bought, digitalBody({ payment: withNumber }))
    expect(Object.keys(refused)).toEqual(['payment.card.number'])
    const order = await shop.order(bought, back)
    expect(order.transactions).toMatchObject([{ gateway_reference: '3220', gateway_transaction_id: intent }])
    expect((await shop.order(bought, back)).id).toBe(order.id)
  })

  it('asks again while the shopper has not passed, and is declined when the shopper fails (F5)', async () => {
    const bought = await token()
    const { param, intent, back } = await ask(bought)
    expect(errorOf(await shop.capture(bought, back))).toMatchObject({ type: 'requires_verification', param })
    double.shopper.fails(intent)
    const failed = await shop.capture(bought, back)
    expect([failed.status, errorOf(failed).type]).toEqual([402, 'gateway_error'])
    expect((await shop.order(bought, VISA)).status_payment).toBe('paid')
  })

  it('that is abandoned is called off at Stripe after a quarter of an hour, and pays nothing later (F6)', async () => {
    const before = await availableNow()
    const bought = await token()
    const { intent, back } = await ask(bought)
    expect(await availableNow()).toBe(before - 1)
    expect(await complete(901)).toBe(1)
    expect([double.intents.get(intent)?.status, await availableNow()]).toEqual(['canceled', before])
    const late = await shop.capture(bought, back)
    expect(late.status).toBe(422)
    expect(double.intents.get(intent)).toMatchObject({ status: 'canceled', received: 0 })
  })

  it('is called off at Stripe before the shopper pays in another way (F7)', async () => {
    const bought = await token()
    const { intent } = await ask(bought)
    expect((await shop.order(bought, digitalBody())).transactions).toMatchObject([{ gateway: 'test_gateway' }])
    expect(double.intents.get(intent)?.status).toBe('canceled')
  })

  it('is called off at Stripe before another card of the shopper is charged (F7)', async () => {
    const bought = await token()
    const { intent } = await ask(bought)
    const from = double.requests.length
    expect((await shop.order(bought, VISA)).status_payment).toBe('paid')
    const posted = double.requests.slice(from).filter(({ method }) => method === 'POST')
    expect(posted.map(({ path }) => path.replace(/pi_\w+/, (id) => (id === intent ? 'first' : 'second')))).toEqual([
      '/v1/payment_intents/first/cancel',
      '/v1/payment_intents',
      '/v1/payment_intents/second/confirm',
    ])
  })

  it('pays for no other token (F8)', async () => {
    const { intent, back } = await ask(await token())
    double.shopper.passes(intent)
    expect(Object.keys(await shop.errors(await token(), back))).toEqual(['payment.stripe.payment_intent_id'])
    expect(double.intents.get(intent)?.status).toBe('requires_confirmation')
    await complete(901)
    expect(double.intents.get(intent)?.status).toBe('canceled')
  })
})

describe('at the same moment, and with answers that get lost', () => {
  it('five of the same make one order and one charge (F9)', async () => {
    const bought = await token()
    const made = await intentsOf(async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => shop.capture(bought, VISA)))
      const orders = answers.filter(({ status }) => status === 200).map((answer) => (answer.body as Order).id)
      expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
      expect(new Set(orders).size).toBe(1)
    })
    expect(made).toEqual(['succeeded'])
    expect((await shop.order(bought, VISA)).status_payment).toBe('paid')
  })

  it.each(['after', 'half', 'broken_after', 'html'] as const)(
    '%s: one order and one charge, at once (F12)',
    async (fault) => {
      double.trouble(fault, { on: /\/confirm$/ })
      const bought = await token()
      const made = await intentsOf(async () => expect((await shop.order(bought, VISA)).status_payment).toBe('paid'))
      expect(made).toEqual(['succeeded'])
    },
  )

  it('no answer in time is 504; the same capture later is the order (F13)', async () => {
    double.trouble({ slowMs: SETTLE_S * 1_000 }, { on: /\/confirm$/ })
    const bought = await token()
    expect((await shop.capture(bought, VISA)).status).toBe(504)
    app.clock.advance(SETTLE_S + 1)
    expect((await shop.order(bought, VISA)).status_payment).toBe('paid')
  })

  it.each([
    ['capture.reserved', 'canceled', 404],
    ['capture.charged', 'succeeded', 200],
    ['capture.finishing', 'succeeded', 200],
  ])('a process that dies at %s: %s at Stripe (F10, F11)', async (at, status, receipt) => {
    const bought = await token()
    const made = await intentsOf(async () => {
      onCheckpoint((name) => {
        if (name === at) throw new Error('gone')
      })
      expect((await shop.capture(bought, VISA)).status).toBe(500)
      onCheckpoint(null)
      await complete(SETTLE_S + 1)
      await complete(SETTLE_S + 1)
    })
    expect(made).toEqual([status])
    expect((await shop.receipt(bought)).status).toBe(receipt)
  })

  it('another sum than was asked for is never an order (F25)', async () => {
    double.trouble('after', { on: /\/confirm$/ })
    double.trouble('before', { on: /^GET / })
    const bought = await token()
    const before = double.intents.size
    expect((await shop.capture(bought, VISA)).status).toBe(504)
    const intent = [...double.intents.values()][before]
    if (intent === undefined) throw new Error('It was charged.')
    intent.received = 999
    await complete(SETTLE_S + 1)
    expect((await shop.receipt(bought)).status).toBe(404)
    expect(errors.map((each) => (each as { err?: Error }).err?.message)).toContainEqual(
      expect.stringMatching(/confirms 9\.99 USD, and 10\.00 USD was asked for/),
    )
    intent.received = intent.amount
    // It is asked again later and later.
    await complete(3_600)
    await shop.succeed(200, 'GET', `checkouts/${bought.id}/receipt`)
  })
})

describe('credentials', () => {
  it('that Stripe refuses: 402, nothing was paid, and the log names the gateway (F38)', async () => {
    await setUp({ secret_key: `sk_${'test'}_revoked` })
    const before = await availableNow()
    const bought = await token()
    const refused = await shop.capture(bought, VISA)
    expect([refused.status, errorOf(refused).message]).toEqual([
      402,
      expect.stringContaining('you have not been charged'),
    ])
    expect(await availableNow()).toBe(before)
    expect(app.logged.join('')).toContain('Stripe has refused the secret key')
    // F49: a new key serves what was begun with the old one.
    await setUp({ secret_key: SECRET_KEY })
    expect((await shop.order(bought, VISA)).status_payment).toBe('paid')
  })

  it('of the live mode are not used for a sandbox', async () => {
    await setUp({ secret_key: `sk_${'live'}_1` })
    const requests = double.requests.length
    expect((await shop.capture(await token(), VISA)).status).toBe(402)
    expect(double.requests).toHaveLength(requests)
    await setUp({ secret_key: SECRET_KEY })
  })
})

describe('after the payment', () => {
  it('a refund gives the money back at Stripe, once', async () => {
    const order = await shop.order(await token(), VISA)
    const id = order.transactions[0]?.gateway_transaction_id ?? ''
    double.trouble('after', { on: /^POST \/v1\/refunds$/ })
    expect((await shop.call('POST', `orders/${order.id}/refund`, {}, secret)).status).toBe(504)
    app.clock.advance(SETTLE_S + 1)
    await runJobs(app)
    const refunded = await shop.succeed<Order>(200, 'GET', `orders/${order.id}`, undefined, secret)
    expect(refunded.status_payment).toBe('refunded')
    const refunds = double.refunds.filter(({ intent }) => intent === id)
    expect(refunds.map(({ amount }) => amount)).toEqual([1_000])
    expect(refunded.transactions[1]).toMatchObject({ type: 'refund', gateway_transaction_id: refunds[0]?.id })
  })

  it('money that is only held is taken by the merchant, or let go of with the order (F40)', async () => {
    await setUp({ capture: 'manual' })
    const [taken, cancelled] = [await shop.order(await token(), VISA), await shop.order(await token(), VISA)]
    await setUp({ capture: null })
    expect([taken.status_payment, cancelled.status_payment]).toEqual(['authorized', 'authorized'])
    const stateOf = ({ transactions }: Order) =>
      double.intents.get(transactions[0]?.gateway_transaction_id ?? '')?.status
    expect([stateOf(taken), stateOf(cancelled)]).toEqual(['requires_capture', 'requires_capture'])
    const path = `orders/${taken.id}/transactions/${taken.transactions[0]?.id}`
    expect(await shop.succeed(200, 'PUT', path, { status: 'complete' }, secret)).toMatchObject({ status: 'complete' })
    expect(stateOf(taken)).toBe('succeeded')
    await shop.succeed(200, 'POST', `orders/${cancelled.id}/cancel`, {}, secret)
    await runJobs(app)
    expect(stateOf(cancelled)).toBe('canceled')
  })
})

it('a sum that Stripe cannot express is 422 before anything is asked (F26)', async () => {
  const other = await openCaptureShop(app, { currency: 'KWD' })
  await other.succeed(201, 'POST', 'gateways', { code: 'stripe', config }, other.keys.sandbox.secret)
  const fine = await other.product({ ...digital, price: 1.234 })
  const bought = await other.ofCart((await other.cart([{ id: fine.id }])).id)
  expect(await other.errors(bought, VISA)).toEqual({
    'payment.gateway': ['Stripe cannot take so fine a sum in KWD. Choose another way to pay.'],
  })
})

it('a currency that Stripe does not take is 422 before anything is held or asked (F26)', async () => {
  const other = await openCaptureShop(app, { currency: 'CUP' })
  await other.succeed(201, 'POST', 'gateways', { code: 'stripe', config }, other.keys.sandbox.secret)
  const bought = await other.ofCart((await other.cart([{ id: (await other.product(digital)).id }])).id)
  const before = double.requests.length
  expect(await other.errors(bought, VISA)).toEqual({
    'payment.gateway': ['Stripe takes no payments in CUP. Choose another way to pay.'],
  })
  expect(double.requests).toHaveLength(before)
})
