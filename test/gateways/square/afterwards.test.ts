// What comes after a charge by Square: payments that are set aside are taken, in part too, or let go; what was paid is given back.

import { describe, expect, it } from 'vitest'
import type { SquareError } from '../doubles/square-ledger.ts'
import { MANUAL, openSquareTest, PAID, statesOf } from './support.ts'

const { clock, square, adapter, request } = await openSquareTest()

const COMPLETE = /complete$/

describe('a payment that is set aside', () => {
  const hold = async () => {
    const charge = request({ config: MANUAL })
    const outcome = await adapter().charge(charge)
    expect(outcome).toEqual({ ...PAID, kind: 'authorized' })
    expect(await adapter().lookUp(charge)).toEqual(outcome)
    return { ...charge, transactionId: (outcome as { transactionId: string }).transactionId }
  }

  it('is taken, and told as taken when it is asked for again', async () => {
    const held = await hold()
    expect(await adapter().take(held)).toEqual(PAID)
    expect(await adapter().take(held)).toEqual(PAID)
    expect(square.taken(held.key)).toEqual([{ amount: 1_234, currency: 'USD' }])
    expect(await adapter().release(held)).toEqual({
      kind: 'declined',
      reason: 'payment_declined',
      message: 'Square has taken the payment already.',
    })
  })

  it('is taken in part by lowering it first, and never above what is set aside', async () => {
    const held = await hold()
    const part = { ...held, amount: 1_000 }
    expect(await adapter().take({ ...held, amount: 2_000 })).toEqual({
      kind: 'declined',
      message: 'That is more than Square has set aside for this payment.',
    })
    square.trouble('after', { on: COMPLETE })
    await expect(adapter().take(part)).rejects.toMatchObject({ isNothingCharged: false })
    expect(await adapter().take(part)).toEqual({ ...PAID, amount: 1_000 })
    expect(square.taken(held.key)).toEqual([{ amount: 1_000, currency: 'USD' }])
  })

  it('is looked at again, and then taken, where somebody has changed it in between', async () => {
    const held = await hold()
    square.refuse(COMPLETE, { status: 400, code: 'VERSION_MISMATCH' })
    expect(await adapter().take(held)).toEqual(PAID)
    const asked = square.requests.filter(({ path }) => path.includes(held.transactionId) && COMPLETE.test(path))
    expect(asked).toHaveLength(2)
  })

  it('is not taken where it was lowered in the dashboard; what was taken there is told as it is', async () => {
    const [lowered, taken] = [await hold(), await hold()]
    const total_money = { amount: 1_000, currency: 'USD' }
    const row = (id: string) => square.payments.get(id) as never as { id: string; status: string }
    square.payments.set(lowered.transactionId, { ...row(lowered.transactionId), total_money } as never)
    expect(await adapter().take(lowered)).toMatchObject({
      kind: 'declined',
      message: expect.stringMatching(/more than/),
    })
    square.payments.set(taken.transactionId, {
      ...row(taken.transactionId),
      status: 'COMPLETED',
      total_money,
    } as never)
    expect(await adapter().take(taken)).toEqual({ ...PAID, amount: 1_000 })
    expect(square.taken(lowered.key)).toEqual([])
  })

  it('is let go, once', async () => {
    const held = await hold()
    expect(await adapter().release(held)).toEqual({ kind: 'released' })
    expect(await adapter().release(held)).toEqual({ kind: 'released' })
    expect(await adapter().take(held)).toEqual({
      kind: 'declined',
      message: 'The payment is not set aside any more: its time is over, or it was let go.',
    })
    expect(square.taken(held.key)).toEqual([])
  })

  it('is gone after seven days', async () => {
    const held = await hold()
    clock.advance(7 * 86_400 - 1)
    expect(statesOf(square.of(held.key))).toEqual(['APPROVED'])
    clock.advance(1)
    expect(await adapter().take(held)).toMatchObject({
      kind: 'declined',
      message: expect.stringMatching(/time is over/),
    })
  })

  it('that nobody knows is neither taken nor let go', async () => {
    const strange = { ...request(), transactionId: 'P-of-another-account' }
    const message = 'Square knows no such payment in the account that is set up.'
    expect(await adapter().take(strange)).toEqual({ kind: 'declined', message })
    expect(await adapter().release(strange)).toEqual({ kind: 'declined', reason: 'payment_declined', message })
  })

  it('stays open while the credentials are not accepted', async () => {
    const held = { ...(await hold()), config: { ...MANUAL, access_token: 'revoked' } }
    for (const work of [adapter().take(held), adapter().release(held), adapter().lookUp(held), adapter().cancel(held)])
      await expect(work).rejects.toMatchObject({
        isNothingCharged: false,
        message: expect.stringMatching(/access token/),
      })
  })
})

describe('a refund', () => {
  const paid = async () => {
    const charge = request()
    const { transactionId } = (await adapter().charge(charge)) as { transactionId: string }
    return { ...charge, key: `rfnd_${charge.key.slice(6)}`, transactionId }
  }

  it('that is pending counts as made, once under its key, in parts until nothing is left', async () => {
    const part = { ...(await paid()), amount: 1_000 }
    const refunded = await adapter().refund(part)
    expect(refunded).toEqual({ kind: 'refunded', transactionId: expect.stringMatching(/_R\d+$/) })
    expect(await adapter().refund(part)).toEqual(refunded)
    expect([...square.refunds.values()].filter(({ payment_id }) => payment_id === part.transactionId)).toMatchObject([
      { status: 'PENDING', amount_money: { amount: 1_000, currency: 'USD' }, reason: `Refund ${part.key}` },
    ])
    expect(await adapter().refund({ ...part, key: `${part.key}2`, amount: 235 })).toEqual({
      kind: 'declined',
      message: 'Square does not give back so much: the payment has been refunded already, or in part.',
    })
    expect(await adapter().refund({ ...part, key: `${part.key}3`, amount: 234 })).toMatchObject({ kind: 'refunded' })
  })

  it('whose answer was lost is found under its key', async () => {
    const refund = await paid()
    square.trouble('after', { on: /refunds/ })
    await expect(adapter().refund(refund)).rejects.toMatchObject({ isNothingCharged: false })
    expect(await adapter().refund(refund)).toMatchObject({ kind: 'refunded' })
    expect([...square.refunds.values()].filter(({ payment_id }) => payment_id === refund.transactionId)).toHaveLength(1)
  })

  it('that Square has forgotten the key of is made once, in part too', async () => {
    const part = { ...(await paid()), amount: 500 }
    const refunded = await adapter().refund(part)
    square.forgetKeys()
    expect(await adapter().refund(part)).toEqual(refunded)
    square.settleRefund((refunded as { transactionId: string }).transactionId, 'REJECTED')
    expect(await adapter().refund(part)).toMatchObject({ kind: 'declined' })
    expect([...square.refunds.values()].filter(({ payment_id }) => payment_id === part.transactionId)).toHaveLength(1)
  })

  it('of a disputed payment is declined with the reason', async () => {
    const refund = await paid()
    square.dispute(refund.transactionId, 'EVIDENCE_REQUIRED')
    expect(await adapter().refund(refund)).toEqual({
      kind: 'declined',
      message: 'The payment is disputed at its bank. While that lasts Square does not give it back.',
    })
  })

  it('of what was only set aside, or is not known, is declined', async () => {
    const held = (await adapter().charge(request({ config: MANUAL }))) as { transactionId: string }
    expect(await adapter().refund({ ...request(), ...held })).toMatchObject({
      kind: 'declined',
      message: 'The payment has not been taken yet, and cannot be given back.',
    })
    expect(await adapter().refund({ ...request(), transactionId: 'P0' })).toMatchObject({ kind: 'declined' })
  })

  it.each(['REFUND_ALREADY_PENDING', 'PAYMENT_NOT_REFUNDABLE', 'REFUND_DECLINED', 'BAD_REQUEST'])(
    'is declined for %s',
    async (code) => {
      square.refuse(/refunds/, { status: 400, code, category: 'REFUND_ERROR' })
      expect(await adapter().refund(await paid())).toMatchObject({
        kind: 'declined',
        message: expect.stringMatching(/./),
      })
    },
  )

  it.each<SquareError>([
    { status: 401, code: 'UNAUTHORIZED', category: 'AUTHENTICATION_ERROR' },
    { status: 400, code: 'TEMPORARY_ERROR', category: 'API_ERROR' },
    { status: 400, code: 'IDEMPOTENCY_KEY_REUSED' },
  ])('stays open for $code', async (error) => {
    square.refuse(/refunds/, error)
    await expect(adapter().refund(await paid())).rejects.toMatchObject({ isNothingCharged: false })
  })
})
