// Description of a payment gateway: how it is shown, its settings and secrets, and how it takes money.
// Each gateway is a file or a folder here plus one line in index.ts. No code outside this folder knows a gateway by name.
// provider/history.ts covers a provider's messages and later queries.

import type { Clock } from '../lib/clock.ts'
import type { FieldErrors } from '../lib/errors.ts'
import type { Minor } from '../lib/money.ts'
import type { GatewayCall, GatewayConfig, Money } from './call.ts'
import type { CheckoutPage } from './checkout-page.ts'
import type { GatewayConfigField } from './config-fields.ts'
import type { Breaker } from './provider/breaker.ts'
import type { AccountSlots } from './provider/call-slots.ts'
import type { ProviderClient } from './provider/client.ts'
import type { ProviderHistory } from './provider/history.ts'
import type { TestJournal } from './sandbox/journal-store.ts'

/** How a shopper pays: with a card entered in the storefront, or elsewhere. */
type GatewayType =
  | { readonly type: 'card'; readonly cardsAccepted: readonly string[] }
  | { readonly type: 'third_party' }

export type GatewayDefinition = GatewayType & {
  /** Code in requests and replies. Never change a published code. */
  readonly code: string
  readonly name: string
  /** One sentence for a merchant who chooses a gateway. */
  readonly description: string
  /** For testing: works only with sandbox keys, and needs no settings there. */
  readonly isSandboxOnly: boolean
  /** A merchant may set it up several times, each with its own name. */
  readonly isRepeatable: boolean
  /** Test gateway that is listed only where a merchant has set it up, so that not every sandbox shows it. */
  readonly isOptIn?: true
  readonly config: Readonly<Record<string, GatewayConfigField>>
  /**
   * Field that identifies the account at a provider which accepts secrets only with their own account. While it is unchanged, a new secret
   * belongs to the same account. Without such a field, other credentials may belong to another account.
   */
  readonly accountField?: string
  /** Fields read from the payment's object under this gateway's code. All are text. Another type is rejected, never treated as missing. */
  readonly paymentFields?: readonly string[]
  /**
   * Facts that the provider reports about the account (`CredentialsCheck`), by the names under which the config stores them. Nobody enters
   * them. They are queried again when the config changes.
   */
  readonly accountFacts?: readonly string[]
  /** Part of the config that shoppers' browsers need. */
  publicSettings(config: GatewayConfig): Record<string, string | null>
  /** Requirements for the hosted payment page. */
  readonly page: CheckoutPage
  /** Takes money. A capture with a gateway that lacks this is refused. */
  createAdapter?(ports: GatewayPorts): GatewayAdapter
  /**
   * Tries the gateway in a sandbox before the merchant has an account. It reads the same payment fields as the real one and writes to the
   * journal of the test gateways. Only for gateways with credentials.
   */
  createSimulation?(ports: GatewayPorts): GatewayAdapter
}

/** True if it can take money, or made-up money in a simulation. */
export const canCharge = ({ createAdapter, createSimulation }: GatewayDefinition, isSimulated: boolean): boolean =>
  (isSimulated ? createSimulation : createAdapter) !== undefined

/** Everything gateways need from outside, passed in by app.ts. */
export type GatewayPorts = {
  readonly journal: TestJournal
  /** Reports that a charge changed without a request, as a processor's webhook would. The attempt with that key is settled soon. */
  announce(merchant_id: number, key: string): Promise<void>
  readonly http: ProviderClient
  /**
   * Maps a provider's official API URL to the one to call. Tests map it to their own server. Never a merchant's setting: that host
   * would receive the credentials.
   */
  address(official: string): string
  readonly clock: Clock
}

/** The card of a capture, as unmodified text. A missing field is null. */
export type CardInput = {
  readonly number: string | null
  readonly cvc: string | null
  readonly expiryMonth: string | null
  readonly expiryYear: string | null
  readonly postalZipCode: string | null
  /** Created by a processor's script in the browser. */
  readonly token: string | null
  readonly nonce: string | null
}

/** The `payment` of a capture. It may hold a card number: pass it on, but never store, log or show it. */
export type PaymentInput = {
  /** Value of `payment.gateway`: a gateway's code, or the id (gway_…) of one that the merchant has set up. */
  readonly gateway: string | null
  readonly card: CardInput | null
  /** Objects under the codes of gateways, not validated yet: `{stripe: {payment_intent_id}}`. */
  readonly details: Readonly<Record<string, unknown>>
}

/** A call about a charge. Its fields were stored with the charge, so every process repeats the same call at any time. */
export type ChargeCall = GatewayCall & {
  readonly amount: Minor
  readonly currency: string
  /** Description of the purchase. The same for every call with one key. */
  readonly description: string
  /** Start of the charge. */
  readonly begunAt: Date
  /** Token that continues a charge which waits for the shopper, from its outcome. Null if the charge has not waited yet. */
  readonly confirmation: string | null
  /** The provider's id of the payment that the shopper made (`referenceOf`). Null if there is none. */
  readonly reference: string | null
}

export type ChargeRequest = ChargeCall & {
  readonly payment: PaymentInput
  /** Page of ours to which a redirected shopper returns. */
  readonly returnUrl: string
  /** URL for the messages of providers that need one per payment. Null if this service has no lasting URL. */
  readonly messageUrl: string | null
}

type PaymentSource = {
  readonly type: string
  readonly brand: string | null
  readonly country: string | null
  readonly zip: string | null
}

/** The money was taken or is set aside. */
export type ChargedOutcome = {
  readonly kind: 'charged' | 'authorized'
  /** Amount that the gateway reports. `requireExpectedSum` in provider/payment.ts compares it with the requested amount for every gateway. */
  readonly amount: Minor
  readonly currency: string
  /** The gateway's id of the charge. */
  readonly transactionId: string
  /** For example the last four digits of a card. */
  readonly reference: string | null
  readonly source: PaymentSource
}

/**
 * The payment was agreed, but the money has not arrived. Usually it is paid outside the shop and the merchant confirms it. With `payment`,
 * the provider is still checking it and will report the result.
 */
export type PendingOutcome = {
  readonly kind: 'pending'
  readonly reason: 'awaiting_capture'
  readonly payment?: Omit<ChargedOutcome, 'kind'>
}

/** The shopper must act first. A later capture continues the charge by naming `confirmation` in its payment. */
export type AwaitingShopper =
  | {
      readonly kind: 'redirect'
      readonly payKey: string
      /** Absolute URL, or the path of one of our pages. A path stays valid if our host name changes before the shopper uses it. */
      readonly url: string
      readonly confirmation: string
    }
  | {
      readonly kind: 'requires_verification'
      readonly param: string
      readonly confirmation: string
      /** Reasons why the payment does not confirm the charge, by dotted path in the body. The charge keeps waiting. */
      readonly problems?: FieldErrors
    }

export type DeclinedOutcome = {
  readonly kind: 'declined'
  readonly reason:
    | 'card_declined'
    | 'insufficient_funds'
    | 'expired_card'
    | 'incorrect_cvc'
    | 'payment_declined'
    /** We cancelled it before. */
    | 'cancelled'
  /** Sentence for the shopper. */
  readonly message: string
}

/** A decline is returned; an outage is thrown (`GatewayUnavailable`). */
export type ChargeOutcome = ChargedOutcome | PendingOutcome | AwaitingShopper | DeclinedOutcome

/**
 * `unknown`: no charge exists under that key. `waiting`: the shopper must act, but the URL for that is not available. `approved`: the
 * shopper has agreed, and `confirm` takes the money. A lookup never does.
 */
export type LookupOutcome =
  | ChargeOutcome
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'approved' }

/** `payableUntil`: the provider may still take the money until then. We query it again afterwards and refund any payment. */
export type CancelledOutcome = { readonly kind: 'cancelled'; readonly payableUntil?: Date }

/** True if the payment under this key is neither made nor refused. */
export const isUndecided = (
  outcome: LookupOutcome,
): outcome is Extract<LookupOutcome, { kind: 'unknown' | 'waiting' | 'approved' }> =>
  outcome.kind === 'unknown' || outcome.kind === 'waiting' || outcome.kind === 'approved'

/** False if the gateway charged something else than we requested. The order must not count as paid then; a person has to check it. */
export const isExpectedSum = (outcome: Money, expected: Money): boolean =>
  outcome.amount === expected.amount && outcome.currency === expected.currency

export type TakeRequest = GatewayCall & {
  /** The gateway's id of the charge with this `key`. */
  readonly transactionId: string
  /**
   * The whole held amount, or a part if the gateway `takesParts`; the rest must then be released. A declined amount may be tried again with
   * another amount and the same key.
   */
  readonly amount: Minor
  readonly currency: string
  /** The same as in `PaymentStateQuery`. Money taken under these ids is recorded already and must not be reported again. */
  readonly otherIds?: readonly string[]
}

export type TakeOutcome =
  | (ChargedOutcome & { readonly kind: 'charged' })
  | { readonly kind: 'declined'; readonly message: string }

export type RefundRequest = GatewayCall & {
  /** `key` is that of the refund; this is the gateway's id of the charge. */
  readonly transactionId: string
  readonly amount: Minor
  readonly currency: string
}

export type RefundOutcome =
  | { readonly kind: 'refunded'; readonly transactionId: string }
  | { readonly kind: 'declined'; readonly message: string }

/**
 * Every call may be repeated: the key makes it idempotent. An error leaves open if something was charged, unless a `GatewayUnavailable`
 * says otherwise.
 */
export type GatewayAdapter = {
  /**
   * Problems with the payment by dotted path in the body (`payment.card.number`), empty if there are none. Also rejects an amount that the
   * provider cannot express.
   */
  problemsOf(payment: PaymentInput, sum: Money): FieldErrors
  /** Currency of an account that accepts only one, read from the stored config. Null if it has not been queried (`accountFacts`). */
  onlyCurrency?(config: GatewayConfig): string | null
  /** The provider's id of a payment that the shopper made before the capture. It is stored with the charge, and pays for one order only. */
  referenceOf?(payment: PaymentInput): string | null
  charge(request: ChargeRequest): Promise<ChargeOutcome>
  lookUp(call: ChargeCall): Promise<LookupOutcome>
  /** The waiting charge that the payment confirms; null if none. */
  confirmationOf?(payment: PaymentInput): string | null
  /** Continues a charge that waited for the shopper. `payment` is null if a lookup found the charge `approved`. */
  confirm?(call: ChargeCall & { readonly payment: PaymentInput | null }): Promise<ChargeOutcome>
  /**
   * Cancels a waiting or unknown charge. After `cancelled` nothing is ever charged under that key, not even by a request still in flight. A
   * payment that was made before is returned unchanged.
   */
  cancel(call: ChargeCall): Promise<ChargeOutcome | CancelledOutcome>
  refund(request: RefundRequest): Promise<RefundOutcome>
  /** Smallest step of partial refunds and takes, where the provider counts in coarser steps than the currency. */
  stepIn?(currency: string): Minor
  /** Takes money that was set aside (`authorized`). Returns the same result if it was taken before. */
  take?(request: TakeRequest): Promise<TakeOutcome>
  /** Can take less than was set aside. */
  readonly takesParts?: true
  /** Releases money that was set aside (`authorized`). */
  release?(call: GatewayCall & { readonly transactionId: string }): Promise<{ kind: 'released' } | DeclinedOutcome>
  /** Later history of a payment, for gateways with a provider. */
  readonly history?: ProviderHistory
}

/** Identifies the gateway that a config belongs to. */
type ConfigOwner = { readonly merchant_id: number; readonly methodId: string; readonly gateway: string }

/** The same for a payment, which may be older than any configured gateway. */
type PaymentGatewayRef = {
  readonly merchant_id: number
  readonly methodId: string | null
  readonly gateway: string | null
}

/** Seals and opens the secrets of a config. */
export type ConfigCredentials = {
  /**
   * Returns the config to store. Only the `entered` fields are new; the others are already in stored form. Throws if there is no key to
   * seal a secret with.
   */
  seal(owner: ConfigOwner, config: GatewayConfig, entered: ReadonlySet<string>): Promise<GatewayConfig>
  /** Opens the secrets of a stored config, only for the call to its gateway. Throws `GatewayUnavailable` if that fails. */
  open(owner: PaymentGatewayRef, config: GatewayConfig): Promise<GatewayConfig>
}

/** Access of captures to the gateways; built by app.ts. */
export type PaymentGateways = {
  /**
   * Adapter of a gateway; undefined if it cannot take money or the code is unknown. Each payment stores `isSimulated`: a made-up payment
   * must never be queried at the provider, even after credentials exist.
   */
  findAdapter(code: string, isSimulated: boolean): GatewayAdapter | undefined
  readonly credentials: ConfigCredentials
  /** The completer settles an attempt that is unsettled for this long. A gateway has two thirds of it to answer. */
  readonly settleAfterMs: number
  readonly breaker: Breaker
  /** Limits jobs only. Calls that somebody waits for are never held back. */
  readonly accountSlots?: AccountSlots
}
