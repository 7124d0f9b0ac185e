// Paying by Razorpay in a whole shop, from what storefronts send to the order: by an order and its signature, by the id of a payment alone,
// with lost answers, several at once, dead processes, payments that belong to something else, refunds, messages, and payments set aside.

import { describe, expect, it } from 'vitest'
import { lookAgainLater } from '../../../src/api/capture/late.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { CARD, digitalBody } from '../../api/checkouts/capture-support.ts'
import type { Fault } from '../doubles/double.ts'
import { openRazorpay, type Paying, RAZORPAY_CONFIG, signPayment } from '../doubles/razorpay.ts'
import { errorOf, openProviderApp, openProviderShop, SETTLE_SECONDS, transactionsOf } from '../provider-shop.ts'

const { app, double: razorpay, errors, complete } = await openProviderApp(openRazorpay)
const shop = await openProviderShop(app, { code: 'razorpay', config: RAZORPAY_CONFIG })
const { secret, gateway, token, change, available: availableNow, receipt: receiptOf, read: orderNow } = shop
type Token = { id: string }

/** What existing stores send names a payment; what newer ones send first names nothing. */
const body = (details?: object) =>
  digitalBody({ payment: { gateway: 'razorpay', ...(details === undefined ? {} : { razorpay: details }) } })
/** The shopper has paid in a window that was opened without an order. */
const pay = (paying: Paying = {}) => razorpay.pay({ amount: 1_000, currency: 'USD', ...paying })
const byId = ({ id }: { id: string }) => body({ payment_id: id })

const statusOf = ({ id }: { id: string }) => razorpay.payments.get(id)?.status
const capturesOf = ({ id }: { id: string }) =>
  razorpay.requests.filter(({ path }) => path === `/v1/payments/${id}/capture`).length

/** The first capture of a newer store: the order that its window is opened with. */
async function begin(bought: Token): Promise<string> {
  const answer = await shop.capture(bought, body())
  const { type, param } = errorOf(answer)
  expect([answer.status, type, param]).toEqual([402, 'requires_verification', expect.stringMatching(/^order_/)])
  return param ?? ''
}

/** As a shopper in it. */
function payOrder(orderId: string, paying: Paying = {}) {
  const payment = razorpay.pay({ orderId, ...paying })
  return { payment, confirmed: body(razorpay.given(payment)) }
}

const FIND = /^GET \/v1\/payments\/\w+$/
const CAPTURE = /capture$/

describe('a capture by an order', () => {
  it('is offered with the key id, waits for the window, is paid with its signature, and is refunded', async () => {
    const bought = await token()
    expect(bought.gateways.available).toMatchObject({ razorpay: true })
    expect(bought.gateways).toMatchObject({ razorpay: { settings: { key_id: RAZORPAY_CONFIG.key_id } } })
    expect(JSON.stringify(bought)).not.toContain(RAZORPAY_CONFIG.key_secret)
    const orderId = await begin(bought)
    expect(razorpay.orders.get(orderId)).toMatchObject({ amount: 1_000, currency: 'USD' })
    // The same capture again is the same order.
    expect(await begin(bought)).toBe(orderId)
    const { payment, confirmed } = payOrder(orderId)
    const order = await shop.order(bought, confirmed)
    expect(order).toMatchObject({
      status_payment: 'paid',
      transactions: [
        {
          gateway: 'razorpay',
          status: 'complete',
          gateway_transaction_id: payment.id,
          gateway_reference: '1111',
          payment_source: { brand: 'Visa' },
        },
      ],
    })
    expect((await shop.order(bought, confirmed)).id).toBe(order.id)
    expect(capturesOf(payment)).toBe(1)
    const refunded = await shop.succeed<Order>(200, 'POST', `orders/${order.id}/refund`, {}, secret)
    expect([refunded.status_payment, transactionsOf(refunded)]).toEqual([
      'refunded',
      ['charge complete', 'refund complete'],
    ])
    expect(statusOf(payment)).toBe('refunded')
  })

  it('with a wrong signature is 422 and takes nothing; it waits on, and the right one pays it', async () => {
    const before = await availableNow()
    const bought = await token()
    const orderId = await begin(bought)
    const { payment, confirmed } = payOrder(orderId)
    const forged = { ...razorpay.given(payment), signature: signPayment(orderId, payment.id, 'guessed') }
    for (const _ of [1, 2])
      expect(await shop.errors(bought, body(forged))).toEqual({
        'payment.razorpay.signature': [expect.stringMatching(/does not prove/)],
      })
    expect([statusOf(payment), await availableNow()]).toEqual(['authorized', before - 1])
    expect((await shop.order(bought, confirmed)).status_payment).toBe('paid')
    expect([capturesOf(payment), await availableNow()]).toEqual([1, before - 1])
  })

  it('that nobody pays is given up when its time is over, also after a wrong signature', async () => {
    const before = await availableNow()
    const bought = await token()
    const signature = '0'.repeat(64)
    const guess = body({ payment_id: 'pay_guessed', order_id: await begin(bought), signature })
    expect(Object.keys(await shop.errors(bought, guess))).toEqual(['payment.razorpay.signature'])
    await complete(901)
    expect([(await receiptOf(bought)).status, await availableNow()]).toEqual([404, before])
  })

  it('whose shopper fails in the window is 402, gives everything back, and is paid by a new attempt (F5)', async () => {
    const before = await availableNow()
    const bought = await token()
    const first = await begin(bought)
    const answer = await shop.capture(bought, payOrder(first, { status: 'failed' }).confirmed)
    expect([answer.status, errorOf(answer).type, await availableNow()]).toEqual([402, 'gateway_error', before])
    const second = await begin(bought)
    expect(second).not.toBe(first)
    expect((await shop.order(bought, payOrder(second).confirmed)).status_payment).toBe('paid')
  })

  it('is not paid by the payment of another checkout, though it is rightly signed', async () => {
    const [bought, other] = [await token(), await token()]
    await begin(bought)
    const foreign = payOrder(await begin(other))
    expect(Object.keys(await shop.errors(bought, foreign.confirmed))).toEqual(['payment.razorpay.order_id'])
    expect(Object.keys(await shop.errors(bought, body({ payment_id: foreign.payment.id, order_id: 'x' })))).toEqual([
      'payment.razorpay.signature',
    ])
    const alone = await shop.capture(bought, byId(foreign.payment))
    expect([alone.status, errorOf(alone).message]).toEqual([402, expect.stringMatching(/made for something else/)])
    expect(statusOf(foreign.payment)).toBe('authorized')
    expect((await shop.order(other, foreign.confirmed)).status_payment).toBe('paid')
  })

  it('that is confirmed five times at the same moment is one charge and one order', async () => {
    const bought = await token()
    const { payment, confirmed } = payOrder(await begin(bought))
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.capture(bought, confirmed)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map((answer) => (answer.body as { id: string }).id)).size).toBe(1)
    // Two may ask in the same moment; Razorpay refuses the second (doubles/razorpay.ts), and the order has one charge.
    expect(capturesOf(payment)).toBeGreaterThan(0)
    expect(transactionsOf(answers[0]?.body as Order)).toEqual(['charge complete'])
  })

  it('whose shopper has paid and never came back becomes an order', async () => {
    const bought = await token()
    const { payment } = payOrder(await begin(bought))
    await complete(901)
    expect([(await receiptOf(bought)).status, statusOf(payment)]).toEqual([200, 'captured'])
  })

  it('that nobody pays is called off after its time; who comes later is told to pay anew, and nothing is taken', async () => {
    const before = await availableNow()
    const bought = await token()
    const orderId = await begin(bought)
    expect(await availableNow()).toBe(before - 1)
    await complete(901)
    expect(await availableNow()).toBe(before)
    const { payment, confirmed } = payOrder(orderId)
    expect(await shop.errors(bought, confirmed)).toEqual({
      'payment.razorpay.order_id': [expect.stringMatching(/its time is over/)],
    })
    expect(statusOf(payment)).toBe('authorized')
  })

  it.each(['without a message', 'though a message of before has made us look'])(
    'that is called off can be paid still: what an account with direct settlement takes then goes back, %s',
    async (how) => {
      const before = await availableNow()
      const bought = await token()
      const orderId = await begin(bought)
      await complete(901)
      expect(await availableNow()).toBe(before)
      if (how !== 'without a message') {
        const seen = razorpay.requests.length
        const attempt = { merchant_id: shop.id, id: razorpay.orders.get(orderId)?.receipt ?? '' }
        await lookAgainLater(app.db, { ...attempt, gateway: 'razorpay', is_simulated: false }, app.clock.now())
        const worker = app.startJobs()
        await expect
          .poll(() => razorpay.requests.length)
          .toBeGreaterThan(seen)
          .finally(worker.stop)
      }
      const payment = razorpay.captureByHand(payOrder(orderId).payment.id)
      const given = () => [...razorpay.refunds.values()].filter(({ payment_id }) => payment_id === payment.id)
      app.clock.advance(24 * 3_600 + 1)
      const worker = app.startJobs()
      try {
        await expect.poll(() => given().map(({ amount }) => amount)).toEqual([1_000])
      } finally {
        await worker.stop()
      }
      expect([(await receiptOf(bought)).status, await availableNow()]).toEqual([404, before])
    },
  )

  it('that is left for another gateway is called off, and only the other is paid', async () => {
    const bought = await token()
    const { payment } = payOrder(await begin(bought))
    const order = await shop.order(bought, digitalBody({ payment: CARD }))
    expect(transactionsOf(order)).toEqual(['charge complete'])
    expect(order.transactions[0]?.gateway).toBe('test_gateway')
    await complete(901)
    expect([statusOf(payment), capturesOf(payment)]).toEqual(['authorized', 0])
  })

  it.each<Fault>(['before', 'after', 'broken_after', 'html'])(
    'whose order could not be made (%j) is 402 and nothing was paid; the next goes well',
    async (fault) => {
      const bought = await token()
      razorpay.trouble(fault, { on: /^POST \/v1\/orders$/ })
      const answer = await shop.capture(bought, body())
      expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/have not been charged/)])
      const { confirmed } = payOrder(await begin(bought))
      expect((await shop.order(bought, confirmed)).status_payment).toBe('paid')
    },
  )

  it.each<[Fault, number]>([
    ['before', 504],
    ['broken_before', 504],
    // Looked up at once, and found paid.
    ['after', 200],
    ['broken_after', 200],
    ['half', 200],
  ])('whose answer is lost while it is taken (%j) is one charge and one order', async (fault, status) => {
    const bought = await token()
    const { payment, confirmed } = payOrder(await begin(bought))
    razorpay.trouble(fault, { on: CAPTURE })
    expect((await shop.capture(bought, confirmed)).status).toBe(status)
    await complete(31)
    expect((await shop.order(bought, confirmed)).status_payment).toBe('paid')
    expect(statusOf(payment)).toBe('captured')
  })

  it.each(['capture.confirming', 'capture.confirmed', 'capture.finishing', 'capture.finished'])(
    'is one charge and one order though the process dies at %s',
    async (at) => {
      const bought = await token()
      const { payment, confirmed } = payOrder(await begin(bought))
      onCheckpoint((name) => {
        if (name === at) throw new Error('gone')
      })
      expect((await shop.capture(bought, confirmed)).status).toBe(500)
      onCheckpoint(null)
      await complete(31)
      expect((await receiptOf(bought)).status).toBe(200)
      expect([statusOf(payment), capturesOf(payment)]).toEqual(['captured', 1])
    },
  )
})

describe('a capture by the id of a payment', () => {
  it('is paid, by the code of the gateway and by its id', async () => {
    const payment = pay({ method: 'upi' })
    const order = await shop.order(await token(), byId(payment))
    expect(order).toMatchObject({
      status_payment: 'paid',
      transactions: [{ gateway: 'razorpay', gateway_transaction_id: payment.id, status: 'complete' }],
    })
    const named = digitalBody({ payment: { gateway: gateway.id, razorpay: { payment_id: pay().id } } })
    expect((await shop.order(await token(), named)).status_payment).toBe('paid')
  })

  it('pays for one order only, also when two come at the same moment', async () => {
    const payment = pay()
    const [one, two] = [await token(), await token()]
    const answers = await Promise.all([shop.capture(one, byId(payment)), shop.capture(two, byId(payment))])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(Object.keys(await shop.errors(await token(), byId(payment)))).toEqual(['payment.gateway'])
    expect(capturesOf(payment)).toBe(1)
  })

  it.each<[string, Paying, RegExp]>([
    ['another sum', { amount: 100 }, /another sum/],
    ['another currency', { currency: 'INR' }, /another sum/],
    ['a window that is still open', { status: 'created' }, /not been completed/],
    ['a card that was declined', { status: 'failed' }, /card was declined/],
  ])('of %s is 402, takes nothing, gives everything back, and may be paid by another', async (_, paying, sentence) => {
    const before = await availableNow()
    const bought = await token()
    const payment = pay(paying)
    const answer = await shop.capture(bought, byId(payment))
    expect([answer.status, errorOf(answer)]).toMatchObject([
      402,
      { type: 'gateway_error', message: expect.stringMatching(sentence) },
    ])
    expect([razorpay.payments.get(payment.id), await availableNow()]).toEqual([payment, before])
    expect((await shop.order(bought, byId(pay()))).status_payment).toBe('paid')
  })

  it('that was not completed in the window is paid when it is', async () => {
    const bought = await token()
    const payment = pay({ status: 'created', method: 'upi' })
    expect((await shop.capture(bought, byId(payment))).status).toBe(402)
    razorpay.set(payment.id, { status: 'authorized' })
    expect((await shop.order(bought, byId(payment))).status_payment).toBe('paid')
  })

  it('of five at the same moment is one charge and one order', async () => {
    const bought = await token()
    const payment = pay()
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.capture(bought, byId(payment))))
    expect(new Set(answers.map((answer) => (answer.body as { id: string }).id)).size).toBe(1)
    expect(capturesOf(payment)).toBe(1)
  })

  it.each<[Fault, RegExp, number]>([
    ['before', FIND, 504],
    ['html', FIND, 504],
    ['before', CAPTURE, 504],
    ['after', CAPTURE, 200],
    ['broken_after', CAPTURE, 200],
    ['twice', CAPTURE, 200],
  ])('whose answer is lost (%j at %s) is one charge and one order', async (fault, on, status) => {
    const bought = await token()
    const payment = pay()
    razorpay.trouble(fault, { on })
    expect((await shop.capture(bought, byId(payment))).status).toBe(status)
    await complete(31)
    expect((await shop.order(bought, byId(payment))).status_payment).toBe('paid')
    expect(statusOf(payment)).toBe('captured')
  })

  it.each(['capture.reserved', 'capture.charged', 'capture.finishing', 'capture.finished'])(
    'is one charge and one order though the process dies at %s',
    async (at) => {
      const bought = await token()
      const payment = pay()
      onCheckpoint((name) => {
        if (name === at) throw new Error('gone')
      })
      expect((await shop.capture(bought, byId(payment))).status).toBe(500)
      onCheckpoint(null)
      await complete(31)
      expect((await receiptOf(bought)).status).toBe(200)
      expect([statusOf(payment), capturesOf(payment)]).toEqual(['captured', 1])
    },
  )

  it('is found after an outage of hours, in which the attempt stays and the log says so', async () => {
    const bought = await token()
    const payment = pay()
    razorpay.trouble('before', { on: CAPTURE })
    await razorpay.goDown().then(() => razorpay.comeBack())
    expect((await shop.capture(bought, byId(payment))).status).toBe(504)
    await razorpay.goDown()
    const count = errors.length
    await complete(31)
    expect(errors.length).toBe(count + 1)
    await razorpay.comeBack()
    await complete(7_200)
    expect((await shop.order(bought, byId(payment))).status_payment).toBe('paid')
    expect(statusOf(payment)).toBe('captured')
  })

  it('takes no number of a card, and asks Razorpay nothing for it', async () => {
    const before = razorpay.requests.length
    const card = { number: '4111 1111 1111 1111', cvc: '111' }
    const refused = await shop.errors(await token(), digitalBody({ payment: { gateway: 'razorpay', card } }))
    expect(Object.keys(refused)).toEqual(['payment.card.number'])
    expect(Object.keys(await shop.errors(await token(), body({ payment_id: '4111111111111111' })))).toEqual([
      'payment.razorpay.payment_id',
    ])
    expect(razorpay.requests.length).toBe(before)
  })

  it('with credentials that were revoked is 402, says that nothing was paid, and tells the log which gateway it is', async () => {
    const bought = await token()
    const payment = pay()
    await change({ key_secret: 'hidden-revoked-secret' })
    const lines = app.logged.length
    const answer = await shop
      .capture(bought, byId(payment))
      .finally(() => change({ key_secret: RAZORPAY_CONFIG.key_secret }))
    expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/have not been charged/)])
    const logged = app.logged.slice(lines).join('')
    expect(logged).toContain('Razorpay does not accept the key')
    expect(logged).not.toContain('hidden-revoked')
    expect((await shop.order(bought, byId(payment))).status_payment).toBe('paid')
  })
})

describe('a refund', () => {
  it('is made once, though its answer is lost', async () => {
    const order = await shop.order(await token(), byId(pay()))
    const before = razorpay.refunds.size
    razorpay.trouble('after', { on: /^POST .*refund$/ })
    expect((await shop.call('POST', `orders/${order.id}/refund`, {}, secret)).status).toBe(504)
    app.clock.advance(31)
    const worker = app.startJobs()
    await expect.poll(async () => (await orderNow(order)).status_payment).toBe('refunded')
    await worker.stop()
    expect(razorpay.refunds.size).toBe(before + 1)
  })

  it('of what is disputed is refused, and the merchant hears why', async () => {
    const order = await shop.order(await token(), byId(pay()))
    razorpay.dispute(order.transactions[0]?.gateway_transaction_id ?? '', 'open')
    const answer = await shop.call('POST', `orders/${order.id}/refund`, {}, secret)
    expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/^The payment is disputed/)])
    expect((await orderNow(order)).status_payment).toBe('paid')
  })
})

describe('with payments that are set aside', () => {
  const hold = async () => {
    await change({ capture: 'manual' })
    const bought = await token()
    const { payment, confirmed } = payOrder(await begin(bought))
    const order = await shop.order(bought, confirmed)
    await change({ capture: null })
    expect([order.status_payment, statusOf(payment)]).toEqual(['authorized', 'authorized'])
    return { order, payment }
  }
  const take = (order: Order) =>
    shop.call('PUT', `orders/${order.id}/transactions/${order.transactions[0]?.id}`, { status: 'complete' }, secret)

  it('an order is paid when the merchant takes them, once, though the first answer is lost', async () => {
    const { order, payment } = await hold()
    razorpay.trouble('after', { on: CAPTURE })
    expect((await take(order)).status).toBe(504)
    expect((await take(order)).status).toBe(200)
    expect([statusOf(payment), capturesOf(payment)]).toEqual(['captured', 1])
    expect((await orderNow(order)).status_payment).toBe('paid')
  })

  it('an order whose time is over cannot be taken, and says so', async () => {
    const { order, payment } = await hold()
    razorpay.set(payment.id, { status: 'refunded', amount_refunded: 1_000, refund_status: 'full' })
    const answer = await take(order)
    expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/time is over/)])
  })
})

describe('a payment of our order that is sent without its signature', () => {
  it('pays the token that the order was made for, once, and is told again as that order', async () => {
    const [bought, before] = [await token(), await availableNow()]
    const { payment } = payOrder(await begin(bought))
    const order = await shop.order(bought, byId(payment))
    expect(order).toMatchObject({
      status_payment: 'paid',
      transactions: [{ gateway: 'razorpay', gateway_transaction_id: payment.id, status: 'complete' }],
    })
    expect((await shop.order(bought, byId(payment))).id).toBe(order.id)
    await complete(SETTLE_SECONDS + 1)
    expect([capturesOf(payment), statusOf(payment), await availableNow()]).toEqual([1, 'captured', before - 1])
    expect([...razorpay.refunds.values()].filter(({ payment_id }) => payment_id === payment.id)).toEqual([])
  })

  it('of five at the same moment is one charge and one order', async () => {
    const bought = await token()
    const { payment } = payOrder(await begin(bought))
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.capture(bought, byId(payment))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map((answer) => (answer.body as Order).id)).size).toBe(1)
    // Razorpay refuses all requests to take it but the first (doubles/razorpay.ts).
    expect(transactionsOf(answers[0]?.body as Order)).toEqual(['charge complete'])
  })

  it.each(['capture.confirming', 'capture.confirmed', 'capture.finishing', 'capture.finished'])(
    'is one charge and one order though the process dies at %s',
    async (at) => {
      const bought = await token()
      const { payment } = payOrder(await begin(bought))
      onCheckpoint((name) => {
        if (name === at) throw new Error('gone')
      })
      expect((await shop.capture(bought, byId(payment))).status).toBe(500)
      onCheckpoint(null)
      await complete(SETTLE_SECONDS + 1)
      expect((await shop.order(bought, byId(payment))).status_payment).toBe('paid')
      expect(capturesOf(payment)).toBe(1)
    },
  )

  it('pays for no other token, whether that waits or not, and for no other shop', async () => {
    const bought = await token()
    const { payment } = payOrder(await begin(bought))
    const other = await openProviderShop(app, { code: 'razorpay', config: RAZORPAY_CONFIG })
    const waiting = await token()
    await begin(waiting)
    for (const [from, to] of [
      [shop, waiting],
      [shop, await token()],
      [other, await other.token()],
    ] as const) {
      const answer = await from.capture(to, byId(payment))
      expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/made for something else/)])
    }
    expect(statusOf(payment)).toBe('authorized')
    expect((await shop.order(bought, byId(payment))).status_payment).toBe('paid')
    // Also when it has paid for its order.
    expect((await shop.capture(await token(), byId(payment))).status).toBe(402)
    expect(capturesOf(payment)).toBe(1)
  })

  it('of another sum, or that has failed, is 402 and takes nothing', async () => {
    for (const paying of [{ amount: 100 }, { status: 'failed' }] as const) {
      const [bought, before] = [await token(), await availableNow()]
      const { payment } = payOrder(await begin(bought), paying)
      expect((await shop.capture(bought, byId(payment))).status).toBe(402)
      expect([capturesOf(payment), await availableNow()]).toEqual([0, before])
    }
  })

  it('is 504 while Razorpay does not say what it was made for: nothing is called off, and it pays later', async () => {
    const bought = await token()
    const { payment } = payOrder(await begin(bought))
    razorpay.trouble('broken_before', { on: FIND })
    expect((await shop.capture(bought, byId(payment))).status).toBe(504)
    expect((await shop.order(bought, byId(payment))).status_payment).toBe('paid')
    expect(capturesOf(payment)).toBe(1)
  })

  it('is refused when the time of its order is over, and nothing is taken', async () => {
    const bought = await token()
    const { payment } = payOrder(await begin(bought), { status: 'created' })
    await complete(3_700)
    razorpay.set(payment.id, { status: 'authorized' })
    expect((await shop.capture(bought, byId(payment))).status).toBe(402)
    expect(capturesOf(payment)).toBe(0)
  })

  it('of a window without an order still pays a token that has one', async () => {
    const bought = await token()
    await begin(bought)
    const payment = pay()
    expect((await shop.order(bought, byId(payment))).transactions).toMatchObject([
      { gateway_transaction_id: payment.id },
    ])
    expect(capturesOf(payment)).toBe(1)
  })
})
