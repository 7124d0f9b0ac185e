// Outcomes in the words of gateway.ts. Shoppers hear our own sentences, the same ones whoever the provider is: what providers write is for
// developers, and not handed on.

import type { Declined } from '../gateway.ts'

export const decline = (reason: Declined['reason'], message: string): Declined => ({
  kind: 'declined',
  reason,
  message,
})

/** What payments are declined for at several providers. */
export const DECLINES = {
  declined: decline('card_declined', 'The card was declined.'),
  insufficientFunds: decline('insufficient_funds', 'The card has insufficient funds.'),
  /** Of providers that do not tell the two apart. */
  wrongExpiry: decline('expired_card', 'The card has expired, or its expiry date is wrong.'),
  incorrectCvc: decline('incorrect_cvc', 'The security code (CVC) of the card is wrong.'),
  tooHigh: decline('payment_declined', 'The sum is more than can be paid in this way.'),
  tooLow: decline('payment_declined', 'The sum is less than can be paid in this way.'),
} as const

/** Of a refund, or of money that was to be taken. The sentence is for the merchant. */
export const notMoved = (message: string) => ({ kind: 'declined', message }) as const
