// What PayPal does with money after the shopper has gone: taken later, let go, given back.

import { expect, it } from 'vitest'
import { openAdapter } from './support.ts'

const { adapter, paypal, config, approved, paid } = await openAdapter()
const manual = { config: { ...config, capture: 'manual' } }

it('sets the money aside where the merchant takes it by hand, and takes it later, once', async () => {
  const { call, order, transactionId } = await paid(manual)
  expect(order).toMatchObject({ intent: 'AUTHORIZE', captures: [], authorizations: [{ id: transactionId }] })
  expect(await adapter.lookUp(call)).toMatchObject({ kind: 'authorized', amount: 1_234, transactionId })
  const taken = await adapter.take({ ...call, transactionId })
  expect(taken).toMatchObject({ kind: 'charged', amount: 1_234, currency: 'USD', transactionId: order.captures[0]?.id })
  expect(await adapter.take({ ...call, transactionId })).toEqual(taken)
  // By a PayPal that has forgotten the request, too.
  paypal.forgetRequests()
  expect(await adapter.take({ ...call, transactionId })).toEqual(taken)
  expect(order.captures).toHaveLength(1)
  expect(await adapter.lookUp(call)).toMatchObject({ kind: 'charged', transactionId: order.captures[0]?.id })
})

it('takes a part, and nothing is held of the rest', async () => {
  const { call, order, transactionId } = await paid(manual)
  expect(await adapter.take({ ...call, transactionId, amount: 1_000 })).toMatchObject({
    kind: 'charged',
    amount: 1_000,
  })
  expect(JSON.parse(paypal.requests.at(-1)?.text ?? '')).toEqual({
    amount: { currency_code: 'USD', value: '10.00' },
    final_capture: true,
  })
  expect(order.authorizations).toMatchObject([{ status: 'PARTIALLY_CAPTURED' }])
  expect(await adapter.story?.standingOf({ ...call, transactionId, otherIds: [order.captures[0]?.id ?? ''] })).toEqual({
    charge: 'released',
    amount: call.amount - 1_000,
    currency: 'USD',
    refunds: [],
    disputes: [],
  })
})

it('a part that PayPal cannot express is neither taken nor given back, and is decided at once', async () => {
  const { call, transactionId } = await paid(manual)
  const before = paypal.requests.length
  const part = { ...call, transactionId, amount: 1_050, currency: 'HUF' }
  const declined = { kind: 'declined', message: 'PayPal cannot take so fine a sum in HUF.' }
  expect([await adapter.take(part), await adapter.refund(part)]).toEqual([declined, declined])
  expect(paypal.requests).toHaveLength(before)
})

it('tells a part that was taken in PayPal’s own pages as what it is', async () => {
  const { call, transactionId } = await paid(manual)
  paypal.books.take(transactionId, { currency_code: 'USD', value: '3.00' })
  expect(await adapter.take({ ...call, transactionId })).toMatchObject({ kind: 'charged', amount: 300 })
})

it.each([
  ['EXPIRED', 'PayPal does not hold the money any more: the authorization has expired.'],
  ['VOIDED', 'PayPal does not hold the money any more: it was let go.'],
])('cannot take what is %s', async (status, message) => {
  const { call, order, transactionId } = await paid(manual)
  for (const authorization of order.authorizations) authorization.status = status
  expect(await adapter.take({ ...call, transactionId })).toEqual({ kind: 'declined', message })
})

it('takes a smaller sum after another was refused, and each sum once', async () => {
  const { call, order, transactionId } = await paid(manual)
  const take = (amount: number) => adapter.take({ ...call, transactionId, amount })
  expect(await take(9_999)).toMatchObject({ kind: 'declined' })
  const taken = await take(1_000)
  expect(taken).toMatchObject({ kind: 'charged', amount: 1_000 })
  expect(await take(1_000)).toEqual(taken)
  expect(order.captures).toHaveLength(1)
  // The same sum is one request to PayPal, and another sum another.
  const ids = paypal.requests
    .filter(({ path }) => path.endsWith(`${transactionId}/capture`))
    .map(({ headers }) => headers['paypal-request-id'])
  expect([ids.length, new Set(ids).size, ids[1] === ids[2]]).toEqual([3, 2, true])
  // Whoever asks for another sum then is told what was taken.
  expect(await take(500)).toEqual(taken)
  expect(order.captures).toHaveLength(1)
})

it('cannot take more than is held, nor what PayPal does not know', async () => {
  const { call, transactionId } = await paid(manual)
  expect(await adapter.take({ ...call, transactionId, amount: 9_999 })).toEqual({
    kind: 'declined',
    message: 'That is more than PayPal holds.',
  })
  expect(await adapter.take({ ...call, transactionId: 'NOBODY' })).toMatchObject({ kind: 'declined' })
})

it('leaves it open while PayPal looks into taking the money', async () => {
  const { call, order, transactionId } = await paid(manual)
  order.nextCapture = { status: 'PENDING', reason: 'PENDING_REVIEW' }
  await expect(adapter.take({ ...call, transactionId })).rejects.toMatchObject({ isNothingCharged: false })
})

it('lets go of money, also twice, and not once it is taken', async () => {
  const { call, order, transactionId } = await paid(manual)
  expect(await adapter.release({ ...call, transactionId })).toEqual({ kind: 'released' })
  expect(await adapter.release({ ...call, transactionId })).toEqual({ kind: 'released' })
  expect(order.authorizations).toMatchObject([{ status: 'VOIDED' }])
  const taken = await paid(manual)
  await adapter.take({ ...taken.call, transactionId: taken.transactionId })
  expect(await adapter.release({ ...taken.call, transactionId: taken.transactionId })).toMatchObject({
    kind: 'declined',
  })
})

let count = 0
const refundKey = () => `rfnd_${String(++count).padStart(26, '0')}`

it('gives money back, once under one key', async () => {
  const { call, order, transactionId } = await paid()
  const request = { ...call, key: refundKey(), transactionId, amount: 500 }
  const refunded = { kind: 'refunded', transactionId: expect.any(String) }
  expect(await adapter.refund(request)).toEqual(refunded)
  expect(await adapter.refund(request)).toEqual(refunded)
  paypal.forgetRequests()
  expect(await adapter.refund(request)).toEqual({ kind: 'refunded', transactionId: order.refunds[0]?.id })
  expect(order.refunds).toMatchObject([{ invoice_id: request.key, amount: { currency_code: 'USD', value: '5.00' } }])
  const rest = { ...call, key: refundKey(), transactionId, amount: 734 }
  expect(await adapter.refund(rest)).toEqual(refunded)
  paypal.forgetRequests()
  expect(await adapter.refund(rest)).toEqual({ kind: 'refunded', transactionId: order.refunds[1]?.id })
})

it('says that it was refunded elsewhere', async () => {
  const { call, transactionId } = await paid()
  const all = { ...call, transactionId }
  await adapter.refund({ ...all, key: refundKey() })
  expect(await adapter.refund({ ...all, key: refundKey() })).toEqual({
    kind: 'declined',
    message: 'PayPal says that the payment has been refunded already.',
  })
})

it.each([
  ['REFUND_FAILED_INSUFFICIENT_FUNDS', 'There is not enough money in the PayPal account for the refund.'],
  ['REFUND_TIME_LIMIT_EXCEEDED', 'PayPal refunds payments for 180 days only, and this one is older.'],
  ['REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK', 'The payment was charged back: PayPal does not refund it too.'],
  ['TRANSACTION_DISPUTED', 'The payment is disputed: settle the dispute at PayPal, or refund all of it.'],
  ['REFUND_NOT_ALLOWED', 'PayPal refuses the refund: REFUND_NOT_ALLOWED.'],
])('%s declines a refund, with the reason', async (issue, message) => {
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
  await expect(adapter.refund({ ...pending.call, key: refundKey(), transactionId: id })).rejects.toMatchObject({
    isNothingCharged: false,
  })
})
