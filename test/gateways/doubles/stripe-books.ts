// What the server in Stripe's place keeps: intents, charges, refunds and disputes, as Stripe shows them, and what becomes of each. Facts and the
// names of test cards: docs.stripe.com/testing, /api/payment_intents, /error-codes; a part taken shows a refund of the rest: solidus_stripe#268.

import type { DoubleReply } from './double.ts'

type Metadata = Record<string, string>

export type Intent = {
  id: string
  amount: number
  currency: string
  created: number
  metadata: Metadata
  captureMethod: string
  status: string
  method: string | null
  card: TestCard | null
  lastError: object | null
  chargeId: string | null
  capturable: number
  received: number
}

export type Refund = {
  id: string
  intent: string
  amount: number
  metadata: Metadata
  status: 'succeeded' | 'pending' | 'failed' | 'canceled'
}

export type Dispute = { id: string; intent: string; amount: number; status: string }

export type TestCard = {
  readonly last4: string
  readonly brand: string
  readonly does: 'pay' | 'decline' | 'verify' | 'process'
  readonly error?: { readonly code: string; readonly decline_code?: string }
  readonly after?: 'pending_refund'
}

const card = (last4: string, does: TestCard['does'] = 'pay', more: Partial<TestCard> = {}): TestCard => ({
  last4,
  brand: 'visa',
  does,
  ...more,
})
const declined = (last4: string, code: string, decline_code?: string) =>
  card(last4, 'decline', { error: { code, ...(decline_code === undefined ? {} : { decline_code }) } })

export const TEST_CARDS: Readonly<Record<string, TestCard>> = {
  visa: card('4242'),
  mastercard: card('4444', 'pay', { brand: 'mastercard' }),
  amex: card('0005', 'pay', { brand: 'amex' }),
  visa_chargeDeclined: declined('0002', 'card_declined', 'generic_decline'),
  visa_chargeDeclinedInsufficientFunds: declined('9995', 'card_declined', 'insufficient_funds'),
  chargeDeclinedExpiredCard: declined('0069', 'expired_card'),
  chargeDeclinedIncorrectCvc: declined('0127', 'incorrect_cvc'),
  chargeDeclinedProcessingError: declined('0119', 'processing_error'),
  threeDSecure2Required: card('3220', 'verify'),
  authenticationRequiredChargeDeclinedInsufficientFunds: card('8260', 'verify', {
    error: { code: 'card_declined', decline_code: 'insufficient_funds' },
  }),
  pendingRefund: card('7726', 'pay', { after: 'pending_refund' }),
  // Not one of Stripe's: a payment that is looked into for a while.
  double_processing: card('1111', 'process'),
}

export const error = (
  status: number,
  type: string,
  code: string | null,
  message: string,
  more: object = {},
): DoubleReply => ({
  status,
  body: { error: { type, ...(code === null ? {} : { code }), message, ...more } },
})

export const invalid = (code: string | null, message: string, more: object = {}) =>
  error(400, 'invalid_request_error', code, message, more)

/** `tell` hears of everything that Stripe would send an event about. */
export function openBooks(now: () => Date, tell: (type: string, object: object) => void) {
  const intents = new Map<string, Intent>()
  const refunds: Refund[] = []
  const disputes: Dispute[] = []
  let count = 0
  const nextId = (prefix: string) => `${prefix}_3Double${String(++count).padStart(6, '0')}`
  const seconds = () => Math.floor(now().getTime() / 1_000)

  const showCharge = (intent: Intent) => ({
    id: intent.chargeId,
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.received,
    billing_details: { address: { postal_code: '94107' } },
    metadata: intent.metadata,
    payment_intent: intent.id,
    payment_method_details: { card: { last4: intent.card?.last4, brand: intent.card?.brand, country: 'US' } },
  })

  const showIntent = (intent: Intent, isExpanded = false) => ({
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amount,
    amount_capturable: intent.capturable,
    amount_received: intent.received,
    client_secret: `${intent.id}_secret_${intent.id.slice(-6)}`,
    currency: intent.currency,
    last_payment_error: intent.lastError,
    latest_charge: intent.chargeId === null ? null : isExpanded ? showCharge(intent) : intent.chargeId,
    metadata: intent.metadata,
    status: intent.status,
  })

  const showRefund = ({ intent, ...refund }: Refund) => ({ ...refund, object: 'refund', payment_intent: intent })

  const showDispute = ({ intent, ...dispute }: Dispute) => ({
    ...dispute,
    object: 'dispute',
    payment_intent: intent,
    reason: 'fraudulent',
  })

  const refundsOf = (id: string) => refunds.filter(({ intent }) => intent === id)
  const tellOf = (name: string, intent: Intent) => tell(`payment_intent.${name}`, showIntent(intent))

  const unexpected = (intent: Intent, verb: string) =>
    invalid(
      'payment_intent_unexpected_state',
      `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`,
      { payment_intent: showIntent(intent) },
    )

  /** What Stripe does by itself, as with every hold that ends: it shows as refunded. */
  function addRefund(intent: Intent, amount: number, metadata: Metadata, status: Refund['status'] = 'succeeded') {
    const refund = { id: nextId('re'), intent: intent.id, amount, metadata, status }
    refunds.push(refund)
    return refund
  }

  function decline(intent: Intent, problem: NonNullable<TestCard['error']>): DoubleReply {
    const details = { type: 'card_error', message: 'Your card was declined.', ...problem }
    Object.assign(intent, { status: 'requires_payment_method', lastError: details, method: null, card: null })
    tellOf('payment_failed', intent)
    return { status: 402, body: { error: { ...details, payment_intent: showIntent(intent) } } }
  }

  function pay(intent: Intent) {
    intent.chargeId = nextId('ch')
    const isHeld = intent.captureMethod === 'manual'
    if (isHeld) Object.assign(intent, { status: 'requires_capture', capturable: intent.amount })
    else Object.assign(intent, { status: 'succeeded', received: intent.amount })
    tellOf(isHeld ? 'amount_capturable_updated' : 'succeeded', intent)
  }

  return {
    intents,
    refunds,
    disputes,
    nextId,
    seconds,
    showIntent,
    showCharge,
    showRefund,
    showDispute,
    refundsOf,
    tellOf,
    unexpected,
    decline,
    pay,
    addRefund,
  }
}
