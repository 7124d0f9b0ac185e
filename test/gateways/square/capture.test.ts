// Paying by Square in a whole shop, from what storefronts send to the order: with lost answers, several at once, dead processes, declined
// cards, refunds and payments that are set aside.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import type { Fault } from '../doubles/double.ts'
import { openSquare, SQUARE_CONFIG } from '../doubles/square.ts'
import { errorOf, openProviderApp, openProviderShop, transactionsOf } from '../provider-shop.ts'
import { OK } from './support.ts'

const { app, double: square, errors, complete } = await openProviderApp(openSquare)
const shop = await openProviderShop(app, { code: 'square', config: SQUARE_CONFIG })
const { secret, gateway, token, change, available: availableNow, receipt: receiptOf } = shop
const body = (details: object = { token: OK }) => digitalBody({ payment: { gateway: 'square', square: details } })
const declined = body({ token: 'cnon:card-nonce-declined' })

/** The payments that were made since, by their states. */
const statesSince = (before: number) => [...square.payments.values()].slice(before).map(({ status }) => status)

const CREATE = /^POST \/v2\/payments$/
const COMPLETE = /complete$/

describe('a capture by Square', () => {
  it('is offered with what a browser needs, makes a paid order, and is refunded', async () => {
    const bought = await token()
    expect(bought.gateways.available).toMatchObject({ square: true })
    expect(bought.gateways).toMatchObject({
      square: { settings: { application_id: SQUARE_CONFIG.application_id, location_id: 'L1' } },
    })
    const order = await shop.order(bought, body())
    const payment = square.payments.get(order.transactions[0]?.gateway_transaction_id ?? '')
    expect(payment).toMatchObject({ status: 'COMPLETED', total_money: { amount: 1_000, currency: 'USD' } })
    expect(order).toMatchObject({
      status_payment: 'paid',
      transactions: [
        {
          gateway: 'square',
          status: 'complete',
          gateway_reference: '1111',
          payment_source: { brand: 'Visa', country: null, billing_zip_postal_code: '94107' },
        },
      ],
    })
    expect((await shop.order(bought, body())).id).toBe(order.id)
    const refunded = await shop.succeed<Order>(200, 'POST', `orders/${order.id}/refund`, {}, secret)
    expect([refunded.status_payment, transactionsOf(refunded)]).toEqual([
      'refunded',
      ['charge complete', 'refund complete'],
    ])
    expect([...square.refunds.values()].map(({ payment_id }) => payment_id)).toEqual([payment?.id])
  })

  it('is also paid by the older nonce, and by the id of the gateway', async () => {
    const nonce = digitalBody({ payment: { gateway: gateway.id, card: { nonce: OK } } })
    expect((await shop.order(await token(), nonce)).status_payment).toBe('paid')
  })

  it('that is declined is 402, gives everything back, and is paid with another card', async () => {
    const before = await availableNow()
    const bought = await token()
    const answer = await shop.capture(bought, declined)
    expect([answer.status, errorOf(answer)]).toMatchObject([
      402,
      { type: 'gateway_error', message: 'The card was declined.' },
    ])
    expect(await availableNow()).toBe(before)
    expect((await shop.order(bought, body())).status_payment).toBe('paid')
    expect(await availableNow()).toBe(before - 1)
  })

  it('takes no number of a card, and no cash', async () => {
    const before = square.requests.length
    const card = { number: '4111 1111 1111 1111', cvc: '111' }
    const errors = await shop.errors(await token(), digitalBody({ payment: { gateway: 'square', card } }))
    expect(Object.keys(errors)).toEqual(['payment.card.number'])
    expect(Object.keys(await shop.errors(await token(), body({ token: 'CASH' })))).toEqual(['payment.square.token'])
    const elsewhere = { token: 'cnon:card-nonce-ok', verification_token: '4111111111111111', note: 4111111111111111 }
    const places = ['payment.card.postal_zip_code', 'payment.square.verification_token', 'payment.square.note']
    const payment = { gateway: 'square', square: elsewhere, card: { postal_zip_code: '4111-1111-1111-1111' } }
    expect(Object.keys(await shop.errors(await token(), digitalBody({ payment })))).toEqual(places)
    expect(square.requests.length).toBe(before)
  })

  it('with credentials that were revoked is 402, says that nothing was paid, and tells the log which gateway it is', async () => {
    const bought = await token()
    await change({ access_token: 'EAAA-revoked-000000000000' })
    const lines = app.logged.length
    const answer = await shop
      .capture(bought, body())
      .finally(() => change({ access_token: SQUARE_CONFIG.access_token }))
    expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/have not been charged/)])
    const logged = app.logged.slice(lines).join('')
    expect(logged).toContain('Square does not accept the access token')
    expect(logged).not.toContain('EAAA')
    expect((await shop.order(bought, body())).status_payment).toBe('paid')
  })
})

describe('one charge, and one order', () => {
  it('come of five captures at the same moment', async () => {
    const before = square.payments.size
    const bought = await token()
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.capture(bought, body())))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map((answer) => (answer.body as { id: string }).id)).size).toBe(1)
    expect(statesSince(before)).toEqual(['COMPLETED'])
  })

  it.each<[Fault, RegExp, number]>([
    ['after', CREATE, 504],
    ['broken_after', CREATE, 504],
    ['html', CREATE, 504],
    ['before', COMPLETE, 504],
    // Looked up at once, and found paid.
    ['after', COMPLETE, 200],
    ['broken_after', COMPLETE, 200],
    ['twice', COMPLETE, 200],
  ])('come of an answer that was lost (%j at %s)', async (fault, on, status) => {
    const before = square.payments.size
    const bought = await token()
    square.trouble(fault, { on })
    expect((await shop.capture(bought, body())).status).toBe(status)
    await complete(31)
    const order = await shop.order(bought, body())
    expect(order).toMatchObject({ status_payment: 'paid', transactions: [{ status: 'complete' }] })
    expect((await receiptOf(bought)).status).toBe(200)
    expect(statesSince(before)).toEqual(['COMPLETED'])
  })

  it.each(['capture.reserved', 'capture.charged', 'capture.numbered', 'capture.finishing', 'capture.finished'])(
    'or nothing at all are left by a process that dies at %s',
    async (at) => {
      const [before, stock] = [square.payments.size, await availableNow()]
      const bought = await token()
      onCheckpoint((name) => {
        if (name === at) throw new Error('gone')
      })
      expect((await shop.capture(bought, body())).status).toBe(500)
      onCheckpoint(null)
      await complete(31)
      await complete(31)
      const isPaid = at !== 'capture.reserved'
      expect([(await receiptOf(bought)).status, await availableNow()]).toEqual(isPaid ? [200, stock - 1] : [404, stock])
      expect(statesSince(before)).toEqual(isPaid ? ['COMPLETED'] : [])
    },
  )

  it('are found after an outage of hours, in which the attempt stays and the log says so', async () => {
    const before = square.payments.size
    const bought = await token()
    square.trouble('before', { on: COMPLETE })
    await square.goDown().then(() => square.comeBack())
    expect((await shop.capture(bought, body())).status).toBe(504)
    await square.goDown()
    const count = errors.length
    await complete(31)
    expect(errors.length).toBe(count + 1)
    expect((await shop.capture(bought, body())).status).toBe(409)
    await square.comeBack()
    await complete(2_000)
    expect((await shop.order(bought, body())).status_payment).toBe('paid')
    expect(statesSince(before)).toEqual(['COMPLETED'])
  })

  it('come of credentials that were revoked in the middle, once they are mended', async () => {
    const before = square.payments.size
    const bought = await token()
    square.trouble('before', { on: COMPLETE })
    expect((await shop.capture(bought, body())).status).toBe(504)
    await change({ access_token: 'EAAA-revoked-000000000000' })
    const count = errors.length
    await complete(31).finally(() => change({ access_token: SQUARE_CONFIG.access_token }))
    expect([errors.length, statesSince(before)]).toEqual([count + 1, ['APPROVED']])
    await complete(16)
    expect((await receiptOf(bought)).status).toBe(200)
    expect(statesSince(before)).toEqual(['COMPLETED'])
  })

  it('are not made of what Square has let go of meanwhile: all is given back, and the shopper pays anew', async () => {
    const [before, stock] = [square.payments.size, await availableNow()]
    const bought = await token()
    square.trouble('after', { on: CREATE })
    expect((await shop.capture(bought, body())).status).toBe(504)
    await complete(3_700)
    expect(await availableNow()).toBe(stock)
    expect((await shop.order(bought, body())).status_payment).toBe('paid')
    expect(statesSince(before)).toEqual(['CANCELED', 'COMPLETED'])
  })

  it('are never made of another sum than was asked for', async () => {
    const bought = await token()
    square.trouble('after', { on: CREATE })
    expect((await shop.capture(bought, body())).status).toBe(504)
    const payment = [...square.payments.values()].at(-1)
    const total_money = { amount: 1, currency: 'USD' }
    square.payments.set(payment?.id ?? '', { ...payment, status: 'COMPLETED', total_money } as never)
    const count = errors.length
    await complete(31)
    expect([(await receiptOf(bought)).status, errors.length]).toEqual([404, count + 1])
    // Until somebody has looked at it: here, by giving it back.
    square.payments.set(payment?.id ?? '', { ...payment, status: 'CANCELED' } as never)
    await complete(31)
  })

  it('is refunded once, though the answer is lost', async () => {
    const order = await shop.order(await token(), body())
    const before = square.refunds.size
    square.trouble('after', { on: /refunds/ })
    expect((await shop.call('POST', `orders/${order.id}/refund`, {}, secret)).status).toBe(504)
    app.clock.advance(31)
    const again = await shop.call('POST', `orders/${order.id}/refund`, {}, secret)
    expect(again.status).toBe(409)
    const worker = app.startJobs()
    await expect
      .poll(
        async () => (await shop.succeed<Order>(200, 'GET', `orders/${order.id}`, undefined, secret)).status_payment,
        {
          timeout: 60_000,
        },
      )
      .toBe('refunded')
    await worker.stop()
    expect(square.refunds.size).toBe(before + 1)
  })

  it('that is disputed is not refunded, and the merchant hears why', async () => {
    const order = await shop.order(await token(), body())
    square.dispute(order.transactions[0]?.gateway_transaction_id ?? '', 'EVIDENCE_REQUIRED')
    const answer = await shop.call('POST', `orders/${order.id}/refund`, {}, secret)
    expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/^The payment is disputed/)])
    expect((await shop.succeed<Order>(200, 'GET', `orders/${order.id}`, undefined, secret)).status_payment).toBe('paid')
  })
})

describe('with payments that are set aside', () => {
  const hold = async () => {
    await change({ capture: 'manual' })
    const order = await shop.order(await token(), body())
    await change({ capture: null })
    expect(order.status_payment).toBe('authorized')
    return { order, id: order.transactions[0]?.gateway_transaction_id ?? '' }
  }
  const take = (order: Order) =>
    shop.call('PUT', `orders/${order.id}/transactions/${order.transactions[0]?.id}`, { status: 'complete' }, secret)

  it('an order is paid when the merchant takes them, once, though the first answer is lost', async () => {
    const { order, id } = await hold()
    expect(square.payments.get(id)?.status).toBe('APPROVED')
    square.trouble('after', { on: COMPLETE })
    expect((await take(order)).status).toBe(504)
    expect((await take(order)).status).toBe(200)
    expect(square.payments.get(id)?.status).toBe('COMPLETED')
    expect((await shop.succeed<Order>(200, 'GET', `orders/${order.id}`, undefined, secret)).status_payment).toBe('paid')
  })

  it('an order that is cancelled lets go of them', async () => {
    const { order, id } = await hold()
    await shop.succeed(200, 'POST', `orders/${order.id}/cancel`, {}, secret)
    const worker = app.startJobs()
    await expect.poll(() => square.payments.get(id)?.status).toBe('CANCELED')
    await worker.stop()
  })

  it('an order whose time is over cannot be taken, and says so', async () => {
    const { order } = await hold()
    app.clock.advance(7 * 86_400)
    const answer = await take(order)
    expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/time is over/)])
  })
})

// Last: it changes the one location, and the worker asks for it on behalf of all shops.
it('a capture in another currency than the location’s is 422 before anything is held, once Square could be asked for it', async () => {
  Object.assign(square.location, { currency: 'CAD' })
  square.trouble('broken_before', { on: /locations/ })
  const own = await openProviderShop(app, { code: 'square', config: SQUARE_CONFIG })
  const bought = await own.token()
  // Nobody knows it yet: Square itself refuses.
  expect((await own.capture(bought, body())).status).toBe(402)
  const worker = app.startJobs()
  const answered = async () => {
    // So little that a job which is under way keeps its lease.
    app.clock.advance(2)
    worker.poke()
    return (await own.capture(bought, body())).status
  }
  await expect.poll(answered, { interval: 20 }).toBe(422)
  await worker.stop()
  const count = square.requests.length
  expect((await own.capture(bought, body())).body).toMatchObject({
    error: {
      errors: {
        'payment.gateway': [
          'payment.gateway cannot be square: its account takes CAD alone. Choose another way to pay.',
        ],
      },
    },
  })
  expect([square.requests.length, await own.available()]).toEqual([count, 1_000])
  // What was learned belongs to the account, and a test asks anew.
  Object.assign(square.location, { currency: 'USD' })
  await own.change({ capture: 'automatic' })
  expect((await own.capture(bought, body())).status).toBe(422)
  const changed = await own.change({ access_token: SQUARE_CONFIG.access_token })
  expect(changed.config).not.toHaveProperty('location_currency')
  expect((await own.order(await own.token(), body())).status_payment).toBe('paid')
  Object.assign(square.location, { currency: 'JPY' })
  await own.succeed(200, 'POST', `gateways/${own.gateway.id}/test`, {}, own.secret)
  expect((await own.capture(bought, body())).status).toBe(422)
  Object.assign(square.location, { currency: 'USD' })
})
