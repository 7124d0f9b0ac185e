// Stripe in a sandbox without an account. The names of Stripe's test cards (docs.stripe.com/testing) select cards of our test gateway.

import type { PaymentInput } from '../gateway.ts'
import { readPaymentField } from '../provider/payment.ts'
import { type CardBehaviour, DECLINE_BEHAVIOURS, declineBehaviour } from '../sandbox/cards.ts'
import { type BankVerification, randomText, type TestCard } from '../sandbox/charge.ts'
import {
  CHARGE_BEHAVIOUR,
  findNamedCard,
  type NamedCard,
  simulateProvider,
  testCardWith,
} from '../sandbox/simulation.ts'
import { intentIn, NOT_WAITING, stripeConfirmation } from './payment.ts'

/** Reads `pm_card_…` in `stripe.payment_method_id`, and `tok_…` in the older `card.token`. Both places accept both. */
function readNamedCard({ card, details }: PaymentInput): NamedCard {
  const method = readPaymentField(details.stripe, 'payment_method_id')
  const token = card?.token?.trim() ?? null
  const isToken = method === null && token !== null
  if (!isToken && method === null && intentIn(details) !== null) return { problems: NOT_WAITING }
  return findNamedCard(isToken ? withPrefix(token) : method && withPrefix(method), {
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

function beginVerification(): BankVerification {
  const confirmation = `pi_${randomText()}`
  return { kind: 'requires_verification', param: `${confirmation}_secret_${randomText()}`, confirmation }
}

const ERROR = declineBehaviour('payment_declined', 'The card could not be charged. Try again, or pay in another way.')
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
  chargeDeclined: [DECLINE_BEHAVIOURS.declined, '0002'],
  chargeDeclinedInsufficientFunds: [DECLINE_BEHAVIOURS.insufficientFunds, '9995'],
  chargeDeclinedLostCard: [DECLINE_BEHAVIOURS.declined, '9987'],
  chargeDeclinedStolenCard: [DECLINE_BEHAVIOURS.declined, '9979'],
  chargeDeclinedExpiredCard: [DECLINE_BEHAVIOURS.expired, '0069'],
  chargeDeclinedIncorrectCvc: [DECLINE_BEHAVIOURS.incorrectCvc, '0127'],
  chargeDeclinedProcessingError: [ERROR, '0119'],
  chargeDeclinedFraudulent: [DECLINE_BEHAVIOURS.declined, '0019'],
  chargeDeclinedVelocityLimitExceeded: [DECLINE_BEHAVIOURS.declined, '6975'],
  chargeCustomerFail: [DECLINE_BEHAVIOURS.declined, '0341'],
  radarBlock: [DECLINE_BEHAVIOURS.declined, '0019'],
  threeDSecureRequired: [VERIFY, '3063'],
  threeDSecure2Required: [VERIFY, '3220'],
  threeDSecureRequiredChargeDeclined: [{ does: 'verify', declinedAfter: DECLINE_BEHAVIOURS.declined }, '1629'],
  threeDSecureOptional: [CHARGE_BEHAVIOUR, '3055'],
  authenticationRequired: [VERIFY, '3184'],
  authenticationRequiredOnSetup: [VERIFY, '3155'],
  authenticationRequiredChargeDeclinedInsufficientFunds: [
    { does: 'verify', declinedAfter: DECLINE_BEHAVIOURS.insufficientFunds },
    '8260',
  ],
  createDispute: [CHARGE_BEHAVIOUR, '0259'],
  pendingRefund: [CHARGE_BEHAVIOUR, '7726'],
  refundFail: [CHARGE_BEHAVIOUR, '5126'],
  bypassPending: [CHARGE_BEHAVIOUR, '0077'],
  riskLevelElevated: [CHARGE_BEHAVIOUR, '9235'],
}

/** Cards named after a behaviour also exist with a brand before it: pm_card_visa_chargeDeclined. */
const NAMES: Readonly<Record<string, TestCard>> = Object.fromEntries([
  ...Object.entries(BRANDS).map(([name, [brand, reference]]) => [
    `pm_card_${name}`,
    testCardWith(CHARGE_BEHAVIOUR, reference, brand),
  ]),
  ...Object.entries(BEHAVIOURS).flatMap(([name, [behaviour, reference]]) =>
    ['pm_card_', 'pm_card_visa_'].map((prefix) => [prefix + name, testCardWith(behaviour, reference)]),
  ),
])

export const stripeSimulation = simulateProvider({
  read: readNamedCard,
  verification: { begin: beginVerification, confirmationOf: stripeConfirmation },
})
