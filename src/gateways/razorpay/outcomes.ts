// What Razorpay's payments and refusals mean for us: which of them are declines, and in which words; which leave open what has happened; and
// which say that nothing has. Razorpay's own texts are for developers, and not handed on.

import { type GatewayUnavailable, nothingCharged, open } from '../call.ts'
import type { Charged, Declined } from '../gateway.ts'
import { isForbidden } from '../provider/answer.ts'
import { DECLINES, decline } from '../provider/payment.ts'
import type { RazorpayPayment, Refusal } from './api.ts'

export const NO_SUCH_PAYMENT = decline(
  'payment_declined',
  'Razorpay knows no such payment in the account of this shop. Pay again.',
)
export const OF_ANOTHER_ORDER = decline(
  'payment_declined',
  'The payment that was named was made for something else, and was not used. Pay again.',
)
export const OTHER_SUM = decline(
  'payment_declined',
  'The payment that was named is of another sum than is due, and was not used. Pay again.',
)
export const TOO_OLD = decline(
  'payment_declined',
  'The payment that was named was made too long ago, and was not used. Pay again.',
)
/** By an account that takes payments by itself. Who has named it proves nothing, so that it is not given back for that either. */
export const TAKEN_AND_UNFIT = decline(
  'payment_declined',
  'The payment that was named has been taken already, and does not fit what is due now: it was not used. Ask the shop about it before you pay again.',
)
export const NOT_COMPLETED = decline(
  'payment_declined',
  'The payment has not been completed yet. Complete it, and try again.',
)
export const GONE_BACK = decline('payment_declined', 'The payment that was named has gone back to you. Pay again.')
export const NOT_VERIFIED = decline(
  'payment_declined',
  'The payment could not be verified, and was not used. Pay again.',
)
const NOT_TAKEN = decline(
  'payment_declined',
  'The payment could not be taken, and goes back to you. Pay again, or in another way.',
)
const PAYMENT_FAILED = decline('payment_declined', 'The payment has failed. Pay again, or in another way.')
const OTHER_CURRENCY = decline(
  'payment_declined',
  'This currency cannot be paid in this way here. Choose another way to pay.',
)

/** By `error_reason` of a payment. Razorpay publishes no complete list; what is not here is a plain decline. */
const REASONS: ReadonlyMap<string, Declined> = new Map([
  ['insufficient_funds', decline('insufficient_funds', 'There are insufficient funds.')],
  ['card_expired', DECLINES.wrongExpiry],
  ['incorrect_card_expiry_date', DECLINES.wrongExpiry],
  ['incorrect_cvv', DECLINES.incorrectCvc],
])

/** Of a payment that has failed. */
export const declinedBy = ({ reason, method }: Pick<RazorpayPayment, 'reason' | 'method'>): Declined =>
  REASONS.get(reason ?? '') ?? (method === 'card' ? DECLINES.declined : PAYMENT_FAILED)

export function paidOf<Kind extends Charged['kind']>(payment: RazorpayPayment, kind: Kind): Charged & { kind: Kind } {
  const { id, sum, method, card } = payment
  if (sum === null) throw open('Razorpay names a sum that nobody has asked for.')
  return {
    kind,
    ...sum,
    transactionId: id,
    reference: card.lastFour,
    source: { type: method, brand: card.network, country: null, zip: null },
  }
}

const told = ({ status, code, reason }: Refusal): string => [status, code, reason].filter(Boolean).join(' ')

/** An id that the account does not have. Not published; seen as 400 in other clients, and 404 would be plain. */
export const isUnknownId = ({ status, description }: Refusal): boolean =>
  status === 404 || (status === 400 && /does not exist|not a valid id/i.test(description))

/** For the merchant's log: which gateway it is, and nothing that is secret. */
const notAccepted = (refusal: Refusal): string =>
  `Razorpay does not accept the key that is set up for it: ${told(refusal)}.`

/** Of a request after which something may have been taken before, or by another: what it means is not known here. */
export const refusedLater = (refusal: Refusal, what: string): GatewayUnavailable =>
  open(isForbidden(refusal) ? notAccepted(refusal) : `Razorpay ${what}: ${told(refusal)}.`)

/** Of the first request of a charge: nothing was taken. */
export const refusedFirst = (refusal: Refusal, what: string): GatewayUnavailable => {
  const failure = refusedLater(refusal, what)
  return refusal.status === 409 ? failure : nothingCharged(failure.message)
}

/** What refusing to make an order says of the sum; null where it is about something else. */
export function sumRefusal({ field, description }: Refusal): Declined | null {
  if (field === 'currency' || /currency/i.test(description)) return OTHER_CURRENCY
  if (field !== 'amount' && !/amount/i.test(description)) return null
  if (/minimum|at least/i.test(description)) return DECLINES.tooLow
  return /maximum|exceeds/i.test(description) ? DECLINES.tooHigh : null
}

/** What is told of a payment that Razorpay has refused to take, and that is still only authorized. Throws where that is not decided. */
export function notTaken(refusal: Refusal): Declined {
  // The bank has refused. Nobody takes it any more, and Razorpay gives it back by itself.
  if (refusal.code === 'GATEWAY_ERROR') return REASONS.get(refusal.reason ?? '') ?? NOT_TAKEN
  throw refusedLater(refusal, 'does not take the payment')
}

/** Why a payment is not given back, for the merchant. The words are not published: what is not here is told by its code. */
export function refundRefusal(refusal: Refusal): string {
  if (isUnknownId(refusal)) return 'Razorpay knows no such payment in the account that is set up.'
  const sentence = REFUND_REFUSALS.find(([words]) => words.test(refusal.description))?.[1]
  return sentence ?? `Razorpay does not give the payment back: ${told(refusal)}.`
}

const REFUND_REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/dispute/i, 'The payment is disputed at its bank. While that lasts Razorpay does not give it back.'],
  [/balance/i, 'There is not enough money in the account at Razorpay to give the payment back.'],
  [
    /fully refunded|greater than|exceeds/i,
    'Razorpay does not give back so much: the payment has been refunded already, or in part.',
  ],
  [/captured/i, 'The payment has not been taken yet, and cannot be given back.'],
]
