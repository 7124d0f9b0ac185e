// Meaning of an intent, or of a refusal, for a charge. Shoppers see our own sentences.

import { unknownOutcomeError } from '../call.ts'
import type { ChargedOutcome, ChargeOutcome, DeclinedOutcome, LookupOutcome } from '../gateway.ts'
import { DECLINE_OUTCOMES, declineOutcome } from '../provider/payment.ts'
import type { StripeRefusal } from './api.ts'
import type { Card, Intent, StripeError } from './objects.ts'
import { fromStripeUnits } from './sums.ts'

/** Outcome of a charge, from its intent. */
export function stripeOutcome(intent: Intent): LookupOutcome {
  switch (intent.status) {
    case 'requires_payment_method':
      return intent.lastError === null ? { kind: 'unknown' } : declineOf(intent.lastError)
    case 'requires_action':
      return verification(intent)
    case 'requires_confirmation':
      // The bank has confirmed. The storefront must finish: nobody should be charged long after leaving.
      return { kind: 'waiting' }
    case 'processing':
      throw unknownOutcomeError('Stripe is still processing the payment.')
    case 'requires_capture':
      return { ...stripeCharge(intent, intent.amountCapturable), kind: 'authorized' }
    case 'succeeded':
      return { ...stripeCharge(intent, intent.amountReceived), kind: 'charged' }
    case 'canceled':
      return declineOutcome('cancelled', 'The payment was cancelled, and nothing was paid.')
  }
}

/** The same, but throws if the charge is still undecided. */
export function requireDecidedOutcome(intent: Intent): ChargeOutcome {
  const outcome = stripeOutcome(intent)
  if (outcome.kind === 'unknown' || outcome.kind === 'waiting' || outcome.kind === 'approved')
    throw unknownOutcomeError(`The payment has the status ${intent.status} at Stripe.`)
  return outcome
}

function verification({ id, clientSecret }: Intent): ChargeOutcome {
  if (clientSecret === null)
    throw unknownOutcomeError('Stripe has sent no client secret for the shopper to continue with.')
  return { kind: 'requires_verification', param: clientSecret, confirmation: id }
}

/** The caller adds `kind`. */
export function stripeCharge({ id, currency, charge }: Intent, units: number): Omit<ChargedOutcome, 'kind'> {
  const card = charge?.card ?? NO_CARD
  return {
    amount: fromStripeUnits(units, currency),
    currency,
    transactionId: id,
    reference: card.last4,
    source: { type: 'card', brand: brandOf(card), country: card.country, zip: card.zip },
  }
}

const NO_CARD: Card = { last4: null, brand: null, country: null, zip: null }

const BRANDS: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
}

/** Other brands keep Stripe's name. */
const brandOf = ({ brand }: Card): string | null =>
  brand === null || brand === 'unknown' ? null : (BRANDS[brand] ?? brand)

const ENTER_AGAIN = declineOutcome(
  'payment_declined',
  'The card can be used once only, or its time is over. Enter the card again.',
)
const NOT_CONFIRMED = declineOutcome(
  'card_declined',
  'The bank has not confirmed that the card is yours. Try again, or use another card.',
)

/** Declines by Stripe's own error code. */
const BY_CODE: Readonly<Record<string, DeclinedOutcome>> = {
  expired_card: declineOutcome('expired_card', 'The card has expired.'),
  incorrect_cvc: DECLINE_OUTCOMES.incorrectCvc,
  invalid_cvc: DECLINE_OUTCOMES.incorrectCvc,
  payment_intent_authentication_failure: NOT_CONFIRMED,
  token_already_used: ENTER_AGAIN,
  amount_too_small: declineOutcome('payment_declined', 'The sum is too small to be paid by card.'),
  amount_too_large: declineOutcome('payment_declined', 'The sum is too high to be paid by card.'),
}

/** Decline by Stripe or the bank. */
function declineOf({ code, declineCode }: StripeError): DeclinedOutcome {
  if (code === 'card_declined' && declineCode === 'insufficient_funds') return DECLINE_OUTCOMES.insufficientFunds
  const declineByCode = BY_CODE[code ?? '']
  if (declineByCode !== undefined) return declineByCode
  return code === 'card_declined'
    ? DECLINE_OUTCOMES.declined
    : declineOutcome('payment_declined', 'The card could not be charged. Try again, or pay in another way.')
}

/** Stripe gives no code for this case, only this sentence. */
const USED_BEFORE = /was previously used (?:with|without)/

/** Null if the refusal is about our request, not about the card. */
export function stripeDecline({ status, error }: StripeRefusal): DeclinedOutcome | null {
  const isGone = error.code === 'resource_missing' && /^(?:payment_method|card\[token\]|token)$/.test(error.param ?? '')
  if (isGone || USED_BEFORE.test(error.message)) return ENTER_AGAIN
  return status === 402 ? declineOf(error) : (BY_CODE[error.code ?? ''] ?? null)
}

export const isUnexpectedState = ({ error }: StripeRefusal): boolean => error.code === 'payment_intent_unexpected_state'
