// What PayPal's objects and refusals mean for a payment of ours, in the words of gateway.ts. Pure.

import { open, type Sum } from '../call.ts'
import type { AwaitingShopper, ChargeCall, Charged, ChargeOutcome, Declined, FoundOutcome } from '../gateway.ts'
import { fromDecimal } from '../provider/amounts.ts'
import { decline } from '../provider/payment.ts'
import type { Authorization, Capture, Money, Order } from './api.ts'
import { CURRENCIES } from './payment.ts'

/** What is called off is marked so: an order cannot be taken back, only be changed (`cancel` of adapter.ts). */
export const cancelledMark = (key: string): string => `${key}_cancelled`

/** Never what was asked where it cannot be said in our units. */
export const sumOf = (money: Money | undefined): Sum => ({
  amount: fromDecimal(CURRENCIES, money?.value ?? '', money?.currency_code ?? '') ?? 0,
  currency: money?.currency_code ?? '',
})

export const capturesOf = ({ purchase_units: units = [] }: Order): readonly Capture[] =>
  units.flatMap(({ payments }) => payments?.captures ?? [])

const authorizationsOf = ({ purchase_units: units = [] }: Order): readonly Authorization[] =>
  units.flatMap(({ payments }) => payments?.authorizations ?? [])

export const DECLINED_CAPTURE = ['DECLINED', 'FAILED']
export const TAKEN_CAPTURE = ['COMPLETED', 'REFUNDED', 'PARTIALLY_REFUNDED']

type Asked = Pick<ChargeCall, 'key' | 'amount' | 'currency' | 'isSandbox'>

/** How an order stands. Throws where nobody can say, and for an order that is not about what was asked: it must not be taken. */
export function outcomeOf(order: Order, asked: Asked): FoundOutcome {
  const capture =
    capturesOf(order).findLast(({ status }) => !DECLINED_CAPTURE.includes(status)) ?? capturesOf(order).at(-1)
  if (capture !== undefined) return captureOutcome(order, capture)
  const authorization = authorizationsOf(order).at(-1)
  if (authorization !== undefined) return authorizationOutcome(order, authorization)
  if (isCalledOff(order, asked.key)) return CANCELLED
  switch (order.status) {
    case 'CREATED':
    case 'SAVED':
    case 'PAYER_ACTION_REQUIRED':
      return redirectTo(order, asked)
    case 'APPROVED':
      if (!isAbout(order, asked))
        throw open(`The PayPal order ${order.id} is not about ${asked.amount} ${asked.currency} for ${asked.key}.`)
      return { kind: 'approved' }
    case 'VOIDED':
      return CANCELLED
    default:
      throw unclear(`the order ${order.status} without a payment`)
  }
}

export const isCalledOff = ({ purchase_units: [unit] = [] }: Order, key: string): boolean =>
  unit?.custom_id === cancelledMark(key)

/** PayPal does not compare a request that it hears again with the first: that is for us to do. */
export function isAbout({ purchase_units: units = [] }: Order, { key, amount, currency }: Asked): boolean {
  const [unit, ...others] = units
  const sum = sumOf(unit?.amount)
  return others.length === 0 && unit?.custom_id === key && sum.amount === amount && sum.currency === currency
}

function captureOutcome(order: Order, capture: Capture): ChargeOutcome {
  if (TAKEN_CAPTURE.includes(capture.status)) return { kind: 'charged', ...paymentOf(order, capture) }
  if (capture.status === 'PENDING')
    return { kind: 'pending', reason: 'awaiting_capture', payment: paymentOf(order, capture) }
  if (DECLINED_CAPTURE.includes(capture.status)) return declinedBy('INSTRUMENT_DECLINED')
  throw unclear(`a capture ${capture.status}`)
}

function authorizationOutcome(order: Order, authorization: Authorization): ChargeOutcome {
  switch (authorization.status) {
    case 'CREATED':
      return { kind: 'authorized', ...paymentOf(order, authorization) }
    case 'PENDING':
      return { kind: 'pending', reason: 'awaiting_capture', payment: paymentOf(order, authorization) }
    case 'DENIED':
      return declinedBy('TRANSACTION_REFUSED')
    case 'VOIDED':
    case 'EXPIRED':
      return CANCELLED
    default:
      // Taken, but the order does not tell by what.
      throw unclear(`an authorization ${authorization.status}`)
  }
}

/** The shopper's e-mail address is PayPal's to know: nothing of the payer is kept but the country. */
const paymentOf = ({ payer }: Order, { id, amount }: Capture | Authorization): Omit<Charged, 'kind'> => ({
  ...sumOf(amount),
  transactionId: id,
  reference: null,
  source: { type: 'paypal', brand: null, country: payer?.address?.country_code ?? null, zip: null },
})

const unclear = (what: string) => open(`PayPal shows ${what}, of which nothing can be made.`)

/** Where the shopper approves it, also once more: another way of paying is chosen there. */
export function redirectTo({ id, links = [] }: Pick<Order, 'id' | 'links'>, { isSandbox }: Asked): AwaitingShopper {
  const link = links.find(({ rel }) => rel === 'payer-action') ?? links.find(({ rel }) => rel === 'approve')
  const usual = `https://www.${isSandbox ? 'sandbox.' : ''}paypal.com/checkoutnow?token=${encodeURIComponent(id)}`
  return { kind: 'redirect', payKey: id, url: link?.href ?? usual, confirmation: id }
}

/**
 * What a refused capture or authorization of an order means. `elsewhere`: the shopper has to choose another way to pay. `account`: something is
 * wrong with the merchant's account. `look`: what has become of the order tells.
 */
export function meaningOf(issue: string): 'elsewhere' | 'declined' | 'account' | 'look' {
  if (ELSEWHERE.includes(issue)) return 'elsewhere'
  // Though it begins as those do that are the merchant's.
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

export const CANCELLED = decline('cancelled', 'The payment with PayPal was called off, and nothing was paid.')

/** PayPal's own words are for programmers. These are for shoppers, and tell them no more than they can act on. */
export const declinedBy = (issue: string): Declined => decline('payment_declined', messageOf(issue))

function messageOf(issue: string): string {
  if (issue === 'ORDER_EXPIRED') return 'The payment with PayPal was not completed in time, and nothing was paid.'
  if (/^PAYER_ACCOUNT_/.test(issue)) return 'Your PayPal account cannot be used for this payment. Pay in another way.'
  if (/(?:LIMIT|VALUE)_EXCEEDED$/.test(issue))
    return 'The amount is more than PayPal allows for this payment. Pay in another way.'
  return 'PayPal has declined the payment. Try again, or pay in another way.'
}
