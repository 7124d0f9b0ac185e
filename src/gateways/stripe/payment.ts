// Reads and checks a storefront's payment for Stripe: a payment method from Stripe.js, an older card token, or a waiting intent after a
// bank check. Card numbers are never accepted.

import type { FieldErrors } from '../../lib/errors.ts'
import type { PaymentInput } from '../gateway.ts'
import { cardNumberProblem, fieldProblem, readPaymentField } from '../provider/payment.ts'
import { readCardNumber } from '../sandbox/cards.ts'

/** `token`: an older form, from which we first create a payment method. */
type Means = { readonly kind: 'method' | 'token'; readonly id: string }

const METHOD = 'payment.stripe.payment_method_id'
const HINT = 'a payment method that Stripe.js has made (pm_…)'
const FORM = /^(pm|tok)_\w{1,250}$/

/** Accepts both kinds in both places, because storefronts use them interchangeably. */
function readMethodField({ card, details }: PaymentInput): { readonly path: string; readonly value: string } | null {
  const method = readPaymentField(details.stripe, 'payment_method_id')
  if (method !== null) return { path: METHOD, value: method }
  const token = card?.token?.trim() ?? ''
  return token === '' ? null : { path: 'payment.card.token', value: token }
}

/** Null if the payment names nothing chargeable. */
export function readPaymentMeans(payment: PaymentInput): Means | null {
  const id = readMethodField(payment)?.value ?? ''
  const [, prefix] = FORM.exec(id) ?? []
  return prefix === undefined ? null : { kind: prefix === 'pm' ? 'method' : 'token', id }
}

/** Missing or invalid fields. */
export function paymentProblems(payment: PaymentInput): FieldErrors {
  const cardProblems = cardNumberProblem(payment, `Stripe takes ${HINT} in ${METHOD}`)
  if (cardProblems !== null) return cardProblems
  const methodField = readMethodField(payment)
  if (methodField === null)
    return intentIn(payment.details) === null ? fieldProblem(METHOD, `is required: ${HINT}`) : NOT_WAITING
  if (readCardNumber(methodField.value) !== null)
    return fieldProblem(methodField.path, `must not be the number of a card: Stripe takes ${HINT}`)
  return FORM.test(methodField.value) ? {} : fieldProblem(methodField.path, `must be ${HINT}`)
}

/** A payment intent id is valid only for the capture that created it. Nobody may confirm another checkout's payment. */
export const NOT_WAITING: FieldErrors = fieldProblem(
  'payment.stripe.payment_intent_id',
  `must name a payment of this checkout token that waits for the shopper. Send ${METHOD} to start again`,
)

/** Accepts the intent's id, or its client secret, which starts with the id. */
export const stripeConfirmation = ({ details }: PaymentInput): string | null =>
  intentIn(details)?.split('_secret_', 1)[0] ?? null

export const intentIn = (details: PaymentInput['details']): string | null =>
  readPaymentField(details.stripe, 'payment_intent_id')
