// Faults that only Stripe has: keys with stored answers, keys that it forgets, and cards that the bank asks about. The others:
// ../every-provider/adapter.

import { describe, expect, it } from 'vitest'
import { timesToBreak } from '../doubles/double.ts'
import { leavesOpen, payOn } from '../every-provider/adapter/bench.ts'
import { CONFIRM, openStripeBench, payment, VERIFY } from './bench.ts'

const bench = await openStripeBench()
const { stripe: double, request, asked, waiting } = bench
const adapter = bench.adapter()
const advance = (seconds: number) => bench.clock.advance(seconds)
const DAY = 86_400

describe('while the intent is being made', () => {
  it('that Stripe has the key with another body is open: something was made by it, which its search does not show yet', async () => {
    const call = request()
    await adapter.charge(call)
    const other = { ...call, description: 'As an older release said it' }
    await leavesOpen(adapter.lookUp(other))
    await leavesOpen(adapter.cancel(other))
    double.index()
    expect(await adapter.lookUp(other)).toMatchObject({ kind: 'charged', amount: 1_234 })
  })

  it('that somebody else is at the same key leaves it open', async () => {
    double.settings.isKeyInUse = true
    const call = request()
    await leavesOpen(adapter.charge(call))
    await leavesOpen(adapter.lookUp(call))
  })

  it('a lost answer to an older token is asked for again, and the token is used once', async () => {
    const call = request({ payment: payment({}, { token: 'tok_visa' }) })
    double.trouble('after', { on: /payment_methods$/ })
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: true })
    expect(await adapter.charge(call)).toMatchObject({ kind: 'charged' })
  })
})

describe('while the card is being charged', () => {
  it('a lost answer that asks for the shopper is told when it is looked up', async () => {
    const call = request({ payment: VERIFY })
    double.trouble('after', { on: CONFIRM })
    await leavesOpen(adapter.charge(call))
    expect(await adapter.lookUp(call)).toMatchObject({ kind: 'requires_verification' })
  })

  it('an intent that is locked at this moment may be charged by whoever has it', async () => {
    const call = request()
    expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
    double.settings.lockedUntilCalm = true
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: false, isOutage: false })
  })

  const passed = async () => {
    const { call } = await waiting()
    double.shopper.passes(call.confirmation)
    return call
  }

  it.each([
    ['429', { retryAfter: 0 }, 'waiting'],
    ['a lost answer', 'after', 'charged'],
  ] as const)('%s of the confirmation after the bank is open, and no reason to call it off', async (_, fault, kind) => {
    const waiting = await passed()
    double.trouble(fault, { on: CONFIRM, times: timesToBreak(fault) })
    await leavesOpen(adapter.confirm({ ...waiting, payment: null }))
    expect(await adapter.lookUp(waiting)).toMatchObject({ kind })
    expect(await adapter.confirm({ ...waiting, payment: null })).toMatchObject({ kind: 'charged' })
  })
})

describe('a key that Stripe has forgotten after a day (F15)', () => {
  it.each([
    ['by its metadata', true],
    ['in the list of its time, where there is no search', false],
  ])('is found %s; nothing is made anew', async (_, hasSearch) => {
    const call = request()
    double.trouble('after', { on: CONFIRM })
    await leavesOpen(adapter.charge(call))
    double.forgetKeys()
    double.index()
    double.settings.hasSearch = hasSearch
    advance(DAY + 3_600)
    const before = double.intents.size
    expect(await adapter.lookUp(call)).toMatchObject({ kind: 'charged', amount: 1_234 })
    expect(await adapter.cancel(call)).toMatchObject({ kind: 'charged' })
    expect(double.intents.size).toBe(before)
  })

  it('is unknown where there is none, and called off without making one', async () => {
    const call = request()
    advance(DAY)
    asked()
    expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    expect(asked()).toEqual(['GET payment_intents/search', 'GET payment_intents/search'])
  })

  it('of a charge that waits is found by the intent that it waits for', async () => {
    const { call } = await waiting()
    double.forgetKeys()
    advance(2 * DAY)
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    expect(double.intents.get(call.confirmation)?.status).toBe('canceled')
  })
})

describe('a failure that Stripe repeats for ever (F16)', () => {
  it('is recognised; what it has made is found by its metadata, and called off', async () => {
    const call = request()
    double.settings.storedFailure = 'done'
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: true, isOutage: true })
    double.index()
    expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    expect(double.intentOf(call.key)?.status).toBe('canceled')
    await leavesOpen(adapter.charge(call))
  })

  it('is unknown where nothing was made', async () => {
    const call = request()
    double.settings.storedFailure = 'nothing'
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: true })
    expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    expect(double.intentOf(call.key)).toBeUndefined()
  })

  it('of a refund is no second refund', async () => {
    const { transactionId } = await payOn(bench)
    const refund = { ...request({ key: 'rfnd_stored', amount: 100 }), transactionId }
    double.settings.storedFailure = 'done'
    await expect(adapter.refund(refund)).rejects.toMatchObject({ isOutage: true })
    expect(await adapter.refund(refund)).toMatchObject({ kind: 'refunded' })
    expect(double.refunds.filter(({ intent }) => intent === transactionId)).toHaveLength(1)
  })
})
