// Payments by Razorpay: by an order of ours with a signature, or by an id alone, which may belong to anything.

import { describe, expect, it } from 'vitest'
import type { ChargeRequest } from '../../../src/gateways/gateway.ts'
import { RAZORPAY_CONFIG, signPayment } from '../doubles/razorpay.ts'
import { declined, leavesOpen } from '../every-provider/adapter/bench.ts'
import { openRazorpayOrders, payWith } from './bench.ts'

const { clock, razorpay, adapter, request, named, begun, statusOf } = await openRazorpayOrders()

/** Confirms with these fields; without any, as the completer does. */
const confirm = (charge: ChargeRequest, fields?: object) =>
  adapter().confirm({ ...charge, payment: fields === undefined ? null : payWith(fields) })

it.each([
  ['test', false],
  ['live', true],
])('a key of the %s mode where the sandbox is %s makes nothing and takes nothing', async (mode, is_sandbox) => {
  const config = { ...RAZORPAY_CONFIG, key_id: `rzp_${mode}_1DP5mmOlF5G5ag` }
  const { payment, charge } = named({}, { config, is_sandbox })
  const asked = razorpay.requests.length
  const words = { message: expect.stringContaining(`of its ${mode} mode`) }
  const nothing = { ...words, isNothingCharged: true }
  await expect(adapter().charge(charge)).rejects.toMatchObject(nothing)
  await expect(adapter().charge(request({ config, is_sandbox }))).rejects.toMatchObject(nothing)
  // Something may have been taken with the key that was set up before.
  const confirmed = confirm(charge)
  await expect(confirmed).rejects.toMatchObject({ ...words, isNothingCharged: false })
  const { id: transactionId } = payment
  expect(await adapter().take({ ...charge, transactionId })).toMatchObject({ kind: 'declined', ...words })
  expect(razorpay.requests).toHaveLength(asked)
})

describe('a charge without a payment', () => {
  it('makes an order, which waits for its shopper', async () => {
    const { charge, orderId } = await begun()
    const made = { amount: 1_234, currency: 'USD', receipt: charge.key, notes: { cartwright_attempt: charge.key } }
    expect(razorpay.orders.get(orderId)).toMatchObject(made)
    const sent = JSON.parse(razorpay.requests.findLast(({ method }) => method === 'POST')?.text ?? '')
    // Whatever the account's setting: nobody takes but we.
    expect(sent.payment).toEqual({ capture: 'manual' })
    expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'requires_verification', param: orderId })
    expect(await adapter().lookUp({ ...charge, confirmation: null })).toMatchObject({ param: orderId })
  })

  it('that is asked for again is the same order (F15)', async () => {
    const { charge, orderId } = await begun()
    expect(await adapter().charge({ ...charge, confirmation: null })).toMatchObject({ param: orderId })
    expect([...razorpay.orders.values()].filter(({ receipt }) => receipt === charge.key)).toHaveLength(1)
  })

  it('is taken without the shopper, who has paid and never came back', async () => {
    const { charge, orderId } = await begun()
    const payment = razorpay.pay({ orderId, method: 'upi' })
    const byUpi = { reference: null, source: { type: 'upi', brand: null } }
    expect(await confirm(charge)).toMatchObject({ kind: 'charged', transactionId: payment.id, ...byUpi })
  })

  it('with a wrong signature, or that of another order, key or payment, is not taken, and waits on (F31)', async () => {
    const { charge, orderId } = await begun()
    const payment = razorpay.pay({ orderId })
    const other = await begun()
    const stranger = razorpay.pay({ orderId: other.orderId })
    const given = razorpay.given(payment)
    for (const fields of [
      { ...given, signature: '0'.repeat(64) },
      { ...given, signature: 'x' },
      { ...given, signature: signPayment(orderId, payment.id, 'another_secret') },
      { ...given, signature: signPayment(other.orderId, payment.id) },
      { ...given, payment_id: stranger.id },
      // Rightly signed, for another order: ours is the one that counts.
      razorpay.given(stranger),
      { payment_id: payment.id, order_id: orderId },
    ])
      expect(await confirm(charge, fields)).toEqual({
        kind: 'requires_verification',
        param: orderId,
        confirmation: orderId,
        problems: { 'payment.razorpay.signature': [expect.stringMatching(/does not prove/)] },
      })
    expect([statusOf(payment.id), statusOf(stranger.id)]).toEqual(['authorized', 'authorized'])
  })

  it('is not paid by the payment of another order, though somebody who knows the secret has signed it for ours', async () => {
    const [{ charge, orderId }, other] = [await begun(), await begun()]
    const stranger = razorpay.pay({ orderId: other.orderId })
    const fields = { payment_id: stranger.id, order_id: orderId, signature: signPayment(orderId, stranger.id) }
    expect(await confirm(charge, fields)).toMatchObject(declined(/made for something else/))
    expect(statusOf(stranger.id)).toBe('authorized')
  })

  it('does not know an order of its key that is of another sum', async () => {
    const { charge } = await begun()
    const call = { ...charge, confirmation: null, amount: 1_235 }
    expect(await adapter().lookUp(call)).toEqual({ kind: 'unknown' })
  })

  it('that failed once may still be paid: it waits on, and takes the one that went well (F17, F34)', async () => {
    const { charge, orderId } = await begun()
    const failed = razorpay.pay({ orderId, status: 'failed', method: 'upi' })
    expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'requires_verification', param: orderId })
    const paid = razorpay.pay({ orderId })
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
    expect(await confirm(charge, razorpay.given(failed))).toMatchObject({ kind: 'charged', transactionId: paid.id })
  })

  it('whose payment is still under way waits on; one that has failed is declined when the shopper names it (F5)', async () => {
    const { charge, orderId } = await begun()
    const payment = razorpay.pay({ orderId, status: 'created' })
    const confirmed = { ...charge, payment: payWith(razorpay.given(payment)) }
    expect(await adapter().confirm(confirmed)).toMatchObject({ kind: 'requires_verification', param: orderId })
    razorpay.set(payment.id, { status: 'failed', error_reason: 'insufficient_funds' })
    expect(await adapter().confirm(confirmed)).toMatchObject({ kind: 'declined', reason: 'insufficient_funds' })
  })

  it('that was paid twice in the window takes one payment only', async () => {
    const { charge, orderId } = await begun()
    const [one, two] = [razorpay.pay({ orderId }), razorpay.pay({ orderId })]
    await confirm(charge, razorpay.given(one))
    expect([statusOf(one.id), statusOf(two.id)]).toEqual(['captured', 'authorized'])
    expect(await confirm(charge, razorpay.given(two))).toMatchObject({ kind: 'charged', transactionId: one.id })
    expect(statusOf(two.id)).toBe('authorized')
  })

  it('whose payment is of another sum is not taken; what others have taken is told as it is (F25)', async () => {
    const { charge, orderId } = await begun()
    const payment = razorpay.pay({ orderId, amount: 100 })
    expect(await confirm(charge, razorpay.given(payment))).toMatchObject(declined(/another sum/))
    expect(statusOf(payment.id)).toBe('authorized')
    razorpay.captureByHand(payment.id)
    expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged', amount: 100 })
  })

  it('below the least sum is declined with the rule (F27)', async () => {
    const message = 'The sum is less than can be paid in this way.'
    const outcome = await adapter().charge(request({ amount: 99, currency: 'INR' }))
    expect(outcome).toEqual({ kind: 'declined', reason: 'payment_declined', message })
  })

  it.each([
    ['Amount exceeds maximum amount allowed.', 'amount', /more than/],
    ['Currency is not supported', 'currency', /currency/],
  ])('that is refused for "%s" is declined with the rule', async (description, field, sentence) => {
    razorpay.refuse(/^POST \/v1\/orders$/, { status: 400, description, field })
    expect(await adapter().charge(request())).toMatchObject(declined(sentence))
  })

  it('that is refused for another reason has charged nothing', async () => {
    razorpay.refuse(/^POST \/v1\/orders$/, { status: 400, description: 'Something else' })
    await expect(adapter().charge(request())).rejects.toMatchObject({ isNothingCharged: true, isOutage: false })
  })
})

describe('a charge by the id of a payment alone', () => {
  it('is paid by one that the account takes by itself', async () => {
    const { charge, payment } = named()
    razorpay.captureByHand(payment.id)
    expect(await adapter().charge(charge)).toMatchObject({ kind: 'charged', transactionId: payment.id })
  })

  it.each([
    ['of another sum', { amount: 100 }, /another sum/],
    ['of another currency', { currency: 'INR' }, /another sum/],
    ['that is not completed', { status: 'created' }, /not been completed/],
    ['that has failed', { status: 'failed', method: 'upi' }, /has failed/],
  ] as const)('never takes one %s (F25, F30)', async (_, paying, sentence) => {
    const { charge, payment } = named(paying)
    const outcomes = [await adapter().charge(charge), await adapter().lookUp(charge), await confirm(charge)]
    expect(outcomes).toMatchObject(Array(3).fill(declined(sentence)))
    expect(razorpay.payments.get(payment.id)).toEqual(payment)
  })

  it('is not paid by one of another sum that the account has taken by itself, and nobody is told to pay again', async () => {
    const { charge, payment } = named({ amount: 100 })
    razorpay.captureByHand(payment.id)
    const message = expect.stringMatching(/has been taken already.*Ask the shop/)
    expect(await adapter().charge(charge)).toMatchObject({ kind: 'declined', message })
    // Later nobody can tell who has taken it.
    expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged', amount: 100 })
    expect(razorpay.refunds.size).toBe(0)
  })

  it('never takes one of another order, of another account, or of long ago (F8)', async () => {
    const { orderId } = await begun()
    const ordered = named({ orderId })
    expect(await adapter().charge(ordered.charge)).toMatchObject(declined(/made for something else/))
    const unknown = request({ payment: payWith({ payment_id: 'pay_unknown' }), reference: 'pay_unknown' })
    expect(await adapter().charge(unknown)).toMatchObject(declined(/no such payment/))
    // The account may be another one by now.
    expect(await adapter().lookUp(unknown)).toEqual({ kind: 'unknown' })
    const { payment } = named()
    clock.advance(86_401)
    const late = request({ payment: payWith({ payment_id: payment.id }), reference: payment.id })
    expect(await adapter().charge(late)).toMatchObject(declined(/too long ago/))
    expect([statusOf(ordered.payment.id), statusOf(payment.id)]).toEqual(['authorized', 'authorized'])
  })

  it('is not paid by what has gone back, wholly or in part; a part of what we took may', async () => {
    const whole = named()
    razorpay.captureByHand(whole.payment.id)
    razorpay.refundByHand(whole.payment.id, 1_234)
    for (const outcome of [await adapter().charge(whole.charge), await adapter().lookUp(whole.charge)])
      expect(outcome).toMatchObject(declined(/gone back/))
    const part = named()
    razorpay.captureByHand(part.payment.id)
    razorpay.refundByHand(part.payment.id, 1)
    expect(await adapter().charge(part.charge)).toMatchObject({ kind: 'declined' })
    const ours = named()
    await adapter().charge(ours.charge)
    razorpay.refundByHand(ours.payment.id, 1)
    expect(await adapter().lookUp(ours.charge)).toMatchObject({ kind: 'charged', amount: 1_234 })
  })

  it.each([
    ['insufficient_funds', 'insufficient_funds'],
    ['card_expired', 'expired_card'],
    ['incorrect_card_expiry_date', 'expired_card'],
    ['incorrect_cvv', 'incorrect_cvc'],
    ['payment_declined', 'card_declined'],
  ])('tells why the payment has failed: %s (F2)', async (reason, ours) => {
    const { charge } = named({ status: 'failed', reason })
    expect(await adapter().charge(charge)).toMatchObject({ kind: 'declined', reason: ours })
  })

  it('is declined where the bank refuses at last, and is never taken then', async () => {
    const { charge, payment } = named()
    razorpay.refuse(/capture$/, { status: 400, code: 'GATEWAY_ERROR', description: 'Payment failed' })
    expect(await adapter().charge(charge)).toMatchObject(declined(/could not be taken/))
    expect(statusOf(payment.id)).toBe('authorized')
  })

  it('stays open while Razorpay is at it in another request', async () => {
    const { charge } = named()
    const description = 'Request failed because another payment operation is in progress'
    razorpay.refuse(/capture$/, { status: 400, description })
    await leavesOpen(adapter().charge(charge))
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'approved' })
  })
})

it('has nothing that lets held money go: Razorpay does by itself', () => {
  expect(adapter().release).toBeUndefined()
})

it('reads what a storefront names: a payment, or an order with all that proves it', () => {
  expect(adapter().referenceOf(payWith({ payment_id: ' pay_29QQoUBi66xm2f ' }))).toBe('pay_29QQoUBi66xm2f')
  expect(adapter().referenceOf(payWith())).toBeNull()
  const whole = { payment_id: 'pay_1', order_id: 'order_1', signature: 'x' }
  expect(adapter().confirmationOf(payWith(whole))).toBe('order_1')
  for (const name of Object.keys(whole)) expect(adapter().confirmationOf(payWith({ ...whole, [name]: '' }))).toBeNull()
})

describe('a refund', () => {
  const paid = async () => {
    const { charge, payment } = named()
    await adapter().charge(charge)
    return { ...charge, transactionId: payment.id, key: `rfnd_${charge.key.slice(-26)}`, amount: 1_000 }
  }

  it('is found among many others, by a Razorpay that has forgotten its key (F15)', async () => {
    const charge = await paid()
    // One that takes days counts as made.
    razorpay.settings.refundStatus = 'pending'
    const first = await adapter().refund({ ...charge, amount: 1 })
    expect(first.kind).toBe('refunded')
    for (let count = 0; count < 101; count++) razorpay.refundByHand(charge.transactionId, 1)
    razorpay.forgetKeys()
    expect(await adapter().refund({ ...charge, amount: 1 })).toEqual(first)
  })

  it('is open while the first is being made', async () => {
    const charge = await paid()
    razorpay.refuse(/refund$/, { status: 409, description: 'Another request with this key is in progress' })
    await leavesOpen(adapter().refund(charge))
  })
})
