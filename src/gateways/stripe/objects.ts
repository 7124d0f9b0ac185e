// Reads Stripe's replies: only the fields that we need, each checked. A reply without a required field throws
// `unknownOutcomeError`, because we cannot tell whether money has moved.

import { unknownOutcomeError } from '../call.ts'
import { integerOf, isObject, type JsonRecord, objectOrEmpty, textOf } from '../provider/json.ts'

/** Metadata fields of intents and refunds that hold our id of the attempt or refund. */
export const ATTEMPT_METADATA_KEY = 'cartwright_attempt'
export const REFUND_METADATA_KEY = 'cartwright_refund'

export type StripeError = {
  readonly type: string | null
  readonly code: string | null
  readonly declineCode: string | null
  readonly param: string | null
  readonly message: string
}

export type Card = {
  readonly last4: string | null
  readonly brand: string | null
  readonly country: string | null
  readonly zip: string | null
}

export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'requires_capture'
  | 'succeeded'
  | 'canceled'

/** Payment intent. Amounts are in Stripe's units, and the currency is an ISO 4217 code. */
export type Intent = {
  readonly id: string
  readonly status: IntentStatus
  readonly amount: number
  readonly amountCapturable: number
  readonly amountReceived: number
  readonly currency: string
  readonly clientSecret: string | null
  /** Our id from the metadata; null if we did not create the intent. */
  readonly key: string | null
  readonly lastError: StripeError | null
  /** Null if there is no charge yet, or the request did not `expand` it. */
  readonly charge: { readonly amount: number; readonly amountCaptured: number; readonly card: Card } | null
}

export type StripeRefund = {
  readonly id: string
  readonly key: string | null
  readonly amount: number
  readonly status: string
}

export type StripeDispute = {
  readonly id: string
  readonly amount: number
  readonly reason: string | null
  readonly status: string
}

const STATUSES: readonly string[] = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'requires_capture',
  'succeeded',
  'canceled',
] satisfies IntentStatus[]

export function readIntent(body: unknown): Intent {
  const fields = objectIn(body, 'payment_intent')
  const status = requireField(textOf(fields.status), 'status')
  // Stripe may add a status that this code does not know.
  if (!STATUSES.includes(status)) throw malformedReply(`status ${status}`)
  return {
    id: requireField(textOf(fields.id), 'id'),
    status: status as IntentStatus,
    amount: requireField(integerOf(fields.amount), 'amount'),
    amountCapturable: integerOf(fields.amount_capturable) ?? 0,
    amountReceived: integerOf(fields.amount_received) ?? 0,
    currency: requireField(textOf(fields.currency), 'currency').toUpperCase(),
    clientSecret: textOf(fields.client_secret),
    key: textOf(objectOrEmpty(fields.metadata)[ATTEMPT_METADATA_KEY]),
    lastError: isObject(fields.last_payment_error) ? readError(fields.last_payment_error) : null,
    charge: readCharge(fields.latest_charge),
  }
}

function readCharge(value: unknown): Intent['charge'] {
  if (!isObject(value)) return null
  const card = objectOrEmpty(objectOrEmpty(value.payment_method_details).card)
  return {
    amount: integerOf(value.amount) ?? 0,
    amountCaptured: integerOf(value.amount_captured) ?? 0,
    card: {
      last4: textOf(card.last4),
      brand: textOf(card.brand),
      country: textOf(card.country),
      zip: textOf(objectOrEmpty(objectOrEmpty(value.billing_details).address).postal_code),
    },
  }
}

export function readRefund(body: unknown): StripeRefund {
  const fields = objectIn(body, 'refund')
  return {
    id: requireField(textOf(fields.id), 'id'),
    key: textOf(objectOrEmpty(fields.metadata)[REFUND_METADATA_KEY]),
    amount: requireField(integerOf(fields.amount), 'amount'),
    status: requireField(textOf(fields.status), 'status'),
  }
}

export function readDispute(body: unknown): StripeDispute {
  const fields = objectIn(body, 'dispute')
  return {
    id: requireField(textOf(fields.id), 'id'),
    amount: requireField(integerOf(fields.amount), 'amount'),
    reason: textOf(fields.reason),
    status: requireField(textOf(fields.status), 'status'),
  }
}

export const readId = (body: unknown): string => requireField(textOf(objectOrEmpty(body).id), 'id')

/** Reads a page of a list or of search results. */
export function readStripePage<T>(
  body: unknown,
  read: (item: unknown) => T,
): { readonly items: readonly T[]; readonly hasMore: boolean } {
  const { data, has_more: hasMore } = objectOrEmpty(body)
  if (!Array.isArray(data)) throw malformedReply('list')
  return { items: data.map(read), hasMore: hasMore === true }
}

/** Reads the error of a refused request or of an intent's last payment. A refused request may have no error object. */
export function readError(value: unknown): StripeError {
  const fields = objectOrEmpty(value)
  return {
    type: textOf(fields.type),
    code: textOf(fields.code),
    declineCode: textOf(fields.decline_code),
    param: textOf(fields.param),
    message: textOf(fields.message) ?? '',
  }
}

function objectIn(body: unknown, name: string): JsonRecord {
  const fields = objectOrEmpty(body)
  if (fields.object !== name) throw malformedReply(name)
  return fields
}

function requireField<T>(value: T | null, name: string): T {
  if (value === null) throw malformedReply(name)
  return value
}

const malformedReply = (what: string) => unknownOutcomeError(`Stripe has answered without a valid ${what}.`)
