// Captures by Stripe beyond ../every-provider/capture: older tokens, and cards that the bank asks about.

import { afterEach, expect, it } from 'vitest'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { openStripe, SECRET_KEY, WEBHOOK_SECRET } from '../doubles/stripe.ts'
import { errorOf, openProviderApp, openProviderShop } from '../provider-shop.ts'

const { app, double, errors, complete } = await openProviderApp(openStripe)
const config = { publishable_key: 'pk_test_double', secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET }
const shop = await openProviderShop(app, { code: 'stripe', config })
const { gateway, token } = shop

const body = (fields: Record<string, unknown>) => digitalBody({ payment: { gateway: 'stripe', stripe: fields } })

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
