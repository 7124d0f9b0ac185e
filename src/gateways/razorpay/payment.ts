// What storefronts send for Razorpay, and the proof that comes with it. Nothing at all: an order is made, and the window is opened for it; then
// `payment_id`, `order_id` and `signature`, as the window gives them. Older stores send `payment_id` alone, also if they have opened the
// window with our order: nothing is signed there, and Razorpay says which order the payment was made for.

import type { FieldErrors } from '../../lib/errors.ts'
import type { GatewayConfig, Sum } from '../call.ts'
import type { PaymentInput } from '../gateway.ts'
import { sumProblems } from '../provider/amounts.ts'
import { isSigned } from '../provider/messages.ts'
import { cardNumberProblem, fieldIn, isLikeCardNumber, problem } from '../provider/payment.ts'
import { CURRENCIES } from './api.ts'

type SentFields = {
  readonly paymentId: string | null
  readonly orderId: string | null
  readonly signature: string | null
}

export function fieldsIn({ details }: Pick<PaymentInput, 'details'>): SentFields {
  const field = (name: string) => fieldIn(details.razorpay, name)
  return { paymentId: field('payment_id'), orderId: field('order_id'), signature: field('signature') }
}

/** What the payment continues: only with all that proves it. */
export function confirmationOf(payment: PaymentInput): string | null {
  const { paymentId, orderId, signature } = fieldsIn(payment)
  return paymentId === null || signature === null ? null : orderId
}

/** The payment that is named without anything that proves what it was made for; null where there is more, or none. */
export function idSentAlone(payment: Pick<PaymentInput, 'details'>): string | null {
  const { paymentId, orderId, signature } = fieldsIn(payment)
  const isAlone = paymentId !== null && orderId === null && signature === null
  return isAlone && PAYMENT_ID.test(paymentId) ? paymentId : null
}

/** Whether this order was paid by this payment, at the account of the key. `orderId`: the one that we made, never the one that was sent. */
export function isProven(
  { key_secret }: GatewayConfig,
  orderId: string,
  { paymentId, signature }: SentFields,
): boolean {
  if (paymentId === null || signature === null || !key_secret) return false
  return isSignedInHex([key_secret], `${orderId}|${paymentId}`, signature)
}

/** As Razorpay writes all its signatures: in hexadecimal digits. */
export const isSignedInHex = (secrets: readonly string[], part: string | Buffer, signature: string): boolean =>
  isSigned({ secrets, parts: [part], signatures: [signature.toLowerCase()], encoding: 'hex' })

const PAYMENT = 'payment.razorpay.payment_id'
const ORDER = 'payment.razorpay.order_id'
const SIGNATURE = 'payment.razorpay.signature'
const ALL = 'payment_id, order_id and signature are sent together, as its window gives them'
const PAYMENT_ID = /^pay_\w{1,60}$/
const HINT = 'the id of a payment that was made in its window (pay_…)'

/**
 * An order id is looked at only when a payment is begun: one that is waited for has been recognized before. What it was made for is over, or
 * is somebody else's.
 */
export function problemsOf(payment: PaymentInput, sum: Sum): FieldErrors {
  const ofCard = cardNumberProblem(payment, `Razorpay takes ${HINT} in ${PAYMENT}`)
  if (ofCard !== null) return ofCard
  const fields = fieldsIn(payment)
  const { paymentId, orderId, signature } = fields
  const isAlone = orderId === null && signature === null
  return {
    ...(paymentId === null ? {} : idProblems(paymentId)),
    ...(isAlone ? {} : orderProblems(fields)),
    ...sumProblems(CURRENCIES, sum),
  }
}

/** Of a payment that names the order that is waited for, and does not prove that it has paid it. */
export const NOT_PROVEN: FieldErrors = problem(
  SIGNATURE,
  `does not prove that this payment was made for this order: ${ALL}`,
)

function idProblems(paymentId: string): FieldErrors {
  if (PAYMENT_ID.test(paymentId)) return {}
  return problem(
    PAYMENT,
    isLikeCardNumber(paymentId) ? `must not be the number of a card: Razorpay takes ${HINT}` : `must be ${HINT}`,
  )
}

function orderProblems({ paymentId, orderId, signature }: SentFields): FieldErrors {
  if (paymentId === null) return problem(PAYMENT, `is required: ${ALL}`)
  if (orderId === null) return problem(ORDER, `is required: ${ALL}`)
  if (signature === null) return problem(SIGNATURE, `is required: ${ALL}`)
  return problem(
    ORDER,
    'is none that this checkout waits for: its time is over, or it was made for another. Nothing is taken for it. Send the capture without payment.razorpay to pay anew',
  )
}
