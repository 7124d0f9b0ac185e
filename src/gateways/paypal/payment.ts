// Reads and checks a storefront's payment for PayPal before any call.
// The first capture sends `action: authorize`, or no action: the shopper is redirected to PayPal.
// The capture after the return sends `action: capture` and names the payment.

import type { FieldErrors } from '../../lib/errors.ts'
import type { Money } from '../call.ts'
import type { PaymentInput } from '../gateway.ts'
import { type CurrencyRules, sumProblems } from '../provider/amounts.ts'
import { readPaymentField, redirectedPaymentIn } from '../provider/payment.ts'
import { readCardNumber } from '../sandbox/cards.ts'

/** developer.paypal.com/api/rest/reference/currency-codes. PayPal takes no decimals of HUF and TWD, which have two. */
export const PAYPAL_CURRENCIES: CurrencyRules = {
  provider: 'PayPal',
  exceptions: { HUF: { decimals: 0 }, TWD: { decimals: 0 } },
  only: [
    ...['AUD', 'BRL', 'CAD', 'CHF', 'CNY', 'CZK', 'DKK', 'EUR', 'GBP', 'HKD', 'HUF', 'ILS', 'JPY', 'MXN', 'MYR'],
    ...['NOK', 'NZD', 'PHP', 'PLN', 'RUB', 'SEK', 'SGD', 'THB', 'TWD', 'USD'],
  ],
}

/** To storefronts `authorize` means "begin", and `capture` means "the shopper has approved". */
export const actionOf = ({ details }: PaymentInput): string | null => readPaymentField(details.paypal, 'action')

/** Accepts the parameter names of the return URL, today's and older ones. The payer id is not needed. */
export const paymentIdOf = ({ details }: PaymentInput): string | null => redirectedPaymentIn(details.paypal)

export const paypalConfirmation = (payment: PaymentInput): string | null =>
  actionOf(payment) === 'authorize' ? null : paymentIdOf(payment)

const ID = 'payment.paypal.payment_id'

/** Called only if the payment confirms no waiting charge. A payment id is then too late, or belongs to another checkout. */
export function findPaypalProblems(payment: PaymentInput, sum: Money): FieldErrors {
  const id = paymentIdOf(payment)
  const action = actionOf(payment)
  return {
    ...sumProblems(PAYPAL_CURRENCIES, sum),
    ...(payment.card?.number ? { 'payment.card.number': [NO_CARD] } : {}),
    ...(action === null || action === 'authorize' || action === 'capture'
      ? {}
      : { 'payment.paypal.action': [ACTIONS] }),
    ...(id !== null && readCardNumber(id) !== null ? { [ID]: [NO_NUMBER] } : idProblems(action, id)),
  }
}

function idProblems(action: string | null, id: string | null): FieldErrors {
  if (action === 'authorize') return {}
  if (id !== null) return { [ID]: [NOT_WAITING] }
  return action === 'capture' ? { [ID]: [MISSING] } : {}
}

const NO_CARD =
  'payment.card.number must not be sent: the shopper pays on PayPal’s own page. Send payment.paypal.action authorize, and send the shopper to the redirect_url.'
const ACTIONS = 'payment.paypal.action must be authorize to start a payment, or capture after the shopper has returned.'
const NO_NUMBER = `${ID} must not be the number of a card: send the payment_id from the reply to a capture with the action authorize.`
const MISSING = `${ID} is required: send the payment_id from the reply to a capture with the action authorize.`
const NOT_WAITING = `${ID} must name a payment of this checkout token that waits for the shopper. This one was not completed in time, or belongs to another checkout. Nothing was paid. Send payment.paypal.action authorize to start again.`
