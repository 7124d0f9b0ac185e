// @sampled: `npm test` sends refunds again with Stripe alone.
// A whole shop that is paid by each provider, with the bodies that storefronts send: paid, declined, with answers that get lost, held and taken,
// refunded.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { isProof } from '../../support/proof.ts'
import { errorOf, transactionsOf } from '../provider-shop.ts'
import { openEveryProvider, openToldShop, paymentOf } from './shop.ts'

const opened = await openEveryProvider()
const { app } = opened

/** Fields of what storefronts send, all of them texts. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  stripe: ['stripe.payment_method_id', 'stripe.payment_intent_id', 'card.token'],
  square: ['square.token', 'square.verification_token'],
  razorpay: ['razorpay.payment_id', 'razorpay.order_id', 'razorpay.signature'],
  paypal: ['paypal.action', 'paypal.payment_id', 'paypal.paykey', 'paypal.token'],
}

describe.each(opened.providers)('$code', async (provider) => {
  const shop = await openToldShop(opened, provider)
  const { code, double } = provider

  // Taken for missing, another payment would be begun than was meant.
  it('refuses a field that is no text by its name, before anything is asked', async () => {
    const [bought, asked] = [await shop.token(), shop.asked()]
    for (const path of FIELDS[code] ?? [])
      for (const value of [7, true, { id: 'pay_1' }, ['pay_1']]) {
        const [group = '', name = ''] = path.split('.')
        const errors = await shop.errors(
          bought,
          digitalBody({ payment: { gateway: code, [group]: { [name]: value } } }),
        )
        expect(Object.keys(errors), JSON.stringify(value)).toEqual([`payment.${path}`])
      }
    expect(shop.asked()).toBe(asked)
  })

  it('is offered with what a browser needs, pays for one order, and is refunded (F1, F3, F4)', async () => {
    const { bought, body } = await shop.ready()
    expect(bought.gateways).toMatchObject({ available: { [code]: true }, [code]: { settings: provider.shows } })
    for (const text of [JSON.stringify(bought), JSON.stringify(shop.gateway)])
      expect(text).not.toContain(provider.config[provider.secret.name])
    const order = await shop.order(bought, body)
    const id = provider.paymentOf(await shop.keyOf(bought))
    const charge = { gateway: code, status: 'complete', gateway_transaction_id: id }
    expect(order).toMatchObject({ status_payment: 'paid', sandbox: true, transactions: [charge] })
    expect((await shop.order(bought, body)).id).toBe(order.id)
    expect(provider.takenOf(await shop.keyOf(bought))).toBe(1)
    const refunded = await shop.refund(order)
    expect(refunded).toMatchObject({ status: 200, body: { status_payment: 'refunded' } })
    expect(transactionsOf(refunded.body as Order)).toEqual(['charge complete', 'refund complete'])
    expect(provider.givenBack(id)).toEqual([1_000])
  })

  it('declines: 402, everything is free again, and another payment pays (F2, F5)', async () => {
    const before = await shop.sold()
    const bought = await shop.token()
    const capture = (body: object) => shop.capture(bought, body as never)
    const answer = await shop.capture(bought, (await provider.decline?.(capture)) ?? {})
    const declined = [402, { type: 'gateway_error', message: expect.stringMatching(/declined|expired|failed/) }]
    expect([answer.status, errorOf(answer)]).toMatchObject(declined)
    expect([await shop.sold(), provider.takenOf(await shop.keyOf(bought))]).toEqual([before, 0])
    expect((await shop.order(bought, await provider.ready(capture))).status_payment).toBe('paid')
    expect(await shop.sold()).toBe(before + 1)
  })

  it('has taken the money, and its answer gets lost: one order at once (F12)', async () => {
    const { bought, body } = await shop.ready()
    double.trouble('after', { on: provider.taking })
    expect((await shop.order(bought, body)).status_payment).toBe('paid')
    expect(provider.takenOf(await shop.keyOf(bought))).toBe(1)
  })

  it.runIf(isProof || code === 'stripe')(
    'gives back once under one Idempotency-Key, though the answer was lost',
    async () => {
      const order = await shop.buy()
      const given = () => provider.givenBack(paymentOf(order))
      const refund = async (key: string | null) => {
        const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key }
        const path = `/v1/orders/${order.id}/refund`
        const answer = await app.call('POST', path, { key: shop.secret, body: { amount: 2 }, headers })
        return { status: answer.status, text: answer.text }
      }
      /** Whatever the provider does of it, we do not hear that. */
      const loseAnswers = () => provider.double.trouble('after', { on: /./, times: 50 })

      loseAnswers()
      const sendAgain = { status: 504, text: expect.stringContaining('Send the same request') }
      expect(await refund('first')).toMatchObject(sendAgain)
      provider.calm()
      await shop.runJobs()
      expect(given()).toEqual([200])
      expect((await refund('first')).status).toBe(200)
      expect(given()).toEqual([200])

      // Also where the process dies after all is written down, and while nobody has settled it.
      onCheckpoint((name) => {
        if (name === 'orders.refund_recorded') throw new Error('gone')
      })
      expect((await refund('second')).status).toBe(500)
      onCheckpoint(null)
      expect((await refund('second')).status).toBe(200)
      loseAnswers()
      expect((await refund('third')).status).toBe(504)
      provider.calm()
      expect((await refund('third')).status).toBe(200)
      expect(given()).toEqual([200, 200, 200])

      // Another key, or none, asks for as much again, and whoever sends none is told to look first.
      loseAnswers()
      const lookFirst = { status: 504, text: expect.stringContaining('check the order before') }
      expect(await refund(null)).toMatchObject(lookFirst)
      provider.calm()
      await shop.runJobs()
      expect((await refund('fourth')).status).toBe(200)
      expect(given()).toEqual([200, 200, 200, 200, 200])
    },
  )

  describe('money that is held', () => {
    const { hold, move: take } = shop

    it('is taken by the merchant, once, though the first answer is lost (F40)', async () => {
      const order = await hold()
      double.trouble('after', { on: provider.takesHeld as RegExp })
      expect([(await take(order)).status, (await take(order)).status]).toEqual([504, 200])
      const paid = await shop.read(order)
      expect([paid.status_payment, transactionsOf(paid)]).toEqual(['paid', ['charge complete']])
      expect((await shop.refund(order)).status).toBe(200)
      expect(provider.givenBack(paymentOf(paid))).toEqual([1_000])
    })

    it('is let go with the order that is cancelled, and cannot be taken when its time is over (F41)', async () => {
      const [cancelled, expired] = [await hold(), await hold()]
      const id = paymentOf(cancelled)
      expect(provider.holds?.(id) ?? true).toBe(true)
      await shop.succeed(200, 'POST', `orders/${cancelled.id}/cancel`, {}, shop.secret)
      await shop.runJobs()
      expect(provider.holds?.(id) ?? false).toBe(false)
      expect(await shop.read(cancelled)).toMatchObject({ status: 'cancelled', status_payment: 'not_paid' })
      provider.endHold(paymentOf(expired))
      const answer = await take(expired)
      expect([answer.status, errorOf(answer).type]).toEqual([402, 'gateway_error'])
      expect((await shop.read(expired)).order.total_paid.raw).toBe(0)
    })
  })
})
