// Messages that only Stripe has: signatures with a time, about several kinds of objects. The official SDK is the second witness of signatures, and of
// the server in Stripe's place. The rest: ../every-provider/adapter/telling.

import Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import type { ProviderMessage } from '../../../src/gateways/provider/history.ts'
import { STRIPE_VERSION } from '../../../src/gateways/stripe/api.ts'
import { SECRET_KEY, WEBHOOK_SECRET } from '../doubles/stripe.ts'
import { payOn, readerOf } from '../every-provider/adapter/bench.ts'
import type { Message } from '../every-provider/provider.ts'
import { openStripeBench, VERIFY } from './bench.ts'

const bench = await openStripeBench()
const { stripe: double, request, clock } = bench
const adapter = bench.adapter()
const CONFIG = bench.provider.config
const { history } = adapter
const sdk = new Stripe(SECRET_KEY, {
  host: '127.0.0.1',
  port: new URL(double.url).port,
  protocol: 'http',
  telemetry: false,
  maxNetworkRetries: 0,
})

const reader = readerOf(bench)
const read = (message: Message, { secret, ...more }: Partial<ProviderMessage> & { secret?: string } = {}) =>
  reader(message, secret === undefined ? more : { ...more, config: { ...CONFIG, webhook_secret: secret } })
const eventOf = (object: object, more: object = {}) => ({
  body: JSON.stringify({ id: 'evt_1', object: 'event', type: 'x', livemode: false, data: { object }, ...more }),
})
const INTENT = { id: 'pi_1', object: 'payment_intent', metadata: { cartwright_attempt: 'atmpt_1' } }

describe('a message', () => {
  const VECTOR = {
    headers: {
      'stripe-signature': 't=1700000000,v1=35f78f4a203557774d6493114a69982dfc3efb90d1342b12561379306c0097b4',
    },
    body: Buffer.from(
      '{"id":"evt_1","object":"event","type":"payment_intent.succeeded","data":{"object":{"id":"pi_1","object":"payment_intent","metadata":{"cartwright_attempt":"atmpt_1"}}}}',
    ),
  }
  const VECTOR_AT = { secret: 'whsec_test_secret', now: new Date(1_700_000_100_000) }
  const EVENT = { kind: 'event', id: 'evt_1', subject: { key: 'atmpt_1', transactionId: 'pi_1' } }

  it('that is known to be good, or signed by the SDK, is believed', async () => {
    expect(VECTOR.body).toHaveLength(167)
    expect(await read(VECTOR, VECTOR_AT)).toEqual(EVENT)
    const header = VECTOR.headers['stripe-signature']
    expect(sdk.webhooks.constructEvent(VECTOR.body, header, VECTOR_AT.secret, 1e9).id).toBe('evt_1')
    // One that the SDK signs.
    const { body } = eventOf(INTENT)
    const timestamp = Math.floor(clock.now().getTime() / 1_000)
    const signature = sdk.webhooks.generateTestHeaderString({ payload: body, secret: WEBHOOK_SECRET, timestamp })
    expect(await read({ headers: { 'stripe-signature': signature }, body: Buffer.from(body) })).toEqual(EVENT)
  })

  const refusedFor = (words: string) => ({ kind: 'refused', reason: expect.stringContaining(words) })
  const good = double.signedMessage(eventOf(INTENT))

  it.each<[string, (header: string) => string, string]>([
    ['without a time', (header) => header.replace(/^t=\d+,/, ''), 'Stripe-Signature is missing'],
    ['with another scheme alone', (header) => header.replace('v1=', 'v2='), 'Stripe-Signature is missing'],
    [
      'in capitals',
      (header) => header.replace(/v1=\w+/, (v1) => `v1=${v1.slice(3).toUpperCase()}`),
      'does not match the body',
    ],
    ['cut short', (header) => header.replace(/(v1=.{10}).*/, '$1'), 'does not match the body'],
    ['with another time', (header) => header.replace(/t=(\d+)\d/, 't=$19'), 'does not match the body'],
  ])('%s is refused (F22)', async (_, changed, words) => {
    const header = changed(good.headers['stripe-signature'] ?? '')
    expect(await read({ ...good, headers: { 'stripe-signature': header } })).toEqual(refusedFor(words))
  })

  it('is believed for five minutes (F22)', async () => {
    const at = clock.now().getTime()
    expect(await read(good, { now: new Date(at + 300_000) })).toEqual(EVENT)
    expect(await read(good, { now: new Date(at + 301_000) })).toEqual(refusedFor('too old'))
    // Stripe's clock may be ahead of ours.
    expect(await read(good, { now: new Date(at - 60_000) })).toEqual(EVENT)
  })

  // Two secrets at our end: ../every-provider/adapter/telling.
  it('is believed while Stripe signs with two secrets, of which we know one (F22)', async () => {
    const both = double.signedMessage(eventOf(INTENT), { secrets: ['whsec_old', 'whsec_new'] })
    for (const secret of ['whsec_old', 'whsec_new']) expect(await read(both, { secret })).toEqual(EVENT)
    expect(await read(both, { secret: 'whsec_other' })).toEqual(refusedFor('does not match the body'))
    const unsigned = double.signedMessage(eventOf(INTENT), { secrets: [''] })
    expect(await read(unsigned, { secret: '' })).toEqual(refusedFor('No webhook signing secret'))
  })

  const OF_INTENT = { payment_intent: 'pi_1', metadata: {} }
  const paymentOf = (key: string | null) => ({ key, transactionId: 'pi_1' })
  it.each<[string, object, object | null]>([
    ['an intent', INTENT, paymentOf('atmpt_1')],
    ['an intent of another shop on the account (F24)', { ...INTENT, metadata: {} }, null],
    ['a charge', { ...OF_INTENT, object: 'charge', metadata: INTENT.metadata }, paymentOf('atmpt_1')],
    ['a charge without an intent', { object: 'charge', payment_intent: null, metadata: {} }, null],
    ['a refund of ours', { ...OF_INTENT, object: 'refund', metadata: { cartwright_refund: 'r' } }, paymentOf('r')],
    ['a refund by hand', { ...OF_INTENT, object: 'refund', payment_intent: { id: 'pi_1' } }, paymentOf(null)],
    ['a dispute', { ...OF_INTENT, object: 'dispute' }, paymentOf(null)],
    ['something else (F24)', { object: 'customer', id: 'cus_1' }, null],
  ])('about %s says which payment it is', async (_, object, subject) => {
    expect(await read(double.signedMessage(eventOf(object)))).toEqual({ kind: 'event', id: 'evt_1', subject })
  })

  it('of the other mode concerns nobody here (F24)', async () => {
    const live = double.signedMessage(eventOf(INTENT, { livemode: true }))
    expect(await read(live)).toEqual({ ...EVENT, subject: null })
    expect(await read(live, { is_sandbox: false })).toEqual(EVENT)
    expect(await read(good, { is_sandbox: false })).toEqual({ ...EVENT, subject: null })
  })
})

describe('how a payment stands', () => {
  it('waiting, given up, declined', async () => {
    const call = request({ payment: VERIFY })
    await adapter.charge(call)
    const question = { ...call, transactionId: double.intentOf(call.key)?.id ?? '' }
    expect(await history.getPaymentState(question)).toMatchObject({ charge: 'pending', amount: 1_234 })
    await adapter.cancel(call)
    expect(await history.getPaymentState(question)).toMatchObject({ charge: 'failed', amount: 1_234 })
  })

  it('of more refunds than a page holds', async () => {
    const call = await payOn(bench)
    for (let each = 0; each < 101; each++) double.refundByHand(call.transactionId, 1)
    expect((await history.getPaymentState(call)).refunds).toHaveLength(101)
  })
})

describe('the official SDK, as a second witness', () => {
  it('is of the version that we ask for', () => {
    expect(Stripe.API_VERSION ?? sdk.getApiField('version')).toBe(STRIPE_VERSION)
  })

  it('sends what we send, for the types of that version, and understands what the double answers', async () => {
    const key = 'atmpt_sdk'
    const created = await sdk.paymentIntents.create(
      {
        amount: 1_234,
        currency: 'usd',
        confirmation_method: 'manual',
        payment_method_types: ['card'],
        description: `Payment ${key}`,
        metadata: { cartwright_attempt: key },
      } satisfies Stripe.PaymentIntentCreateParams,
      { idempotencyKey: key },
    )
    const confirmed = await sdk.paymentIntents.confirm(created.id, {
      payment_method: 'pm_card_visa',
      capture_method: 'manual',
      use_stripe_sdk: true,
      expand: ['latest_charge'],
    } satisfies Stripe.PaymentIntentConfirmParams)
    expect(confirmed.status).toBe('requires_capture')
    const taken = await sdk.paymentIntents.capture(created.id, {
      amount_to_capture: 1_000,
    } satisfies Stripe.PaymentIntentCaptureParams)
    expect(taken.amount_received).toBe(1_000)
    const refund = await sdk.refunds.create({
      payment_intent: created.id,
      amount: 500,
      metadata: { cartwright_refund: 'rfnd_sdk' },
    } satisfies Stripe.RefundCreateParams)
    expect(refund.status).toBe('succeeded')
    // Our adapter sees the SDK's payment as its own: the bodies are the same, or the key would be refused.
    const ours = request({ key, description: `Payment ${key}` })
    const [theirs] = double.requests.filter(({ headers }) => headers['idempotency-key'] === key)
    const found = await adapter.lookUp({ ...ours, confirmation: created.id })
    expect(found).toMatchObject({ kind: 'charged', amount: 1_000 })
    await adapter.charge(request({ key: 'atmpt_ours', description: 'Payment atmpt_ours' }))
    const mine = double.requests.find(({ headers }) => headers['idempotency-key'] === 'atmpt_ours')
    const fields = (text = '') =>
      Object.fromEntries(
        [...new URLSearchParams(text)].map(([name, value]) => [
          name.replace('[0]', '[]'),
          value.replace(/atmpt_\w+/, ''),
        ]),
      )
    expect(fields(mine?.text)).toEqual(fields(theirs?.text))
  })
})
