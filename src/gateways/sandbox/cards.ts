// Test cards of the test gateway; the last four digits select the behaviour.
// Simulated providers have cards with the same behaviours under their own names. docs/test-cards.md lists them.

import type { DeclinedOutcome } from '../gateway.ts'

type Decline = { readonly does: 'decline'; readonly reason: DeclinedOutcome['reason']; readonly message: string }

export type CardBehaviour =
  | { readonly does: 'charge' | 'authorize' }
  /** `declinedAfter`: the decline that follows even after the shopper has confirmed. */
  | { readonly does: 'verify'; readonly declinedAfter?: Decline }
  | Decline
  /** Faults. `isCharged`: the money has moved nevertheless. */
  | { readonly does: 'hang' | 'fail'; readonly isCharged: boolean }
  | { readonly does: 'answer_twice' }

export const declineBehaviour = (reason: DeclinedOutcome['reason'], message: string): Decline => ({
  does: 'decline',
  reason,
  message,
})

/** Decline reasons that several gateways share. */
export const DECLINE_BEHAVIOURS = {
  declined: declineBehaviour('card_declined', 'The card was declined.'),
  insufficientFunds: declineBehaviour('insufficient_funds', 'The card has insufficient funds.'),
  expired: declineBehaviour('expired_card', 'The card has expired.'),
  incorrectCvc: declineBehaviour('incorrect_cvc', 'The security code (CVC) of the card is wrong.'),
} as const

const BEHAVIOURS: Readonly<Record<string, CardBehaviour>> = {
  '0002': DECLINE_BEHAVIOURS.declined,
  '9995': DECLINE_BEHAVIOURS.insufficientFunds,
  '0069': DECLINE_BEHAVIOURS.expired,
  '0127': DECLINE_BEHAVIOURS.incorrectCvc,
  '3220': { does: 'verify' },
  '0010': { does: 'authorize' },
  '0119': { does: 'fail', isCharged: false },
  '0408': { does: 'hang', isCharged: false },
  '0440': { does: 'hang', isCharged: true },
  '0507': { does: 'fail', isCharged: true },
  '0200': { does: 'answer_twice' },
}

const DIGITS = /^\d{12,19}$/

/** Removes the blanks and dashes that people type. Null if the rest is not a card number. */
export function readCardNumber(text: string): string | null {
  const digits = text.replace(/[\s-]/g, '')
  return DIGITS.test(digits) && (behaviourByEnding(digits) !== undefined || passesCheckSum(digits)) ? digits : null
}

/** Every other valid card number succeeds. */
export const behaviourOf = (digits: string): CardBehaviour => behaviourByEnding(digits) ?? { does: 'charge' }

const behaviourByEnding = (digits: string): CardBehaviour | undefined => BEHAVIOURS[digits.slice(-4)]

/** Luhn algorithm. */
function passesCheckSum(digits: string): boolean {
  let sum = 0
  for (const [index, character] of [...digits].reverse().entries()) {
    const digit = Number(character) * (index % 2 === 0 ? 1 : 2)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}

const BRANDS: readonly (readonly [RegExp, string])[] = [
  [/^4/, 'Visa'],
  [/^(?:5[1-5]|2[2-7])/, 'Mastercard'],
  [/^3[47]/, 'American Express'],
  [/^(?:36|38|30)/, 'Diners Club'],
  [/^35/, 'JCB'],
  [/^62/, 'UnionPay'],
  [/^6/, 'Discover'],
]

export const brandOf = (digits: string): string | null => BRANDS.find(([pattern]) => pattern.test(digits))?.[1] ?? null
