// Reads and checks the payment that a storefront sends for a provider, and has the messages for declines.
// Error messages never repeat a value, because it may be a card number.
// All providers share our decline messages. The providers' own texts are for developers, so shoppers never see them.

import { findCurrency } from '../../lib/currencies.ts'
import type { FieldErrors } from '../../lib/errors.ts'
import { decimalText } from '../../lib/money.ts'
import { type Money, unknownOutcomeError } from '../call.ts'
import {
  type CancelledOutcome,
  type DeclinedOutcome,
  isExpectedSum,
  type LookupOutcome,
  type PaymentInput,
} from '../gateway.ts'
import { objectOrEmpty } from './json.ts'

/** Reads a field of the object under a gateway's code and trims it. Null if it is missing, empty or not text. */
export function readPaymentField(details: unknown, name: string): string | null {
  const value = objectOrEmpty(details)[name]
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? null : text
}

/**
 * Field names under which storefronts send the payment of a redirect. Our reply has `payment_id` and `paykey`; PayPal
 * adds `token` to its URLs.
 */
const REDIRECTED_PAYMENT = ['payment_id', 'paykey', 'token'] as const

/** Id of the payment from a redirect; null if the storefront sends none. */
export const redirectedPaymentIn = (details: unknown): string | null => redirectedPaymentsIn(details)[0]?.id ?? null

const redirectedPaymentsIn = (details: unknown): { readonly name: string; readonly id: string }[] =>
  REDIRECTED_PAYMENT.flatMap((name) => {
    const id = readPaymentField(details, name)
    return id === null ? [] : [{ name, id }]
  })

/** Errors for different ids under these names, because we cannot know which payment is meant. */
export function findContradictions(code: string, details: unknown): FieldErrors {
  const [first, ...others] = redirectedPaymentsIn(details)
  const path = (name: string) => `payment.${code}.${name}`
  const differing = others.filter(({ id }) => id !== first?.id)
  return Object.assign(
    {},
    ...differing.map(({ name }) =>
      fieldProblem(path(name), `must be the same as ${path(first?.name ?? '')}, or left out`),
    ),
  )
}

/** `rule` completes a sentence that begins with the path. The function adds the full stop. */
export const fieldProblem = (path: string, rule: string): FieldErrors => ({ [path]: [`${path} ${rule}.`] })

/** Error for a card number from a storefront; null if there is none. `instead` says what to send instead. */
export const cardNumberProblem = ({ card }: PaymentInput, instead: string): FieldErrors | null =>
  card === null || card.number === null ? null : fieldProblem('payment.card.number', `must not be sent: ${instead}`)

/** Detects a possible card number in a field that is meant for something else. */
export const isLikeCardNumber = (value: string): boolean => /^\d{12,19}$/.test(value.replace(/[\s-]/g, ''))

/** Paths of all payment fields with a card number, at any depth. No such field may reach a provider. */
export const findCardNumbers = ({ card, details }: Pick<PaymentInput, 'card' | 'details'>): string[] => [
  ...fieldsWithCardNumbers(`payment.card`, { ...card, postal_zip_code: card?.postalZipCode, postalZipCode: null }),
  ...fieldsWithCardNumbers('payment', details),
]

function fieldsWithCardNumbers(path: string, value: unknown): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, each]) => fieldsWithCardNumbers(`${path}.${name}`, each))
  return (typeof value === 'string' || typeof value === 'number') && isLikeCardNumber(String(value)) ? [path] : []
}

export const declineOutcome = (reason: DeclinedOutcome['reason'], message: string): DeclinedOutcome => ({
  kind: 'declined',
  reason,
  message,
})

/** Declines that several providers share. */
export const DECLINE_OUTCOMES = {
  declined: declineOutcome('card_declined', 'The card was declined.'),
  insufficientFunds: declineOutcome('insufficient_funds', 'The card has insufficient funds.'),
  /** For providers that do not distinguish an expired card from a wrong expiry date. */
  wrongExpiry: declineOutcome('expired_card', 'The card has expired, or its expiry date is wrong.'),
  incorrectCvc: declineOutcome('incorrect_cvc', 'The security code (CVC) of the card is wrong.'),
  tooHigh: declineOutcome('payment_declined', 'The sum is more than can be paid in this way.'),
  tooLow: declineOutcome('payment_declined', 'The sum is less than can be paid in this way.'),
} as const

/** Declines a refund or a take. The message is for the merchant. */
export const declineMovement = (message: string) => ({ kind: 'declined', message }) as const

/**
 * Returns the outcome if its amount is the requested one, and throws otherwise. Another amount never counts as payment.
 * It is no decline either, because money has moved. A person has to check the charge.
 */
export function requireExpectedSum<Outcome extends LookupOutcome | CancelledOutcome>(
  outcome: Outcome,
  requested: Money,
): Outcome {
  const confirmedSum = sumConfirmedBy(outcome)
  if (confirmedSum === undefined || isExpectedSum(confirmedSum, requested)) return outcome
  throw unknownOutcomeError(
    `The provider confirms ${formatSum(confirmedSum)}, but ${formatSum(requested)} was requested.`,
  )
}

function sumConfirmedBy(outcome: LookupOutcome | CancelledOutcome): Money | undefined {
  if (outcome.kind === 'charged' || outcome.kind === 'authorized') return outcome
  return outcome.kind === 'pending' ? outcome.payment : undefined
}

const formatSum = ({ amount, currency }: Money): string =>
  findCurrency(currency) === undefined
    ? 'an amount in an unknown currency'
    : `${decimalText(amount, currency)} ${currency}`
