// @sampled: `npm test` tries with Square what moves money; the other providers are proofs.
// What each provider and we are left with in a whole shop when something happens in between: a gateway that is switched off, deleted or has new credentials, money that is set aside and not taken by us.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sweepDeletedMethods } from '../../../src/api/payment-methods/store.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { isProof } from '../../support/proof.ts'
import { SETTLE_SECONDS } from '../provider-shop.ts'
import { openEveryProvider, openToldShop, PATIENT, paymentOf } from './shop.ts'

const opened = await openEveryProvider()
const { app, complete } = opened

/** Longer than a poll waits for its provider. */
const HANGS_MS = 9_000
const POLL = 'orders.look_into_payments'

describe.each(opened.providers)('$code', async (provider) => {
  const shop = await openToldShop(opened, provider)
  const { name, revoked } = provider.secret
  const isTried = isProof || provider.code === 'square'
  const restored = { [name]: provider.config[name] }

  const { hold: held } = shop

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

  describe.runIf(isTried)('money that is held', () => {
    it('has taken in its dashboard what is let go of here: the order says so, and a cancelled one gives it back', async () => {
      const [released, cancelled] = [await held(), await held()]
      for (const order of [released, cancelled]) provider.takeByHand(paymentOf(order), 1_000)
      expect((await shop.move(released, { status: 'cancelled' })).status).toBe(200)
      await shop.succeed(200, 'POST', `orders/${cancelled.id}/cancel`, {}, shop.secret)
      await shop.runJobs()
      expect(await shop.read(released)).toMatchObject({ status_payment: 'paid', refunds: [] })
      const paid = [released, cancelled].map((order) => shop.eventsOf(order, 'orders.paid'))
      expect(await Promise.all(paid)).toEqual([1, 1])
      const after = await shop.read(cancelled)
      const refunded = { status: 'cancelled', status_payment: 'refunded', refunds: [{ amount: { raw: 10 } }] }
      expect(after).toMatchObject(refunded)
      const { gateway_transaction_id: id } = after.transactions.find(({ type }) => type === 'charge') ?? {}
      expect(provider.givenBack(id ?? '')).toEqual([1_000])
    })
  })

  describe.runIf(isTried && provider.isHoldTold)('a part of what is held', () => {
    it('takes a part in its dashboard of what it holds: the order says so once, and no more goes back (F42)', async () => {
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
    })

    it('takes more in its dashboard than is held: the order is not paid by it, and the log says so (F42)', async () => {
      const order = await held()
      provider.takeByHand(paymentOf(order), 1_100)
      const lines = app.logged.length
      await shop.tell('moved', { key: null, id: paymentOf(order) })
      expect(await shop.read(order)).toMatchObject({ status_payment: 'authorized', refunds: [] })
      expect(app.logged.slice(lines).join('')).toContain('charged a different amount than requested')
    })

    it.each([
      ['all of it was to be', 600, {}, 'partially_paid'],
      ['a part of it was to be', 1_000, { amount: 4 }, 'paid'],
    ])(
      'takes another sum in its dashboard where %s: the order is completed with that sum, and nothing is taken twice (F42)',
      async (_, taken, asked, status) => {
        const order = await held()
        provider.takeByHand(paymentOf(order), taken)
        const answer = await shop.move(order, asked)
        const sum = new RegExp(`has already captured ${taken / 100}\\.00 USD: send amount ${taken / 100}\\.00 `)
        expect([answer.status, answer.text]).toEqual([402, expect.stringMatching(sum)])
        expect((await shop.read(order)).transactions).toMatchObject([{ status_reason: 'awaiting_capture' }])
        // What is left to be done of it is nothing that a job would try for weeks.
        await shop.runJobs()
        for (const _again of [1, 2])
          expect(await shop.move(order, { amount: taken / 100 })).toMatchObject({
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
  })

  describe.runIf(isProof)('what comes days later', () => {
    if (provider.isHoldTold)
      it('takes a part in its dashboard while all is being taken here, and tells so meanwhile: recorded once (F42)', async () => {
        const order = await held()
        const about = { key: null, id: paymentOf(order) }
        onCheckpoint(async (step) => {
          if (step !== 'orders.take_noted') return
          onCheckpoint(null)
          provider.takeByHand(about.id, 600)
          expect((await shop.send(shop.message('moved', about))).statusCode).toBe(200)
          const worker = app.startJobs()
          await expect.poll(() => shop.waitingJobs(POLL), PATIENT).toBe(0)
          await worker.stop()
          expect((await shop.read(order)).transactions).toMatchObject([{ status_reason: 'awaiting_gateway' }])
        })
        expect((await shop.move(order)).status).toBe(402)
        await shop.runJobs()
        await takenInPart(order)
      })

    it('is switched off, and knows other credentials by now: the new ones serve what was begun before (F49)', async () => {
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
    })

    // Messages that come after a failed poll are acted on within a minute. Otherwise a refund or a dispute would be missing from the order
    // for a day, and the merchant may refund twice.
    it('hangs in one poll of an order while another succeeds: a dispute that is told afterwards is in the order', async () => {
      // The jobs of a shop are counted: those of other tests would be among them.
      const own = await openToldShop(opened, provider)
      const order = await own.buy()
      const id = paymentOf(order)
      const refund = provider.refundByHand(id, 400)
      await own.tell('refunded', { key: null, id, refund })
      expect((await own.read(order)).refunds).toHaveLength(1)
      const lines = app.logged.length
      const worker = app.startJobs()
      const send = async (told: 'moved' | 'disputed') => {
        expect((await own.send(own.message(told, { key: null, id, refund }))).statusCode).toBe(200)
        worker.poke()
      }
      const asked = own.asked()
      provider.double.trouble({ slowMs: HANGS_MS })
      await send('moved')
      await expect.poll(() => own.asked(), PATIENT).toBeGreaterThan(asked)
      app.clock.advance(1)
      await send('moved')
      // The second poll has ended, and queued that of tomorrow.
      await expect
        .poll(async () => (await own.waitingJobs(POLL)) === 1 && (await own.queuedJobs(POLL)) === 2, PATIENT)
        .toBe(true)
      const failed = () => app.logged.slice(lines).some((line) => line.includes(POLL) && line.includes('tried again'))
      await expect.poll(failed, PATIENT).toBe(true)
      expect((await own.read(order)).disputes).toEqual([])

      provider.dispute(id)
      await send('disputed')
      app.clock.advance(60)
      worker.poke()
      await expect
        .poll(async () => (await own.read(order)).disputes, PATIENT)
        .toMatchObject([{ status: 'open' }])
        .finally(worker.stop)
      expect(provider.givenBack(id)).toEqual([400])
    })

    it('holds money no longer and tells nothing: the order says so a day later (F41)', async () => {
      const order = await held()
      await shop.laterDays(1)
      expect((await shop.read(order)).status_payment).toBe('authorized')
      provider.endHold(paymentOf(order))
      await shop.laterDays(1)
      expect((await shop.read(order)).transactions).toMatchObject([{ type: 'charge', status: 'cancelled' }])
    })

    // The last of a shop: its gateway is gone then.
    it('is deleted while a payment and a refund are under way: both end, and it can be set up anew (F49)', async () => {
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
    })
  })
})
