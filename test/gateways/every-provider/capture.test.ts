// @sampled: `npm test` pays, declines, refunds and takes with each provider; the rest is a proof.
// A whole shop that is paid by each provider, with the bodies that storefronts send: paid, declined, twice at once, with answers that get lost,
// left, held and taken, refunded.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { isProof } from '../../support/proof.ts'
import { errorOf, transactionsOf } from '../provider-shop.ts'
import type { Provider } from './provider.ts'
import { paidById } from './razorpay.ts'
import { openEveryProvider, openToldShop, PATIENT, paymentOf } from './shop.ts'

const opened = await openEveryProvider()
const { app, complete } = opened
const ways = opened.providers.flatMap((provider): [string, Provider][] =>
  provider.code === 'razorpay' && isProof
    ? [
        ['razorpay, by an order', provider],
        ['razorpay, by a payment', paidById(provider as never)],
      ]
    : [[provider.code, provider]],
)

describe.each(ways)('%s', async (way, provider) => {
  const shop = await openToldShop(opened, provider)
  const { code, double } = provider

  it('is offered with what a browser needs, pays for one order, and is refunded (F1, F3, F4)', async () => {
    const { bought, body } = await shop.ready()
    expect(bought.gateways).toMatchObject({ available: { [code]: true }, [code]: { settings: provider.shows } })
    for (const text of [JSON.stringify(bought), JSON.stringify(shop.gateway)])
      expect(text).not.toContain(provider.config[provider.secret.name])
    const order = await shop.order(bought, body)
    const id = provider.paymentOf(await shop.keyOf(bought))
    expect(order).toMatchObject({
      status_payment: 'paid',
      sandbox: true,
      transactions: [{ gateway: code, status: 'complete', gateway_transaction_id: id }],
    })
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
    expect([answer.status, errorOf(answer)]).toMatchObject([
      402,
      { type: 'gateway_error', message: expect.stringMatching(/declined|expired|failed/) },
    ])
    expect([await shop.sold(), provider.takenOf(await shop.keyOf(bought))]).toEqual([before, 0])
    expect((await shop.order(bought, await provider.ready(capture))).status_payment).toBe('paid')
    expect(await shop.sold()).toBe(before + 1)
  })

  it.runIf(isProof)('takes the number of no card, and is not asked about it', async () => {
    const bought = await shop.token()
    const asked = shop.asked()
    const card = { number: '4242 4242 4242 4242', cvc: '123' }
    const refused = await shop.errors(bought, digitalBody({ payment: { gateway: code, card } }))
    expect(Object.keys(refused)).toEqual(['payment.card.number'])
    expect(JSON.stringify(refused)).not.toContain('4242')
    expect(shop.asked()).toBe(asked)
  })

  it.runIf(isProof)('is captured five times at the same moment: one order, and one charge (F9)', async () => {
    const { bought, body } = await shop.ready()
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => shop.capture(bought, body)))
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const order = await shop.order(bought, body)
    for (const { status, body } of answers) if (status === 200) expect((body as Order).id).toBe(order.id)
    expect(transactionsOf(order)).toEqual(['charge complete'])
    expect(provider.takenOf(await shop.keyOf(bought))).toBe(1)
  })

  it('has taken the money, and its answer gets lost: one order at once (F12)', async () => {
    const { bought, body } = await shop.ready()
    double.trouble('after', { on: provider.taking })
    expect((await shop.order(bought, body)).status_payment).toBe('paid')
    expect(provider.takenOf(await shop.keyOf(bought))).toBe(1)
  })

  it.runIf(isProof)(
    'breaks off before it has taken the money: 504, settled by the completer, and paid once (F10, F13)',
    async () => {
      const before = await shop.sold()
      const { bought, body } = await shop.ready()
      double.trouble('before', { on: provider.taking })
      expect(errorOf(await shop.capture(bought, body)).type).toBe('gateway_timeout')
      await complete(31)
      expect((await shop.order(bought, body)).status_payment).toBe('paid')
      expect([await shop.sold(), provider.takenOf(await shop.keyOf(bought))]).toEqual([before + 1, 1])
    },
  )

  if (provider.begins)
    it.runIf(isProof)('could not begin a payment: 402, nothing was charged, and the next goes well (F10)', async () => {
      const before = await shop.sold()
      const bought = await shop.token()
      double.trouble('after', { on: provider.begins as RegExp })
      const answer = await shop.capture(bought, await beginning())
      expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/have not been charged/)])
      expect(await shop.sold()).toBe(before)
      const body = await provider.ready((each) => shop.capture(bought, each))
      expect((await shop.order(bought, body)).status_payment).toBe('paid')
    })

  /** The first capture of a shopper who then pays elsewhere. */
  async function beginning() {
    let first: object = {}
    await provider.leave(async (body) => {
      first = body
      return { status: 0, body: { error: {}, paykey: '' } }
    })
    return first as never
  }

  // A payment that is named by its id is paid already.
  if (way !== 'razorpay, by a payment')
    it.runIf(isProof)('is left by its shopper, who pays in another way: only that is charged (F6, F7)', async () => {
      // At Square nobody waits: there the answer was lost.
      const waits = code !== 'square'
      const before = await shop.sold()
      const [left, other] = [await shop.token(), await shop.token()]
      for (const bought of [left, other]) await provider.leave((body) => shop.capture(bought, body))
      expect(await shop.sold()).toBe(before + 2)
      const key = await shop.keyOf(other)
      if (waits)
        expect((await shop.order(other, digitalBody())).transactions).toMatchObject([{ gateway: 'test_gateway' }])
      await complete(3_700)
      await expect.poll(() => shop.sold(), PATIENT).toBe(before + (waits ? 1 : 0))
      expect([provider.takenOf(await shop.keyOf(left)), provider.takenOf(key)]).toEqual([0, 0])
    })

  it.runIf(isProof)(
    'refuses the credentials: 402, nothing was paid, the log names the gateway, and new ones pay (F38, F49, F51)',
    async () => {
      const { name, revoked } = provider.secret
      const before = await shop.sold()
      const bought = await shop.token()
      const lines = app.logged.length
      await shop.setUp({ config: { [name]: revoked } })
      const first = provider.begins ? await beginning() : await provider.ready(async () => ({ status: 0, body: {} }))
      const answer = await shop.capture(bought, first)
      await shop.setUp({ config: { [name]: provider.config[name] } })
      expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/have not been charged/i)])
      expect(await shop.sold()).toBe(before)
      const logged = app.logged.slice(lines).join('')
      expect(logged).toMatch(/(?:does not accept|has refused) the (?:secret key|access token|key|credentials)/)
      expect(logged).not.toContain(revoked)
      const body = await provider.ready((each) => shop.capture(bought, each))
      expect((await shop.order(bought, body)).status_payment).toBe('paid')
    },
  )

  if (code !== 'paypal')
    it.runIf(isProof)('does not refund what is disputed, and the merchant hears why (F46)', async () => {
      const order = await shop.buy()
      provider.dispute(paymentOf(order))
      const answer = await shop.refund(order)
      expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/disputed|disputes/)])
      expect((await shop.read(order)).status_payment).toBe('paid')
    })

  describe('money that is held', () => {
    const hold = async () => {
      await shop.setUp({ config: { capture: 'manual' } })
      const order = await shop.buy().finally(() => shop.setUp({ config: { capture: null } }))
      expect(order.status_payment).toBe('authorized')
      return order
    }
    const take = ({ id, transactions: [charge] }: Order) =>
      shop.call('PUT', `orders/${id}/transactions/${charge?.id}`, { status: 'complete' }, shop.secret)

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
