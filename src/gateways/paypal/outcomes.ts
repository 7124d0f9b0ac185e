// Translates PayPal's objects and refusals into the outcomes of gateway.ts. Pure.

import { type Money, unknownOutcomeError } from '../call.ts'
import type {
  AwaitingShopper,
  ChargeCall,
  ChargedOutcome,
  ChargeOutcome,
  DeclinedOutcome,
  LookupOutcome,
} from '../gateway.ts'
import { fromDecimal } from '../provider/amounts.ts'
import { declineOutcome } from '../provider/payment.ts'
import type { PaypalAuthorization, PaypalCapture, PaypalMoney, PaypalOrder } from './api.ts'
import { PAYPAL_CURRENCIES } from './payment.ts'

/** Mark of a cancelled order. PayPal cannot cancel an order, only change it (`cancel` in adapter.ts). */
export const cancelledMark = (key: string): string => `${key}_cancelled`

/** An amount that our units cannot express never equals the requested one. */
export const fromPaypalMoney = (money: PaypalMoney | undefined): Money => ({
  amount: fromDecimal(PAYPAL_CURRENCIES, money?.value ?? '', money?.currency_code ?? '') ?? 0,
  currency: money?.currency_code ?? '',
})

export const capturesOf = ({ purchase_units: units = [] }: PaypalOrder): readonly PaypalCapture[] =>
  units.flatMap(({ payments }) => payments?.captures ?? [])

const authorizationsOf = ({ purchase_units: units = [] }: PaypalOrder): readonly PaypalAuthorization[] =>
  units.flatMap(({ payments }) => payments?.authorizations ?? [])

export const DECLINED_CAPTURE = ['DECLINED', 'FAILED']
export const TAKEN_CAPTURE = ['COMPLETED', 'REFUNDED', 'PARTIALLY_REFUNDED']

type ExpectedCharge = Pick<ChargeCall, 'key' | 'amount' | 'currency' | 'is_sandbox'>

/** Outcome of an order. Throws if it is unclear, or if an approved order has the wrong amount and must not be captured. */
export function outcomeOfOrder(order: PaypalOrder, expected: ExpectedCharge): LookupOutcome {
  const capture =
    capturesOf(order).findLast(({ status }) => !DECLINED_CAPTURE.includes(status)) ?? capturesOf(order).at(-1)
  if (capture !== undefined) return captureOutcome(order, capture)
  const authorization = authorizationsOf(order).at(-1)
  if (authorization !== undefined) return authorizationOutcome(order, authorization)
  if (isCancelledOrder(order, expected.key)) return PAYPAL_CANCELLED
  switch (order.status) {
    case 'CREATED':
    case 'SAVED':
    case 'PAYER_ACTION_REQUIRED':
      return redirectOutcome(order, expected)
    case 'APPROVED':
      if (!matchesCharge(order, expected))
        throw unknownOutcomeError(
          `The PayPal order ${order.id} does not match ${expected.amount} ${expected.currency} for ${expected.key}.`,
        )
      return { kind: 'approved' }
    case 'VOIDED':
      return PAYPAL_CANCELLED
    default:
      throw unclearState(`the order ${order.status} without a payment`)
  }
}

export const isCancelledOrder = ({ purchase_units: [unit] = [] }: PaypalOrder, key: string): boolean =>
  unit?.custom_id === cancelledMark(key)

/** PayPal does not compare a repeated request with the first one, so we do. */
export function matchesCharge(
  { purchase_units: units = [] }: PaypalOrder,
  { key, amount, currency }: ExpectedCharge,
): boolean {
  const [unit, ...others] = units
  const sum = fromPaypalMoney(unit?.amount)
  return others.length === 0 && unit?.custom_id === key && sum.amount === amount && sum.currency === currency
}

function captureOutcome(order: PaypalOrder, capture: PaypalCapture): ChargeOutcome {
  if (TAKEN_CAPTURE.includes(capture.status)) return { kind: 'charged', ...paymentOf(order, capture) }
  if (capture.status === 'PENDING')
    return { kind: 'pending', reason: 'awaiting_capture', payment: paymentOf(order, capture) }
  if (DECLINED_CAPTURE.includes(capture.status)) return declineForIssue('INSTRUMENT_DECLINED')
  throw unclearState(`a capture ${capture.status}`)
}

function authorizationOutcome(order: PaypalOrder, authorization: PaypalAuthorization): ChargeOutcome {
  switch (authorization.status) {
    case 'CREATED':
      return { kind: 'authorized', ...paymentOf(order, authorization) }
    case 'PENDING':
      return { kind: 'pending', reason: 'awaiting_capture', payment: paymentOf(order, authorization) }
    case 'DENIED':
      return declineForIssue('TRANSACTION_REFUSED')
    case 'VOIDED':
    case 'EXPIRED':
      return PAYPAL_CANCELLED
    default:
      // Captured, but the order does not show the capture.
      throw unclearState(`an authorization ${authorization.status}`)
  }
}

/** We do not store the payer's e-mail address. The country is all we keep of the payer. */
const paymentOf = (
  { payer }: PaypalOrder,
  { id, amount }: PaypalCapture | PaypalAuthorization,
): Omit<ChargedOutcome, 'kind'> => ({
  ...fromPaypalMoney(amount),
  transactionId: id,
  reference: null,
  source: { type: 'paypal', brand: null, country: payer?.address?.country_code ?? null, zip: null },
})

const unclearState = (what: string) => unknownOutcomeError(`PayPal shows ${what}, which is not a known state.`)

/** Address where the shopper approves the order, or chooses another payment method after a refusal. */
export function redirectOutcome(
  { id, links = [] }: Pick<PaypalOrder, 'id' | 'links'>,
  { is_sandbox }: ExpectedCharge,
): AwaitingShopper {
  const link = links.find(({ rel }) => rel === 'payer-action') ?? links.find(({ rel }) => rel === 'approve')
  const defaultUrl = `https://www.${is_sandbox ? 'sandbox.' : ''}paypal.com/checkoutnow?token=${encodeURIComponent(id)}`
  return { kind: 'redirect', payKey: id, url: link?.href ?? defaultUrl, confirmation: id }
}

/**
 * Meaning of a refused capture or authorization. `elsewhere`: the shopper must choose another payment method. `account`: the merchant's
 * account has a problem. `look`: check the state of the order.
 */
export function classifyIssue(issue: string): 'elsewhere' | 'declined' | 'account' | 'look' {
  if (ELSEWHERE.includes(issue)) return 'elsewhere'
  // An exception among the `PAYEE_` issues: it is not about the merchant's account.
  if (issue === 'PAYEE_BLOCKED_TRANSACTION') return 'declined'
  if (/^PAYEE_/.test(issue) || ACCOUNT.includes(issue)) return 'account'
  return /^PAYER_|^TRANSACTION_/.test(issue) || DECLINED.includes(issue) ? 'declined' : 'look'
}

const ELSEWHERE = ['INSTRUMENT_DECLINED', 'PAYER_ACTION_REQUIRED', 'REDIRECT_PAYER_FOR_ALTERNATE_FUNDING']
const ACCOUNT = ['PERMISSION_DENIED', 'CONSENT_NEEDED', 'NOT_AUTHORIZED', 'AUTH_CAPTURE_NOT_ENABLED']
const DECLINED = [
  'COMPLIANCE_VIOLATION',
  'DECLINED_DUE_TO_RELATED_TXN',
  'DOMESTIC_TRANSACTION_REQUIRED',
  'MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED',
  'MAX_VALUE_EXCEEDED',
  'ORDER_EXPIRED',
  'SHIPPING_ADDRESS_INVALID',
]

export const PAYPAL_CANCELLED = declineOutcome(
  'cancelled',
  'The payment with PayPal was called off, and nothing was paid.',
)

/** PayPal's texts are for developers. Shoppers get only what they can act on. */
export const declineForIssue = (issue: string): DeclinedOutcome => declineOutcome('payment_declined', messageOf(issue))

function messageOf(issue: string): string {
  if (issue === 'ORDER_EXPIRED') return 'The payment with PayPal was not completed in time, and nothing was paid.'
  if (/^PAYER_ACCOUNT_/.test(issue)) return 'Your PayPal account cannot be used for this payment. Pay in another way.'
  if (/(?:LIMIT|VALUE)_EXCEEDED$/.test(issue))
    return 'The amount is more than PayPal allows for this payment. Pay in another way.'
  return 'PayPal has declined the payment. Try again, or pay in another way.'
}
