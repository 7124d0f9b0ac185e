// Captures by simulated providers, with the bodies that storefronts send for each: paid, declined, verified, refunded, taken later, and after
// a process has died. test/gateways/simulation.test.ts has what each token comes to.

import { afterEach, describe, expect, it } from 'vitest'
import { completeDue } from '../../../src/api/capture/completer.ts'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { testApp } from '../../support/app.ts'
import { ruleSentences } from '../../support/shop.ts'
import { SETTLE_MS, servicesOn } from './capture-engine-support.ts'
import { digital, digitalBody, openCaptureShop } from './capture-support.ts'

const app = await testApp({ trustProxy: () => true, captureSettleSeconds: SETTLE_MS / 1_000 })
const shop = await openCaptureShop(app)
const { secret } = shop.keys.sandbox
const { services, log } = servicesOn(app, app.db)

const switchOn = (code: string) =>
  shop.succeed<GatewayRecord>(201, 'POST', 'gateways', { code, simulated: true }, secret)
const rows: Record<string, GatewayRecord> = {}
for (const code of ['stripe', 'square', 'razorpay', 'paypal']) rows[code] = await switchOn(code)

const product = await shop.product({ ...digital, inventory: { managed: true, available: 1_000 } })
const token = async () => shop.ofCart((await shop.cart([{ id: product.id }])).id)

const payBy = (gateway: string, fields: object) => digitalBody({ payment: { gateway, [gateway]: fields } })
const stripe = (fields: object) => payBy('stripe', fields)
const paypal = (fields: object) => payBy('paypal', fields)

const PAID = {
  stripe: stripe({ payment_method_id: 'pm_card_visa' }),
  square: payBy('square', { token: 'cnon:card-nonce-ok', verification_token: 'v' }),
  razorpay: payBy('razorpay', { payment_id: 'pay_29QQoUBi66xm2f' }),
  paypal: paypal({ action: 'capture', payment_id: 'PAYID-MB5DYQY0A123456789', payer_id: 'QYR5Z8XDVJNXQ' }),
}

const DECLINED = {
  stripe: stripe({ payment_method_id: 'pm_card_visa_chargeDeclined' }),
  square: payBy('square', { token: 'cnon:card-nonce-declined' }),
  razorpay: payBy('razorpay', { payment_id: 'failure@razorpay' }),
  paypal: paypal({ action: 'capture', payment_id: 'INSTRUMENT_DECLINED', payer_id: 'QYR5Z8XDVJNXQ' }),
}

const availableNow = async () =>
  (await shop.succeed<{ inventory: { available: number } }>(200, 'GET', `products/${product.id}`)).inventory.available

type Refusal = { error: { type: string; message: string; param?: string } }
const errorOf = ({ body }: { body: unknown }) => (body as Refusal).error

/** As the processes do that stay: lets time pass and settles all that is due. */
const complete = (seconds = SETTLE_MS / 1_000 + 1) => {
  app.clock.advance(seconds)
  return completeDue(services, log)
}

const expectOracles = async () => expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([])

afterEach(() => onCheckpoint(null))

describe.each(Object.keys(PAID) as (keyof typeof PAID)[])('by %s', (code) => {
  it('is paid, shown as paid by the provider, and refunded', async () => {
    const bought = await token()
    const order = await shop.order(bought, PAID[code])
    const gateway_transaction_id = expect.stringMatching(/^test_atmpt_/)
    const charge = { gateway: code, gateway_name: rows[code]?.name, status: 'complete', gateway_transaction_id }
    expect(order).toMatchObject({ status_payment: 'paid', sandbox: true, transactions: [charge] })
    expect((await shop.order(bought, PAID[code])).id).toBe(order.id)
    const refunded = await shop.succeed<typeof order>(200, 'POST', `orders/${order.id}/refund`, {}, secret)
    const moves = refunded.transactions.map(({ type, status }) => `${type} ${status}`)
    expect([refunded.status_payment, moves]).toEqual(['refunded', ['charge complete', 'refund complete']])
  })

  it('is declined, gives everything back, and can be paid for otherwise, by the id of the gateway', async () => {
    const before = await availableNow()
    const bought = await token()
    const answer = await shop.capture(bought, DECLINED[code])
    expect([answer.status, errorOf(answer).type]).toEqual([402, 'gateway_error'])
    expect(await availableNow()).toBe(before)
    const { payment, ...rest } = PAID[code] as { payment: Record<string, unknown> }
    const order = await shop.order(bought, { ...rest, payment: { ...payment, gateway: rows[code]?.id } })
    expect(order).toMatchObject({ status_payment: 'paid', transactions: [{ gateway: code }] })
  })

  it('cannot be paid with a live key, nor by the number of a card', async () => {
    const card = digitalBody({ payment: { gateway: code, card: { number: '4242 4242 4242 4242', cvc: '123' } } })
    // PayPal asks for no card: its shoppers are sent elsewhere.
    if (code !== 'paypal') expect(Object.keys(await shop.errors(await token(), card))).toHaveLength(1)
    const live = shop.keys.live.public
    const bought = await shop.ofCart((await shop.cart([{ id: product.id }], live)).id, live)
    expect(bought.gateways.available).toMatchObject({ [code]: false })
    const rule = 'cannot be used: this shop takes no payments yet.'
    expect(await shop.errors(bought, PAID[code], live)).toEqual(ruleSentences({ 'payment.gateway': rule }))
  })
})

describe('a card that the bank asks about', () => {
  const verified = stripe({ payment_method_id: 'pm_card_threeDSecure2Required' })

  it('is 402 with a client secret; the intent that it names ends it, and is nothing without it', async () => {
    const bought = await token()
    const asked = await shop.capture(bought, verified)
    const { type, param = '' } = errorOf(asked)
    expect([asked.status, type]).toEqual([402, 'requires_verification'])
    expect(param).toMatch(/^pi_\w+_secret_\w+$/)
    expect(errorOf(await shop.capture(bought, verified)).param).toBe(param)
    const intent = param.split('_secret_')[0]
    const refused = async (checkout: { id: string }, payment_intent_id = intent) =>
      Object.keys(await shop.errors(checkout, stripe({ payment_intent_id })))
    for (const fields of [await refused(bought, 'pi_0'), await refused(await token())])
      expect(fields).toEqual(['payment.stripe.payment_intent_id'])
    const order = await shop.order(bought, stripe({ payment_intent_id: intent }))
    expect(order.transactions).toMatchObject([{ gateway: 'stripe', gateway_reference: '3220' }])
    expect((await shop.order(bought, stripe({ payment_intent_id: intent }))).id).toBe(order.id)
  })
})

describe('PayPal, by its page', () => {
  const begin = async () => {
    const bought = await token()
    const answer = await shop.capture(bought, paypal({ action: 'authorize' }))
    const redirect = answer.body as { payment_id: string; paykey: string; redirect_url: string }
    expect([answer.status, redirect]).toMatchObject([200, { payment_redirect: true, gateway: 'paypal' }])
    expect(redirect.payment_id).toBe(redirect.paykey)
    const path = new URL(redirect.redirect_url).pathname
    const back = paypal({ action: 'capture', payment_id: redirect.payment_id, payer_id: 'QYR5Z8XDVJNXQ' })
    return { bought, path, redirect, back }
  }

  it('is paid once the shopper has approved; before, the same redirect comes again', async () => {
    const { bought, path, redirect, back } = await begin()
    expect((await shop.capture(bought, back)).body).toEqual(redirect)
    await app.call('POST', `${path}/approve`)
    const order = await shop.order(bought, back)
    expect(order.transactions).toMatchObject([{ gateway: 'paypal', payment_source_type: 'paypal', status: 'complete' }])
    const refunded = await shop.succeed<typeof order>(200, 'POST', `orders/${order.id}/refund`, {}, secret)
    expect(refunded.status_payment).toBe('refunded')
  })

  it('takes the payment by either of its names, and refuses two that differ', async () => {
    const { bought, path, redirect } = await begin()
    await app.call('POST', `${path}/approve`)
    const { payment_id, paykey } = redirect
    const differing = paypal({ action: 'capture', payment_id, paykey: `${paykey}1` })
    expect(Object.keys(await shop.errors(bought, differing))).toEqual(['payment.paypal.paykey'])
    const order = await shop.order(bought, paypal({ action: 'capture', payment_id, paykey }))
    expect((await shop.order(bought, paypal({ action: 'capture', paykey }))).id).toBe(order.id)
  })
})

describe('at the same moment, and after', () => {
  it.each(['capture.reserved', 'capture.charged', 'capture.finishing'])(
    'a process that dies at %s leaves an order or nothing, also when the simulation is switched off and gone',
    async (at) => {
      const before = await availableNow()
      const bought = await token()
      onCheckpoint((name) => {
        if (name === at) throw new Error('gone')
      })
      expect((await shop.capture(bought, PAID.razorpay)).status).toBe(500)
      onCheckpoint(null)
      await shop.succeed(204, 'DELETE', `gateways/${rows.razorpay?.id}`, undefined, secret)
      await complete()
      const receipt = await shop.call('GET', `checkouts/${bought.id}/receipt`)
      const isPaid = at !== 'capture.reserved'
      expect([receipt.status, await availableNow()]).toEqual(isPaid ? [200, before - 1] : [404, before])
      rows.razorpay = await switchOn('razorpay')
      await expectOracles()
    },
  )

  it('what is set aside is taken later, or let go of with its order, whatever has become of the gateway', async () => {
    const held = stripe({ payment_method_id: 'pm_card_0010' })
    const [taken, cancelled] = [await shop.order(await token(), held), await shop.order(await token(), held)]
    expect([taken.status_payment, cancelled.status_payment]).toEqual(['authorized', 'authorized'])
    const config = { publishable_key: 'pk_1', secret_key: `sk_${'test'}_1` }
    await shop.succeed(200, 'PUT', `gateways/${rows.stripe?.id}`, { simulated: false, config }, secret)
    const path = `orders/${taken.id}/transactions/${taken.transactions[0]?.id}`
    expect(await shop.succeed(200, 'PUT', path, { status: 'complete' }, secret)).toMatchObject({ status: 'complete' })
    const refunded = await shop.succeed(200, 'POST', `orders/${taken.id}/refund`, {}, secret)
    expect(refunded).toMatchObject({ status_payment: 'refunded' })
    const released = await shop.succeed(200, 'POST', `orders/${cancelled.id}/cancel`, {}, secret)
    expect(released).toMatchObject({ status: 'cancelled' })
    const back = { simulated: true, config: { secret_key: null } }
    await shop.succeed(200, 'PUT', `gateways/${rows.stripe?.id}`, back, secret)
    await expectOracles()
  })
})
