// What storefronts send for Razorpay, and the proof that comes with it. Nothing at all: an order is made, and the window is opened for it; then
// `payment_id`, `order_id` and `signature`, as the window gives them. `payment_id` alone is what stores send that open the window without
// an order: nothing is signed there.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FieldErrors } from '../../lib/errors.ts'
import type { GatewayConfig, Sum } from '../call.ts'
import type { PaymentInput } from '../gateway.ts'
import { sumProblems } from '../provider/amounts.ts'
import { CURRENCIES, objectOf } from './api.ts'

export type SentFields = {
  readonly paymentId: string | null
  readonly orderId: string | null
  readonly signature: string | null
}

export function fieldsIn({ details }: PaymentInput): SentFields {
  const fields = objectOf(details.razorpay)
  const field = (name: string) => {
    const value = fields[name]
    return (typeof value === 'string' && value.trim()) || null
  }
  return { paymentId: field('payment_id'), orderId: field('order_id'), signature: field('signature') }
}

/** What the payment continues: only with all that proves it. */
export function confirmationOf(payment: PaymentInput): string | null {
  const { paymentId, orderId, signature } = fieldsIn(payment)
  return paymentId === null || signature === null ? null : orderId
}

/** Whether this order was paid by this payment, at the account of the key. `orderId`: the one that we made, never the one that was sent. */
export function isSigned(
  { key_secret }: GatewayConfig,
  orderId: string,
  { paymentId, signature }: SentFields,
): boolean {
  if (paymentId === null || signature === null || !key_secret) return false
  return isDigest(createHmac('sha256', key_secret).update(`${orderId}|${paymentId}`).digest(), signature)
}

/** `given` is written in hexadecimal digits, as Razorpay writes all its signatures. */
export function isDigest(expected: Buffer, given: string): boolean {
  return /^[0-9a-f]{64}$/i.test(given) && timingSafeEqual(expected, Buffer.from(given, 'hex'))
}

const PAYMENT_ID = /^pay_\w{1,60}$/
const HINT = 'the id of a payment that was made in its window (pay_…)'

const looksLikeCard = (value: string): boolean => /^\d{12,19}$/.test(value.replace(/[\s-]/g, ''))

/**
 * An order id is looked at only when a payment is begun: one that is waited for has been recognized before. What it was made for is over, or
 * is somebody else's.
 */
export function problemsOf(payment: PaymentInput, sum: Sum): FieldErrors {
  if (payment.card?.number != null)
    return {
      'payment.card.number': [
        `payment.card.number must not be sent: Razorpay takes ${HINT} in payment.razorpay.payment_id.`,
      ],
    }
  const fields = fieldsIn(payment)
  const { paymentId, orderId, signature } = fields
  const isAlone = orderId === null && signature === null
  return {
    ...(paymentId === null ? {} : idProblems(paymentId)),
    ...(isAlone ? {} : orderProblems(fields)),
    ...sumProblems(CURRENCIES, sum),
  }
}

const problem = (name: keyof typeof NAMES, rule: string): FieldErrors => ({
  [NAMES[name]]: [`${NAMES[name]} ${rule}.`],
})

const NAMES = {
  payment_id: 'payment.razorpay.payment_id',
  order_id: 'payment.razorpay.order_id',
  signature: 'payment.razorpay.signature',
} as const

function idProblems(paymentId: string): FieldErrors {
  if (PAYMENT_ID.test(paymentId)) return {}
  return problem(
    'payment_id',
    looksLikeCard(paymentId) ? `must not be the number of a card: Razorpay takes ${HINT}` : `must be ${HINT}`,
  )
}

function orderProblems({ paymentId, orderId, signature }: SentFields): FieldErrors {
  const all = 'payment_id, order_id and signature are sent together, as its window gives them'
  if (paymentId === null) return problem('payment_id', `is required: ${all}`)
  if (orderId === null) return problem('order_id', `is required: ${all}`)
  if (signature === null) return problem('signature', `is required: ${all}`)
  return problem(
    'order_id',
    'is none that this checkout waits for: its time is over, or it was made for another. Nothing is taken for it. Send the capture without payment.razorpay to pay anew',
  )
}
