// Meaning of Razorpay's payments and refusals: which ones are declines, leave the outcome open, or prove that nothing was charged.
// Razorpay's own texts are for developers and are not passed on.

import { type GatewayUnavailable, nothingChargedError, unknownOutcomeError } from '../call.ts'
import type { ChargedOutcome, DeclinedOutcome } from '../gateway.ts'
import { isForbidden } from '../provider/answer.ts'
import { DECLINE_OUTCOMES, declineOutcome } from '../provider/payment.ts'
import type { RazorpayPayment, RazorpayRefusal } from './api.ts'

export const NO_SUCH_PAYMENT = declineOutcome(
  'payment_declined',
  'Razorpay knows no such payment in the account of this shop. Pay again.',
)
export const WRONG_ORDER = declineOutcome(
  'payment_declined',
  'The payment that was named was made for something else, and was not used. Pay again.',
)
export const WRONG_SUM = declineOutcome(
  'payment_declined',
  'The payment that was named is of another sum than is due, and was not used. Pay again.',
)
export const TOO_OLD = declineOutcome(
  'payment_declined',
  'The payment that was named was made too long ago, and was not used. Pay again.',
)
/** For accounts that capture by themselves. Naming a payment does not prove ownership, so there is no refund either. */
export const CAPTURED_MISMATCH = declineOutcome(
  'payment_declined',
  'The payment that was named has been taken already, and does not fit what is due now: it was not used. Ask the shop about it before you pay again.',
)
export const NOT_COMPLETED = declineOutcome(
  'payment_declined',
  'The payment has not been completed yet. Complete it, and try again.',
)
export const ALREADY_REFUNDED = declineOutcome(
  'payment_declined',
  'The payment that was named has gone back to you. Pay again.',
)
export const NOT_VERIFIED = declineOutcome(
  'payment_declined',
  'The payment could not be verified, and was not used. Pay again.',
)
const NOT_TAKEN = declineOutcome(
  'payment_declined',
  'The payment could not be taken, and goes back to you. Pay again, or in another way.',
)
const PAYMENT_FAILED = declineOutcome('payment_declined', 'The payment has failed. Pay again, or in another way.')
const OTHER_CURRENCY = declineOutcome(
  'payment_declined',
  'This currency cannot be paid in this way here. Choose another way to pay.',
)

/** Declines by `error_reason` of a payment. Razorpay publishes no complete list; other reasons are a plain decline. */
const REASONS: ReadonlyMap<string, DeclinedOutcome> = new Map([
  ['insufficient_funds', declineOutcome('insufficient_funds', 'There are insufficient funds.')],
  ['card_expired', DECLINE_OUTCOMES.wrongExpiry],
  ['incorrect_card_expiry_date', DECLINE_OUTCOMES.wrongExpiry],
  ['incorrect_cvv', DECLINE_OUTCOMES.incorrectCvc],
])

/** Decline for a failed payment. */
export const declineForFailure = ({ reason, method }: Pick<RazorpayPayment, 'reason' | 'method'>): DeclinedOutcome =>
  REASONS.get(reason ?? '') ?? (method === 'card' ? DECLINE_OUTCOMES.declined : PAYMENT_FAILED)

export function razorpayCharge<Kind extends ChargedOutcome['kind']>(
  payment: RazorpayPayment,
  kind: Kind,
): ChargedOutcome & { kind: Kind } {
  const { id, sum, method, card } = payment
  if (sum === null) throw unknownOutcomeError('Razorpay reports an amount that is not valid.')
  return {
    kind,
    ...sum,
    transactionId: id,
    reference: card.lastFour,
    source: { type: method, brand: card.network, country: null, zip: null },
  }
}

const codesOf = ({ status, code, reason }: RazorpayRefusal): string => [status, code, reason].filter(Boolean).join(' ')

/** The account does not have this id. The error is undocumented: other clients report 400, and 404 would be natural. */
export const isUnknownId = ({ status, description }: RazorpayRefusal): boolean =>
  status === 404 || (status === 400 && /does not exist|not a valid id/i.test(description))

/** For the merchant's log: names the gateway and no secret. */
const keyRejectedMessage = (refusal: RazorpayRefusal): string =>
  `Razorpay does not accept the key that is set up for it: ${codesOf(refusal)}.`

/** Error for a request that may follow an earlier charge: the outcome is unknown. */
export const razorpayOutcomeUnknown = (refusal: RazorpayRefusal, what: string): GatewayUnavailable =>
  unknownOutcomeError(isForbidden(refusal) ? keyRejectedMessage(refusal) : `Razorpay ${what}: ${codesOf(refusal)}.`)

/** Error for the first request of a charge: nothing was taken. */
export const razorpayNothingCharged = (refusal: RazorpayRefusal, what: string): GatewayUnavailable => {
  const error = razorpayOutcomeUnknown(refusal, what)
  return refusal.status === 409 ? error : nothingChargedError(error.message)
}

/** Decline for a rejected amount or currency; null if the refusal has another cause. */
export function sumRefusal({ field, description }: RazorpayRefusal): DeclinedOutcome | null {
  if (field === 'currency' || /currency/i.test(description)) return OTHER_CURRENCY
  if (field !== 'amount' && !/amount/i.test(description)) return null
  if (/minimum|at least/i.test(description)) return DECLINE_OUTCOMES.tooLow
  return /maximum|exceeds/i.test(description) ? DECLINE_OUTCOMES.tooHigh : null
}

/** Decline for a payment that Razorpay refused to capture and that is still authorized. Throws if the outcome is open. */
export function declineOfCapture(refusal: RazorpayRefusal): DeclinedOutcome {
  // The bank has refused. Nobody captures it any more, and Razorpay refunds it by itself.
  if (refusal.code === 'GATEWAY_ERROR') return REASONS.get(refusal.reason ?? '') ?? NOT_TAKEN
  throw razorpayOutcomeUnknown(refusal, 'does not take the payment')
}

/** Reason of a failed refund, for the merchant. Razorpay's texts are not documented; unknown ones are reported by code. */
export function describeRazorpayRefund(refusal: RazorpayRefusal): string {
  if (isUnknownId(refusal)) return 'The Razorpay account that is set up has no such payment.'
  const sentence = REFUND_REFUSALS.find(([pattern]) => pattern.test(refusal.description))?.[1]
  return sentence ?? `Razorpay does not refund the payment: ${codesOf(refusal)}.`
}

const REFUND_REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/dispute/i, 'The payment is disputed at its bank. Razorpay does not refund it until the dispute has ended.'],
  [/balance/i, 'There is not enough money in the Razorpay account for the refund.'],
  [
    /fully refunded|greater than|exceeds/i,
    'The refund is more than is left of the payment: all or part was already refunded at Razorpay.',
  ],
  [/captured/i, 'The payment has not been taken yet and cannot be refunded.'],
]
