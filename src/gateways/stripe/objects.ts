// What Stripe answers, read with care: only the fields that something depends on, each checked. An answer that lacks one is no answer, and
// leaves it open what has happened.

import { open } from '../call.ts'
import { integerOf, isObject, type Json, objectOf, textOf } from '../provider/json.ts'

/** Under these names our keys stand in the metadata of what we make. */
export const ATTEMPT = 'cartwright_attempt'
export const REFUND = 'cartwright_refund'

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

/** A payment intent. Amounts in Stripe's units, the currency as ISO 4217 writes it. */
export type Intent = {
  readonly id: string
  readonly status: IntentStatus
  readonly amount: number
  readonly amountCapturable: number
  readonly amountReceived: number
  readonly currency: string
  readonly clientSecret: string | null
  /** Our key; null where it is not of our making. */
  readonly key: string | null
  readonly lastError: StripeError | null
  /** Null where no card was charged yet, or the charge was not asked for (`expand`). */
  readonly charge: { readonly amount: number; readonly amountCaptured: number; readonly card: Card } | null
}

export type Refund = {
  readonly id: string
  readonly key: string | null
  readonly amount: number
  readonly status: string
}

export type Dispute = {
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
  const status = must(textOf(fields.status), 'status')
  // One that a newer Stripe may know is none that we could judge.
  if (!STATUSES.includes(status)) throw notUnderstood(`status ${status}`)
  return {
    id: must(textOf(fields.id), 'id'),
    status: status as IntentStatus,
    amount: must(integerOf(fields.amount), 'amount'),
    amountCapturable: integerOf(fields.amount_capturable) ?? 0,
    amountReceived: integerOf(fields.amount_received) ?? 0,
    currency: must(textOf(fields.currency), 'currency').toUpperCase(),
    clientSecret: textOf(fields.client_secret),
    key: textOf(objectOf(fields.metadata)[ATTEMPT]),
    lastError: isObject(fields.last_payment_error) ? readError(fields.last_payment_error) : null,
    charge: readCharge(fields.latest_charge),
  }
}

function readCharge(value: unknown): Intent['charge'] {
  if (!isObject(value)) return null
  const card = objectOf(objectOf(value.payment_method_details).card)
  return {
    amount: integerOf(value.amount) ?? 0,
    amountCaptured: integerOf(value.amount_captured) ?? 0,
    card: {
      last4: textOf(card.last4),
      brand: textOf(card.brand),
      country: textOf(card.country),
      zip: textOf(objectOf(objectOf(value.billing_details).address).postal_code),
    },
  }
}

export function readRefund(body: unknown): Refund {
  const fields = objectIn(body, 'refund')
  return {
    id: must(textOf(fields.id), 'id'),
    key: textOf(objectOf(fields.metadata)[REFUND]),
    amount: must(integerOf(fields.amount), 'amount'),
    status: must(textOf(fields.status), 'status'),
  }
}

export function readDispute(body: unknown): Dispute {
  const fields = objectIn(body, 'dispute')
  return {
    id: must(textOf(fields.id), 'id'),
    amount: must(integerOf(fields.amount), 'amount'),
    reason: textOf(fields.reason),
    status: must(textOf(fields.status), 'status'),
  }
}

export const readId = (body: unknown): string => must(textOf(objectOf(body).id), 'id')

/** A page of a list, or of what a search has found. */
export function readPage<T>(
  body: unknown,
  read: (item: unknown) => T,
): { readonly items: readonly T[]; readonly hasMore: boolean } {
  const { data, has_more: hasMore } = objectOf(body)
  if (!Array.isArray(data)) throw notUnderstood('list')
  return { items: data.map(read), hasMore: hasMore === true }
}

/** Of the body of a refusal, which may say nothing at all, or of an intent's last payment. */
export function readError(value: unknown): StripeError {
  const fields = objectOf(value)
  return {
    type: textOf(fields.type),
    code: textOf(fields.code),
    declineCode: textOf(fields.decline_code),
    param: textOf(fields.param),
    message: textOf(fields.message) ?? '',
  }
}

function objectIn(body: unknown, name: string): Json {
  const fields = objectOf(body)
  if (fields.object !== name) throw notUnderstood(name)
  return fields
}

function must<T>(value: T | null, what: string): T {
  if (value === null) throw notUnderstood(what)
  return value
}

const notUnderstood = (what: string) => open(`Stripe has answered without a ${what} that could be understood.`)
