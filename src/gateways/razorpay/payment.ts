// Reads and checks a storefront's payment for Razorpay, and its proof.
// Without any fields we create an order, and the storefront opens the window for it. The window then returns `payment_id`, `order_id` and
// `signature`.
// Older stores send only `payment_id`, even if they opened the window with our order. Nothing is signed then, and Razorpay tells us the
// order of the payment.

import type { FieldErrors } from '../../lib/errors.ts'
import type { GatewayConfig, Money } from '../call.ts'
import type { PaymentInput } from '../gateway.ts'
import { sumProblems } from '../provider/amounts.ts'
import { hasValidHmac } from '../provider/messages.ts'
import { cardNumberProblem, fieldProblem, isLikeCardNumber, readPaymentField } from '../provider/payment.ts'
import { RAZORPAY_CURRENCIES } from './api.ts'

type PaymentFields = {
  readonly paymentId: string | null
  readonly orderId: string | null
  readonly signature: string | null
}

export function readPaymentFields({ details }: Pick<PaymentInput, 'details'>): PaymentFields {
  const field = (name: string) => readPaymentField(details.razorpay, name)
  return { paymentId: field('payment_id'), orderId: field('order_id'), signature: field('signature') }
}

/** Order that the payment continues. Requires all fields of the proof. */
export function razorpayConfirmation(payment: PaymentInput): string | null {
  const { paymentId, orderId, signature } = readPaymentFields(payment)
  return paymentId === null || signature === null ? null : orderId
}

/** Payment id that came without any proof; null if there is a proof, or no id. */
export function unprovenPaymentId(payment: Pick<PaymentInput, 'details'>): string | null {
  const { paymentId, orderId, signature } = readPaymentFields(payment)
  const isOnlyPaymentId = paymentId !== null && orderId === null && signature === null
  return isOnlyPaymentId && PAYMENT_ID.test(paymentId) ? paymentId : null
}

/**
 * Verifies that this payment paid this order, in the account of the key. `orderId` is the order we created, never the one that was sent.
 */
export function isProven(
  { key_secret }: GatewayConfig,
  orderId: string,
  { paymentId, signature }: PaymentFields,
): boolean {
  if (paymentId === null || signature === null || !key_secret) return false
  return isSignedInHex([key_secret], `${orderId}|${paymentId}`, signature)
}

/** Razorpay writes all its signatures in hexadecimal digits. */
export const isSignedInHex = (secrets: readonly string[], part: string | Buffer, signature: string): boolean =>
  hasValidHmac({ secrets, parts: [part], signatures: [signature.toLowerCase()], encoding: 'hex' })

const PAYMENT = 'payment.razorpay.payment_id'
const ORDER = 'payment.razorpay.order_id'
const SIGNATURE = 'payment.razorpay.signature'
const ALL = 'send payment_id, order_id and signature together, as Razorpay’s window returns them'
const PAYMENT_ID = /^pay_\w{1,60}$/
const HINT = 'the id of a payment that was made in its window (pay_…)'

/**
 * This check runs only for a new payment, because a waiting order was recognised before. So an order id here is expired, or belongs to
 * somebody else.
 */
export function findRazorpayProblems(payment: PaymentInput, sum: Money): FieldErrors {
  const cardProblems = cardNumberProblem(payment, `Razorpay takes ${HINT} in ${PAYMENT}`)
  if (cardProblems !== null) return cardProblems
  const fields = readPaymentFields(payment)
  const { paymentId, orderId, signature } = fields
  const isOnlyPaymentId = orderId === null && signature === null
  return {
    ...(paymentId === null ? {} : idProblems(paymentId)),
    ...(isOnlyPaymentId ? {} : orderProblems(fields)),
    ...sumProblems(RAZORPAY_CURRENCIES, sum),
  }
}

/** For a payment that names the waiting order without proving that it paid it. */
export const NOT_PROVEN: FieldErrors = fieldProblem(
  SIGNATURE,
  `does not prove that this payment was made for this order: ${ALL}`,
)

function idProblems(paymentId: string): FieldErrors {
  if (PAYMENT_ID.test(paymentId)) return {}
  return fieldProblem(
    PAYMENT,
    isLikeCardNumber(paymentId) ? `must not be the number of a card: Razorpay takes ${HINT}` : `must be ${HINT}`,
  )
}

function orderProblems({ paymentId, orderId, signature }: PaymentFields): FieldErrors {
  if (paymentId === null) return fieldProblem(PAYMENT, `is required: ${ALL}`)
  if (orderId === null) return fieldProblem(ORDER, `is required: ${ALL}`)
  if (signature === null) return fieldProblem(SIGNATURE, `is required: ${ALL}`)
  return fieldProblem(
    ORDER,
    'is not a payment that this checkout waits for: it has expired, or it was made for another checkout. It is not charged. Send the capture without payment.razorpay to start again',
  )
}
