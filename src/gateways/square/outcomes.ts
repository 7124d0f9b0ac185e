// Meaning of Square's payments and refusals: which ones are declines, leave the outcome open, or prove that nothing was charged.
// Codes are from ErrorCode of square/connect-api-specification. Square's own texts are for developers and are not passed on.

import { type GatewayUnavailable, nothingChargedError, unknownOutcomeError } from '../call.ts'
import type { ChargedOutcome, DeclinedOutcome } from '../gateway.ts'
import { isForbidden } from '../provider/answer.ts'
import { DECLINE_OUTCOMES, declineOutcome } from '../provider/payment.ts'
import type { SquarePayment, SquareRefusal } from './api.ts'

const WRONG_POSTAL_CODE = declineOutcome('card_declined', 'The postal code is not the one of the card.')
const WRONG_KIND = declineOutcome('card_declined', 'This kind of card is not accepted. Pay with another card.')
const OVER_LIMIT = declineOutcome('card_declined', 'The sum is more than this card may pay at once.')
// Square offers no way to continue. The storefront must create another token, which triggers the bank check.
const NOT_VERIFIED = declineOutcome(
  'card_declined',
  'The bank wants to know that the card is yours. Enter it again, and confirm with the bank.',
)
const ENTER_AGAIN = declineOutcome('payment_declined', 'The card has to be entered again.')
const NOT_CHARGED = declineOutcome(
  'payment_declined',
  'The card could not be charged. Pay with another card, or in another way.',
)
const CANCELLED = declineOutcome('cancelled', 'The payment was cancelled before it was made.')

const DECLINES_BY_CODE: ReadonlyMap<string, DeclinedOutcome> = new Map(
  (
    [
      [DECLINE_OUTCOMES.insufficientFunds, 'INSUFFICIENT_FUNDS GIFT_CARD_AVAILABLE_AMOUNT'],
      [
        DECLINE_OUTCOMES.wrongExpiry,
        'CARD_EXPIRED INVALID_EXPIRATION INVALID_EXPIRATION_YEAR INVALID_EXPIRATION_DATE BAD_EXPIRATION EXPIRATION_FAILURE',
      ],
      [DECLINE_OUTCOMES.incorrectCvc, 'CVV_FAILURE VERIFY_CVV_FAILURE'],
      [WRONG_POSTAL_CODE, 'ADDRESS_VERIFICATION_FAILURE VERIFY_AVS_FAILURE INVALID_POSTAL_CODE'],
      [WRONG_KIND, 'CARD_NOT_SUPPORTED UNSUPPORTED_CARD_BRAND'],
      [OVER_LIMIT, 'TRANSACTION_LIMIT'],
      [DECLINE_OUTCOMES.tooHigh, 'AMOUNT_TOO_HIGH PAYMENT_LIMIT_EXCEEDED'],
      [NOT_VERIFIED, 'CARD_DECLINED_VERIFICATION_REQUIRED'],
      [ENTER_AGAIN, 'SOURCE_USED SOURCE_EXPIRED CARD_TOKEN_USED CARD_TOKEN_EXPIRED INVALID_CARD_DATA'],
      [
        DECLINE_OUTCOMES.declined,
        'GENERIC_DECLINE CARD_DECLINED CARD_DECLINED_CALL_ISSUER PAN_FAILURE INVALID_CARD INVALID_ACCOUNT ACCOUNT_UNUSABLE CARDHOLDER_INSUFFICIENT_PERMISSIONS VOICE_FAILURE BUYER_REFUSED_PAYMENT',
      ],
    ] as const
  ).flatMap(([declined, codes]) => codes.split(' ').map((code) => [code, declined] as const)),
)

const declineBy = (codes: readonly string[]): DeclinedOutcome | null => {
  for (const code of codes) {
    const declined = DECLINES_BY_CODE.get(code)
    if (declined !== undefined) return declined
  }
  return null
}

/** Decline of the card in a refusal; null if the refusal is about something else. */
export function squareDecline({ codes, categories, fields, payment }: SquareRefusal): DeclinedOutcome | null {
  const declined = declineBy([...codes, ...(payment?.codes ?? [])])
  if (declined !== null) return declined
  const namesField = (field: string) => fields.some((name) => name.startsWith(field))
  if (codes.includes('VALUE_TOO_HIGH') && namesField('amount_money')) return DECLINE_OUTCOMES.tooHigh
  if (codes.includes('VALUE_TOO_LOW') && namesField('amount_money')) return DECLINE_OUTCOMES.tooLow
  // The token belongs to another application or mode, or does not exist.
  if (codes.includes('NOT_FOUND') && namesField('source_id')) return ENTER_AGAIN
  return categories.includes('PAYMENT_METHOD_ERROR') || payment?.status === 'FAILED' ? NOT_CHARGED : null
}

/** Square itself failed, another request is under way, or the key was used for another request. */
const UNDECIDED_CODES = [
  'TEMPORARY_ERROR',
  'CONFLICT',
  'IDEMPOTENCY_KEY_REUSED',
  'INTERNAL_SERVER_ERROR',
  'REQUEST_TIMEOUT',
]

const isUndecided = ({ status, codes, categories }: SquareRefusal): boolean =>
  status === 409 || categories.includes('API_ERROR') || codes.some((code) => UNDECIDED_CODES.includes(code))

const codesOf = ({ status, codes }: SquareRefusal): string => [status, ...codes].join(' ')

/**
 * Error for a refusal that leaves the outcome open; null if the refusal is a decision. An earlier request with the same key may have
 * charged.
 */
export function undecidedError(refusal: SquareRefusal): GatewayUnavailable | null {
  if (isForbidden(refusal)) return unknownOutcomeError(tokenRejectedMessage(refusal))
  return isUndecided(refusal) ? unknownOutcomeError(`Square has not decided: ${codesOf(refusal)}.`) : null
}

const tokenRejectedMessage = (refusal: SquareRefusal): string =>
  `Square does not accept the access token that is set up for it: ${codesOf(refusal)}.`

/** Decline for the first request of a charge; throws for all other refusals. If Square has clearly refused, nothing was charged. */
export function declineFirstRequest(refusal: SquareRefusal): DeclinedOutcome {
  if (isForbidden(refusal)) throw nothingChargedError(tokenRejectedMessage(refusal))
  const { payment } = refusal
  if (isUndecided(refusal) || (payment !== null && !['FAILED', 'CANCELED'].includes(payment.status)))
    throw unknownOutcomeError(`Square has not decided: ${codesOf(refusal)}.`)
  const declined = squareDecline(refusal)
  if (declined !== null) return declined
  throw nothingChargedError(`Square refuses the payment: ${codesOf(refusal)}.`)
}

/** Error for a failed query or change of an existing payment. */
export const squareOutcomeUnknown = (refusal: SquareRefusal, what: string) =>
  undecidedError(refusal) ?? unknownOutcomeError(`Square ${what}: ${codesOf(refusal)}.`)

/** Outcome of a payment that is not APPROVED. The caller decides if APPROVED counts as paid. */
export function squareOutcome(payment: SquarePayment): ChargedOutcome | DeclinedOutcome {
  switch (payment.status) {
    case 'COMPLETED':
      return squareCharge(payment, 'charged')
    case 'CANCELED':
      return CANCELLED
    case 'FAILED':
      return declineBy(payment.codes) ?? NOT_CHARGED
    default:
      // PENDING is for bank transfers, which nobody can choose here.
      throw unknownOutcomeError('Square is still processing the payment.')
  }
}

export function squareCharge<Kind extends ChargedOutcome['kind']>(
  payment: SquarePayment,
  kind: Kind,
): ChargedOutcome & { kind: Kind } {
  const { id, total, card } = payment
  if (total === null) throw unknownOutcomeError('Square reports an amount that is not valid.')
  const { brand, lastFour, zip } = card
  return {
    kind,
    ...total,
    transactionId: id,
    reference: lastFour,
    source: { type: 'card', brand: brand === null ? null : (BRANDS[brand] ?? null), country: null, zip },
  }
}

const BRANDS: Readonly<Record<string, string>> = {
  VISA: 'Visa',
  MASTERCARD: 'Mastercard',
  AMERICAN_EXPRESS: 'American Express',
  DISCOVER: 'Discover',
  DISCOVER_DINERS: 'Diners Club',
  JCB: 'JCB',
  CHINA_UNIONPAY: 'UnionPay',
  SQUARE_GIFT_CARD: 'Square Gift Card',
  INTERAC: 'Interac',
  EFTPOS: 'eftpos',
}

/** Reason of a failed refund, for the merchant. */
export function describeSquareRefund(refusal: SquareRefusal): string {
  const sentence = refusal.codes.flatMap((code) => REFUND_REFUSALS[code] ?? [])[0]
  return sentence ?? `Square does not refund the payment: ${codesOf(refusal)}.`
}

const REFUND_REFUSALS: Readonly<Record<string, string>> = {
  REFUND_ALREADY_PENDING: 'Another refund of this payment is still under way at Square. Try again when it has ended.',
  REFUND_AMOUNT_INVALID: 'The refund is more than is left of the payment: all or part was already refunded at Square.',
  PAYMENT_NOT_REFUNDABLE: 'Square says that the payment cannot be refunded any more.',
  PAYMENT_NOT_REFUNDABLE_DUE_TO_DISPUTE:
    'The payment is disputed at its bank. Square does not refund it until the dispute has ended.',
  REFUND_ERROR_PAYMENT_NEEDS_COMPLETION: 'The payment has not been taken yet and cannot be refunded.',
  REFUND_DECLINED: 'The bank of the card has declined the refund.',
  INSUFFICIENT_PERMISSIONS_FOR_REFUND: 'The access token that is set up for Square may not refund payments.',
  NOT_FOUND: 'The Square account that is set up has no such payment.',
}
