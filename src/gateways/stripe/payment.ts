// What storefronts send for Stripe in the payment of a capture: a payment method that Stripe.js has made, an older token of a card, or, when the
// shopper is back from the bank, the intent that waits. A card's own number is never taken.

import type { FieldErrors } from '../../lib/errors.ts'
import type { PaymentInput } from '../gateway.ts'
import { cardNumberProblem, fieldIn, problem } from '../provider/payment.ts'
import { readCardNumber } from '../sandbox/cards.ts'

/** `token`: an older one, of which a payment method has to be made first. */
type Means = { readonly kind: 'method' | 'token'; readonly id: string }

const METHOD = 'payment.stripe.payment_method_id'
const HINT = 'a payment method that Stripe.js has made (pm_…)'
const FORM = /^(pm|tok)_\w{1,250}$/

/** Either is read in both places: storefronts have put both in both. */
function sentIn({ card, details }: PaymentInput): { readonly path: string; readonly value: string } | null {
  const method = fieldIn(details.stripe, 'payment_method_id')
  if (method !== null) return { path: METHOD, value: method }
  const token = card?.token?.trim() ?? ''
  return token === '' ? null : { path: 'payment.card.token', value: token }
}

/** Null where the payment names nothing that could be charged. */
export function meansIn(payment: PaymentInput): Means | null {
  const id = sentIn(payment)?.value ?? ''
  const [, prefix] = FORM.exec(id) ?? []
  return prefix === undefined ? null : { kind: prefix === 'pm' ? 'method' : 'token', id }
}

/** What is missing or wrong. */
export function paymentProblems(payment: PaymentInput): FieldErrors {
  const ofCard = cardNumberProblem(payment, `Stripe takes ${HINT} in ${METHOD}`)
  if (ofCard !== null) return ofCard
  const sent = sentIn(payment)
  if (sent === null) return intentIn(payment.details) === null ? problem(METHOD, `is required: ${HINT}`) : NOT_WAITING
  if (readCardNumber(sent.value) !== null)
    return problem(sent.path, `must not be the number of a card: Stripe takes ${HINT}`)
  return FORM.test(sent.value) ? {} : problem(sent.path, `must be ${HINT}`)
}

/** An intent alone pays for nothing but the capture that it was made by: nobody is to confirm another's. */
export const NOT_WAITING: FieldErrors = problem(
  'payment.stripe.payment_intent_id',
  `must be of a payment that waits for its shopper at this checkout token. Send ${METHOD} to pay anew`,
)

/** The id of the intent, or its whole client secret, which begins with the id. */
export const confirmationOf = ({ details }: PaymentInput): string | null =>
  intentIn(details)?.split('_secret_', 1)[0] ?? null

export const intentIn = (details: PaymentInput['details']): string | null =>
  fieldIn(details.stripe, 'payment_intent_id')
