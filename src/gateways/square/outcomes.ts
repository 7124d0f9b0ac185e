// What Square's payments and refusals mean for us: which of them are declines, and in which words; which leave open what has happened; and
// which say that nothing has. Codes: ErrorCode of square/connect-api-specification. Square's own texts are for developers, and
// not handed on.

import { type GatewayUnavailable, nothingCharged, open } from '../call.ts'
import type { Charged, Declined } from '../gateway.ts'
import { isForbidden } from '../provider/answer.ts'
import { DECLINES, decline } from '../provider/payment.ts'
import type { Refusal, SquarePayment } from './api.ts'

const WRONG_POSTAL_CODE = decline('card_declined', 'The postal code is not the one of the card.')
const WRONG_KIND = decline('card_declined', 'This kind of card is not accepted. Pay with another card.')
const OVER_LIMIT = decline('card_declined', 'The sum is more than this card may pay at once.')
// There is nothing at Square that could be gone on with: the storefront makes another token, which asks the bank.
const NOT_VERIFIED = decline(
  'card_declined',
  'The bank wants to know that the card is yours. Enter it again, and confirm with the bank.',
)
const ENTER_AGAIN = decline('payment_declined', 'The card has to be entered again.')
const NOT_CHARGED = decline(
  'payment_declined',
  'The card could not be charged. Pay with another card, or in another way.',
)
const CANCELLED = decline('cancelled', 'The payment was cancelled before it was made.')

const BY_CODE: ReadonlyMap<string, Declined> = new Map(
  (
    [
      [DECLINES.insufficientFunds, 'INSUFFICIENT_FUNDS GIFT_CARD_AVAILABLE_AMOUNT'],
      [
        DECLINES.wrongExpiry,
        'CARD_EXPIRED INVALID_EXPIRATION INVALID_EXPIRATION_YEAR INVALID_EXPIRATION_DATE BAD_EXPIRATION EXPIRATION_FAILURE',
      ],
      [DECLINES.incorrectCvc, 'CVV_FAILURE VERIFY_CVV_FAILURE'],
      [WRONG_POSTAL_CODE, 'ADDRESS_VERIFICATION_FAILURE VERIFY_AVS_FAILURE INVALID_POSTAL_CODE'],
      [WRONG_KIND, 'CARD_NOT_SUPPORTED UNSUPPORTED_CARD_BRAND'],
      [OVER_LIMIT, 'TRANSACTION_LIMIT'],
      [DECLINES.tooHigh, 'AMOUNT_TOO_HIGH PAYMENT_LIMIT_EXCEEDED'],
      [NOT_VERIFIED, 'CARD_DECLINED_VERIFICATION_REQUIRED'],
      [ENTER_AGAIN, 'SOURCE_USED SOURCE_EXPIRED CARD_TOKEN_USED CARD_TOKEN_EXPIRED INVALID_CARD_DATA'],
      [
        DECLINES.declined,
        'GENERIC_DECLINE CARD_DECLINED CARD_DECLINED_CALL_ISSUER PAN_FAILURE INVALID_CARD INVALID_ACCOUNT ACCOUNT_UNUSABLE CARDHOLDER_INSUFFICIENT_PERMISSIONS VOICE_FAILURE BUYER_REFUSED_PAYMENT',
      ],
    ] as const
  ).flatMap(([declined, codes]) => codes.split(' ').map((code) => [code, declined] as const)),
)

const declineBy = (codes: readonly string[]): Declined | null => {
  for (const code of codes) {
    const declined = BY_CODE.get(code)
    if (declined !== undefined) return declined
  }
  return null
}

/** What a refusal says of the card; null where it is about something else. */
export function declineIn({ codes, categories, fields, payment }: Refusal): Declined | null {
  const declined = declineBy([...codes, ...(payment?.codes ?? [])])
  if (declined !== null) return declined
  const names = (field: string) => fields.some((name) => name.startsWith(field))
  if (codes.includes('VALUE_TOO_HIGH') && names('amount_money')) return DECLINES.tooHigh
  if (codes.includes('VALUE_TOO_LOW') && names('amount_money')) return DECLINES.tooLow
  // A token of another application, or of the other mode, or one that nobody has made.
  if (codes.includes('NOT_FOUND') && names('source_id')) return ENTER_AGAIN
  return categories.includes('PAYMENT_METHOD_ERROR') || payment?.status === 'FAILED' ? NOT_CHARGED : null
}

/** Square has failed itself, or is at it in another request, or the key stands for something that was asked before. */
const UNSURE = ['TEMPORARY_ERROR', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED', 'INTERNAL_SERVER_ERROR', 'REQUEST_TIMEOUT']

const isUnsure = ({ status, codes, categories }: Refusal): boolean =>
  status === 409 || categories.includes('API_ERROR') || codes.some((code) => UNSURE.includes(code))

const told = ({ status, codes }: Refusal): string => [status, ...codes].join(' ')

/** Why a refusal is no answer to what was asked; null where it is one. Whether something was charged under the key before is not known here. */
export function troubleIn(refusal: Refusal): GatewayUnavailable | null {
  if (isForbidden(refusal)) return open(notAccepted(refusal))
  return isUnsure(refusal) ? open(`Square has not decided: ${told(refusal)}.`) : null
}

const notAccepted = (refusal: Refusal): string =>
  `Square does not accept the access token that is set up for it: ${told(refusal)}.`

/** Of the first request of a charge: a decline. All else is thrown, and nothing was charged where Square has refused for sure. */
export function declinedFirst(refusal: Refusal): Declined {
  if (isForbidden(refusal)) throw nothingCharged(notAccepted(refusal))
  const { payment } = refusal
  if (isUnsure(refusal) || (payment !== null && !['FAILED', 'CANCELED'].includes(payment.status)))
    throw open(`Square has not decided: ${told(refusal)}.`)
  const declined = declineIn(refusal)
  if (declined !== null) return declined
  throw nothingCharged(`Square refuses the payment: ${told(refusal)}.`)
}

/** What was asked about a payment that is there already has not been answered. */
export const refusedLater = (refusal: Refusal, what: string) =>
  troubleIn(refusal) ?? open(`Square ${what}: ${told(refusal)}.`)

/** Of a payment that is not APPROVED: whether that is paid is for the caller to say. */
export function outcomeOf(payment: SquarePayment): Charged | Declined {
  switch (payment.status) {
    case 'COMPLETED':
      return paidOf(payment, 'charged')
    case 'CANCELED':
      return CANCELLED
    case 'FAILED':
      return declineBy(payment.codes) ?? NOT_CHARGED
    default:
      // PENDING is for transfers from banks, which nobody can choose here.
      throw open('Square is still looking into the payment.')
  }
}

export function paidOf<Kind extends Charged['kind']>(payment: SquarePayment, kind: Kind): Charged & { kind: Kind } {
  const { id, total, card } = payment
  if (total === null) throw open('Square names a sum that nobody has asked for.')
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

/** Why a payment is not given back, for the merchant. */
export function refundRefusal(refusal: Refusal): string {
  const sentence = refusal.codes.flatMap((code) => REFUND_REFUSALS[code] ?? [])[0]
  return sentence ?? `Square does not give the payment back: ${told(refusal)}.`
}

const REFUND_REFUSALS: Readonly<Record<string, string>> = {
  REFUND_ALREADY_PENDING: 'Another refund of this payment is still under way at Square. Try again when it has ended.',
  REFUND_AMOUNT_INVALID: 'Square does not give back so much: the payment has been refunded already, or in part.',
  PAYMENT_NOT_REFUNDABLE: 'Square says that the payment cannot be given back any more.',
  PAYMENT_NOT_REFUNDABLE_DUE_TO_DISPUTE:
    'The payment is disputed at its bank. While that lasts Square does not give it back.',
  REFUND_ERROR_PAYMENT_NEEDS_COMPLETION: 'The payment has not been taken yet, and cannot be given back.',
  REFUND_DECLINED: 'The bank of the card has declined the refund.',
  INSUFFICIENT_PERMISSIONS_FOR_REFUND: 'The access token that is set up for Square may not give payments back.',
  NOT_FOUND: 'Square knows no such payment in the account that is set up.',
}
