// @sampled: `npm test` tries with Square what moves money; outages and the other providers are proofs.
// What each provider and we are left with in a whole shop when something happens in between: a process that dies, an outage of hours, a gateway
// that is switched off, deleted or has new credentials, money that is set aside and not taken by us.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sweepDeletedMethods } from '../../../src/api/payment-methods/store.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { isProof } from '../../support/proof.ts'
import { SETTLE_SECONDS } from '../provider-shop.ts'
import { paramOf, payBy } from './provider.ts'
import { openEveryProvider, openToldShop, PATIENT, paymentOf } from './shop.ts'

const opened = await openEveryProvider()
const { app, complete, errors } = opened

describe.each(opened.providers)('$code', async (provider) => {
  const shop = await openToldShop(opened, provider)
  const { name, revoked } = provider.secret
  const isTried = isProof || provider.code === 'square'
  const restored = { [name]: provider.config[name] }

  it.runIf(isProof)(
    'is down for hours: what is open stays, is tried again and logged, and ends when it is back (F14)',
    async () => {
      const before = await shop.sold()
      const { bought, key } = await shop.leaveOpen()
      await provider.double.goDown()
      for (const seconds of [SETTLE_SECONDS + 1, 3_600]) {
        const [told, lines] = [errors.length, app.logged.length]
        await complete(seconds)
        const failures = () => JSON.stringify(errors.slice(told)) + app.logged.slice(lines).join('')
        await expect.poll(failures, PATIENT).toContain(key)
      }
      expect([await shop.receipt(bought), await shop.sold()]).toEqual([404, before + 1])
      await provider.double.comeBack()
      await complete(31)
      await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
      expect([await shop.sold(), provider.takenOf(key)]).toEqual([before + 1, 1])
    },
  )

  it.runIf(isProof)(
    'is switched off, and knows other credentials by now: the new ones serve what was begun before (F49)',
    async () => {
      const { bought, key } = await shop.leaveOpen()
      const order = await shop.buy()
      provider.double.trouble('after', { on: /refunds?$/ })
      expect((await shop.refund(order)).status).toBe(504)
      await shop.setUp({ enabled: false, config: { [name]: revoked } })
      await complete(SETTLE_SECONDS + 1)
      expect(await shop.receipt(bought)).toBe(404)
      await shop.setUp({ config: restored })
      await complete(31)
      await shop.runJobs()
      await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
      expect(provider.takenOf(key)).toBe(1)
      expect((await shop.read(order)).status_payment).toBe('refunded')
      expect(provider.givenBack(paymentOf(order))).toEqual([1_000])
      await shop.setUp({ enabled: true })
    },
  )

  const held = async (): Promise<Order> => {
    await shop.setUp({ config: { capture: 'manual' } })
    const order = await shop.buy().finally(() => shop.setUp({ config: { capture: null } }))
    expect(order.status_payment).toBe('authorized')
    return order
  }

  it.runIf(isTried)(
    'has taken in its dashboard what is let go of here: the order says so, and a cancelled one gives it back',
    async () => {
      const [released, cancelled] = [await held(), await held()]
      for (const order of [released, cancelled]) provider.takeByHand(paymentOf(order), 1_000)
      const path = `orders/${released.id}/transactions/${released.transactions[0]?.id}`
      await shop.succeed(200, 'PUT', path, { status: 'cancelled' }, shop.secret)
      await shop.succeed(200, 'POST', `orders/${cancelled.id}/cancel`, {}, shop.secret)
      await shop.runJobs()
      expect(await shop.read(released)).toMatchObject({ status_payment: 'paid', refunds: [] })
      const paid = [released, cancelled].map((order) => shop.eventsOf(order, 'orders.paid'))
      expect(await Promise.all(paid)).toEqual([1, 1])
      const after = await shop.read(cancelled)
      expect(after).toMatchObject({
        status: 'cancelled',
        status_payment: 'refunded',
        refunds: [{ amount: { raw: 10 } }],
      })
      const { gateway_transaction_id: id } = after.transactions.find(({ type }) => type === 'charge') ?? {}
      expect(provider.givenBack(id ?? '')).toEqual([1_000])
    },
  )

  it.runIf(isProof)('holds money no longer and tells nothing: the order says so a day later (F41)', async () => {
    const order = await held()
    await shop.laterDays(1)
    expect((await shop.read(order)).status_payment).toBe('authorized')
    provider.endHold(paymentOf(order))
    await shop.laterDays(1)
    expect((await shop.read(order)).transactions).toMatchObject([{ type: 'charge', status: 'cancelled' }])
  })

  if (provider.isHoldTold) {
    it.runIf(isProof)(
      'holds money no longer and tells so: the order says it, and nothing can be taken (F41)',
      async () => {
        const order = await held()
        provider.endHold(paymentOf(order))
        await shop.tell('moved', { key: null, id: paymentOf(order) })
        expect((await shop.read(order)).transactions).toMatchObject([{ type: 'charge', status: 'cancelled' }])
      },
    )

    it.runIf(isTried)(
      'takes a part of what it holds, and lets go of the rest; or all or nothing, and says so (F40)',
      async () => {
        const order = await held()
        const path = `orders/${order.id}/transactions/${order.transactions[0]?.id}`
        const answer = await shop.call('PUT', path, { status: 'complete', amount: 6 }, shop.secret)
        if (provider.code === 'razorpay') {
          expect(answer).toMatchObject({ status: 422, body: { error: { errors: { amount: [expect.anything()] } } } })
          expect(await shop.read(order)).toMatchObject({ status_payment: 'authorized' })
          return
        }
        expect([answer.status, answer.body]).toMatchObject([200, { status: 'complete', amount: { raw: 6 } }])
        const after = await shop.read(order)
        expect(after).toMatchObject({ status_payment: 'partially_paid', order: { total_paid: { raw: 6 } } })
        expect(after.transactions.find(({ status }) => status === 'cancelled')).toMatchObject({
          status_reason: 'released',
          amount: { raw: 4 },
        })
        const id = after.transactions.find(({ status }) => status === 'complete')?.gateway_transaction_id ?? ''
        // Stripe keeps what it lets go of as a refund. Nothing was given back.
        await shop.tell('moved', { key: null, id })
        expect((await shop.read(order)).refunds).toEqual([])
        expect((await shop.call('POST', `orders/${order.id}/refund`, {}, shop.secret)).status).toBe(200)
        expect(provider.givenBack(id).at(-1)).toBe(600)
        expect((await shop.read(order)).refunds).toMatchObject([{ amount: { raw: 6 } }])
      },
    )

    const takenInPart = async (order: Order) => {
      const after = await shop.read(order)
      expect(after).toMatchObject({ status_payment: 'partially_paid', order: { total_paid: { raw: 6 } }, refunds: [] })
      const [taken, rest, ...others] = after.transactions
      expect([taken, rest, others]).toMatchObject([
        { status: 'complete', amount: { raw: 6 } },
        { status: 'cancelled', status_reason: 'released', amount: { raw: 4 } },
        [],
      ])
      return paymentOf(after)
    }

    it.runIf(isTried)(
      'takes a part in its dashboard of what it holds: the order says so once, and no more goes back (F42)',
      async () => {
        const order = await held()
        provider.takeByHand(paymentOf(order), 600)
        const updates = () => shop.eventsOf(order, 'orders.update')
        const before = await updates()
        const about = { key: null, id: paymentOf(order) }
        await Promise.all([shop.message('moved', about), shop.message('moved', about)].map((each) => shop.send(each)))
        await shop.follow()
        await takenInPart(order)
        await shop.tell('moved', about)
        const id = await takenInPart(order)
        expect((await updates()) - before).toBe(1)
        expect((await shop.refund(order)).status).toBe(200)
        expect(provider.givenBack(id).at(-1)).toBe(600)
        expect((await shop.read(order)).refunds).toMatchObject([{ amount: { raw: 6 } }])
      },
    )

    it.runIf(isProof)(
      'takes a part in its dashboard while all is being taken here, and tells so meanwhile: recorded once (F42)',
      async () => {
        const order = await held()
        const about = { key: null, id: paymentOf(order) }
        onCheckpoint(async (step) => {
          if (step !== 'orders.take_noted') return
          onCheckpoint(null)
          provider.takeByHand(about.id, 600)
          expect((await shop.send(shop.message('moved', about))).statusCode).toBe(200)
          const worker = app.startJobs()
          await expect.poll(() => shop.waitingJobs('orders.look_into_payments'), PATIENT).toBe(0)
          await worker.stop()
          expect((await shop.read(order)).transactions).toMatchObject([{ status_reason: 'awaiting_gateway' }])
        })
        const path = `orders/${order.id}/transactions/${order.transactions[0]?.id}`
        expect((await shop.call('PUT', path, { status: 'complete' }, shop.secret)).status).toBe(402)
        await shop.runJobs()
        await takenInPart(order)
      },
    )

    it.runIf(isTried)(
      'takes more in its dashboard than is held: the order is not paid by it, and the log says so (F42)',
      async () => {
        const order = await held()
        provider.takeByHand(paymentOf(order), 1_100)
        const lines = app.logged.length
        await shop.tell('moved', { key: null, id: paymentOf(order) })
        expect(await shop.read(order)).toMatchObject({ status_payment: 'authorized', refunds: [] })
        expect(app.logged.slice(lines).join('')).toContain('has taken another sum than was asked')
      },
    )

    it.runIf(isTried).each([
      ['all of it was to be', 600, {}, 'partially_paid'],
      ['a part of it was to be', 1_000, { amount: 4 }, 'paid'],
    ])(
      'takes another sum in its dashboard where %s: the order is completed with that sum, and nothing is taken twice (F42)',
      async (_, taken, asked, status) => {
        const order = await held()
        provider.takeByHand(paymentOf(order), taken)
        const path = `orders/${order.id}/transactions/${order.transactions[0]?.id}`
        const complete = (body: object) => shop.call('PUT', path, { status: 'complete', ...body }, shop.secret)
        const answer = await complete(asked)
        const sum = new RegExp(`has taken ${taken / 100}\\.00 USD already: send amount ${taken / 100}\\.00 `)
        expect([answer.status, answer.text]).toEqual([402, expect.stringMatching(sum)])
        expect((await shop.read(order)).transactions).toMatchObject([{ status_reason: 'awaiting_capture' }])
        // What is left to be done of it is nothing that a job would try for weeks.
        await shop.runJobs()
        for (const _again of [1, 2])
          expect(await complete({ amount: taken / 100 })).toMatchObject({
            status: 200,
            body: { status: 'complete', amount: { raw: taken / 100 } },
          })
        const after = await shop.read(order)
        expect(after).toMatchObject({ status_payment: status, order: { total_paid: { raw: taken / 100 } } })
        const charge = after.transactions.find(({ status: each }) => each === 'complete')
        expect((await shop.refund(order)).status).toBe(200)
        expect(provider.givenBack(charge?.gateway_transaction_id ?? '').at(-1)).toBe(taken)
      },
    )
  }

  // The last of a shop: its gateway is gone then.
  it.runIf(isProof)(
    'is deleted while a payment and a refund are under way: both end, and it can be set up anew (F49)',
    async () => {
      const { bought, key } = await shop.leaveOpen()
      const [order, later, last] = [await shop.buy(), await shop.buy(), await shop.buy()]
      provider.double.trouble('after', { on: /refunds?$/ })
      expect((await shop.refund(order)).status).toBe(504)
      const path = `gateways/${shop.gateway.id}`
      expect((await shop.call('DELETE', path, undefined, shop.secret)).status).toBe(204)
      expect((await shop.call('GET', path, undefined, shop.secret)).status).toBe(404)
      expect((await shop.call('DELETE', path, undefined, shop.secret)).status).toBe(404)
      await complete(31)
      await shop.runJobs()
      await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
      expect(provider.takenOf(key)).toBe(1)
      expect((await shop.read(order)).status_payment).toBe('refunded')
      expect(provider.givenBack(paymentOf(order))).toEqual([1_000])
      const draft = { code: provider.code, config: provider.config }
      await shop.succeed(201, 'POST', 'gateways', draft, shop.secret)
      const { data } = await shop.succeed<{ data: { code: string }[] }>(200, 'GET', 'gateways', undefined, shop.secret)
      expect(data.filter(({ code }) => code === provider.code)).toHaveLength(1)
      expect((await shop.read(later)).status_payment).toBe('paid')
      expect(await shop.refund(later)).toMatchObject({ status: 200, body: { status_payment: 'refunded' } })
      // After 30 days its credentials are gone: that is told, and not tried for ever.
      const clock = { now: () => new Date(app.clock.now().getTime() + 31 * 86_400_000) }
      await sweepDeletedMethods.run({ ...app, clock, signal: new AbortController().signal })
      const answer = await shop.refund(last)
      expect([answer.status, answer.text]).toEqual([402, expect.stringContaining('was deleted')])
      expect(provider.givenBack(paymentOf(last))).toEqual([])
    },
  )
})

describe('a process that dies before anything is taken', async () => {
  const [stripe, , razorpay, paypal] = opened.providers
  if (stripe === undefined || razorpay === undefined || paypal === undefined) throw new Error('There are four.')
  const dieAt = (at: string) =>
    onCheckpoint((name) => {
      if (name === at) throw new Error('gone')
    })

  it.runIf(isProof)(
    'between the intent and its confirmation leaves Stripe nothing that could be paid (F10)',
    async () => {
      const shop = await openToldShop(opened, stripe)
      const { bought, body } = await shop.ready()
      stripe.double.trouble('before', { on: stripe.taking })
      expect((await shop.capture(bought, body)).status).toBe(504)
      expect(await shop.sold()).toBe(1)
      const key = await shop.keyOf(bought)
      expect(stripe.paymentOf(key)).not.toBe('')
      await complete(31)
      await expect.poll(() => shop.sold(), PATIENT).toBe(0)
      expect([await shop.receipt(bought), stripe.takenOf(key)]).toEqual([404, 0])
      // A confirmation that was on its way finds the intent cancelled.
      const posted = stripe.double.requests.filter(({ path }) => path.endsWith(`${stripe.paymentOf(key)}/cancel`))
      expect(posted).toHaveLength(1)
      expect((await shop.order(bought, body)).status_payment).toBe('paid')
    },
  )

  it.runIf(isProof)(
    'between the order at Razorpay and our answer goes on with that order, or is called off in time (F10)',
    async () => {
      const shop = await openToldShop(opened, razorpay)
      const bought = await shop.token()
      dieAt('capture.charged')
      expect((await shop.capture(bought, payBy('razorpay'))).status).toBe(500)
      onCheckpoint(null)
      const key = await shop.keyOf(bought)
      await complete(31)
      const again = await shop.capture(bought, payBy('razorpay'))
      expect([again.status, paramOf(again)]).toEqual([402, expect.stringMatching(/^order_/)])
      const orders = razorpay.double.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/orders')
      expect(orders.filter(({ text }) => text.includes(key))).toHaveLength(1)
      await complete(901)
      await expect.poll(() => shop.sold(), PATIENT).toBe(0)
      expect(razorpay.takenOf(key)).toBe(0)
    },
  )

  it.runIf(isProof)('between the order at PayPal and our answer gives everything back (F10)', async () => {
    const shop = await openToldShop(opened, paypal)
    const bought = await shop.token()
    const begin = payBy('paypal', { action: 'authorize' })
    dieAt('capture.charged')
    expect((await shop.capture(bought, begin)).status).toBe(500)
    onCheckpoint(null)
    const key = await shop.keyOf(bought)
    await complete(31)
    await expect.poll(() => shop.sold(), PATIENT).toBe(0)
    expect([await shop.receipt(bought), paypal.takenOf(key)]).toEqual([404, 0])
    expect(await shop.capture(bought, begin)).toMatchObject({ status: 200, body: { payment_redirect: true } })
  })
})
