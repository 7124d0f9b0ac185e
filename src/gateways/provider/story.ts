// What becomes of a payment at its provider after it was made: what the provider tells by itself, what it says when it is asked, and whether
// it knows the credentials at all. What it tells decides nothing: it only makes us ask. So neither the order nor the number of its
// messages matters.

import type { Minor } from '../../lib/money.ts'
import { type GatewayCall, type GatewayConfig, open } from '../call.ts'
import type { Answer } from './answer.ts'

/** A message of the provider, as it came. */
export type ProviderMessage = {
  readonly merchantId: number
  readonly config: GatewayConfig
  readonly isSandbox: boolean
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The very bytes: signatures are made of them. */
  readonly body: Buffer
  /** The address that the provider was given for its messages; never the one that a request happened to name. */
  readonly url: string
  readonly now: Date
  readonly signal: AbortSignal
}

/**
 * What a message is about. By any of these the payment is found: our own keys, which the provider was given with the charge or the refund,
 * or its own id of the charge. `keyAt`: the key is not in the message; by this the provider tells it (`keyOf`).
 */
export type MessageSubject = {
  readonly key: string | null
  readonly transactionId: string | null
  readonly keyAt?: string
  /** The refund that the message names, where the provider may show it before its payment does: it is looked at by its own id. */
  readonly refundId?: string
}

/** `refused`: not proven to be the provider's. `event`: of `id`, once. `subject` is null where it does not concern us. */
export type ReadMessage =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'event'; readonly id: string; readonly subject: MessageSubject | null }

/** A refund as the provider has it. `key` is ours, where the refund was asked for from here. */
export type FoundRefund = {
  readonly id: string
  readonly key: string | null
  readonly amount: Minor
  /** `accepted`: it is made, or is being made. */
  readonly status: 'accepted' | 'failed'
}

/** A dispute as the provider has it, by its own state. */
export type FoundDispute = {
  readonly id: string
  readonly amount: Minor
  readonly reason: string | null
  readonly status: 'open' | 'won' | 'lost' | 'closed'
}

/** How a charge stands now. `held`: authorized and not taken. `released`: it was held, and is not any more. */
export type PaymentStanding = {
  readonly charge: 'pending' | 'held' | 'complete' | 'failed' | 'released'
  /** How much was taken, or is held or pending. Refunds are not taken off. */
  readonly amount: Minor
  readonly currency: string
  /** Less was taken than was held, and what is left has not been let go of: it is still held, or was taken by itself. */
  readonly isRestOpen?: true
  /** Where the provider has given the charge another id than the one that was asked about: by this one it is refunded, and told of. */
  readonly transactionId?: string
  readonly refunds: readonly FoundRefund[]
  readonly disputes: readonly FoundDispute[]
}

export type StandingQuestion = GatewayCall & {
  /** The gateway's own id of the charge. */
  readonly transactionId: string
  readonly currency: string
  /** Of the other charges of its order. What was taken of one hold in several parts is several charges here, each by an id of its own. */
  readonly otherIds?: readonly string[]
  /** A refund that a message has named (`MessageSubject`), of this charge or of another of its order. */
  readonly refundId?: string | undefined
}

/** Whether the provider knows the credentials, in one sentence for the merchant. `learned`: what it says of the account (`Gateway.learned`). */
export type CredentialsCheck = {
  readonly isUsable: boolean
  readonly message: string
  readonly learned?: GatewayConfig
}

/** The part of a capture's `payment` under the codes of gateways. */
export type SentDetails = { readonly details: Readonly<Record<string, unknown>> }

export type ProviderStory = {
  /** Verifies and reads a message. Throws `GatewayUnavailable` only where what it needs for that cannot be had now. */
  readMessage(message: ProviderMessage): Promise<ReadMessage>
  /** Its messages are not signed: reading one asks the provider, by the body alone. Those of one moment with the same body are read once. */
  readonly asksToRead?: true
  /** Our key, by what a message has named (`keyAt`); null where it is none of ours. Asked for by a job: a message is answered without it. */
  keyOf?(call: GatewayCall, keyAt: string): Promise<string | null>
  /**
   * Which waiting charge the shopper's payment was made for, as the provider says, where the payment does not name it itself
   * (`confirmationOf`); null where it was made for none. Moves no money.
   */
  findConfirmation?(call: GatewayCall, payment: SentDetails): Promise<string | null>
  /** Moves no money. Throws as a look-up does. */
  standingOf(question: StandingQuestion): Promise<PaymentStanding>
  /** Moves no money. Throws `GatewayUnavailable` where the provider cannot be reached. */
  checkCredentials(call: Omit<GatewayCall, 'key'>): Promise<CredentialsCheck>
}

// How the parts of a story are made, whoever the provider is.

export const refused = (reason: string): ReadMessage => ({ kind: 'refused', reason })

/** Null where nothing is named by which a payment could be found. */
export const subject = (key: string | null, transactionId: string | null): MessageSubject | null =>
  key === null && transactionId === null ? null : { key, transactionId }

export const usable = (message: string): CredentialsCheck => ({ isUsable: true, message })
export const unusable = (message: string): CredentialsCheck => ({ isUsable: false, message })

/** `status` in the provider's own word; `amount` null where it cannot be said in our units. */
type Listed = { readonly id: string; readonly status: string; readonly amount: Minor | null }

/** `failed`: the states of refunds that came to nothing. All others are made, or are being made. */
export function foundRefund(
  provider: string,
  { id, key, amount, status }: Listed & { readonly key: string | null },
  failed: readonly string[],
): FoundRefund {
  if (amount === null) throw open(`${provider} names a refund without a sum.`)
  return { id, key, amount, status: failed.includes(status) ? 'failed' : 'accepted' }
}

/** `ends`: the states of disputes that are over. All others are open. */
export function foundDispute(
  provider: string,
  { id, amount, reason, status }: Listed & { readonly reason: string | null },
  ends: Readonly<Record<string, FoundDispute['status']>>,
): FoundDispute {
  if (amount === null) throw open(`${provider} names a dispute without a sum.`)
  return { id, amount, reason, status: ends[status] ?? 'open' }
}

/** Not allowed to see disputes, or there are none. Then there are none to be told: that must not keep back everything else. */
export const SHOWS_NO_DISPUTES: readonly number[] = [403, 404]

/** Of providers whose payments do not name their disputes: all that they list are gone through. */
export function disputesAmong<
  Dispute extends { readonly paymentId: string | null },
  Refusal extends { status: number },
>(
  listed: Answer<readonly Dispute[], Refusal>,
  paymentId: string,
  found: (dispute: Dispute) => FoundDispute,
  failure: (refusal: Refusal, what: string) => Error,
): FoundDispute[] {
  if (listed.ok) return listed.value.filter((dispute) => dispute.paymentId === paymentId).map(found)
  if (SHOWS_NO_DISPUTES.includes(listed.refusal.status)) return []
  throw failure(listed.refusal, 'does not list disputes')
}
