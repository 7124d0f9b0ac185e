// Captures by Stripe beyond ../every-provider/capture: older tokens, cards that the bank asks about, and sums.

import { afterEach, expect, it } from 'vitest'
import { digital, digitalBody, openCaptureShop } from '../../api/checkouts/capture-support.ts'
import { openStripe, SECRET_KEY, WEBHOOK_SECRET } from '../doubles/stripe.ts'
import { errorOf, openProviderApp, openProviderShop } from '../provider-shop.ts'

const { app, double, errors, complete } = await openProviderApp(openStripe)
const config = { publishable_key: 'pk_test_double', secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET }
const shop = await openProviderShop(app, { code: 'stripe', config })
const { gateway, token } = shop

const body = (fields: Record<string, unknown>) => digitalBody({ payment: { gateway: 'stripe', stripe: fields } })
const VISA = body({ payment_method_id: 'pm_card_visa' })

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

it('whose bank asks the shopper is 402 with the client secret, and pays for no other token (F3, F8)', async () => {
  const asked = await shop.capture(await token(), body({ payment_method_id: 'pm_card_threeDSecure2Required' }))
  const { type, param = '' } = errorOf(asked)
  expect([asked.status, type, param]).toEqual([402, 'requires_verification', expect.stringMatching(/_secret_\w+$/)])
  const intent = param.split('_secret_')[0] ?? ''
  double.shopper.passes(intent)
  const back = { payment_intent_id: intent }
  expect(Object.keys(await shop.errors(await token(), body(back)))).toEqual(['payment.stripe.payment_intent_id'])
  expect(double.intents.get(intent)?.status).toBe('requires_confirmation')
  await complete(901)
  expect(double.intents.get(intent)?.status).toBe('canceled')
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
