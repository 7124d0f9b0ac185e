// What storefronts send for a provider in the payment of a capture, and what is said of it: what is wrong with it, where no sentence repeats a
// value, which may be the number of a card; and why it was declined, in our own sentences, the same ones whoever the provider is. What providers
// write is for developers, and not handed on.

import { findCurrency } from '../../lib/currencies.ts'
import type { FieldErrors } from '../../lib/errors.ts'
import { decimalText } from '../../lib/money.ts'
import { open, type Sum } from '../call.ts'
import { type Cancelled, type Declined, type FoundOutcome, isAsAsked, type PaymentInput } from '../gateway.ts'
import { objectOf } from './json.ts'

/** A field of what stands under the code of a gateway, without blanks around it; null where it is missing, empty or no text. */
export function fieldIn(details: unknown, name: string): string | null {
  const value = objectOf(details)[name]
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? null : text
}

/** Names under which storefronts send back the payment that a redirect gave them: those of the reply, and that of PayPal's own addresses. */
const REDIRECTED_PAYMENT = ['payment_id', 'paykey', 'token'] as const

/** The payment that a redirect gave the storefront; null where it names none. */
export const redirectedPaymentIn = (details: unknown): string | null => redirectedPaymentsIn(details)[0]?.id ?? null

const redirectedPaymentsIn = (details: unknown): { readonly name: string; readonly id: string }[] =>
  REDIRECTED_PAYMENT.flatMap((name) => {
    const id = fieldIn(details, name)
    return id === null ? [] : [{ name, id }]
  })

/** Refuses a storefront that names two payments under the two names of one: nobody can tell which is meant. */
export function contradictionsIn(code: string, details: unknown): FieldErrors {
  const [first, ...others] = redirectedPaymentsIn(details)
  const path = (name: string) => `payment.${code}.${name}`
  const differing = others.filter(({ id }) => id !== first?.id)
  return Object.assign(
    {},
    ...differing.map(({ name }) => problem(path(name), `must be the same as ${path(first?.name ?? '')}, or left out`)),
  )
}

/** `rule` follows the path, and has no full stop. */
export const problem = (path: string, rule: string): FieldErrors => ({ [path]: [`${path} ${rule}.`] })

/** Of a storefront that sends a card's own number; null where it does not. `instead`: what the provider takes, and where. */
export const cardNumberProblem = ({ card }: PaymentInput, instead: string): FieldErrors | null =>
  card === null || card.number === null ? null : problem('payment.card.number', `must not be sent: ${instead}`)

/** In a field that is for something else. */
export const isLikeCardNumber = (value: string): boolean => /^\d{12,19}$/.test(value.replace(/[\s-]/g, ''))

/** Every field of a payment that holds one, wherever it stands. None of it may reach a provider in any field. */
export const cardNumbersIn = ({ card, details }: Pick<PaymentInput, 'card' | 'details'>): string[] => [
  ...fieldsWithCardNumbers(`payment.card`, { ...card, postal_zip_code: card?.postalZipCode, postalZipCode: null }),
  ...fieldsWithCardNumbers('payment', details),
]

function fieldsWithCardNumbers(path: string, value: unknown): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, each]) => fieldsWithCardNumbers(`${path}.${name}`, each))
  return (typeof value === 'string' || typeof value === 'number') && isLikeCardNumber(String(value)) ? [path] : []
}

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

/**
 * The outcome of a charge, if it is of the sum that was asked for. Another amount or currency never counts as payment, and is no decline
 * either, because money has moved: what has become of the charge is not known until a person has looked at it.
 */
export function asAsked<Outcome extends FoundOutcome | Cancelled>(outcome: Outcome, asked: Sum): Outcome {
  const confirmed = sumConfirmedBy(outcome)
  if (confirmed === undefined || isAsAsked(confirmed, asked)) return outcome
  throw open(`The provider confirms ${written(confirmed)}, and ${written(asked)} was asked for.`)
}

function sumConfirmedBy(outcome: FoundOutcome | Cancelled): Sum | undefined {
  if (outcome.kind === 'charged' || outcome.kind === 'authorized') return outcome
  return outcome.kind === 'pending' ? outcome.payment : undefined
}

const written = ({ amount, currency }: Sum): string =>
  findCurrency(currency) === undefined
    ? 'a sum without a known currency'
    : `${decimalText(amount, currency)} ${currency}`
