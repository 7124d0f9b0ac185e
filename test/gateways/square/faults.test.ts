// Faults that only Square has: lists that are behind, payments of other tills, and approvals that nobody completes. The other
// faults: ../every-provider/adapter.

import { describe, expect, it } from 'vitest'
import { SQUARE_CONFIG } from '../doubles/square.ts'
import { leavesOpen } from '../every-provider/adapter/bench.ts'
import { COMPLETE, CREATE, openSquareBench, payWith, statesOf } from './bench.ts'

const { clock, square, adapter, request, approved } = await openSquareBench()
const advance = (seconds: number) => clock.advance(seconds)

describe('looking up', () => {
  it('does not trust a list that may be behind, for a minute', async () => {
    const charge = await approved()
    square.settings.lists = 'missing'
    advance(59)
    await expect(adapter().lookUp(charge)).rejects.toMatchObject({
      isNothingCharged: false,
      message: 'Square does not show the payment yet. It may appear in a moment.',
    })
    await leavesOpen(adapter().cancel(charge))
    square.settings.lists = 'fresh'
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
  })

  it('reads the payment itself, where the list shows it as it was', async () => {
    const charge = request()
    await adapter().charge(charge)
    square.settings.lists = 'old'
    expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged' })
    expect(await adapter().cancel(charge)).toMatchObject({ kind: 'charged' })
    expect(square.taken(charge.key)).toHaveLength(1)
  })

  it('goes through all pages, and finds its own among the payments of other tills (F15)', async () => {
    for (let count = 0; count < 5; count++) square.stranger()
    const charge = request()
    await adapter().charge(charge)
    for (let count = 0; count < 5; count++) square.stranger()
    square.settings.pageSize = 2
    const before = square.requests.length
    expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged' })
    const pages = square.requests.slice(before).filter(({ path }) => path === '/v2/payments')
    expect(pages.length).toBeGreaterThanOrEqual(6)
    const [first, second] = pages
    expect(first?.query.get('cursor')).toBeNull()
    const next = { ...Object.fromEntries(first?.query ?? []), cursor: 'after2' }
    expect(Object.fromEntries(second?.query ?? [])).toEqual(next)
  })

  it('ends where the pages do not', async () => {
    square.stranger()
    square.settings.pageSize = 0
    const endless = { isNothingCharged: false, message: expect.stringMatching(/again and again/) }
    await expect(adapter().lookUp(request())).rejects.toMatchObject(endless)
  })

  it('of two under one key, after the first was called off, tells the one that can still be paid', async () => {
    const charge = request()
    square.trouble('after', { on: CREATE, times: 2 })
    await leavesOpen(adapter().charge(charge))
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled' })
    await leavesOpen(adapter().charge(charge))
    expect(statesOf(square.of(charge.key))).toEqual(['CANCELED', 'APPROVED'])
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled' })
    expect(statesOf(square.of(charge.key))).toEqual(['CANCELED', 'CANCELED'])
  })

  it('asks for the minutes in which the payment was made, however long ago (F15)', async () => {
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

  it('leaves open what is pending, and what credentials that were revoked cannot see (F36)', async () => {
    const charge = request()
    await adapter().charge(charge)
    const [payment] = square.of(charge.key)
    square.payments.set(payment?.id ?? '', { ...payment, status: 'PENDING' } as never)
    await leavesOpen(adapter().lookUp(charge))
    await leavesOpen(adapter().cancel(charge))
    await leavesOpen(adapter().lookUp({ ...charge, config: { ...SQUARE_CONFIG, access_token: 'revoked' } }))
  })
})

describe('calling off', () => {
  it('tells what was declined', async () => {
    const charge = request({ payment: payWith('cnon:card-nonce-declined') })
    await adapter().charge(charge)
    expect(await adapter().cancel(charge)).toMatchObject({ kind: 'declined', reason: 'card_declined' })
  })

  it('wins over a request that was on its way: what that approves nobody completes, and Square lets go within an hour (F48)', async () => {
    const charge = request()
    advance(61)
    expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled' })
    square.trouble('after', { on: CREATE })
    await leavesOpen(adapter().charge(charge))
    expect(statesOf(square.of(charge.key))).toEqual(['APPROVED'])
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
    advance(3_600)
    expect(statesOf(square.of(charge.key))).toEqual(['CANCELED'])
    expect(square.taken(charge.key)).toEqual([])
  })

  it('and completing at the same moment end in one truth', async () => {
    const charge = await approved()
    const confirming = adapter().confirm({ ...charge, payment: null })
    const [confirmed, cancelled] = await Promise.all([confirming, adapter().cancel(charge)])
    const isPaid = square.taken(charge.key).length === 1
    expect(confirmed.kind).toBe(isPaid ? 'charged' : 'declined')
    expect(cancelled.kind).toBe(isPaid ? 'charged' : 'cancelled')
  })
})

describe('completing', () => {
  const approve = async () => ({ ...(await approved()), payment: null })

  it('lets go of a card that is refused at last, so that the shopper can pay in another way', async () => {
    const charge = request()
    square.refuse(COMPLETE, { status: 402, code: 'INSUFFICIENT_FUNDS', category: 'PAYMENT_METHOD_ERROR' }, 2)
    expect(await adapter().charge(charge)).toMatchObject({ kind: 'declined', reason: 'insufficient_funds' })
    expect(statesOf(square.of(charge.key))).toEqual(['CANCELED'])
  })

  it('stays open for a refusal that says nothing of the card', async () => {
    const charge = request()
    square.refuse(COMPLETE, { status: 400, code: 'BAD_REQUEST' }, 2)
    await leavesOpen(adapter().charge(charge))
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
  })

  it('never takes another sum than was asked for (F25)', async () => {
    const charge = await approve()
    const [payment] = square.of(charge.key)
    square.payments.set(payment?.id ?? '', { ...payment, total_money: { amount: 1, currency: 'USD' } } as never)
    const otherAmount = { isNothingCharged: false, message: expect.stringMatching(/another amount/) }
    await expect(adapter().confirm(charge)).rejects.toMatchObject(otherAmount)
    expect(square.taken(charge.key)).toEqual([])
  })

  it('comes too late after an hour, and is told as declined', async () => {
    const charge = await approve()
    advance(3_601)
    expect(await adapter().confirm(charge)).toMatchObject({ kind: 'declined', reason: 'cancelled' })
    expect(square.taken(charge.key)).toEqual([])
  })
})
