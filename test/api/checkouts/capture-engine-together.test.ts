// @sampled: npm run proof sends more at the same moment.
// Captures at the same moment, from two processes' worth of connections: the last unit, one token, the last use of a code, the rest of a
// gift card, and what a late answer of one attempt does to the next.

import { afterAll, describe, expect, it } from 'vitest'
import { answerAttemptOutcome } from '../../../src/api/capture/answer.ts'
import { applyEvent } from '../../../src/api/capture/attempt.ts'
import { completeDue, settleAttempt } from '../../../src/api/capture/completer.ts'
import { refundLatePayments } from '../../../src/api/capture/gateway.ts'
import { reserveHold } from '../../../src/api/capture/reserve.ts'
import { openPool } from '../../../src/db/pool.ts'
import { testJournal } from '../../../src/gateways/sandbox/journal-store.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { chargeRequest } from '../../support/gateways.ts'
import { size } from '../../support/proof.ts'
import {
  type Buy,
  CARDS,
  cardPayment,
  openEngine,
  otherPayment,
  preparedOf,
  SETTLE_MS,
  servicesOn,
} from './capture-engine-support.ts'

const connection = await cloneDatabase()
// Two hundred wait for four connections longer than a shopper would.
const pool = { size: 4, waitMs: 90_000 }
const app = await testApp({ connection, pool })
const other = openPool(connection, pool)
afterAll(() => other.close())
const engine = await openEngine(app)
/** Longer than any run here takes: the completer is called by hand. */
const processes = [servicesOn(app, app.db, 60_000).services, servicesOn(app, other, 60_000).services]

/** All at once, by turns from the one process and the other. */
const together = (buys: readonly Buy[]) =>
  Promise.all(buys.map((buy, index) => engine.capture(buy, processes[index % processes.length])))

const MANY = size(40, 200)
const STOCK = size(22, 60)

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const counted = (values: readonly unknown[]) =>
  Object.fromEntries([...new Set(values)].sort().map((value) => [value, values.filter((one) => one === value).length]))

const payment = cardPayment(CARDS.good)

describe('captures at the same moment', () => {
  it('many for the last unit make exactly one order', async () => {
    const item = await engine.product(1)
    const lines = [{ item, quantity: 1 }]
    const answers = await together(times(MANY, () => ({ token: engine.token(), payment, lines })))
    const statuses = counted(answers.map(({ status, type }) => `${status} ${type}`))
    expect(statuses).toEqual({ '200 undefined': 1, '422 not_valid': MANY - 1 })
    expect(await engine.available(item)).toBe(0)
    await engine.expectOracles()
  })

  it('many of one token make one order and one charge; all of them get it, or 409', async () => {
    const item = await engine.product(500)
    const token = engine.token()
    const before = (await engine.charges()).length
    const buys = times(MANY, (index) => ({
      token,
      payment,
      lines: [{ item, quantity: 1 }],
      // Every fourth asks for something else.
      body: index % 4 === 0 ? `body ${index}` : 'the same',
    }))
    const answers = await together(buys)
    const [id] = await engine.orders(token)
    expect(await engine.orders(token)).toEqual([id])
    for (const { status, order, type } of answers)
      expect([status, order?.id ?? type]).toEqual(status === 200 ? [200, id] : [409, 'conflict'])
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    expect((await engine.charges()).length).toBe(before + 1)
    expect(await engine.available(item)).toBe(499)
    await engine.expectOracles()
  })

  it('many with a code for ten make exactly ten orders, and the others are refused before they are charged', async () => {
    const item = await engine.product(500)
    const { id: discountId } = await engine.shop.discount({ type: 'fixed', value: 1, limit: 10 })
    const before = (await engine.charges()).length
    const lines = [{ item, quantity: 1 }]
    const answers = await together(times(MANY / 2, () => ({ token: engine.token(), payment, lines, discountId })))
    expect(counted(answers.map(({ status }) => status))).toEqual({ 200: 10, 422: MANY / 2 - 10 })
    expect((await engine.charges()).length).toBe(before + 10)
    await engine.expectOracles()
  })

  it('20 that each take 7.00 from a gift card of 50.00 take 49.00 together', async () => {
    const item = await engine.product(500)
    const { id } = await engine.shop.giftCard({ value: 50 })
    const [giftCard, lines] = [{ id, credit: 700 }, [{ item, quantity: 1 }]]
    const answers = await together(times(20, () => ({ token: engine.token(), payment, lines, giftCard })))
    expect(counted(answers.map(({ status }) => status))).toEqual({ 200: 7, 422: 13 })
    // Each order shows what was left after its own, whoever else was at it.
    const balances = answers.flatMap(({ order }) => (order?.order.giftcard as { balance: number } | undefined) ?? [])
    expect(balances.map(({ balance }) => balance).sort((one, two) => one - two)).toEqual([1, 8, 15, 22, 29, 36, 43])
    await engine.expectOracles()
  })

  it('of the same items in any order wait for one another and never block each other', async () => {
    const items = [await engine.product(STOCK), await engine.product(STOCK), await engine.product(STOCK)]
    const answers = await together(
      times(size(30, 80), (index) => ({
        token: engine.token(),
        payment: cardPayment(index % 10 === 0 ? CARDS.declined : CARDS.good),
        lines: (index % 2 === 0 ? items : items.toReversed()).map((item) => ({ item, quantity: 1 })),
      })),
    )
    expect(answers.every(({ status }) => [200, 402, 422].includes(status))).toBe(true)
    // A decline may come after others were refused; what it gives back can then be bought.
    const sold = answers.filter(({ status }) => status === 200).length
    for (const item of items) expect(await engine.available(item)).toBe(STOCK - sold)
    await engine.expectOracles()
  })

  it('and the completer, and the gateway itself, settle one payment once', async () => {
    const item = await engine.product(500)
    const [byPage, lines] = [otherPayment('test_redirect'), [{ item, quantity: 1 }]]
    const buys = times(10, () => ({ token: engine.token(), payment: byPage, lines }))
    await together(buys)
    await Promise.all(
      buys.map(async (buy, index) => {
        const [{ id = '' } = {}] = await engine.attempts(buy.token)
        const back = { ...buy, payment: otherPayment('test_redirect', { test_redirect: { paykey: id } }) }
        await Promise.all([
          engine.onPage(id, 'approve'),
          ...times(3, () => engine.capture(back, processes[index % 2])),
          ...processes.map((services) => completeDue(services, engine.log)),
        ])
      }),
    )
    await completeDue(engine.services, engine.log)
    for (const { token } of buys) expect((await engine.orders(token)).length).toBe(1)
    expect(engine.errors).toEqual([])
    await engine.expectOracles()
  })
})

/** Begins the first attempt of a token, and leaves it at that. */
async function reserve(buy: Buy) {
  const attempt = await reserveHold(engine.contextOf(), preparedOf(buy))
  if (attempt === null) throw new Error('It is the first.')
  return attempt
}

/** The charge of an attempt, as its own process would ask for it. */
const charge = ({ id: key, amount, currency }: { id: string; amount: number; currency: string }, card: string) => {
  const request = { key, amount, currency, payment: cardPayment(card) }
  const adapter = engine.services.payments.findAdapter('test_gateway', false)
  return adapter?.charge(chargeRequest(engine.shop.id, app.clock.now(), request))
}

describe('an attempt that ends late', () => {
  it('touches nothing of the next attempt of the same token', async () => {
    const item = await engine.product(10)
    const [{ id: discountId }, card] = [
      await engine.shop.discount({ type: 'fixed', value: 1, limit: 1 }),
      await engine.shop.giftCard({ value: 5 }),
    ]
    const held = { lines: [{ item, quantity: 10 }], discountId, giftCard: { id: card.id, credit: 500 } }
    const token = engine.token()
    const { services } = engine
    // The process of the first attempt sleeps; the completer gives it up; the shopper pays with another card.
    const first = await reserve({ token, payment: cardPayment(CARDS.hanging), ...held })
    await engine.complete()
    expect(await engine.capture({ token, payment: cardPayment(CARDS.good), ...held })).toMatchObject({ status: 200 })
    const [order] = await engine.orders(token)
    // Now it wakes: its charge is refused, because its key was called off, and its releases find nothing to give back.
    expect(await charge(first, CARDS.good)).toMatchObject({ kind: 'declined', reason: 'cancelled' })
    for (const end of [() => applyEvent(services, first, { kind: 'failed' }), () => settleAttempt(services, first)])
      await end()
    const late = { kind: 'declined', reason: 'cancelled', message: 'Late.' } as const
    expect(await applyEvent(services, first, late, 'answer')).toEqual({ kind: 'expired' })
    expect(await engine.orders(token)).toEqual([order])
    expect(await engine.available(item)).toBe(0)
    await engine.expectOracles()
  })

  it.each([
    [CARDS.good, 'refunded'],
    [CARDS.authorize, 'cancelled'],
  ])(
    'that was paid with %s although it had been given up makes no order, and the money goes back',
    async (card, end) => {
      const { services } = engine
      const token = engine.token()
      const first = await reserve({ token, payment: cardPayment(card), due: 500 })
      // A gateway that does not keep its promise: it forgets that the key was called off.
      app.clock.advance(SETTLE_MS / 1_000)
      await completeDue(engine.gatewayThat({ cancel: async () => ({ kind: 'cancelled' }) }), engine.log)
      const paid = await charge(first, card)
      if (paid?.kind !== 'charged' && paid?.kind !== 'authorized') throw new Error('It was paid.')
      // Told twice, as by the request and by the completer.
      for (const _ of [1, 2]) expect(await applyEvent(services, first, paid, 'answer')).toEqual({ kind: 'too_late' })
      expect(() => answerAttemptOutcome(first, { kind: 'too_late' })).toThrow('is being given back')
      expect(await engine.orders(token)).toEqual([])

      const inBooks = async () => (await testJournal(app.db, app.clock).find(engine.shop.id, first.id))?.state
      const worker = app.startJobs()
      await expect.poll(inBooks).toBe(end)
      await worker.stop()
      // A process that died after it had asked the gateway asks again.
      const payload = { attemptId: first.id, kind: paid.kind, transactionId: paid.transactionId }
      await refundLatePayments(services).handle({ payload, merchant_id: engine.shop.id } as never)
      expect(await inBooks()).toBe(end)
    },
  )

  it('is not given back where the gateway refuses, so that it is tried again and told; nor where there is an order', async () => {
    const { services } = engine
    const giveBack = (attemptId: string) => {
      const payload = { attemptId, kind: 'charged', transactionId: 'x' }
      return refundLatePayments(services).handle({ payload, merchant_id: engine.shop.id } as never)
    }
    const token = engine.token()
    const open = await reserve({ token, payment: cardPayment(CARDS.good), due: 500 })
    await expect(giveBack(open.id)).rejects.toThrow('has not been given up')
    await applyEvent(services, open, { kind: 'expired' })
    await expect(giveBack(open.id)).rejects.toThrow(
      'is not given back: The payment was never completed, or the refund exceeds the amount left to refund.',
    )
    // Nothing has moved of what the merchant is paid by hand.
    const late = await applyEvent(services, open, { kind: 'pending', reason: 'awaiting_capture' }, 'answer')
    expect(late).toEqual({ kind: 'expired' })
  })
})
