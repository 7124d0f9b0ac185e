// @proof: a provider hangs.
// A provider that hangs for one shop: what the jobs ask of another provider, and of the same one for another shop, does not wait for it.

import { expect, it } from 'vitest'
import { apiSlices } from '../../../src/api/index.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { MAX_PROVIDER_FAILURES } from '../../../src/api/payments/movement.ts'
import { POLL_PAYMENTS_JOB } from '../../../src/api/payments/polls.ts'
import { enqueue } from '../../../src/jobs/queue.ts'
import { selectRows } from '../../support/rows.ts'
import { OTHER_KEY, SECRET_KEY } from '../doubles/stripe.ts'
import type { Provider } from './provider.ts'
import { openProviders, openToldShop, paymentOf } from './shop.ts'
import { openSquareProvider } from './square.ts'
import { openStripeProvider } from './stripe.ts'

const opened = await openProviders<Provider>(openStripeProvider, openSquareProvider)
const [stripe, square] = opened.providers
if (stripe === undefined || square === undefined) throw new Error('There are two.')

/** More than the jobs of one provider have places. */
const HANGING = 9

it('is waited for as long by what a message has begun as by refunds: about a month', () => {
  const jobs = apiSlices
    .flatMap(({ jobs }) => jobs?.(opened.app as never) ?? [])
    .filter(({ lane }) => lane === 'provider')
  expect(jobs.map(({ kind }) => kind)).toContain(POLL_PAYMENTS_JOB)
  // What an account is asked about itself moves no money.
  expect(jobs.filter(({ maxFailures }) => maxFailures !== MAX_PROVIDER_FAILURES).map(({ kind }) => kind)).toEqual([
    'gateways.learn',
  ])
})

it('holds up nobody else', async () => {
  const hanging = await openToldShop(opened, stripe)
  const ofOther = { ...stripe, config: { ...stripe.config, secret_key: OTHER_KEY } }
  const others = [
    { provider: stripe, shop: await openToldShop(opened, ofOther) },
    { provider: square, shop: await openToldShop(opened, square) },
  ]
  const bought = await hanging.buy()
  const orders = [await others[0]?.shop.buy(), await others[1]?.shop.buy()] as Order[]
  stripe.double.trouble(
    { slowMs: 60_000 },
    { on: ({ headers }) => headers.authorization === `Bearer ${SECRET_KEY}`, times: Number.POSITIVE_INFINITY },
  )
  const tell = async (shop: typeof hanging, id: string) =>
    expect((await shop.send(shop.message('moved', { key: null, id }))).statusCode).toBe(200)
  await tell(hanging, paymentOf(bought))
  const kinds = await selectRows<{ kind: string }>(opened.app.db, 'kind from jobs', { merchant_id: hanging.id })
  expect(kinds.filter(({ kind }) => kind.startsWith(POLL_PAYMENTS_JOB))).toEqual([
    { kind: `${POLL_PAYMENTS_JOB} stripe` },
  ])
  for (let more = 1; more < HANGING; more++)
    await enqueue(opened.app.db, {
      merchant_id: hanging.id,
      kind: POLL_PAYMENTS_JOB,
      provider: 'stripe',
      payload: { orderId: bought.id, isSandbox: true },
      runAt: opened.app.clock.now(),
    })
  const before = stripe.double.requests.length
  const worker = opened.app.startJobs()
  try {
    await expect.poll(() => stripe.double.requests.length).toBeGreaterThan(before + 1)
    for (const [index, { provider, shop }] of others.entries()) {
      const id = paymentOf(orders[index] as Order)
      provider.refundByHand(id, 300)
      await tell(shop, id)
    }
    worker.poke()
    const seen = () =>
      Promise.all(others.map(async ({ shop }, index) => (await shop.read(orders[index] as Order)).status_payment))
    // Two at a time, and five seconds each, those that hang would take longer.
    await expect.poll(seen).toEqual(['partially_refunded', 'partially_refunded'])
  } finally {
    await worker.stop(1)
  }
})
