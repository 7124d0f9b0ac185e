// A payment provider as far as it is the same for all of them: a server in its place, what a storefront sends so that it is paid, what somebody
// does in its dashboard, and the messages that it signs. The four stand beside; shop.ts opens a shop that has them set up.

import type { Body } from '../../support/shop.ts'
import type { Double } from '../doubles/double.ts'

export type Message = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer }

/** What a message tells of. `moved`: something about the payment itself, such as that it is taken, or not held any more. */
export type Told = 'moved' | 'failed' | 'refunded' | 'disputed'

/** A payment: by the key of our attempt, where it is known, and by the provider's own id. */
export type About = { readonly key: string | null; readonly id: string; readonly refund?: string }

export type Capture = (body: Body) => Promise<{ status: number; body: unknown }>

export type Provider = {
  readonly code: 'stripe' | 'square' | 'razorpay' | 'paypal' | 'mollie'
  readonly config: Readonly<Record<string, string>>
  /** The part of the config that the provider knows us by, and one that it does not know. */
  readonly secret: { readonly name: string; readonly revoked: string }
  readonly places: Readonly<Record<string, string>>
  readonly double: Double
  /** Where requests and answers differ from the provider's specification. */
  readonly mistakes: string[]
  calm(): void
  close(): Promise<void>
  /** The request of ours that takes the money, as "METHOD path". */
  readonly taking: RegExp
  /** Our own step between the provider's answer to it and what is written down of that. */
  readonly answeredAt: 'capture.charged' | 'capture.confirmed'
  /** Goes as far as the shopper does, and gives the body of the capture by which the payment is taken. */
  ready(capture: Capture): Promise<Body>
  /** Prepares a capture, like `ready`, with a payment that is declined. */
  decline?(capture: Capture): Promise<Body>
  /** Our request that takes what is held. */
  readonly takesHeld?: RegExp
  /** Settings that a storefront may know. */
  readonly shows: object
  /** Begins a payment that its shopper leaves. */
  leave(capture: Capture): Promise<void>
  /** The provider's id of the payment of an attempt; empty where there is none. */
  paymentOf(key: string): string
  /** How many payments of an attempt have moved money. */
  takenOf(key: string): number
  /** What has been given back of a payment, in minor units, refund by refund. */
  givenBack(id: string): readonly number[]
  /** A payment that we have called off is paid all the same. Gives its id. */
  payLate(key: string): string
  /** In the dashboard. Gives the id of the refund. */
  refundByHand(id: string, amount: number): string
  /** The refunds of a payment turn out to have failed. Gives the id of the last. */
  failRefunds(id: string): string
  /** A customer disputes the payment. Gives what changes how that stands. */
  dispute(id: string): { lose(): void }
  /** Of money that is set aside so much is taken in the dashboard. */
  takeByHand(id: string, amount: number): void
  /** True while the provider holds a payment. Missing if only the provider can let go of it. */
  holds?(id: string): boolean
  /** Money that is set aside is held no longer. */
  endHold(id: string): void
  /** Whether the provider tells of that, and takes parts of what it holds. */
  readonly isHoldTold: boolean
  /** Under a new id, as it is sent to `url`. */
  message(told: Told, about: About, url: string): Message
  /** Of what must be in no log. */
  readonly secrets: RegExp
}

type StandIn = Double & Pick<Provider, 'places' | 'mistakes'>

/** The parts of a provider that are those of the server in its place. */
export const standIn = <D extends StandIn>(double: D) => ({
  double,
  places: double.places,
  mistakes: double.mistakes,
  calm: double.calm,
  close: double.close,
})

/** Type and object of each message of a provider. */
export type Messages<Entity extends object = object> = Readonly<Record<Told, (about: About) => [string, Entity]>>

export const payBy = (gateway: string, fields?: object): Body => ({
  customer: { email: 'ada@example.com' },
  payment: { gateway, ...(fields === undefined ? {} : { [gateway]: fields }) },
})

/** The part of a refusal that tells a storefront how to go on. */
export const paramOf = (answer: { body: unknown }): string =>
  (answer.body as { error?: { param?: string } }).error?.param ?? ''
