// Later history of a payment at its provider: its messages, its state when queried, and a check of the credentials.
// A message decides nothing. It only triggers a poll, so the order and the number of messages do not matter.

import type { Minor } from '../../lib/money.ts'
import { type GatewayCall, type GatewayConfig, unknownOutcomeError } from '../call.ts'
import type { ProviderAnswer } from './answer.ts'

/** A received message of the provider. */
export type ProviderMessage = {
  readonly merchant_id: number
  readonly config: GatewayConfig
  readonly is_sandbox: boolean
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The exact bytes, because signatures cover them. */
  readonly body: Buffer
  /** The URL that we gave the provider for its messages, never the URL of the request. */
  readonly url: string
  readonly now: Date
  readonly signal: AbortSignal
}

/**
 * The payment that a message is about. The payment is found by our key of the charge or the refund, or by the provider's id. `keyAt`:
 * reference by which the provider returns our key (`keyOf`), if the message lacks it.
 */
export type MessageSubject = {
  readonly key: string | null
  readonly transactionId: string | null
  readonly keyAt?: string
  /** Refund named by the message. The provider may show a refund before its payment lists it, so we query the refund by id. */
  readonly refundId?: string
}

/** `refused`: not proven to come from the provider. `event`: the id is unique. `subject` is null if the event does not concern us. */
export type ParsedMessage =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'event'; readonly id: string; readonly subject: MessageSubject | null }

/** A refund at the provider. `key` is ours if we requested the refund. */
export type ProviderRefund = {
  readonly id: string
  readonly key: string | null
  readonly amount: Minor
  /** `accepted`: completed or in progress. */
  readonly status: 'accepted' | 'failed'
}

/** A dispute at the provider, with its current state. */
export type ProviderDispute = {
  readonly id: string
  readonly amount: Minor
  readonly reason: string | null
  readonly status: 'open' | 'won' | 'lost' | 'closed'
}

/** Current state of a charge. `held`: authorized and not taken. `released`: was held and is not any more. */
export type ProviderPaymentState = {
  readonly charge: 'pending' | 'held' | 'complete' | 'failed' | 'released'
  /** Amount taken, held or pending, before refunds. */
  readonly amount: Minor
  readonly currency: string
  /** A part was taken and the rest was not released. The rest is still held, or was taken without a request. */
  readonly isRestOpen?: true
  /** New id of the charge if the provider changed it. Refunds and reports use this one. */
  readonly transactionId?: string
  readonly refunds: readonly ProviderRefund[]
  readonly disputes: readonly ProviderDispute[]
}

export type PaymentStateQuery = GatewayCall & {
  /** The gateway's id of the charge. */
  readonly transactionId: string
  readonly currency: string
  /** Ids of the order's other charges. Each part taken from one hold is a charge of its own here. */
  readonly otherIds?: readonly string[]
  /** A refund named by a message (`MessageSubject`), of this charge or of another charge of its order. */
  readonly refundId?: string | undefined
}

/** Result of a credentials check, as one sentence for the merchant. `learned`: account facts from the provider (`Gateway.learned`). */
export type CredentialsCheck = {
  readonly isUsable: boolean
  readonly message: string
  readonly learned?: GatewayConfig
}

/** The part of a capture's `payment` under the codes of gateways. */
export type PaymentDetails = { readonly details: Readonly<Record<string, unknown>> }

export type ProviderHistory = {
  /** Verifies and reads a message. Throws `GatewayUnavailable` only if verification needs the provider and cannot reach it. */
  readMessage(message: ProviderMessage): Promise<ParsedMessage>
  /** Messages are not signed, so reading one queries the provider by its body. Concurrent messages with the same body are read once. */
  readonly asksToRead?: true
  /** Finds our key by a message's `keyAt`; null if the key is not ours. A job calls it, after the message was answered. */
  keyOf?(call: GatewayCall, keyAt: string): Promise<string | null>
  /**
   * Waiting charge for which the shopper's payment was made, according to the provider. Used if the payment does not name it
   * (`confirmationOf`). Null if there is none. Moves no money.
   */
  findConfirmation?(call: GatewayCall, payment: PaymentDetails): Promise<string | null>
  /** Moves no money. Throws like a lookup. */
  getPaymentState(question: PaymentStateQuery): Promise<ProviderPaymentState>
  /** Moves no money. Throws `GatewayUnavailable` if the provider is unreachable. */
  checkCredentials(call: Omit<GatewayCall, 'key'>): Promise<CredentialsCheck>
}

// Helpers that build these results for every provider.

export const refuseMessage = (reason: string): ParsedMessage => ({ kind: 'refused', reason })

/** Null if the message names nothing that identifies a payment. */
export const toMessageSubject = (key: string | null, transactionId: string | null): MessageSubject | null =>
  key === null && transactionId === null ? null : { key, transactionId }

export const usableCredentials = (message: string): CredentialsCheck => ({ isUsable: true, message })
export const unusableCredentials = (message: string): CredentialsCheck => ({ isUsable: false, message })

/** `status` is the provider's word. `amount` is null if our units cannot express it. */
type ListedItem = { readonly id: string; readonly status: string; readonly amount: Minor | null }

/** `failed`: states of failed refunds. All others are completed or in progress. */
export function toProviderRefund(
  provider: string,
  { id, key, amount, status }: ListedItem & { readonly key: string | null },
  failed: readonly string[],
): ProviderRefund {
  if (amount === null) throw unknownOutcomeError(`${provider} reports a refund without a valid amount.`)
  return { id, key, amount, status: failed.includes(status) ? 'failed' : 'accepted' }
}

/** `ends`: states of closed disputes. All others are open. */
export function toProviderDispute(
  provider: string,
  { id, amount, reason, status }: ListedItem & { readonly reason: string | null },
  ends: Readonly<Record<string, ProviderDispute['status']>>,
): ProviderDispute {
  if (amount === null) throw unknownOutcomeError(`${provider} reports a dispute without a valid amount.`)
  return { id, amount, reason, status: ends[status] ?? 'open' }
}

/** Access to disputes is denied, or there are none. An empty list then lets the rest of the poll go on. */
export const NO_DISPUTE_STATUSES: readonly number[] = [403, 404]

/** For providers whose payments do not name their disputes: filters the full list. */
export function filterDisputes<
  Dispute extends { readonly paymentId: string | null },
  Refusal extends { status: number },
>(
  listReply: ProviderAnswer<readonly Dispute[], Refusal>,
  paymentId: string,
  toFoundDispute: (dispute: Dispute) => ProviderDispute,
  failure: (refusal: Refusal, what: string) => Error,
): ProviderDispute[] {
  if (listReply.ok) return listReply.value.filter((dispute) => dispute.paymentId === paymentId).map(toFoundDispute)
  if (NO_DISPUTE_STATUSES.includes(listReply.refusal.status)) return []
  throw failure(listReply.refusal, 'does not list disputes')
}
