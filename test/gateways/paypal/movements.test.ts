// What PayPal does with money after the shopper has gone: taken later, let go, given back.

import { expect, it } from 'vitest'
import { leavesOpen } from '../every-provider/adapter/bench.ts'
import { openPayPalBench } from './bench.ts'

const bench = await openPayPalBench()
const { paypal, approved, paid } = bench
const adapter = bench.adapter()
const { config } = bench.provider
const manual = { config: { ...config, capture: 'manual' } }

it('takes a part, and nothing is held of the rest', async () => {
  const { call, order, transactionId } = await paid(manual)
  const taken = await adapter.take({ ...call, transactionId, amount: 1_000 })
  expect(taken).toMatchObject({ kind: 'charged', amount: 1_000 })
  const sent = JSON.parse(paypal.requests.at(-1)?.text ?? '')
  expect(sent).toEqual({ amount: { currency_code: 'USD', value: '10.00' }, final_capture: true })
  expect(order.authorizations).toMatchObject([{ status: 'PARTIALLY_CAPTURED' }])
  expect(
    await adapter.history?.getPaymentState({ ...call, transactionId, otherIds: [order.captures[0]?.id ?? ''] }),
  ).toEqual({
    charge: 'released',
    amount: call.amount - 1_000,
    currency: 'USD',
    refunds: [],
    disputes: [],
  })
})

it('tells a part that was taken in PayPal’s own pages as what it is (F42)', async () => {
  const { call, transactionId } = await paid(manual)
  paypal.books.take(transactionId, { currency_code: 'USD', value: '3.00' })
  expect(await adapter.take({ ...call, transactionId })).toMatchObject({ kind: 'charged', amount: 300 })
})

it.each([
  ['EXPIRED', 'PayPal does not hold the money any more: the authorization has expired.'],
  ['VOIDED', 'PayPal does not hold the money any more: the authorization was voided.'],
])('cannot take what is %s (F41)', async (status, message) => {
  const { call, order, transactionId } = await paid(manual)
  for (const authorization of order.authorizations) authorization.status = status
  expect(await adapter.take({ ...call, transactionId })).toEqual({ kind: 'declined', message })
})

it('leaves it open while PayPal looks into taking the money', async () => {
  const { call, order, transactionId } = await paid(manual)
  order.nextCapture = { status: 'PENDING', reason: 'PENDING_REVIEW' }
  await leavesOpen(adapter.take({ ...call, transactionId }))
})

let count = 0
const refundKey = () => `rfnd_${String(++count).padStart(26, '0')}`

it.each([
  ['REFUND_FAILED_INSUFFICIENT_FUNDS', 'There is not enough money in the PayPal account for the refund.'],
  ['REFUND_TIME_LIMIT_EXCEEDED', 'PayPal refunds payments for 180 days only, and this one is older.'],
  ['REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK', 'The payment was charged back, so PayPal does not refund it.'],
  ['TRANSACTION_DISPUTED', 'The payment is disputed: settle the dispute at PayPal, or refund all of it.'],
  ['REFUND_NOT_ALLOWED', 'PayPal refuses the refund: REFUND_NOT_ALLOWED.'],
])('%s declines a refund, with the reason (F46)', async (issue, message) => {
  const { call, order, transactionId } = await paid()
  order.issues.push(issue)
  expect(await adapter.refund({ ...call, key: refundKey(), transactionId })).toEqual({ kind: 'declined', message })
})

it('counts a refund that takes days as made, one that fails at once as declined, and waits for a payment that is pending', async () => {
  const { call, transactionId } = await paid()
  paypal.books.letNextRefundBe('PENDING')
  expect(await adapter.refund({ ...call, key: refundKey(), transactionId })).toMatchObject({ kind: 'refunded' })
  const other = await paid()
  paypal.books.letNextRefundBe('FAILED')
  expect(await adapter.refund({ ...other.call, key: refundKey(), transactionId: other.transactionId })).toEqual({
    kind: 'declined',
    message: 'PayPal could not make the refund: FAILED.',
  })
  const pending = await approved()
  pending.order.nextCapture = { status: 'PENDING', reason: 'ECHECK' }
  await adapter.confirm({ ...pending.call, payment: null })
  const id = pending.order.captures[0]?.id ?? ''
  await leavesOpen(adapter.refund({ ...pending.call, key: refundKey(), transactionId: id }))
})
