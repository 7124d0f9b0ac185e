// What storefronts send for a provider in the payment of a capture, and what is said of it. No sentence repeats a value: it may be the number of
// a card.

import type { FieldErrors } from '../../lib/errors.ts'
import type { PaymentInput } from '../gateway.ts'
import { objectOf } from './json.ts'

/** A field of what stands under the code of a gateway, without blanks around it; null where it is missing, empty or no text. */
export function fieldIn(details: unknown, name: string): string | null {
  const value = objectOf(details)[name]
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? null : text
}

/** `rule` follows the path, and has no full stop. */
export const problem = (path: string, rule: string): FieldErrors => ({ [path]: [`${path} ${rule}.`] })

/** Of a storefront that sends a card's own number; null where it does not. `instead`: what the provider takes, and where. */
export const cardNumberProblem = ({ card }: PaymentInput, instead: string): FieldErrors | null =>
  card === null || card.number === null ? null : problem('payment.card.number', `must not be sent: ${instead}`)

/** In a field that is for something else. */
export const isLikeCardNumber = (value: string): boolean => /^\d{12,19}$/.test(value.replace(/[\s-]/g, ''))
