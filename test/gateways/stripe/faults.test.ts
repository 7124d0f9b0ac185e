// Everything that can go wrong between us and Stripe, at each step: what is thrown says no more than is sure, looking up tells the truth
// afterwards, and calling off closes.

import { describe, expect, it } from 'vitest'
import type { Fault } from '../doubles/double.ts'
import { CONFIG, openAdapter, payment, VERIFY } from './support.ts'

const { adapter, double, request, asked, advance } = await openAdapter()

const CREATE = /^POST \/v1\/payment_intents$/
const CONFIRM = /\/confirm$/
const DAY = 86_400

const DONE: Fault[] = ['after', 'half', 'broken_after', 'html', 'empty', 'redirect', 'giant']
const NOT_DONE: Fault[] = ['before', 'broken_before']

describe('while the intent is being made', () => {
  it.each([...DONE, ...NOT_DONE])('%s: nothing was charged, nor will be (F10, F50)', async (fault) => {
    const call = request()
    double.trouble(fault, { on: CREATE })
    await expect(adapter.charge(call)).rejects.toMatchObject({ name: 'GatewayUnavailable', isNothingCharged: true })
    expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    expect(double.intentOf(call.key)).toMatchObject({ status: 'canceled', received: 0 })
    // A charge that was still on its way.
    expect(await adapter.charge(call)).toMatchObject({ kind: 'declined', reason: 'cancelled' })
  })

  it('that Stripe has the key with another body is open: something was made by it, which its search does not show yet', async () => {
    const call = request()
    await adapter.charge(call)
    const other = { ...call, description: 'As an older release said it' }
    await expect(adapter.lookUp(other)).rejects.toMatchObject({ isNothingCharged: false })
    await expect(adapter.cancel(other)).rejects.toMatchObject({ isNothingCharged: false })
    double.index()
    expect(await adapter.lookUp(other)).toMatchObject({ kind: 'charged', amount: 1_234 })
  })

  it('twice is once', async () => {
    const call = request()
    double.trouble('twice', { on: CREATE })
    expect(await adapter.charge(call)).toMatchObject({ kind: 'charged', amount: 1_234 })
    expect(
      [...double.intents.values()].filter(({ metadata }) => metadata.cartwright_attempt === call.key),
    ).toHaveLength(1)
  })

  it('that somebody else is at the same key leaves it open', async () => {
    double.settings.isKeyInUse = true
    const call = request()
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: false })
    await expect(adapter.lookUp(call)).rejects.toMatchObject({ isNothingCharged: false })
  })

  it('a lost answer to an older token is asked for again, and the token is used once', async () => {
    const call = request({ payment: payment({}, { token: 'tok_visa' }) })
    double.trouble('after', { on: /payment_methods$/ })
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: true })
    expect(await adapter.charge(call)).toMatchObject({ kind: 'charged' })
  })
})

describe('while the card is being charged', () => {
  it.each(DONE)('%s: it is open, and found paid (F11, F12, F50)', async (fault) => {
    const call = request()
    double.trouble(fault, { on: CONFIRM })
    await expect(adapter.charge(call)).rejects.toMatchObject({ name: 'GatewayUnavailable', isNothingCharged: false })
    const paid = { kind: 'charged', amount: 1_234, transactionId: double.intentOf(call.key)?.id }
    expect(await adapter.lookUp(call)).toMatchObject(paid)
    expect(await adapter.cancel(call)).toMatchObject(paid)
    expect(await adapter.charge(call)).toMatchObject(paid)
  })

  it.each(NOT_DONE)('%s: it is open, and found not to be charged', async (fault) => {
    const call = request()
    double.trouble(fault, { on: CONFIRM })
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: false, isOutage: true })
    expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
  })

  it('no answer in time leaves it open (F13)', async () => {
    const call = request({ signal: AbortSignal.timeout(2_500) })
    double.trouble({ slowMs: 60_000 }, { on: CONFIRM })
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: false, isOutage: true })
    expect(await adapter.lookUp(request({ key: call.key, begunAt: call.begunAt }))).toMatchObject({ kind: 'charged' })
  })

  it('twice is once', async () => {
    const call = request()
    double.trouble('twice', { on: CONFIRM })
    expect(await adapter.charge(call)).toMatchObject({ kind: 'charged', amount: 1_234, reference: '4242' })
  })

  it('a lost answer that asks for the shopper is told when it is looked up', async () => {
    const call = request({ payment: VERIFY })
    double.trouble('after', { on: CONFIRM })
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: false })
    expect(await adapter.lookUp(call)).toMatchObject({ kind: 'requires_verification' })
  })

  it('an intent that is locked at this moment may be charged by whoever has it', async () => {
    const call = request()
    expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
    double.settings.lockedUntilCalm = true
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: false, isOutage: false })
  })

  const passed = async () => {
    const call = request({ payment: VERIFY })
    const outcome = await adapter.charge(call)
    if (outcome.kind !== 'requires_verification') throw new Error('The bank asks.')
    double.shopper.passes(outcome.confirmation)
    return { ...call, confirmation: outcome.confirmation }
  }

  it('429 of the confirmation after the bank is open, and no reason to call it off', async () => {
    const waiting = await passed()
    double.trouble({ retryAfter: 0 }, { on: CONFIRM, times: 2 })
    await expect(adapter.confirm({ ...waiting, payment: null })).rejects.toMatchObject({ isNothingCharged: false })
    expect(await adapter.confirm({ ...waiting, payment: null })).toMatchObject({ kind: 'charged' })
  })

  it.each(DONE)('%s of the confirmation after the bank: open, and found paid', async (fault) => {
    const waiting = await passed()
    double.trouble(fault, { on: CONFIRM })
    await expect(adapter.confirm({ ...waiting, payment: null })).rejects.toMatchObject({ isNothingCharged: false })
    expect(await adapter.lookUp(waiting)).toMatchObject({ kind: 'charged' })
    expect(await adapter.confirm({ ...waiting, payment: null })).toMatchObject({ kind: 'charged' })
  })
})

describe('Stripe that takes no more requests', () => {
  it.each([CREATE, CONFIRM])('is asked once again, and has then charged nothing (F39): %s', async (on) => {
    double.trouble({ retryAfter: 0 }, { on })
    expect(await adapter.charge(request())).toMatchObject({ kind: 'charged' })
    double.trouble({ retryAfter: 0 }, { on, times: 2 })
    await expect(adapter.charge(request())).rejects.toMatchObject({ isNothingCharged: true, isOutage: false })
  })
})

it('cannot be reached: nothing was charged, and looking up does not pretend to know (F14)', async () => {
  const call = request()
  await adapter.charge(call)
  await double.goDown()
  await expect(adapter.charge(request())).rejects.toMatchObject({ isNothingCharged: true, isOutage: true })
  await expect(adapter.lookUp(call)).rejects.toMatchObject({ isNothingCharged: false, isOutage: true })
  await expect(adapter.cancel(call)).rejects.toMatchObject({ isNothingCharged: false })
  await double.comeBack()
  expect(await adapter.lookUp(call)).toMatchObject({ kind: 'charged' })
})

describe('a key that Stripe has forgotten after a day (F15)', () => {
  it.each([
    ['by its metadata', true],
    ['in the list of its time, where there is no search', false],
  ])('is found %s; nothing is made anew', async (_, hasSearch) => {
    const call = request()
    double.trouble('after', { on: CONFIRM })
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: false })
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
    const call = request({ payment: VERIFY })
    const outcome = await adapter.charge(call)
    if (outcome.kind !== 'requires_verification') throw new Error('The bank asks.')
    double.forgetKeys()
    advance(2 * DAY)
    expect(await adapter.cancel({ ...call, confirmation: outcome.confirmation })).toEqual({ kind: 'cancelled' })
    expect(double.intents.get(outcome.confirmation)?.status).toBe('canceled')
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
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: false })
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
    const outcome = await adapter.charge(request())
    if (outcome.kind !== 'charged') throw new Error('It is paid.')
    const refund = { ...request({ key: 'rfnd_stored', amount: 100 }), transactionId: outcome.transactionId }
    double.settings.storedFailure = 'done'
    await expect(adapter.refund(refund)).rejects.toMatchObject({ isOutage: true })
    expect(await adapter.refund(refund)).toMatchObject({ kind: 'refunded' })
    expect(double.refunds.filter(({ intent }) => intent === outcome.transactionId)).toHaveLength(1)
  })
})

describe('what comes after a payment', () => {
  const hold = async () => {
    const call = request({ config: { ...CONFIG, capture: 'manual' } })
    const outcome = await adapter.charge(call)
    if (outcome.kind !== 'authorized') throw new Error('It is held.')
    return { ...call, transactionId: outcome.transactionId }
  }

  it.each([...DONE, ...NOT_DONE])('taking: %s is open, and taken once when asked again', async (fault) => {
    const call = await hold()
    double.trouble(fault, { on: /\/capture$/ })
    await expect(adapter.take(call)).rejects.toMatchObject({ isNothingCharged: false })
    expect(await adapter.take(call)).toMatchObject({ kind: 'charged', amount: 1_234 })
  })

  it.each([...DONE, ...NOT_DONE])('letting go: %s is open, and done when asked again', async (fault) => {
    const call = await hold()
    double.trouble(fault, { on: /\/cancel$/ })
    await expect(adapter.release(call)).rejects.toMatchObject({ isNothingCharged: false })
    expect(await adapter.release(call)).toEqual({ kind: 'released' })
  })

  it.each<Fault>([...DONE, ...NOT_DONE])('giving back: %s is open, and done once (F43)', async (fault) => {
    const call = request()
    const outcome = await adapter.charge(call)
    if (outcome.kind !== 'charged') throw new Error('It is paid.')
    const refund = { ...call, key: `${call.key}_refund`, transactionId: outcome.transactionId }
    double.trouble(fault, { on: /^POST \/v1\/refunds$/ })
    await expect(adapter.refund(refund)).rejects.toMatchObject({ isNothingCharged: false })
    expect(await adapter.refund(refund)).toMatchObject({ kind: 'refunded' })
    expect(double.refunds.filter(({ intent }) => intent === outcome.transactionId)).toHaveLength(1)
  })

  it.each([...DONE, ...NOT_DONE])('calling off: %s is open, and closed when asked again', async (fault) => {
    const call = request()
    double.trouble(fault, { on: /\/cancel$/ })
    await expect(adapter.cancel(call)).rejects.toMatchObject({ isNothingCharged: false })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    expect(await adapter.charge(call)).toMatchObject({ reason: 'cancelled' })
  })
})
