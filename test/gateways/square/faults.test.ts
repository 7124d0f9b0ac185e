// What becomes of a charge by Square when something breaks at any of its steps: looking it up tells the truth, calling it off closes it, and
// nobody ever pays twice, or for nothing.

import { describe, expect, it } from 'vitest'
import type { ChargeRequest } from '../../../src/gateways/gateway.ts'
import type { Fault } from '../doubles/double.ts'
import { SQUARE_CONFIG } from '../doubles/square.ts'
import { MANUAL, openSquareTest, payWith, statesOf } from './support.ts'

const { clock, square, hangUp, adapter, request } = await openSquareTest()

const CREATE = /^POST \/v2\/payments$/
const COMPLETE = /complete$/
const LIST = /^GET \/v2\/payments$/
const FIND = /^GET \/v2\/payments\/P/

/** Each leaves open what has happened. */
const LOST: Fault[] = ['before', 'after', 'half', 'broken_before', 'broken_after', 'html', 'empty', 'redirect', 'giant']
/** Those after which Square has not done what was asked. */
const UNDONE: Fault[] = ['before', 'broken_before']

const fails = (work: Promise<unknown>) => expect(work).rejects.toMatchObject({ isNothingCharged: false })
const advance = (seconds: number) => clock.advance(seconds)

/** As the completer goes on: asks, takes what was approved, gives up what is not there. */
async function end(charge: ChargeRequest) {
  const found = await adapter().lookUp(charge)
  if (found.kind === 'approved') return adapter().confirm({ ...charge, payment: null })
  return found.kind === 'unknown' ? adapter().cancel(charge) : found
}

describe.each(LOST)('after %j', (fault) => {
  it('at its first step a charge is found approved and completed, or was never made', async () => {
    const charge = request()
    square.trouble(fault, { on: CREATE })
    await fails(adapter().charge(charge))
    expect(square.taken(charge.key)).toEqual([])
    if (UNDONE.includes(fault)) await fails(adapter().lookUp(charge))
    else expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
    advance(61)
    expect(await end(charge)).toMatchObject({ kind: UNDONE.includes(fault) ? 'cancelled' : 'charged' })
    expect(square.taken(charge.key)).toHaveLength(UNDONE.includes(fault) ? 0 : 1)
  })

  it('at its second step a charge is found, and taken once', async () => {
    const charge = request()
    square.trouble(fault, { on: COMPLETE })
    await fails(adapter().charge(charge))
    expect((await adapter().lookUp(charge)).kind).toBe(UNDONE.includes(fault) ? 'approved' : 'charged')
    expect(await end(charge)).toMatchObject({ kind: 'charged', amount: 1_234 })
    expect(await end(charge)).toMatchObject({ kind: 'charged', amount: 1_234 })
    expect(square.taken(charge.key)).toEqual([{ amount: 1_234, currency: 'USD' }])
  })

  it('a charge that is called off is not paid, whichever step of that fails', async () => {
    for (const on of [LIST, FIND, /^POST \/v2\/payments\/cancel$/]) {
      const charge = request()
      square.trouble('after', { on: CREATE })
      await fails(adapter().charge(charge))
      square.trouble(fault, { on })
      await fails(adapter().cancel(charge))
      expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled' })
      expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'declined', reason: 'cancelled' })
      expect(statesOf(square.of(charge.key))).toEqual(['CANCELED'])
    }
  })
})

describe.each(LOST)('after %j', (fault) => {
  const transactionIdOf = async (charge: ChargeRequest) =>
    ((await adapter().charge(charge)) as { transactionId: string }).transactionId

  it('what is set aside is taken once, and let go of once, whichever step fails', async () => {
    for (const on of [FIND, COMPLETE]) {
      const held = request({ config: MANUAL })
      const take = { ...held, transactionId: await transactionIdOf(held) }
      square.trouble(fault, { on })
      await fails(adapter().take(take))
      expect(await adapter().take(take)).toMatchObject({ kind: 'charged', amount: 1_234 })
      expect(square.taken(held.key)).toHaveLength(1)
    }
    const held = request({ config: MANUAL })
    const release = { ...held, transactionId: await transactionIdOf(held) }
    square.trouble(fault, { on: /cancel$/ })
    await fails(adapter().release(release))
    expect(await adapter().release(release)).toEqual({ kind: 'released' })
    expect(statesOf(square.of(held.key))).toEqual(['CANCELED'])
  })

  it('a part is taken once, though lowering the sum fails', async () => {
    const held = request({ config: MANUAL })
    const take = { ...held, amount: 1_000, transactionId: await transactionIdOf(held) }
    square.trouble(fault, { on: /^PUT/ })
    await fails(adapter().take(take))
    expect(await adapter().take(take)).toMatchObject({ kind: 'charged', amount: 1_000 })
    expect(square.taken(held.key)).toEqual([{ amount: 1_000, currency: 'USD' }])
  })

  it('a refund is made once', async () => {
    const charge = request()
    const transactionId = await transactionIdOf(charge)
    const refund = { ...charge, key: `rfnd_${charge.key.slice(6)}`, transactionId }
    square.trouble(fault, { on: /refunds$/ })
    await fails(adapter().refund(refund))
    expect(await adapter().refund(refund)).toMatchObject({ kind: 'refunded' })
    expect([...square.refunds.values()].filter(({ payment_id }) => payment_id === transactionId)).toHaveLength(1)
  })
})

describe('a request', () => {
  it.each([CREATE, COMPLETE])('that arrives twice (%s) charges once', async (on) => {
    const charge = request()
    square.trouble('twice', { on })
    expect(await adapter().charge(charge)).toMatchObject({ kind: 'charged' })
    expect(square.taken(charge.key)).toHaveLength(1)
  })

  it.each([CREATE, COMPLETE])('that hangs (%s) is given up, and found later', async (on) => {
    const charge = request()
    square.trouble({ slowMs: 60_000 }, { on })
    await fails(adapter().charge({ ...charge, signal: AbortSignal.timeout(3_000) }))
    expect(await end(charge)).toMatchObject({ kind: 'charged' })
    expect(square.taken(charge.key)).toHaveLength(1)
  })

  it('is sent once more where Square is busy; if that is no use nothing was charged, but after the first step that is open', async () => {
    square.trouble({ retryAfter: 0 }, { on: CREATE })
    expect(await adapter().charge(request())).toMatchObject({ kind: 'charged' })
    square.trouble({ retryAfter: 0 }, { on: CREATE, times: 2 })
    await expect(adapter().charge(request())).rejects.toMatchObject({ isNothingCharged: true })
    square.trouble({ retryAfter: 0 }, { on: COMPLETE, times: 2 })
    await fails(adapter().charge(request()))
  })

  it('that cannot connect has charged nothing', async () => {
    const charge = request()
    await square.goDown()
    hangUp()
    try {
      await expect(adapter().charge(charge)).rejects.toMatchObject({ isNothingCharged: true, isOutage: true })
      await expect(adapter().lookUp(charge)).rejects.toMatchObject({ isNothingCharged: false, isOutage: true })
    } finally {
      await square.comeBack()
    }
    expect(square.of(charge.key)).toEqual([])
  })
})

describe('looking up', () => {
  it('does not trust a list that may be behind, for a minute', async () => {
    const charge = request()
    square.trouble('after', { on: CREATE })
    await fails(adapter().charge(charge))
    square.lists = 'missing'
    advance(59)
    await expect(adapter().lookUp(charge)).rejects.toMatchObject({
      isNothingCharged: false,
      message: 'Square shows no such payment yet, and may do so in a moment.',
    })
    await fails(adapter().cancel(charge))
    square.lists = 'fresh'
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
  })

  it('says after a minute that nobody has charged', async () => {
    const charge = request()
    await fails(adapter().lookUp(charge))
    advance(60)
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'unknown' })
  })

  it('reads the payment itself, where the list shows it as it was', async () => {
    const charge = request()
    await adapter().charge(charge)
    square.lists = 'old'
    expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged' })
    expect(await adapter().cancel(charge)).toMatchObject({ kind: 'charged' })
    expect(square.taken(charge.key)).toHaveLength(1)
  })

  it('goes through all pages, and finds its own among the payments of other tills', async () => {
    for (let count = 0; count < 5; count++) square.stranger()
    const charge = request()
    await adapter().charge(charge)
    for (let count = 0; count < 5; count++) square.stranger()
    square.pageSize = 2
    const before = square.requests.length
    expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged' })
    const pages = square.requests.slice(before).filter(({ path }) => path === '/v2/payments')
    expect(pages.length).toBeGreaterThanOrEqual(6)
    const [first, second] = pages
    expect(first?.query.get('cursor')).toBeNull()
    expect(Object.fromEntries(second?.query ?? [])).toEqual({
      ...Object.fromEntries(first?.query ?? []),
      cursor: 'after2',
    })
  })

  it('ends where the pages do not', async () => {
    square.stranger()
    square.pageSize = 0
    await expect(adapter().lookUp(request())).rejects.toMatchObject({
      isNothingCharged: false,
      message: expect.stringMatching(/again and again/),
    })
  })

  it('of two under one key, after the first was called off, tells the one that can still be paid', async () => {
    const charge = request()
    square.trouble('after', { on: CREATE, times: 2 })
    await fails(adapter().charge(charge))
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled' })
    await fails(adapter().charge(charge))
    expect(statesOf(square.of(charge.key))).toEqual(['CANCELED', 'APPROVED'])
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled' })
    expect(statesOf(square.of(charge.key))).toEqual(['CANCELED', 'CANCELED'])
  })

  it('asks for the minutes in which the payment was made, however long ago', async () => {
    const charge = request()
    await adapter().charge(charge)
    advance(3 * 86_400)
    square.stranger()
    expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged' })
    const { query } = square.requests.filter(({ path }) => path === '/v2/payments').at(-1) ?? {}
    expect(Object.fromEntries(query ?? [])).toEqual({
      begin_time: new Date(charge.begunAt.getTime() - 120_000).toISOString(),
      end_time: new Date(charge.begunAt.getTime() + 900_000).toISOString(),
      location_id: 'L1',
      sort_order: 'ASC',
      limit: '100',
    })
  })

  it('leaves open what is pending, and what credentials that were revoked cannot see', async () => {
    const charge = request()
    await adapter().charge(charge)
    const [payment] = square.of(charge.key)
    square.payments.set(payment?.id ?? '', { ...payment, status: 'PENDING' } as never)
    await fails(adapter().lookUp(charge))
    await fails(adapter().cancel(charge))
    await fails(adapter().lookUp({ ...charge, config: { ...SQUARE_CONFIG, access_token: 'revoked' } }))
  })
})

describe('calling off', () => {
  it('closes a charge that never came', async () => {
    const charge = request()
    advance(61)
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled' })
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled' })
  })

  it('leaves what is paid, or set aside on purpose, and tells it', async () => {
    const charge = request()
    await adapter().charge(charge)
    expect(await adapter().cancel(charge)).toMatchObject({ kind: 'charged' })
    const held = request({ config: MANUAL })
    await adapter().charge(held)
    expect(await adapter().cancel(held)).toMatchObject({ kind: 'authorized' })
    expect(statesOf(square.of(held.key))).toEqual(['APPROVED'])
  })

  it('tells what was declined', async () => {
    const charge = request({ payment: payWith('cnon:card-nonce-declined') })
    await adapter().charge(charge)
    expect(await adapter().cancel(charge)).toMatchObject({ kind: 'declined', reason: 'card_declined' })
  })

  it('wins over a request that was on its way: what that approves nobody completes, and Square lets go within an hour', async () => {
    const charge = request()
    advance(61)
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled' })
    square.trouble('after', { on: CREATE })
    await fails(adapter().charge(charge))
    expect(statesOf(square.of(charge.key))).toEqual(['APPROVED'])
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
    advance(3_600)
    expect(statesOf(square.of(charge.key))).toEqual(['CANCELED'])
    expect(square.taken(charge.key)).toEqual([])
  })

  it('and completing at the same moment end in one truth', async () => {
    const charge = request()
    square.trouble('after', { on: CREATE })
    await fails(adapter().charge(charge))
    const [confirmed, cancelled] = await Promise.all([
      adapter().confirm({ ...charge, payment: null }),
      adapter().cancel(charge),
    ])
    const isPaid = square.taken(charge.key).length === 1
    expect(confirmed.kind).toBe(isPaid ? 'charged' : 'declined')
    expect(cancelled.kind).toBe(isPaid ? 'charged' : 'cancelled')
  })
})

describe('completing', () => {
  const approve = async () => {
    const charge = request()
    square.trouble('after', { on: CREATE })
    await fails(adapter().charge(charge))
    return { ...charge, payment: null }
  }

  it('lets go of a card that is refused at last, so that the shopper can pay in another way', async () => {
    const charge = request()
    square.refuse(COMPLETE, { status: 402, code: 'INSUFFICIENT_FUNDS', category: 'PAYMENT_METHOD_ERROR' }, 2)
    expect(await adapter().charge(charge)).toMatchObject({ kind: 'declined', reason: 'insufficient_funds' })
    expect(statesOf(square.of(charge.key))).toEqual(['CANCELED'])
  })

  it('stays open for a refusal that says nothing of the card', async () => {
    const charge = request()
    square.refuse(COMPLETE, { status: 400, code: 'BAD_REQUEST' }, 2)
    await fails(adapter().charge(charge))
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
  })

  it('never takes another sum than was asked for', async () => {
    const charge = await approve()
    const [payment] = square.of(charge.key)
    square.payments.set(payment?.id ?? '', { ...payment, total_money: { amount: 1, currency: 'USD' } } as never)
    await expect(adapter().confirm(charge)).rejects.toMatchObject({
      isNothingCharged: false,
      message: expect.stringMatching(/another sum/),
    })
    expect(square.taken(charge.key)).toEqual([])
  })

  it('comes too late after an hour, and is told as declined', async () => {
    const charge = await approve()
    advance(3_601)
    expect(await adapter().confirm(charge)).toMatchObject({ kind: 'declined', reason: 'cancelled' })
    expect(square.taken(charge.key)).toEqual([])
  })

  it('of several at once takes the money once', async () => {
    const charge = await approve()
    const outcomes = await Promise.all([1, 2, 3].map(() => adapter().confirm(charge)))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'charged', amount: 1_234 })
    expect(square.taken(charge.key)).toHaveLength(1)
  })
})
