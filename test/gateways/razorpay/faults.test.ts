// What becomes of a charge by Razorpay when something breaks at any of its steps: looking it up tells the truth, calling it off closes it, and
// nobody ever pays twice, or for nothing.

import { describe, expect, it } from 'vitest'
import type { ChargeCall } from '../../../src/gateways/gateway.ts'
import type { Fault } from '../doubles/double.ts'
import { MANUAL, openRazorpayTest, orderIn, payWith } from './support.ts'

const { clock, razorpay, hangUp, adapter, request, named, begun, statusOf } = await openRazorpayTest()

const LIST_ORDERS = /^GET \/v1\/orders$/
const CREATE_ORDER = /^POST \/v1\/orders$/
const LIST_PAYMENTS = /^GET \/v1\/orders\/\w+\/payments$/
const FIND = /^GET \/v1\/payments\/\w+$/
const CAPTURE = /capture$/
const REFUND = /^POST .*refund$/

/** Each leaves open what has happened. */
const LOST: Fault[] = ['before', 'after', 'half', 'broken_before', 'broken_after', 'html', 'empty', 'redirect', 'giant']
/** Those after which Razorpay has not done what was asked. */
const UNDONE: Fault[] = ['before', 'broken_before']

const fails = (work: Promise<unknown>) => expect(work).rejects.toMatchObject({ isNothingCharged: false })

const capturesOf = (id: string) => razorpay.requests.filter(({ path }) => path === `/v1/payments/${id}/capture`).length

/** As the completer goes on: asks, takes what was approved. */
async function end(charge: ChargeCall) {
  const found = await adapter().lookUp(charge)
  return found.kind === 'approved' ? adapter().confirm({ ...charge, payment: null }) : found
}

describe.each(LOST)('after %j', (fault) => {
  it('while an order is made nothing was charged, and nothing will be: its id was told to nobody', async () => {
    for (const on of [LIST_ORDERS, CREATE_ORDER]) {
      const charge = request()
      razorpay.trouble(fault, { on })
      await expect(adapter().charge(charge)).rejects.toMatchObject({ isNothingCharged: true })
      const isMade = on === CREATE_ORDER && !UNDONE.includes(fault)
      expect((await adapter().lookUp(charge)).kind).toBe(isMade ? 'requires_verification' : 'unknown')
      expect((await adapter().cancel(charge)).kind).toBe('cancelled')
    }
  })

  it('while a named payment is looked at, nothing is taken, and it can be taken later', async () => {
    const { charge, payment } = named()
    razorpay.trouble(fault, { on: FIND })
    await fails(adapter().charge(charge))
    expect(statusOf(payment.id)).toBe('authorized')
    expect(await end(charge)).toMatchObject({ kind: 'charged', transactionId: payment.id })
  })

  it('while a named payment is taken, it is found, and taken once', async () => {
    const { charge, payment } = named()
    razorpay.trouble(fault, { on: CAPTURE })
    await fails(adapter().charge(charge))
    expect((await adapter().lookUp(charge)).kind).toBe(UNDONE.includes(fault) ? 'approved' : 'charged')
    expect(await end(charge)).toMatchObject({ kind: 'charged', amount: 1_234 })
    expect(await end(charge)).toMatchObject({ kind: 'charged', amount: 1_234 })
    expect(capturesOf(payment.id)).toBe(UNDONE.includes(fault) ? 2 : 1)
  })

  it('while the payment of an order is looked at or taken, it is found, and taken once', async () => {
    for (const on of [LIST_PAYMENTS, FIND, CAPTURE]) {
      const { charge, orderId } = await begun()
      const payment = razorpay.pay({ orderId })
      razorpay.trouble(fault, { on })
      await fails(adapter().confirm({ ...charge, payment: payWith(razorpay.given(payment)) }))
      const isTaken = on === CAPTURE && !UNDONE.includes(fault)
      expect(statusOf(payment.id)).toBe(isTaken ? 'captured' : 'authorized')
      expect((await adapter().lookUp(charge)).kind).toBe(isTaken ? 'charged' : 'approved')
      expect(await end(charge)).toMatchObject({ kind: 'charged', transactionId: payment.id })
    }
  })

  it('while it is called off, calling it off again tells the truth', async () => {
    const { charge, orderId } = await begun()
    razorpay.trouble(fault, { on: LIST_PAYMENTS })
    await fails(adapter().cancel(charge))
    expect(await adapter().cancel(charge)).toMatchObject({ kind: 'cancelled' })
    razorpay.captureByHand(razorpay.pay({ orderId }).id)
    expect(await adapter().cancel(charge)).toMatchObject({ kind: 'charged' })
  })

  it('while what was set aside is taken, it is taken once', async () => {
    const { charge, payment } = named({}, { config: MANUAL })
    const take = { ...charge, transactionId: payment.id }
    razorpay.trouble(fault, { on: CAPTURE })
    await fails(adapter().take(take))
    expect(await adapter().take(take)).toMatchObject({ kind: 'charged' })
    expect(capturesOf(payment.id)).toBe(UNDONE.includes(fault) ? 2 : 1)
  })

  it('a refund is made once', async () => {
    const { charge, payment } = named()
    await adapter().charge(charge)
    const refund = { ...charge, key: `${charge.key}_refund`, transactionId: payment.id }
    razorpay.trouble(fault, { on: REFUND })
    await fails(adapter().refund(refund))
    expect(await adapter().refund(refund)).toMatchObject({ kind: 'refunded' })
    expect([...razorpay.refunds.values()].filter(({ payment_id }) => payment_id === payment.id)).toHaveLength(1)
  })
})

describe('a request', () => {
  it('for an order that arrives twice makes two, of which one is known and counts', async () => {
    const charge = request()
    razorpay.trouble('twice', { on: CREATE_ORDER })
    const orderId = orderIn(await adapter().charge(charge))
    const both = [...razorpay.orders.values()].filter(({ receipt }) => receipt === charge.key)
    expect(both).toHaveLength(2)
    const waiting = { ...charge, confirmation: orderId }
    razorpay.pay({ orderId: both.find(({ id }) => id !== orderId)?.id ?? '' })
    expect(await adapter().lookUp(waiting)).toMatchObject({ kind: 'requires_verification', param: orderId })
    razorpay.pay({ orderId })
    expect(await adapter().lookUp(waiting)).toEqual({ kind: 'approved' })
  })

  it('to take that arrives twice takes once, and is told as taken', async () => {
    const { charge, payment } = named()
    razorpay.trouble('twice', { on: CAPTURE })
    // The second is refused: "already been captured".
    expect(await adapter().charge(charge)).toMatchObject({ kind: 'charged', transactionId: payment.id })
  })

  it('to refund that arrives twice refunds once', async () => {
    const { charge, payment } = named()
    await adapter().charge(charge)
    razorpay.trouble('twice', { on: REFUND })
    const refund = { ...charge, key: `${charge.key}_refund`, transactionId: payment.id, amount: 100 }
    expect(await adapter().refund(refund)).toMatchObject({ kind: 'refunded' })
    expect([...razorpay.refunds.values()].filter(({ payment_id }) => payment_id === payment.id)).toHaveLength(1)
  })

  it('that hangs is given up, and found later', async () => {
    const { charge, payment } = named()
    razorpay.trouble({ slowMs: 60_000 }, { on: CAPTURE })
    await fails(adapter().charge({ ...charge, signal: AbortSignal.timeout(3_000) }))
    expect(await end(charge)).toMatchObject({ kind: 'charged', transactionId: payment.id })
  })

  it('is sent once more where Razorpay is busy; if that is no use nothing was charged, but after the first step that is open', async () => {
    razorpay.trouble({ retryAfter: 0 }, { on: FIND })
    expect(await adapter().charge(named().charge)).toMatchObject({ kind: 'charged' })
    razorpay.trouble({ retryAfter: 0 }, { on: FIND, times: 2 })
    await expect(adapter().charge(named().charge)).rejects.toMatchObject({ isNothingCharged: true })
    razorpay.trouble({ retryAfter: 0 }, { on: CAPTURE, times: 2 })
    await fails(adapter().charge(named().charge))
  })

  it('that cannot connect has charged nothing', async () => {
    const { charge, payment } = named()
    await razorpay.goDown()
    hangUp()
    try {
      const down = { isNothingCharged: true, isOutage: true }
      await expect(adapter().charge(charge)).rejects.toMatchObject(down)
      await expect(adapter().charge(request())).rejects.toMatchObject(down)
      await expect(adapter().lookUp(charge)).rejects.toMatchObject({ isNothingCharged: false, isOutage: true })
    } finally {
      await razorpay.comeBack()
    }
    expect(statusOf(payment.id)).toBe('authorized')
  })
})

describe('calling off', () => {
  it('closes what nobody has paid, which can be paid still, and what never came', async () => {
    const { charge } = await begun()
    const payableUntil = new Date(clock.now().getTime() + 24 * 3_600_000)
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled', payableUntil })
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled', payableUntil })
    expect(await adapter().cancel(request())).toEqual({ kind: 'cancelled' })
  })

  it('takes nothing of what is only authorized', async () => {
    const { charge, orderId } = await begun()
    const payment = razorpay.pay({ orderId })
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled', payableUntil: expect.any(Date) })
    expect(statusOf(payment.id)).toBe('authorized')
  })

  it('tells what was declined', async () => {
    const { charge } = named({ status: 'failed' })
    expect(await adapter().cancel(charge)).toMatchObject({ kind: 'declined', reason: 'card_declined' })
  })
})

describe('looking up', () => {
  it('moves no money', async () => {
    const { charge, orderId } = await begun()
    razorpay.pay({ orderId })
    const before = razorpay.requests.length
    await adapter().lookUp(charge)
    await adapter().lookUp(named().charge)
    expect(razorpay.requests.slice(before).map(({ method }) => method)).not.toContain('POST')
  })

  it('leaves open what is in a state that is not known', async () => {
    const { charge, payment } = named()
    razorpay.set(payment.id, { status: 'on_its_way' })
    await fails(adapter().lookUp(charge))
    await fails(adapter().charge(charge))
    // The double says so itself: there is no such state today.
    expect(razorpay.mistakes.splice(0)).toHaveLength(2)
  })

  it('never counts a sum that cannot be named', async () => {
    const { charge, payment } = named()
    razorpay.captureByHand(payment.id)
    razorpay.set(payment.id, { currency: 'XXX' })
    await expect(adapter().lookUp(charge)).rejects.toMatchObject({
      isNothingCharged: false,
      message: expect.stringMatching(/a sum that nobody has asked for/),
    })
  })
})
