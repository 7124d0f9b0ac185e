// Stripe in a sandbox without an account. The names of Stripe's test cards (docs.stripe.com/testing) select cards of our test gateway.

import type { PaymentInput } from '../gateway.ts'
import { fieldIn } from '../provider/payment.ts'
import { type CardBehaviour, DECLINES, decline } from '../sandbox/cards.ts'
import { randomText, type TestCard, type Verification } from '../sandbox/charge.ts'
import { CHARGE, cardNamed, cardThat, type NamedCard, simulate } from '../sandbox/simulation.ts'
import { confirmationOf, intentIn, NOT_WAITING } from './payment.ts'

/** Reads `pm_card_…` in `stripe.payment_method_id`, and `tok_…` in the older `card.token`. Both places accept both. */
function readNamedCard({ card, details }: PaymentInput): NamedCard {
  const method = fieldIn(details.stripe, 'payment_method_id')
  const token = card?.token?.trim() ?? null
  const isToken = method === null && token !== null
  if (!isToken && method === null && intentIn(details) !== null) return { problems: NOT_WAITING }
  return cardNamed(isToken ? withPrefix(token) : method && withPrefix(method), {
    path: isToken ? 'payment.card.token' : 'payment.stripe.payment_method_id',
    hint: 'a payment method that Stripe.js has made, or the name of a test card such as pm_card_visa',
    names: NAMES,
    byDigits: /^pm_card_(\d{4})$/,
    // An unknown name of a test card is a mistake. Ids from Stripe contain a digit.
    isOwn: /^pm_(?!card_)\w*\d\w*$/,
  })
}

const withPrefix = (name: string): string => {
  const [, rest] = /^tok_(.+)$/.exec(name) ?? []
  if (rest === undefined) return name
  return Object.hasOwn(NAMES, `pm_card_${rest}`) || /^\d{4}$/.test(rest) ? `pm_card_${rest}` : `pm_${rest}`
}

function beginVerification(): Verification {
  const confirmation = `pi_${randomText()}`
  return { kind: 'requires_verification', param: `${confirmation}_secret_${randomText()}`, confirmation }
}

const ERROR = decline('payment_declined', 'The card could not be charged. Try again, or pay in another way.')
const VERIFY: CardBehaviour = { does: 'verify' }

const BRANDS: Readonly<Record<string, readonly [brand: string, reference: string]>> = {
  visa: ['Visa', '4242'],
  visa_debit: ['Visa', '5556'],
  mastercard: ['Mastercard', '4444'],
  mastercard_debit: ['Mastercard', '3222'],
  mastercard_prepaid: ['Mastercard', '5100'],
  amex: ['American Express', '0005'],
  discover: ['Discover', '1117'],
  diners: ['Diners Club', '0004'],
  jcb: ['JCB', '0505'],
  unionpay: ['UnionPay', '0005'],
}

const BEHAVIOURS: Readonly<Record<string, readonly [behaviour: CardBehaviour, reference: string]>> = {
  chargeDeclined: [DECLINES.declined, '0002'],
  chargeDeclinedInsufficientFunds: [DECLINES.insufficientFunds, '9995'],
  chargeDeclinedLostCard: [DECLINES.declined, '9987'],
  chargeDeclinedStolenCard: [DECLINES.declined, '9979'],
  chargeDeclinedExpiredCard: [DECLINES.expired, '0069'],
  chargeDeclinedIncorrectCvc: [DECLINES.incorrectCvc, '0127'],
  chargeDeclinedProcessingError: [ERROR, '0119'],
  chargeDeclinedFraudulent: [DECLINES.declined, '0019'],
  chargeDeclinedVelocityLimitExceeded: [DECLINES.declined, '6975'],
  chargeCustomerFail: [DECLINES.declined, '0341'],
  radarBlock: [DECLINES.declined, '0019'],
  threeDSecureRequired: [VERIFY, '3063'],
  threeDSecure2Required: [VERIFY, '3220'],
  threeDSecureRequiredChargeDeclined: [{ does: 'verify', declinedAfter: DECLINES.declined }, '1629'],
  threeDSecureOptional: [CHARGE, '3055'],
  authenticationRequired: [VERIFY, '3184'],
  authenticationRequiredOnSetup: [VERIFY, '3155'],
  authenticationRequiredChargeDeclinedInsufficientFunds: [
    { does: 'verify', declinedAfter: DECLINES.insufficientFunds },
    '8260',
  ],
  createDispute: [CHARGE, '0259'],
  pendingRefund: [CHARGE, '7726'],
  refundFail: [CHARGE, '5126'],
  bypassPending: [CHARGE, '0077'],
  riskLevelElevated: [CHARGE, '9235'],
}

/** Cards named after a behaviour also exist with a brand before it: pm_card_visa_chargeDeclined. */
const NAMES: Readonly<Record<string, TestCard>> = Object.fromEntries([
  ...Object.entries(BRANDS).map(([name, [brand, reference]]) => [
    `pm_card_${name}`,
    cardThat(CHARGE, reference, brand),
  ]),
  ...Object.entries(BEHAVIOURS).flatMap(([name, [behaviour, reference]]) =>
    ['pm_card_', 'pm_card_visa_'].map((prefix) => [prefix + name, cardThat(behaviour, reference)]),
  ),
])

export const simulation = simulate({ read: readNamedCard, verification: { begin: beginVerification, confirmationOf } })
