// What Stripe answers, read with care: only the fields that something depends on, each checked. An answer that lacks one is no answer, and
// leaves it open what has happened.

import { GatewayUnavailable } from '../call.ts'

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

type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null

export const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

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
  const status = must(textIn(fields.status), 'status')
  // One that a newer Stripe may know is none that we could judge.
  if (!STATUSES.includes(status)) throw notUnderstood(`status ${status}`)
  return {
    id: must(textIn(fields.id), 'id'),
    status: status as IntentStatus,
    amount: must(numberIn(fields.amount), 'amount'),
    amountCapturable: numberIn(fields.amount_capturable) ?? 0,
    amountReceived: numberIn(fields.amount_received) ?? 0,
    currency: must(textIn(fields.currency), 'currency').toUpperCase(),
    clientSecret: textIn(fields.client_secret),
    key: textIn(fieldsOf(fields.metadata)?.[ATTEMPT]),
    lastError: fieldsOf(fields.last_payment_error) && readError(fields.last_payment_error),
    charge: readCharge(fields.latest_charge),
  }
}

function readCharge(value: unknown): Intent['charge'] {
  const fields = fieldsOf(value)
  if (fields === null) return null
  const card = fieldsOf(fieldsOf(fields.payment_method_details)?.card)
  return {
    amount: numberIn(fields.amount) ?? 0,
    amountCaptured: numberIn(fields.amount_captured) ?? 0,
    card: {
      last4: textIn(card?.last4),
      brand: textIn(card?.brand),
      country: textIn(card?.country),
      zip: textIn(fieldsOf(fieldsOf(fields.billing_details)?.address)?.postal_code),
    },
  }
}

export function readRefund(body: unknown): Refund {
  const fields = objectIn(body, 'refund')
  return {
    id: must(textIn(fields.id), 'id'),
    key: textIn(fieldsOf(fields.metadata)?.[REFUND]),
    amount: must(numberIn(fields.amount), 'amount'),
    status: must(textIn(fields.status), 'status'),
  }
}

export function readDispute(body: unknown): Dispute {
  const fields = objectIn(body, 'dispute')
  return {
    id: must(textIn(fields.id), 'id'),
    amount: must(numberIn(fields.amount), 'amount'),
    reason: textIn(fields.reason),
    status: must(textIn(fields.status), 'status'),
  }
}

export const readId = (body: unknown): string => must(textIn(fieldsOf(body)?.id), 'id')

/** A page of a list, or of what a search has found. */
export function readPage<T>(
  body: unknown,
  read: (item: unknown) => T,
): { readonly items: readonly T[]; readonly hasMore: boolean } {
  const fields = fieldsOf(body)
  if (fields === null || !Array.isArray(fields.data)) throw notUnderstood('list')
  return { items: fields.data.map(read), hasMore: fields.has_more === true }
}

/** Of the body of a refusal, which may say nothing at all, or of an intent's last payment. */
export function readError(value: unknown): StripeError {
  const fields = fieldsOf(value) ?? {}
  return {
    type: textIn(fields.type),
    code: textIn(fields.code),
    declineCode: textIn(fields.decline_code),
    param: textIn(fields.param),
    message: textIn(fields.message) ?? '',
  }
}

const numberIn = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null)

function objectIn(body: unknown, name: string): Fields {
  const fields = fieldsOf(body)
  if (fields?.object !== name) throw notUnderstood(name)
  return fields
}

function must<T>(value: T | null, what: string): T {
  if (value === null) throw notUnderstood(what)
  return value
}

const notUnderstood = (what: string) =>
  new GatewayUnavailable(`Stripe has answered without a ${what} that could be understood.`, { isNothingCharged: false })
