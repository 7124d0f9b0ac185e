// What becomes of a payment at its provider after it was made: what the provider tells by itself, what it says when it is asked, and whether
// it knows the credentials at all. What it tells decides nothing: it only makes us ask. So neither the order nor the number of its
// messages matters.

import type { Minor } from '../../lib/money.ts'
import type { GatewayCall, GatewayConfig } from '../call.ts'

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
 * or its own id of the charge.
 */
export type MessageSubject = { readonly key: string | null; readonly transactionId: string | null }

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
  readonly refunds: readonly FoundRefund[]
  readonly disputes: readonly FoundDispute[]
}

export type StandingQuestion = GatewayCall & {
  /** The gateway's own id of the charge. */
  readonly transactionId: string
  readonly currency: string
}

/** Whether the provider knows the credentials, in one sentence for the merchant. */
export type CredentialsCheck = { readonly isUsable: boolean; readonly message: string }

export type ProviderStory = {
  /** Verifies and reads a message. Throws `GatewayUnavailable` only where what it needs for that cannot be had now. */
  readMessage(message: ProviderMessage): Promise<ReadMessage>
  /** Moves no money. Throws as a look-up does. */
  standingOf(question: StandingQuestion): Promise<PaymentStanding>
  /** Moves no money. Throws `GatewayUnavailable` where the provider cannot be reached. */
  checkCredentials(call: Omit<GatewayCall, 'key'>): Promise<CredentialsCheck>
}
