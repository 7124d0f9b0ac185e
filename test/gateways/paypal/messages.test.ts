// @sampled: what takes days, and the rarer parts of held money, are proofs.
// What PayPal alone tells by itself at the address of a shop: approvals of shoppers who are elsewhere, and payments that it has looked into. And
// what it takes of no shopper. What all providers tell: ../every-provider.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sweepUnpaidOrders } from '../../../src/api/payments/expire.ts'
import { sweepUndecidedPayments } from '../../../src/api/provider-messages/poll.ts'
import type { Services } from '../../../src/http/endpoint/endpoint.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { digital } from '../../api/checkouts/capture-support.ts'
import { isProof } from '../../support/proof.ts'
import { countRows } from '../../support/rows.ts'
import { openPayPalProvider } from '../every-provider/paypal.ts'
import { payBy } from '../every-provider/provider.ts'
import { openShopOf, PATIENT, paymentOf } from '../every-provider/shop.ts'

const { app, complete, provider, shop } = await openShopOf(openPayPalProvider)
const { paypal } = provider

let count = 0

/** A payment that its shopper has approved, the capture after the return, and the message of the approval. */
async function approved() {
  const { bought, body } = await shop.ready()
  const key = await shop.keyOf(bought)
  const { id } = paypal.orderOfKey(key) ?? { id: '' }
  const resource = { id, status: 'APPROVED', purchase_units: [{ custom_id: key }] }
  const message = () =>
    paypal.signedMessage({ id: `WH-approved-${++count}`, event_type: 'CHECKOUT.ORDER.APPROVED', resource })
  return { bought, body, key, message }
}

it('tells of an approval whose shopper does not come back, or comes at the same moment: taken once (F32, F33)', async () => {
  const left = await approved()
  expect((await shop.send(left.message())).statusCode).toBe(200)
  // It decides nothing by itself.
  expect([await shop.receipt(left.bought), provider.takenOf(left.key)]).toEqual([404, 0])
  await complete(0)
  await expect.poll(() => shop.receipt(left.bought), PATIENT).toBe(200)
  expect(provider.takenOf(left.key)).toBe(1)
  const back = await approved()
  const [answer] = await Promise.all([
    shop.capture(back.bought, back.body),
    shop.send(back.message()).then(() => complete(0)),
    shop.send(back.message()).then(() => complete(0)),
  ])
  expect([200, 409, 504]).toContain(answer.status)
  await complete(31)
  expect((await shop.order(back.bought, back.body)).transactions).toMatchObject([{ status: 'complete' }])
  expect(provider.takenOf(back.key)).toBe(1)
})

/** An order whose payment PayPal is still looking into, and that payment: taken, or set aside where the merchant takes it by hand. */
async function pending() {
  const { bought, body, key } = await approved()
  const book = paypal.orderOfKey(key)
  if (book === undefined) throw new Error('It was made.')
  book.nextCapture = { status: 'PENDING', reason: 'PENDING_REVIEW' }
  const order = await shop.order(bought, body)
  expect(order).toMatchObject({ status_payment: 'not_paid', transactions: [{ status: 'pending' }] })
  const [payment] = [...book.captures, ...book.authorizations]
  if (payment === undefined) throw new Error('It was taken, or set aside.')
  const become = (status: string) => {
    Object.assign(payment, { status })
    book.nextCapture = { status: 'COMPLETED' }
  }
  return { order, book, about: { key, id: paymentOf(order) }, become }
}

it('tells that what it has looked into is paid, or has failed: the order says so (F35)', async () => {
  const good = await pending()
  good.become('COMPLETED')
  await shop.tell('moved', good.about)
  expect(await shop.read(good.order)).toMatchObject({ status_payment: 'paid', transactions: [{ status: 'complete' }] })
  const bad = await pending()
  bad.become('DECLINED')
  await shop.tell('failed', bad.about)
  expect(await shop.read(bad.order)).toMatchObject({ status_payment: 'not_paid', transactions: [{ status: 'failed' }] })
})

it('of more than it takes is declined with the rule, and nothing is held (F27)', async () => {
  const house = await shop.product({ ...digital, price: 12_000_000, inventory: { managed: true, available: 1 } })
  const bought = await shop.ofCart((await shop.cart([{ id: house.id }])).id)
  const answer = await shop.capture(bought, payBy('paypal', { action: 'authorize' }))
  expect([answer.status, answer.text]).toEqual([402, expect.stringContaining('more than PayPal allows')])
  const { inventory } = await shop.succeed<{ inventory: { available: number } }>(200, 'GET', `products/${house.id}`)
  expect(inventory.available).toBe(1)
})

describe.runIf(isProof)('a payment that PayPal looks into for long', () => {
  it('tells nothing of what it has looked into: a sweep asks (F21, F35)', async () => {
    const { order, become } = await pending()
    become('COMPLETED')
    app.clock.advance(7_200)
    expect(await sweepUndecidedPayments.run({ ...app, signal: new AbortController().signal })).toBe(1)
    await shop.runJobs()
    expect((await shop.read(order)).status_payment).toBe('paid')
  })

  it('pays for an order that was cancelled while PayPal looked into it: the money goes back by itself', async () => {
    const { order, become } = await pending()
    await shop.succeed(200, 'POST', `orders/${order.id}/cancel`, {}, shop.secret)
    const worker = app.startJobs()
    // Nobody tells: it is asked now and then until PayPal has decided.
    const becomes = (status: string) =>
      expect
        .poll(async () => {
          // Not while one runs: an hour is the end of its lease.
          const isRunning = { merchant_id: shop.id, is_running: true }
          if ((await countRows(app.db, 'jobs', isRunning)) === 0) app.clock.advance(3_601)
          worker.poke()
          return (await shop.read(order)).status_payment
        }, PATIENT)
        .toBe(status)
    const before = shop.asked()
    await becomes('not_paid')
    await expect.poll(() => shop.asked(), PATIENT).toBeGreaterThan(before)
    expect(await shop.read(order)).toMatchObject({ status: 'cancelled', transactions: [{ status: 'cancelled' }] })
    become('COMPLETED')
    await becomes('refunded')
    await worker.stop()
    const givenBack = { status: 'cancelled', refunds: [{ reason: 'The order was cancelled before it was paid.' }] }
    expect(await shop.read(order)).toMatchObject(givenBack)
  })

  it('is not taken for payment by hand while it looks into one: the time for that does not cancel the order', async () => {
    const { order, become, about } = await pending()
    await shop.succeed(200, 'PUT', 'merchants', { orders: { unpaid_expire_after_hours: 1 } }, shop.secret)
    app.clock.advance(7_200)
    const services = { signingSecret: signingSecrets(app.db, app.clock) } as Services
    await sweepUnpaidOrders(services).run({ ...app, signal: new AbortController().signal })
    expect(await shop.read(order)).toMatchObject({ status: 'open', status_payment: 'not_paid' })
    become('COMPLETED')
    await shop.tell('moved', about)
    expect(await shop.read(order)).toMatchObject({ status: 'open', status_payment: 'paid' })
  })
})

const { byHand } = shop

it('tells that what was set aside is taken in its own pages: it is given back from here, and told of, by the id of what was taken', async () => {
  const { bought, body, key } = await byHand(approved)
  const order = await shop.order(bought, body)
  expect(order.status_payment).toBe('authorized')
  const { capture } = paypal.books.take(paymentOf(order), undefined)
  provider.refundByHand(capture.id, 100)
  await shop.tell('moved', { key, id: capture.id })
  const told = await shop.read(order)
  expect(told).toMatchObject({ status_payment: 'partially_refunded', refunds: [{ amount: { raw: 1 } }] })
  expect(paymentOf(told)).toBe(capture.id)
  provider.dispute(capture.id)
  await shop.tell('disputed', { key: null, id: capture.id })
  expect((await shop.read(order)).disputes).toMatchObject([{ status: 'open' }])
  expect((await shop.refund(order)).status).toBe(200)
  expect(provider.givenBack(capture.id)).toEqual([100, 900])
})

describe('a part that is taken in its own pages, where more may be taken', () => {
  const money = (value: string) => ({ currency_code: 'USD', value })
  const tellOf = (key: string, { capture }: ReturnType<typeof paypal.books.take>) =>
    shop.tell('moved', { key, id: capture.id })
  /** A payment of 10.00 that is set aside. */
  async function held() {
    const { bought, body, key } = await byHand(approved)
    const order = await shop.order(bought, body)
    const id = paymentOf(order)
    return { order, key, id, take: (value: string, isFinal = false) => paypal.books.take(id, money(value), isFinal) }
  }
  const chargesOf = async (order: Order) =>
    (await shop.read(order)).transactions
      .filter(({ type }) => type === 'charge')
      .sort((one, other) => other.amount.raw - one.amount.raw)
      .map(({ status, status_reason, amount, gateway_transaction_id: id }) => [status, status_reason, amount.raw, id])

  it('is a charge of its own; the rest stays set aside, is taken from here, and each goes back by its own id', async () => {
    const { order, key, id, take } = await held()
    const first = take('6.00')
    await tellOf(key, first)
    await tellOf(key, first)
    expect(await chargesOf(order)).toEqual([
      ['complete', 'complete', 6, first.capture.id],
      ['pending', 'awaiting_capture', 4, id],
    ])
    const partlyPaid = await shop.read(order)
    expect(partlyPaid.status_payment).toBe('partially_paid')
    expect((await shop.move(partlyPaid, {}, 1)).status).toBe(200)
    const { captures, refunds } = first.order
    expect(await chargesOf(order)).toMatchObject([
      { 3: first.capture.id },
      ['complete', 'complete', 4, captures[1]?.id],
    ])
    expect((await shop.refund(order)).body).toMatchObject({ status_payment: 'refunded' })
    expect(refunds.map(({ amount, links }) => [amount.value, links[0]?.href.split('/').at(-1)]).sort()).toEqual([
      ['4.00', captures[1]?.id],
      ['6.00', captures[0]?.id],
    ])
  })

  describe.runIf(isProof)('of an order that nobody has looked at yet', () => {
    it('is followed by another before anybody has looked: two charges, and what the last leaves is let go', async () => {
      const { order, key, take } = await held()
      const [first, last] = [take('3.00'), take('2.00', true)]
      await tellOf(key, last)
      expect(await chargesOf(order)).toEqual([
        ['cancelled', 'released', 5, null],
        ['complete', 'complete', 3, first.capture.id],
        ['complete', 'complete', 2, last.capture.id],
      ])
    })

    it('is not lost where the rest is let go before anybody has looked', async () => {
      const { order, key, id, take } = await held()
      const first = take('3.00')
      paypal.books.void(id)
      await tellOf(key, first)
      expect(await chargesOf(order)).toEqual([
        ['cancelled', 'released', 7, null],
        ['complete', 'complete', 3, first.capture.id],
      ])
    })

    it('goes back where the order is cancelled in that moment, and the rest is let go', async () => {
      const { order, key, take } = await held()
      const first = take('6.00')
      await shop.succeed(200, 'POST', `orders/${order.id}/cancel`, {}, shop.secret)
      await tellOf(key, first)
      expect(await shop.read(order)).toMatchObject({ status: 'cancelled', status_payment: 'refunded' })
      expect(first.order).toMatchObject({
        refunds: [{ amount: money('6.00') }],
        authorizations: [{ status: 'VOIDED' }],
      })
    })

    it('in several parts cannot be taken from here a second time, and is told by itself', async () => {
      const { order, take } = await held()
      for (const [value, isFinal] of [['3.00'], ['2.00', true]] as const) take(value, isFinal)
      expect((await shop.move(order)).status).toBe(402)
      await shop.runJobs()
      expect(await chargesOf(order)).toMatchObject([{ 2: 5 }, { 2: 3 }, { 2: 2 }])
    })
  })
})

describe('a payment that PayPal looks into before it is set aside', () => {
  const held = () => byHand(pending)

  it('cannot be called paid by hand, and is taken once PayPal holds it', async () => {
    const { order, book, about, become } = await held()
    expect((await shop.move(order)).status).toBe(409)
    become('CREATED')
    await shop.tell('moved', about)
    expect((await shop.read(order)).status_payment).toBe('authorized')
    expect((await shop.move(order)).status).toBe(200)
    expect(book.captures).toMatchObject([{ status: 'COMPLETED' }])
    expect((await shop.read(order)).status_payment).toBe('paid')
  })

  it.runIf(isProof)('is let go of where its order was cancelled meanwhile', async () => {
    const { order, book, about, become } = await held()
    await shop.succeed(200, 'POST', `orders/${order.id}/cancel`, {}, shop.secret)
    become('CREATED')
    await shop.tell('moved', about)
    expect(book.authorizations).toMatchObject([{ status: 'VOIDED' }])
    expect(await shop.read(order)).toMatchObject({ status: 'cancelled', transactions: [{ status: 'cancelled' }] })
  })
})
