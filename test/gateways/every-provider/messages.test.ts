// @sampled: `npm test` tries two messages of each provider, and most of them with Razorpay.
// What each provider tells by itself, at the address of a shop: before and after its own answer, several times, in the wrong order, not at
// all. A message is a reason to ask the provider and nothing more, whoever sends it.

import { describe, expect, it } from 'vitest'
import { scheduleRefund } from '../../../src/api/capture/attempt.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { isProof } from '../../support/proof.ts'
import { openEveryProvider, openToldShop, PATIENT, paymentOf } from './shop.ts'

const opened = await openEveryProvider()
const { app, complete } = opened

/** Stripe and Square search by POST. */
const isRead = ({ method, path }: { method: string; path: string }) => method === 'GET' || path.includes('search')

describe.each(opened.providers)('$code', async (provider) => {
  const shop = await openToldShop(opened, provider)
  const isTried = isProof || provider.code === 'razorpay'

  it('tells the same three times at once, again later, and from a second endpoint: one effect (F19, F44)', async () => {
    const order = await shop.buy()
    const id = paymentOf(order)
    const refund = provider.refundByHand(id, 400)
    const [message, other] = [1, 2].map(() => shop.message('refunded', { key: null, id, refund }))
    if (message === undefined || other === undefined) throw new Error('There are two.')
    const before = await shop.noted()
    const answers = await Promise.all([shop.send(message), shop.send(message), shop.send(message)])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    await shop.runJobs()
    expect((await shop.noted()) - before).toBe(1)
    const told = await shop.read(order)
    expect(told).toMatchObject({ status_payment: 'partially_refunded', refunds: [{ amount: { raw: 4 } }] })
    const asked = shop.asked()
    expect((await shop.send(message)).statusCode).toBe(200)
    await shop.runJobs()
    expect(shop.asked()).toBe(asked)
    expect((await shop.send(other)).statusCode).toBe(200)
    await shop.runJobs()
    expect(await shop.read(order)).toEqual(told)
  })

  it('is not believed without its signature, or with that of other bytes, and nobody is asked (F22, F23)', async () => {
    const { bought, key, id } = await shop.leaveOpen()
    const { headers, body } = shop.message('moved', { key, id })
    const before = [shop.asked(), await shop.noted()]
    for (const message of [
      { headers: {}, body },
      { headers, body: Buffer.concat([body, Buffer.from(' ')]) },
      { headers, body: Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1)) },
    ])
      expect((await shop.send(message)).statusCode).toBe(400)
    expect([shop.asked(), await shop.noted(), await complete(0)]).toEqual([...before, 0])
    expect((await shop.send({ headers, body })).statusCode).toBe(200)
    await shop.follow()
    await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
  })

  /** A payment that its shopper left, that was given up, and that is paid all the same. */
  async function paidTooLate(at = shop) {
    const bought = await at.token()
    await provider.leave((body) => at.capture(bought, body))
    const key = await at.keyOf(bought)
    const before = await at.sold()
    await complete(3_700)
    await expect.poll(() => at.sold(), PATIENT).toBe(before - 1)
    const id = provider.payLate(key)
    return { bought, key, id }
  }

  describe.runIf(isTried)('what its messages change', () => {
    it('tells of a payment before its own answer is here: one order, and one charge (F18)', async () => {
      const { bought, body } = await shop.ready()
      const goOn = shop.holdAnswer()
      const capturing = shop.capture(bought, body)
      await expect.poll(async () => provider.takenOf(await shop.keyOf(bought)), PATIENT).toBe(1)
      const key = await shop.keyOf(bought)
      const before = await shop.receipt(bought)
      await shop.tell('moved', { key, id: provider.paymentOf(key) })
      await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
      goOn()
      const answer = await capturing
      expect([before, answer.status]).toEqual([404, 200])
      expect((await shop.order(bought, body)).id).toBe((answer.body as Order).id)
      expect(provider.takenOf(key)).toBe(1)
    })

    it('tells that a payment has failed which it has taken: it is asked, and the order is paid (F20)', async () => {
      const { bought, body, key, id } = await shop.leaveOpen()
      await shop.tell('failed', { key, id })
      await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
      const order = await shop.order(bought, body)
      await shop.tell('failed', { key, id })
      expect((await shop.read(order)).status_payment).toBe('paid')
    })

    it('tells nothing of a payment whose process has died: the completer finds it (F11, F21)', async () => {
      const { bought, body, key, id } = await shop.leaveOpen()
      expect(await shop.receipt(bought)).toBe(404)
      await complete(31)
      await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
      expect((await shop.order(bought, body)).transactions).toMatchObject([
        { status: 'complete', gateway_transaction_id: id },
      ])
      expect(provider.takenOf(key)).toBe(1)
    })

    it('tells of a payment that is none of ours: it is taken, and nobody is asked (F24)', async () => {
      // Jobs of other tests ask the provider, too.
      await shop.runJobs()
      const before = shop.asked()
      const key = `atmpt_${'0'.repeat(26)}`
      for (const about of [
        { key, id: 'ELSEWHERE' },
        { key: null, id: 'ELSEWHERE' },
      ])
        expect((await shop.send(shop.message('moved', about))).statusCode).toBe(200)
      expect(await complete(0)).toBe(0)
      await shop.runJobs()
      expect(shop.asked()).toBe(before)
    })

    it('refunds the rest in its dashboard before we are told: a refund from here is declined, then told once (F44)', async () => {
      const order = await shop.buy()
      const id = paymentOf(order)
      const refund = provider.refundByHand(id, 1_000)
      const answer = await shop.refund(order)
      expect([answer.status, answer.text]).toEqual([402, expect.stringMatching(/refunded already|already refunded/)])
      await shop.tell('refunded', { key: null, id, refund })
      expect(await shop.read(order)).toMatchObject({ status_payment: 'refunded' })
      expect(provider.givenBack(id)).toEqual([1_000])
    })

    it('tells that a refund of ours has failed after all: the order counts as paid again (F45)', async () => {
      const order = await shop.buy()
      const id = paymentOf(order)
      expect((await shop.refund(order)).status).toBe(200)
      const refund = provider.failRefunds(id)
      await shop.tell('refunded', { key: null, id, refund })
      expect(await shop.read(order)).toMatchObject({
        status_payment: 'paid',
        transactions: [
          { type: 'charge', status: 'complete' },
          { type: 'refund', status: 'failed' },
        ],
      })
      // It was told once, with the capture.
      expect(await shop.eventsOf(order, 'orders.paid')).toBe(1)
    })

    it('tells of a dispute: it stands in the order by its own state, whatever the message is called (F47)', async () => {
      const order = await shop.buy()
      const id = paymentOf(order)
      const dispute = provider.dispute(id)
      await shop.tell('disputed', { key: null, id })
      expect((await shop.read(order)).disputes).toMatchObject([{ status: 'open' }])
      dispute.lose()
      await shop.tell('disputed', { key: null, id })
      expect((await shop.read(order)).disputes).toMatchObject([{ status: 'lost' }])
    })

    it('is paid after we gave up: everything goes back, and there is no order (F48)', async () => {
      const { bought, key, id } = await paidTooLate()
      await shop.tell('moved', { key, id })
      expect(provider.givenBack(id)).toEqual([1_000])
      expect(await shop.receipt(bought)).toBe(404)
      // Told once more, it goes back once.
      await shop.tell('moved', { key, id })
      expect(provider.givenBack(id)).toEqual([1_000])
    })

    it('is paid after we gave up, in another sum than was asked: what came goes back (F48)', async () => {
      const { bought, key, id } = await paidTooLate()
      // The provider's dashboard may take a part of what was held. What it says of the payment changes, and not what is refunded.
      provider.double.distort((value) => (value === 1_000 ? 999 : value === '10.00' ? '9.99' : value), isRead)
      await shop.tell('moved', { key, id })
      provider.double.calm()
      expect(provider.givenBack(id)).toEqual([999])
      expect(await shop.receipt(bought)).toBe(404)
    })
  })

  describe.runIf(isProof)('what takes days, or comes after we gave up', () => {
    // In the place of Razorpay what has failed cannot be made anew: its payment counts as given back.
    if (provider.code !== 'razorpay')
      it('tells that a refund of ours has failed and was made anew in its dashboard: both stand in the order (F45)', async () => {
        const order = await shop.buy()
        const id = paymentOf(order)
        expect((await shop.refund(order)).status).toBe(200)
        provider.failRefunds(id)
        const refund = provider.refundByHand(id, 1_000)
        await shop.tell('refunded', { key: null, id, refund })
        expect(await shop.read(order)).toMatchObject({
          status_payment: 'refunded',
          transactions: [
            { type: 'charge' },
            { status: 'failed' },
            { status: 'complete', gateway_transaction_id: refund },
          ],
        })
      })

    it('tells nothing of a refund of ours that has failed: it is looked at for two weeks, ever more seldom (F45)', async () => {
      const order = await shop.buy()
      const id = paymentOf(order)
      expect((await shop.refund(order)).status).toBe(200)
      await shop.laterDays(1)
      await shop.laterDays(1)
      expect((await shop.read(order)).status_payment).toBe('refunded')
      provider.failRefunds(id)
      await shop.laterDays(2)
      expect(await shop.read(order)).toMatchObject({ status_payment: 'paid' })
    })

    it('refunds a part and is disputed while nobody knows here that it was paid: the order says both once it is made', async () => {
      const { bought, body, id } = await shop.leaveOpen()
      const refund = provider.refundByHand(id, 400)
      provider.dispute(id)
      for (const told of ['refunded', 'disputed'] as const)
        expect((await shop.send(shop.message(told, { key: null, id, refund }))).statusCode).toBe(200)
      await shop.runJobs()
      await complete(31)
      await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
      await shop.runJobs()
      expect(await shop.read(await shop.order(bought, body))).toMatchObject({
        status_payment: 'partially_refunded',
        refunds: [{ amount: { raw: 4 } }],
        disputes: [{ status: 'open' }],
      })
      expect(provider.givenBack(id)).toEqual([400])
    })

    it('is paid after we gave up, by hand while we let go of what was held: that goes back too (F48)', async () => {
      const { bought, key, id } = await paidTooLate()
      const attempt = { merchant_id: shop.id, id: key, gateway: provider.code, is_simulated: false }
      await scheduleRefund(app.db, attempt, { kind: 'authorized', transactionId: id }, app.clock.now())
      await shop.runJobs()
      expect(provider.givenBack(id)).toEqual([1_000])
      expect(await shop.receipt(bought)).toBe(404)
    })

    it.each(['tells so', 'tells nothing'])(
      'could not give back what was paid too late after all, and %s: that is logged, and tried for weeks (F45, F48)',
      async (how) => {
        // A shop of its own: what is left to be tried there would be waited for in others.
        const own = await openToldShop(opened, provider)
        const { key, id } = await paidTooLate(own)
        await own.tell('moved', { key, id })
        const refund = provider.failRefunds(id)
        const lines = app.logged.length
        const about = { key: `${key}_refund`, id, refund }
        if (how === 'tells so') expect((await own.send(own.message('refunded', about))).statusCode).toBe(200)
        else app.clock.advance(86_400)
        const worker = app.startJobs()
        worker.poke()
        const log = () => app.logged.slice(lines).join('')
        await expect.poll(log, PATIENT).toContain(`The payment of ${key} is not given back`).finally(worker.stop)
      },
    )
  })

  it('has told nothing that is secret to the log (F51)', () => {
    expect(app.logged.length).toBeGreaterThan(0)
    expect(app.logged.join('')).not.toMatch(provider.secrets)
    for (const value of Object.values(provider.config).filter(
      (text) => !/^(?:pk_test|sandbox-|L1|rzp_test|AYSq)/.test(text),
    ))
      expect(app.logged.join('')).not.toContain(value)
  })
})

describe('a refund of more than was paid', async () => {
  const [stripe] = opened.providers
  if (stripe === undefined) throw new Error('There are four.')
  const shop = await openToldShop(opened, stripe)

  it('is for a person to look at, and keeps no dispute from the order', async () => {
    const order = await shop.buy()
    const id = paymentOf(order)
    const refund = stripe.refundByHand(id, 1_100)
    stripe.dispute(id)
    const lines = app.logged.length
    expect((await shop.send(shop.message('refunded', { key: null, id, refund }))).statusCode).toBe(200)
    const worker = app.startJobs()
    worker.poke()
    const log = () => app.logged.slice(lines).join('')
    await expect.poll(log, PATIENT).toContain('The gateway has refunded 1100 USD').finally(worker.stop)
    const disputed = { status_payment: 'paid', refunds: [], disputes: [{ status: 'open' }] }
    expect(await shop.read(order)).toMatchObject(disputed)
  })
})
