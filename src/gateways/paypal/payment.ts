// What storefronts send for PayPal, and what of it is refused before anything is asked of PayPal. A first capture says `action: authorize`, or
// nothing: the shopper is sent to PayPal. The capture after the return says `action: capture` and names the payment.

import type { FieldErrors } from '../../lib/errors.ts'
import type { Sum } from '../call.ts'
import type { PaymentInput } from '../gateway.ts'
import { type CurrencyRules, sumProblems } from '../provider/amounts.ts'
import { fieldIn, redirectedPaymentIn } from '../provider/payment.ts'
import { readCardNumber } from '../sandbox/cards.ts'

/** developer.paypal.com/api/rest/reference/currency-codes. It takes no decimals of HUF and TWD, which have two. */
export const CURRENCIES: CurrencyRules = {
  provider: 'PayPal',
  exceptions: { HUF: { decimals: 0 }, TWD: { decimals: 0 } },
  only: [
    ...['AUD', 'BRL', 'CAD', 'CHF', 'CNY', 'CZK', 'DKK', 'EUR', 'GBP', 'HKD', 'HUF', 'ILS', 'JPY', 'MXN', 'MYR'],
    ...['NOK', 'NZD', 'PHP', 'PLN', 'RUB', 'SEK', 'SGD', 'THB', 'TWD', 'USD'],
  ],
}

/** `authorize` means "begin" to storefronts, `capture` "the shopper has approved it". */
export const actionOf = ({ details }: PaymentInput): string | null => fieldIn(details.paypal, 'action')

/** Under the names that the address has to which shoppers come back, today and before. The id of the payer is not needed. */
export const paymentIdOf = ({ details }: PaymentInput): string | null => redirectedPaymentIn(details.paypal)

export const confirmationOf = (payment: PaymentInput): string | null =>
  actionOf(payment) === 'authorize' ? null : paymentIdOf(payment)

const ID = 'payment.paypal.payment_id'

/** Asked only where the payment confirms none that waits: whoever names one then has come too late, or means another checkout. */
export function problemsOf(payment: PaymentInput, sum: Sum): FieldErrors {
  const id = paymentIdOf(payment)
  const action = actionOf(payment)
  return {
    ...sumProblems(CURRENCIES, sum),
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
  'payment.card.number must not be sent: PayPal asks the shopper on its own page. Send payment.paypal.action authorize, and send the shopper to the redirect_url.'
const ACTIONS = 'payment.paypal.action must be authorize, to begin, or capture, when the shopper has come back.'
const NO_NUMBER = `${ID} must not be the number of a card: send the payment_id that a capture with the action authorize has given.`
const MISSING = `${ID} is required: the payment_id that a capture with the action authorize has given.`
const NOT_WAITING = `${ID} must be of a payment that waits for its shopper at this checkout token: it was not completed in time, or belongs to another checkout. Nothing was paid. Send payment.paypal.action authorize to begin anew.`
