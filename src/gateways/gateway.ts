// What every gateway says of itself: how it is shown, what a merchant has to set up for it, which of that is secret, and how it takes money.
// A gateway is a file or a folder here and one line in index.ts; nothing outside of this folder knows any of them by name. What a
// provider tells by itself, and what it can be asked later: provider/story.ts.

import type { Clock } from '../lib/clock.ts'
import type { FieldErrors } from '../lib/errors.ts'
import type { Minor } from '../lib/money.ts'
import type { GatewayCall, GatewayConfig, Sum } from './call.ts'
import type { CheckoutPage } from './checkout-page.ts'
import type { Breaker } from './provider/breaker.ts'
import type { ProviderClient } from './provider/client.ts'
import type { AccountPlaces } from './provider/places.ts'
import type { ProviderStory } from './provider/story.ts'
import type { TestJournal } from './sandbox/journal-store.ts'

/** One field of what a merchant sets up. Every value is text. */
export type ConfigField = {
  /** What a form calls it, where its name with blanks would say too little. */
  readonly label?: string
  readonly description: string
  /** Text of several lines. */
  readonly isLong?: true
  readonly isRequired: boolean
  /** Shown to nobody again, not even to the merchant; the others may be read by any secret key. */
  readonly isSecret: boolean
  /** One of these stands before every value that the processor gives out. A secret in a field that shoppers see is refused by it. */
  readonly beginsWith?: readonly string[]
  /** It is one of these words. */
  readonly oneOf?: readonly string[]
  /** It may be two values, the old and the new, with a comma or blanks between them: while one replaces the other both are good. */
  readonly mayBeTwo?: true
}

/** How a shopper pays: with a card that the storefront asks for, or somewhere else. */
type GatewayType =
  | { readonly type: 'card'; readonly cardsAccepted: readonly string[] }
  | { readonly type: 'third_party' }

export type Gateway = GatewayType & {
  /** As requests and replies name it. Never change a code that has been published. */
  readonly code: string
  readonly name: string
  /** What it is to a merchant who chooses, in a sentence. */
  readonly description: string
  /** For trying out: it works with sandbox keys alone, and there without being set up. */
  readonly isSandboxOnly: boolean
  /** Whether a merchant may set it up several times, each with a name of its own. */
  readonly isRepeatable: boolean
  /** Works, and is listed, only where a merchant has set it up, though it is for trying out: not every sandbox is to show it. */
  readonly isOptIn?: true
  readonly config: Readonly<Record<string, ConfigField>>
  /**
   * The field by which the provider knows the account, where secrets are accepted with none but their own: as long as it stays, another secret
   * is of the same account. Without it any other credentials may be of another.
   */
  readonly accountField?: string
  /** The fields that are read of what a payment has under its code. All are text: what is not is refused, and never taken for missing. */
  readonly sent?: readonly string[]
  /**
   * What the provider says of the account when it is asked (`CredentialsCheck`), by the names under which it is kept with the config. Nobody
   * enters it, and it is asked for anew when the config changes.
   */
  readonly learned?: readonly string[]
  /** The part of the config that shoppers see, because their browsers need it. */
  publicSettings(config: GatewayConfig): Record<string, string | null>
  /** What it needs of the page on which shoppers pay. */
  readonly page: CheckoutPage
  /** How it takes money. A capture that names a gateway without it is refused. */
  charging?(ports: GatewayPorts): GatewayAdapter
  /**
   * How a sandbox tries it out before there is an account: it reads what storefronts send for it, and writes to the books of the test
   * gateways. For those with credentials.
   */
  simulation?(ports: GatewayPorts): GatewayAdapter
}

/** Whether money, or in a simulation made-up money, can be taken by it. */
export const canCharge = ({ charging, simulation }: Gateway, isSimulated: boolean): boolean =>
  (isSimulated ? simulation : charging) !== undefined

/** What gateways are given by app.ts: all that they need of the world outside. */
export type GatewayPorts = {
  readonly journal: TestJournal
  /** Something has come of a charge by itself, as a processor's webhook would tell: the attempt of that key is settled soon. */
  announce(merchantId: number, key: string): Promise<void>
  readonly http: ProviderClient
  /**
   * Where a provider's API is: what is given, but for tests, which have a server of their own in its place. Never a merchant's setting:
   * that host would receive the credentials.
   */
  address(official: string): string
  readonly clock: Clock
}

/** The card of a capture. As text, blanks and all; null where it was not sent. */
export type CardInput = {
  readonly number: string | null
  readonly cvc: string | null
  readonly expiryMonth: string | null
  readonly expiryYear: string | null
  readonly postalZipCode: string | null
  /** Made by a processor's script in the browser. */
  readonly token: string | null
  readonly nonce: string | null
}

/** The `payment` of a capture. It may hold a card's number: it is handed on, and never stored, logged or shown. */
export type PaymentInput = {
  /** `payment.gateway`: the code of a gateway, or the id (gway_…) of one that the merchant has set up. */
  readonly gateway: string | null
  readonly card: CardInput | null
  /** The objects that stand beside it under the codes of gateways: `{stripe: {payment_intent_id}}`. Not checked yet. */
  readonly details: Readonly<Record<string, unknown>>
}

/** A call about a charge. All of it was written down with the charge: whichever process asks, and whenever, it asks the same. */
export type ChargeCall = GatewayCall & {
  readonly amount: Minor
  readonly currency: string
  /** What it is for. The same for every call of one key. */
  readonly description: string
  /** When it was begun. */
  readonly begunAt: Date
  /** By what a charge that waits for the shopper is continued, as its outcome said; null where none has waited yet. */
  readonly confirmation: string | null
  /** What the provider calls the shopper's own payment (`referenceOf`); null where it has none. */
  readonly reference: string | null
}

export type ChargeRequest = ChargeCall & {
  readonly payment: PaymentInput
  /** Where a shopper who was sent elsewhere comes back to: a page of ours. */
  readonly returnUrl: string
  /** Where the provider sends its messages, for one that is told with each payment; null where this service has no lasting address. */
  readonly messageUrl: string | null
}

type PaymentSource = {
  readonly type: string
  readonly brand: string | null
  readonly country: string | null
  readonly zip: string | null
}

/** The money is there, or set aside. */
export type Charged = {
  readonly kind: 'charged' | 'authorized'
  /** How much, as the gateway says: it is compared with what was asked for every gateway alike (`asAsked` of provider/payment.ts). */
  readonly amount: Minor
  readonly currency: string
  /** The gateway's own id of the charge. */
  readonly transactionId: string
  /** The last four digits of a card, say. */
  readonly reference: string | null
  readonly source: PaymentSource
}

/**
 * It has been agreed to and the money has not come: it is paid outside of the shop, and the merchant says when; or, where `payment` is given,
 * the provider is still looking into it and will tell.
 */
export type Pending = {
  readonly kind: 'pending'
  readonly reason: 'awaiting_capture'
  readonly payment?: Omit<Charged, 'kind'>
}

/** The shopper has to do something first. A capture whose payment names `confirmation` continues it. */
export type AwaitingShopper =
  | {
      readonly kind: 'redirect'
      readonly payKey: string
      /** Where to: absolute, or the path of a page of ours. It is kept, and what leads to us may by then have another name. */
      readonly url: string
      readonly confirmation: string
    }
  | {
      readonly kind: 'requires_verification'
      readonly param: string
      readonly confirmation: string
      /** Why what was sent does not confirm it, by dotted path from the body. It waits on, as it has. */
      readonly problems?: FieldErrors
    }

export type Declined = {
  readonly kind: 'declined'
  readonly reason:
    | 'card_declined'
    | 'insufficient_funds'
    | 'expired_card'
    | 'incorrect_cvc'
    | 'payment_declined'
    /** We took it back ourselves, before. */
    | 'cancelled'
  /** A sentence for the shopper. */
  readonly message: string
}

/** A decline is an answer; an outage is thrown (`GatewayUnavailable`). */
export type ChargeOutcome = Charged | Pending | AwaitingShopper | Declined

/**
 * `unknown`: nobody has charged under that key. `waiting`: for the shopper, and how to send the shopper there again cannot be told.
 * `approved`: the shopper has agreed, and `confirm` takes the money. Looking up never does.
 */
export type FoundOutcome =
  | ChargeOutcome
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'approved' }

/**
 * `payableUntil`: the provider cannot be kept from taking the money until then. It is asked again after that, and what was paid is given back.
 */
export type Cancelled = { readonly kind: 'cancelled'; readonly payableUntil?: Date }

/** True if nobody has paid under its key yet, nor refused to. */
export const isUndecided = (
  found: FoundOutcome,
): found is Extract<FoundOutcome, { kind: 'unknown' | 'waiting' | 'approved' }> =>
  found.kind === 'unknown' || found.kind === 'waiting' || found.kind === 'approved'

/** False: the gateway has taken something else than we asked for. Nothing may count as paid then; a person has to look at it. */
export const isAsAsked = (outcome: Sum, asked: Sum): boolean =>
  outcome.amount === asked.amount && outcome.currency === asked.currency

export type TakeRequest = GatewayCall & {
  /** The gateway's own id of the charge whose key `key` is. */
  readonly transactionId: string
  /**
   * All that was set aside; or a part of it, where the gateway `takesParts`: what is left must then not stay set aside. One that was declined
   * may be asked for again in another amount, under the same key.
   */
  readonly amount: Minor
  readonly currency: string
  /** As those of `StandingQuestion`: what was taken by these is recorded, and none of it is told again as taken now. */
  readonly otherIds?: readonly string[]
}

export type TakeOutcome =
  | (Charged & { readonly kind: 'charged' })
  | { readonly kind: 'declined'; readonly message: string }

export type RefundRequest = GatewayCall & {
  /** `key` is that of the refund; this is the charge, by the gateway's own id. */
  readonly transactionId: string
  readonly amount: Minor
  readonly currency: string
}

export type RefundOutcome =
  | { readonly kind: 'refunded'; readonly transactionId: string }
  | { readonly kind: 'declined'; readonly message: string }

/**
 * Every call may be repeated: the key makes the second the same as the first. Whatever is thrown leaves it open whether something was
 * charged, but for a `GatewayUnavailable` that says otherwise.
 */
export type GatewayAdapter = {
  /**
   * What is missing or wrong in the payment, by dotted path from the body (`payment.card.number`); empty when all is well. Also a sum that
   * the provider cannot express.
   */
  problemsOf(payment: PaymentInput, sum: Sum): FieldErrors
  /** The currency of an account that takes no other, by its config as it is stored; null where that has not been learned (`learned`). */
  onlyCurrency?(config: GatewayConfig): string | null
  /**
   * What the provider calls the payment that the shopper has made already, before the capture. It is written down with the charge, and pays
   * for one order only.
   */
  referenceOf?(payment: PaymentInput): string | null
  charge(request: ChargeRequest): Promise<ChargeOutcome>
  lookUp(call: ChargeCall): Promise<FoundOutcome>
  /** Which waiting charge the payment confirms; null when it confirms none. */
  confirmationOf?(payment: PaymentInput): string | null
  /** Goes on with a charge that waited for the shopper. Without a payment where looking it up has found it `approved`. */
  confirm?(call: ChargeCall & { readonly payment: PaymentInput | null }): Promise<ChargeOutcome>
  /**
   * Gives up a charge that is waiting or unknown. After `cancelled` nothing is ever charged under that key, not even by a request that is
   * still on its way. What has been paid already is not touched, and told.
   */
  cancel(call: ChargeCall): Promise<ChargeOutcome | Cancelled>
  refund(request: RefundRequest): Promise<RefundOutcome>
  /** What every part that is given back or taken is a multiple of, where the provider counts in coarser steps than the currency has. */
  stepIn?(currency: string): Minor
  /** Takes money that was set aside (`authorized`). One that has been taken before is told as taken. */
  take?(request: TakeRequest): Promise<TakeOutcome>
  /** It can take less than was set aside. */
  readonly takesParts?: true
  /** Lets go of money that was set aside (`authorized`). */
  release?(call: GatewayCall & { readonly transactionId: string }): Promise<{ kind: 'released' } | Declined>
  /** What becomes of a payment after it was made: of gateways with a provider. */
  readonly story?: ProviderStory
}

/** Which of a merchant's gateways a config is of. */
type ConfigOwner = { readonly merchantId: number; readonly methodId: string; readonly gateway: string }

/** The same of a payment, which may have been made by none that was set up. */
type PaidBy = { readonly merchantId: number; readonly methodId: string | null; readonly gateway: string | null }

/** How the secrets of a config are kept. */
export type ConfigCredentials = {
  /**
   * The config as it is to be stored. `entered`: the fields that were sent now; the others are as they were stored. Throws where there is no key
   * to seal a secret with.
   */
  seal(owner: ConfigOwner, config: GatewayConfig, entered: ReadonlySet<string>): Promise<GatewayConfig>
  /** A config as it is stored, with its secrets opened: for the call to its gateway alone. Throws `GatewayUnavailable` when they cannot be. */
  open(owner: PaidBy, config: GatewayConfig): Promise<GatewayConfig>
}

/** How captures reach the gateways; built by app.ts. */
export type Payments = {
  /**
   * How a gateway takes money; undefined for one that cannot yet, and for codes that nobody has. `isSimulated` is kept with each payment:
   * what was made up must never be asked of the provider, not even after its credentials have come.
   */
  charging(code: string, isSimulated: boolean): GatewayAdapter | undefined
  readonly credentials: ConfigCredentials
  /** An attempt that nobody has settled for so long is settled by the completer. A gateway has two thirds of it to answer. */
  readonly settleAfterMs: number
  readonly breaker: Breaker
  /** Of jobs alone: nobody who waits for an answer is kept from asking. */
  readonly accountPlaces?: AccountPlaces
}

/** A gateway with credentials serves the mode that they are for: a sandbox order must never charge a real card. */
export const hasCredentials = ({ config }: Gateway): boolean => Object.values(config).some(({ isSecret }) => isSecret)

/** `Publishable key` of `publishable_key`. */
export const labelOf = (name: string, { label }: Pick<ConfigField, 'label'>): string => {
  if (label !== undefined) return label
  const words = name.replaceAll('_', ' ').replace(/\b(api|id|url)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const publicField = (description: string): ConfigField => ({ description, isRequired: true, isSecret: false })
export const optionalField = (description: string): ConfigField => ({ description, isRequired: false, isSecret: false })
export const secretField = (description: string): ConfigField => ({ description, isRequired: true, isSecret: true })

/** Whether payments are taken at once. The same at every provider. */
export const captureField: ConfigField = {
  label: 'When money is taken',
  ...optionalField('automatic (without it), or manual: payments are set aside, and taken from the order.'),
  oneOf: ['automatic', 'manual'],
}

/** Money is only set aside, until the merchant takes it. */
export const isManual = ({ config }: { readonly config: GatewayConfig }): boolean => config.capture === 'manual'
