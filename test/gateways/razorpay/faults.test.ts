// Faults that only Razorpay has: orders without keys, payments in unknown states. The other faults: ../every-provider/adapter.

import { describe, expect, it } from 'vitest'
import { leavesOpen } from '../every-provider/adapter/bench.ts'
import { openRazorpayOrders, orderIn } from './bench.ts'

const { clock, razorpay, adapter, request, named, begun, statusOf } = await openRazorpayOrders()

describe('a request', () => {
  it('for an order that arrives twice makes two, of which one is known and counts', async () => {
    const charge = request()
    razorpay.trouble('twice', { on: /^POST \/v1\/orders$/ })
    const orderId = orderIn(await adapter().charge(charge))
    const both = [...razorpay.orders.values()].filter(({ receipt }) => receipt === charge.key)
    expect(both).toHaveLength(2)
    const waiting = { ...charge, confirmation: orderId }
    razorpay.pay({ orderId: both.find(({ id }) => id !== orderId)?.id ?? '' })
    expect(await adapter().lookUp(waiting)).toMatchObject({ kind: 'requires_verification', param: orderId })
    razorpay.pay({ orderId })
    expect(await adapter().lookUp(waiting)).toEqual({ kind: 'approved' })
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
    await leavesOpen(adapter().lookUp(charge))
    await leavesOpen(adapter().charge(charge))
  })

  it('never counts a sum that cannot be named', async () => {
    const { charge, payment } = named()
    razorpay.captureByHand(payment.id)
    razorpay.set(payment.id, { currency: 'XXX' })
    const invalid = { isNothingCharged: false, message: expect.stringMatching(/an amount that is not valid/) }
    await expect(adapter().lookUp(charge)).rejects.toMatchObject(invalid)
  })
})
