// What storefronts send for a provider is text. A field that is something else is refused by its name: taken for missing, another payment
// would be begun than was meant.

import { expect, it } from 'vitest'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { openProviderShop } from '../provider-shop.ts'
import { openEveryProvider } from './shop.ts'

const { app, providers } = await openEveryProvider()

const FIELDS = {
  stripe: ['stripe.payment_method_id', 'stripe.payment_intent_id', 'card.token'],
  square: ['square.token', 'square.verification_token'],
  razorpay: ['razorpay.payment_id', 'razorpay.order_id', 'razorpay.signature'],
  mollie: [],
  paypal: ['paypal.action', 'paypal.payment_id', 'paypal.paykey', 'paypal.token'],
} as const

it.each(providers.map((provider) => [provider.code, provider] as const))('%s', async (code, { config, double }) => {
  const shop = await openProviderShop(app, { code, config })
  const bought = await shop.token()
  const asked = double.requests.length
  const pathsOf = async (path: string, value: unknown) => {
    const [group = '', name = ''] = path.split('.')
    return Object.keys(
      await shop.errors(bought, digitalBody({ payment: { gateway: code, [group]: { [name]: value } } })),
    )
  }
  for (const path of FIELDS[code])
    for (const value of [7, true, { id: 'pay_1' }, ['pay_1']])
      expect(await pathsOf(path, value), JSON.stringify(value)).toEqual([`payment.${path}`])
  // Before anything was asked of the provider.
  expect(double.requests.length).toBe(asked)
})
