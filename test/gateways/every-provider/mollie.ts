// Mollie, for the tests that are the same for every provider. The shopper pays on Mollie's page, and nothing is held.

import { CONFIG, type MolliePayment, openMollie } from '../doubles/mollie.ts'
import { type Capture, type Provider, payBy, standIn } from './provider.ts'

const BODY = payBy('mollie')
const inCents = ({ value }: { readonly value: string }) => Math.round(Number(value) * 100)
const decimal = (amount: number) => (amount / 100).toFixed(2)

export async function openMollieProvider(now: () => Date): Promise<Provider & { mollie: typeof mollie }> {
  const mollie = await openMollie(now)
  const begin = async (capture: Capture) => ((await capture(BODY)).body as { paykey: string }).paykey
  const isPaid = ({ status }: MolliePayment) => status === 'paid'

  return {
    mollie,
    code: 'mollie',
    config: CONFIG,
    secret: { name: 'api_key', revoked: 'test_revoked' },
    ...standIn(mollie),
    taking: /^GET \/v2\/payments\/tr_\w+$/,
    answeredAt: 'capture.charged',
    ready: async (capture) => {
      mollie.become(await begin(capture), 'paid')
      return BODY
    },
    shows: {},
    leave: async (capture) => void (await begin(capture)),
    paymentOf: (key) => mollie.paymentsOfKey(key).at(-1)?.id ?? '',
    takenOf: (key) => mollie.paymentsOfKey(key).filter(isPaid).length,
    givenBack: (id) => mollie.paymentOf(id).refunds.map(({ amount }) => inCents(amount)),
    payLate: (key) => mollie.become(mollie.paymentsOfKey(key).at(-1)?.id ?? '', 'paid').id,
    refundByHand: (id, amount) => mollie.refund(id, decimal(amount)).id,
    failRefunds: (id) => {
      for (const refund of mollie.paymentOf(id).refunds) refund.status = 'failed'
      return mollie.paymentOf(id).refunds.at(-1)?.id ?? ''
    },
    // A chargeback is lost from the beginning, and may be reversed.
    dispute: (id) => {
      mollie.chargeBack(id)
      return { lose: () => undefined }
    },
    takeByHand: () => undefined,
    endHold: () => undefined,
    isHoldTold: false,
    message: (_, { id }) => ({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(mollie.message(id)),
    }),
    secrets: /test_dHar4XY7/,
  }
}
