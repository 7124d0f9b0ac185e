// Captures by Stripe beyond ../every-provider/capture: older tokens, cards that the bank asks about, and sums.

import { afterEach, describe, expect, it } from 'vitest'
import { digital, digitalBody, openCaptureShop } from '../../api/checkouts/capture-support.ts'
import { openStripe, SECRET_KEY, WEBHOOK_SECRET } from '../doubles/stripe.ts'
import { errorOf, openProviderApp, openProviderShop } from '../provider-shop.ts'

const { app, double, errors, complete } = await openProviderApp(openStripe)
const config = { publishable_key: 'pk_test_double', secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET }
const shop = await openProviderShop(app, { code: 'stripe', config })
const { gateway, token } = shop

const body = (fields: Record<string, unknown>) => digitalBody({ payment: { gateway: 'stripe', stripe: fields } })
const VISA = body({ payment_method_id: 'pm_card_visa' })
const VERIFY = body({ payment_method_id: 'pm_card_threeDSecure2Required' })

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

it('is paid by an older token, and by the id of the gateway', async () => {
  const older = digitalBody({ payment: { gateway: 'stripe', card: { token: 'tok_visa' } } })
  expect((await shop.order(await token(), older)).status_payment).toBe('paid')
  const named = digitalBody({ payment: { gateway: gateway.id, stripe: { payment_method_id: 'pm_card_amex' } } })
  expect((await shop.order(await token(), named)).transactions).toMatchObject([{ gateway_reference: '0005' }])
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

it.each([
  ['KWD', 1.234, 'Stripe cannot take so fine a sum in KWD.'],
  ['CUP', 10, 'Stripe takes no payments in CUP.'],
])('a sum in %s of %d is 422 before anything is held or asked (F26)', async (currency, price, sentence) => {
  const other = await openCaptureShop(app, { currency })
  await other.succeed(201, 'POST', 'gateways', { code: 'stripe', config }, other.keys.sandbox.secret)
  const product = await other.product({ ...digital, price })
  const bought = await other.ofCart((await other.cart([{ id: product.id }])).id)
  const before = double.requests.length
  const problems = { 'payment.gateway': [`${sentence} Choose another way to pay.`] }
  expect(await other.errors(bought, VISA)).toEqual(problems)
  expect(double.requests).toHaveLength(before)
})
