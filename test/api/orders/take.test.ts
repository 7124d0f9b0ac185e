// PUT /v1/orders/{id}/transactions/{id} of a charge that the gateway holds: the money is taken there, once, before the order is paid,
// whatever dies or hangs on the way.

import { afterEach, describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { updateTransaction } from '../../../src/api/payments/transaction.ts'
import { GatewayUnavailable } from '../../../src/gateways/call.ts'
import type { GatewayAdapter, TakeOutcome, TakeRequest } from '../../../src/gateways/gateway.ts'
import { openBreaker } from '../../../src/gateways/provider/breaker.ts'
import { testGateway } from '../../../src/gateways/sandbox/test-gateway.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { gate } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { gatewayPorts } from '../../support/gateways.ts'
import { lockRows } from '../../support/rows.ts'
import { atOnce, bodyOf, errorReply, notValid, notValidField, replyOf, unixNow } from '../../support/shop.ts'
import { countWaitingLocks } from '../waiting-locks.ts'
import { digital, openShop, physical, runOrderJobs, usd } from './support.ts'

type Take = (request: TakeRequest) => Promise<TakeOutcome>

/** What the test gateway does with money that it holds, instead of what it usually does; undefined: it cannot take any. */
let take: ((usual: Take, request: TakeRequest) => Promise<TakeOutcome>) | null | undefined = null
let isTakenWhole = false
afterEach(async () => {
  take = null
  isTakenWhole = false
  expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([])
})

const app = await testApp({
  trustProxy: () => true,
  findAdapter: (code): GatewayAdapter | undefined => {
    if (code !== 'test_gateway') return undefined
    const usual = testGateway.createAdapter?.(gatewayPorts(app))
    if (!usual?.take || take === undefined) return usual && { ...usual, take: undefined as never }
    const { take: usually, takesParts: _, ...others } = usual
    return {
      ...others,
      ...(isTakenWhole ? {} : { takesParts: true }),
      take: (request) => take?.(usually, request) ?? usually(request),
    }
  },
})
const shop = await openShop(app)

const held = () => shop.order({ lines: [physical(), digital()] }, 'authorized')
const told = async (order: Order) => (await shop.events(order)).filter(({ name }) => name === 'orders.update')

const runJobs = () => runOrderJobs(app, shop.id)

/** The requests that the gateway gets from now on. */
function watchTake(): TakeRequest[] {
  const asked: TakeRequest[] = []
  take = (usual, request) => {
    asked.push(request)
    return usual(request)
  }
  return asked
}

const expectTaken = async (order: Order) => {
  const after = await shop.get(order.id)
  expect(after).toMatchObject({ status_payment: 'paid', order: { total_paid: usd(3_000) } })
  expect(after.transactions).toMatchObject([{ status: 'complete', status_reason: 'complete' }])
  expect((await shop.books(order)).state).toBe('charged')
  return after
}

describe('PUT /v1/orders/{id}/transactions/{id} of a charge that the gateway holds', () => {
  it('is paid at the moment in which it is recorded, however long it waited for another change of the order', async () => {
    const order = await held()
    // Once the gateway has the money, somebody else has the order: the answer waits to be recorded.
    const [locked, over] = [gate(), gate()]
    let other: Promise<unknown> | undefined
    take = async (usual, request) => {
      const outcome = await usual(request)
      other = app.db.transaction(async (tx) => {
        await lockRows(tx, 'orders', { merchant_id: shop.id, id: order.id })
        locked.open()
        await over.opened
      })
      await locked.opened
      return outcome
    }
    const answer = shop.complete(order)
    await expect.poll(() => countWaitingLocks(app.db)).toBe(1)
    app.clock.advance(60)
    const at = unixNow(app)
    over.open()
    await other
    expect((await answer).body).toMatchObject({ status: 'complete', updated: at })
    expect(await shop.get(order.id)).toMatchObject({ updated: at })
  })

  it('takes the money there, and then the order is paid', async () => {
    const order = await held()
    app.clock.advance(60)
    const asked = watchTake()
    const answer = await shop.complete(order, { notes: 'packed', amount: 30 })
    const transactionId = order.transactions[0]?.gateway_transaction_id
    const key = transactionId?.replace('test_', '')
    expect(asked).toMatchObject([{ key, transactionId, amount: 3_000, currency: 'USD', otherIds: [] }])
    const at = unixNow(app)
    const complete = { status: 'complete', status_reason: 'complete', charge_date: at, updated: at }
    expect(answer.body).toEqual({ ...order.transactions[0], ...complete, notes: 'packed' })
    const after = await expectTaken(order)
    expect(after.transactions).toEqual([answer.body])
    expect(await told(order)).toMatchObject([{ payload: after }])
    expect((await shop.call('POST', `/${order.id}/refund`)).body).toMatchObject({ status_payment: 'refunded' })
    expect((await shop.books(order)).state).toBe('refunded')
    await runJobs()
    expect((await shop.books(order)).state).toBe('refunded')
  })

  it('that is refused answers with the words of the gateway; the order stays authorized and can be cancelled', async () => {
    const order = await held()
    take = async () => ({ kind: 'declined', message: 'The hold has ended.' })
    expect((await shop.complete(order, { amount: 5 })).status).toBe(402)
    expect(await replyOf(shop.complete(order, { notes: 'packed' }))).toEqual(
      errorReply(402, { type: 'gateway_error', message: 'The hold has ended.' }),
    )
    expect(await shop.get(order.id)).toEqual(order)
    expect((await shop.books(order)).state).toBe('authorized')
    expect((await shop.call('POST', `/${order.id}/cancel`)).status).toBe(200)
    take = null
    await runJobs()
    expect((await shop.books(order)).state).toBe('cancelled')
    expect((await shop.complete(order)).status).toBe(422)
  })

  const FAULTS: Record<string, NonNullable<typeof take>> = {
    'answers with an error': () => Promise.reject(new GatewayUnavailable('is gone', { isNothingCharged: false })),
    'breaks, as at a death before it was asked,': () => Promise.reject(new TypeError('is gone')),
    'takes it and then loses the connection': async (usual, request) => {
      await usual(request)
      throw new Error('is gone')
    },
  }

  it.each(Object.keys(FAULTS))(
    'whose gateway %s is open, cannot be cancelled, and is ended by the job',
    async (fault) => {
      const [order, part] = [await held(), await held()]
      take = FAULTS[fault] ?? null
      expect(await replyOf(shop.complete(order))).toMatchObject([504, { error: { type: 'gateway_timeout' } }])
      expect(app.logged.slice(-2).join('')).toContain('is gone')
      expect((await shop.complete(part, { amount: 5 })).status).toBe(504)
      const open = await shop.get(order.id)
      expect(open).toMatchObject({ status_payment: 'authorized', payments: [] })
      expect(open.transactions).toMatchObject([{ status: 'pending', status_reason: 'awaiting_gateway' }])
      expect(bodyOf(409, await shop.call('POST', `/${order.id}/cancel`, { refund: true }))).toMatchObject({
        error: { message: 'The held payment of the order is being captured. Try again when that has finished.' },
      })
      take = null
      // A part is taken as it was asked for; another amount waits.
      for (const body of [{ amount: 6 }, {}]) expect((await shop.complete(part, body)).status).toBe(409)
      await runJobs()
      expect(await told(order)).toMatchObject([{ payload: await expectTaken(order) }])
      await expectPart(part, 500)
      expect(await told(part)).toHaveLength(1)
    },
  )

  it('whose gateway hangs, and does not look at the signal, ends in time all the same', async () => {
    const order = await held()
    const hanging = { take: () => new Promise(() => undefined) } as unknown as GatewayAdapter
    const payments = { findAdapter: () => hanging, settleAfterMs: 60, breaker: openBreaker() }
    const id = order.transactions[0]?.id ?? ''
    const taking = updateTransaction(shop.request(payments), order.id, id, { status: 'complete' })
    const cause = { message: 'The gateway has not answered in time.' }
    await expect(taking).rejects.toMatchObject({ status: 504, cause })
    await runJobs()
    await expectTaken(order)
  })

  it('may be sent again instead, and is taken once', async () => {
    const order = await held()
    take = async (usual, request) => {
      await usual(request)
      throw new Error('reset by peer')
    }
    expect((await shop.complete(order)).status).toBe(504)
    take = null
    expect((await shop.complete(order, { notes: 'again' })).body).toMatchObject({ status: 'complete', notes: 'again' })
    const after = await expectTaken(order)
    await runJobs()
    expect(await shop.get(order.id)).toEqual(after)
  })

  it('is refused by the job as by the request, and can then be cancelled', async () => {
    const order = await held()
    take = () => Promise.reject(new Error('down'))
    expect((await shop.complete(order)).status).toBe(504)
    take = async () => ({ kind: 'declined', message: 'The hold has ended.' })
    await runJobs()
    expect((await shop.get(order.id)).transactions).toMatchObject([{ status_reason: 'awaiting_capture' }])
    expect((await shop.call('POST', `/${order.id}/cancel`)).status).toBe(200)
  })

  it('is not paid when the gateway has taken something else', async () => {
    const order = await held()
    for (const wrong of [{ amount: 3_001 }, { currency: 'EUR' }]) {
      take = async (usual, request) => ({ ...(await usual(request)), ...wrong }) as TakeOutcome
      expect((await shop.complete(order)).status).toBe(504)
      expect(await shop.get(order.id)).toMatchObject({ status_payment: 'authorized' })
    }
    expect(app.logged.join('')).toContain('3000 USD were requested, but 3001 USD were captured.')
    expect(app.logged.join('')).toContain('3000 USD were requested, but 3000 EUR were captured.')
    take = null
    await runJobs()
  })

  it('of ten at once, with ten to cancel, is either taken or let go of', async () => {
    const order = await held()
    const answers = await atOnce(20, (index) =>
      index % 2 === 0 ? shop.complete(order) : shop.call('POST', `/${order.id}/cancel`),
    )
    expect(answers.filter(({ status }) => ![200, 409, 422].includes(status))).toEqual([])
    await runJobs()
    const after = await shop.get(order.id)
    expect([after.status, (await shop.books(order)).state]).toEqual(
      after.status_payment === 'paid' ? ['open', 'charged'] : ['cancelled', 'cancelled'],
    )
  })
})

async function expectPart(order: Order, minor: number) {
  const after = await shop.get(order.id)
  expect(after).toMatchObject({
    status_payment: 'partially_paid',
    order: { total_paid: usd(minor), total_due: usd(3_000), total_refundable: usd(minor) },
    payments: [{ amount: usd(minor) }],
  })
  // Both were made at the same moment of the tests' clock.
  const [taken, rest] = after.transactions.toSorted((one, other) => (one.status < other.status ? 1 : -1))
  expect([taken, rest]).toMatchObject([
    { status: 'complete', amount: usd(minor) },
    { status: 'cancelled', status_reason: 'released', gateway_transaction_id: null, amount: usd(3_000 - minor) },
  ])
  expect(await shop.books(order)).toMatchObject({ state: 'charged', taken: minor })
  return after
}

describe('PUT /v1/orders/{id}/transactions/{id} with a smaller amount than the gateway holds', () => {
  it('takes that part; the rest is let go of and cannot be taken later', async () => {
    const order = await held()
    app.clock.advance(60)
    const at = unixNow(app)
    const asked = watchTake()
    const answer = await shop.complete(order, { amount: 12.5, notes: 'one of two' })
    const complete = { status: 'complete', status_reason: 'complete', charge_date: at, updated: at }
    expect(answer.body).toEqual({ ...order.transactions[0], ...complete, amount: usd(1_250), notes: 'one of two' })
    expect(asked).toMatchObject([{ amount: 1_250, currency: 'USD' }])
    const after = await expectPart(order, 1_250)
    expect(await told(order)).toMatchObject([{ payload: { id: order.id, status_payment: 'partially_paid' } }])
    const rest = after.transactions.find(({ status }) => status === 'cancelled')
    expect(await replyOf(shop.call('PUT', `/${order.id}/transactions/${rest?.id}`, { status: 'complete' }))).toEqual(
      notValidField('status', 'is cancelled; only a pending transaction can be completed.'),
    )
    expect((await shop.complete(order, { amount: 20 })).status).toBe(422)
    // The part can be given back, in parts.
    const back = await shop.call('POST', `/${order.id}/refund`, { amount: 2.5 })
    expect(back.body).toMatchObject({ status_payment: 'partially_paid', order: { total_paid: usd(1_000) } })
    expect((await shop.call('POST', `/${order.id}/refund`, { amount: 10.01 })).status).toBe(422)
    expect((await shop.call('POST', `/${order.id}/refund`)).body).toMatchObject({ status_payment: 'refunded' })
  })

  it('is refused by a gateway that takes none, or the whole or nothing, and where it is more than is held', async () => {
    const order = await held()
    take = undefined
    expect(bodyOf(422, await shop.complete(order))).toEqual(
      notValid({ status: ['Payments that test_gateway holds cannot be captured here.'] }),
    )
    take = null
    isTakenWhole = true
    expect(await replyOf(shop.complete(order, { amount: 5 }))).toEqual(
      notValidField('amount', 'must be 30.00 USD: test_gateway captures a held payment only in full.'),
    )
    expect((await shop.complete(order, { amount: 30.01 })).status).toBe(422)
    expect(await shop.get(order.id)).toEqual(order)
    expect((await shop.complete(order, { amount: 30 })).status).toBe(200)
  })
})

describe('PUT /v1/orders/{id}/transactions/{id} with the status cancelled', () => {
  const release = (order: Order, body: object = {}) =>
    shop.call('PUT', `/${order.id}/transactions/${order.transactions[0]?.id}`, { status: 'cancelled', ...body })

  it('lets go of what the gateway holds, once; the order stays open', async () => {
    const order = await held()
    app.clock.advance(1)
    const answer = await release(order, { notes: 'sold out' })
    const at = unixNow(app)
    const released = { status: 'cancelled', status_reason: 'released', notes: 'sold out', updated: at }
    const charge = { ...order.transactions[0], ...released }
    expect([answer.status, answer.body]).toEqual([200, charge])
    const after = await shop.get(order.id)
    expect(after).toEqual({ ...order, updated: at, status_payment: 'not_paid', transactions: [charge] })
    expect(await told(order)).toMatchObject([{ payload: after }])
    expect((await release(order)).status).toBe(200)
    await runJobs()
    expect((await shop.books(order)).state).toBe('cancelled')
    expect((await shop.complete(order)).status).toBe(422)
    expect((await shop.call('POST', `/${order.id}/cancel`)).status).toBe(200)
  })

  it('is for what a gateway holds alone, takes no amount, and waits for what is being taken', async () => {
    const sentence = 'status can be set to cancelled only for a charge that the gateway holds.'
    for (const order of [await shop.order(), await shop.order({}, 'manual')]) {
      expect(bodyOf(422, await release(order))).toEqual(notValid({ status: [sentence] }))
      expect(await shop.get(order.id)).toEqual(order)
    }
    const order = await held()
    expect((await release(order, { amount: 5 })).status).toBe(422)
    take = () => Promise.reject(new Error('down'))
    expect((await shop.complete(order)).status).toBe(504)
    expect((await release(order)).status).toBe(409)
    take = null
    await runJobs()
    await expectTaken(order)
  })

  it('beside as many that take is one or the other', async () => {
    for (let round = 0; round < 5; round++) {
      const order = await held()
      const answers = await atOnce(8, (index) =>
        index % 2 === round % 2 ? shop.complete(order, { amount: 5 }) : release(order),
      )
      expect(answers.filter(({ status }) => ![200, 409, 422].includes(status)).map(({ status }) => status)).toEqual([])
      await runJobs()
      const after = await shop.get(order.id)
      expect([after.status_payment, (await shop.books(order)).state].join()).toMatch(
        /^(partially_paid,charged|not_paid,cancelled)$/,
      )
    }
  })
})
