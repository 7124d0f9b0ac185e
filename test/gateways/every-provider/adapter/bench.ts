// A provider's adapter beside the server in the provider's place, without a shop and without a database. Each provider's folder has its own
// bench, which says how a charge gets as far as its shopper, and which requests move money.

import { afterAll, afterEach, expect } from 'vitest'
import type { GatewayConfig } from '../../../../src/gateways/call.ts'
import type {
  ChargeOutcome,
  ChargeRequest,
  GatewayAdapter,
  GatewayPorts,
  LookupOutcome,
} from '../../../../src/gateways/gateway.ts'
import type { ProviderHistory, ProviderMessage } from '../../../../src/gateways/provider/history.ts'
import { TestClock } from '../../../support/app.ts'
import { chargeRequest, gatewayPorts } from '../../../support/gateways.ts'
import { MESSAGE_URL } from '../../doubles/square.ts'
import type { Message, Provider } from '../provider.ts'

export type Whole = Required<Omit<GatewayAdapter, 'release' | 'takesParts'>> &
  Pick<GatewayAdapter, 'release' | 'takesParts'> & { readonly history: ProviderHistory }

/** A request during which something breaks, and what looking up finds then: where the provider has done it, and where not. */
export type Step = {
  readonly on: RegExp
  readonly done: LookupOutcome['kind']
  readonly undone: LookupOutcome['kind']
  /** Nothing was charged where the provider takes no more requests (429). */
  readonly isNothingChargedByLimit?: true
}

export type Steps = {
  /** Before anybody can pay: nothing is charged whatever breaks here. */
  readonly begin: readonly Step[]
  /** From the shopper's approval to the money. */
  readonly pay: readonly Step[]
  readonly cancel: readonly RegExp[]
  readonly refund: readonly RegExp[]
  readonly take: readonly RegExp[]
  /** More requests by which a part is taken. */
  readonly part?: readonly RegExp[]
  readonly release: RegExp | null
}

export type Bench = Opened & {
  readonly name: string
  /** A charge whose shopper has done all that is needed. */
  ready(more?: Partial<ChargeRequest>): Promise<ChargeRequest>
  /** Our request by which it is paid. */
  pay(charge: ChargeRequest): Promise<ChargeOutcome | LookupOutcome>
  /** A charge that can be called off. */
  cancellable(): Promise<ChargeRequest>
  /** How `pay` tells a payment of 12.34 USD. */
  readonly paid: object
  readonly steps: Steps
  /** A lookup, too, passes on that its own request did not get there. */
  readonly tellsUnsent?: true
  /** The provider refuses the access tokens that it has given. */
  forgetTokens?(): void
  /** The provider forgets the keys of requests, as it does after some time. */
  forgetKeys(): void
  /** The sum of a charge as the provider's books have it. */
  booked(key: string): number | string | undefined
  /** An id that no payment of the provider has. */
  readonly unknownId: string
  readonly telling: Telling
  /** Sentences of declines, and of a refusal of the credentials. */
  readonly says: Readonly<Record<'credentials' | 'refunded', RegExp>> &
    Readonly<Partial<Record<'tooMuchTaken' | 'notHeld' | 'disputed', RegExp>>>
}

type State = readonly [state: string, status: 'open' | 'won' | 'lost' | 'closed']

/** Messages of a provider, and its answers about payments and credentials. */
export type Telling = {
  /** The field of the config that messages are signed with, and a signature over any bytes; null where messages are not signed. */
  readonly signing: { readonly field: string; sign(body: Buffer): Message } | null
  /** A dispute of a payment in one of the provider's own states. */
  dispute(id: string, state: string): { readonly id: string; readonly reason: string }
  readonly disputes: readonly State[]
  /** The credentials may not see disputes. */
  hideDisputes: (() => void) | null
  /** Checks of credentials: other fields, the mode, whether they can be used, and a sentence. */
  readonly checks: readonly (readonly [object, is_sandbox: boolean, isUsable: boolean, RegExp])[]
}

type Opened = {
  readonly provider: Provider
  readonly clock: TestClock
  readonly ports: GatewayPorts
  /** Another adapter for every call in turn, as another process would have. */
  adapter(): Whole
  request(more?: Partial<ChargeRequest>): ChargeRequest
  readonly manual: GatewayConfig
}

/** Every request must be one that the provider's specification knows, in each test. */
export async function openBench<Opener extends Provider>(
  open: (now: () => Date) => Promise<Opener>,
  make: (ports: GatewayPorts) => GatewayAdapter,
): Promise<Opened & { readonly provider: Opener }> {
  const clock = new TestClock()
  const provider = await open(() => clock.now())
  // Nothing of a provider's is kept in our database.
  const ports = gatewayPorts({ db: undefined as never, clock }, { places: provider.places })
  afterEach(() => {
    provider.calm()
    expect(provider.mistakes.splice(0)).toEqual([])
  })
  afterAll(async () => {
    ports.http.close()
    await provider.close()
  })
  return {
    provider,
    clock,
    ports,
    adapter: () => make(ports) as Whole,
    request: (more = {}) => chargeRequest(7, clock.now(), { config: provider.config, ...more }),
    manual: { ...provider.config, capture: 'manual' },
  }
}

/** A call again, later: nobody waits for the first any more. */
export const again = <Call extends { readonly signal: AbortSignal }>(call: Call): Call => ({
  ...call,
  signal: AbortSignal.timeout(60_000),
})

/** Pays a charge, and gives it with the provider's id. */
export async function payOn({ ready, pay }: Pick<Bench, 'ready' | 'pay'>, more: Partial<ChargeRequest> = {}) {
  const charge = await ready(more)
  const outcome = await pay(charge)
  if (outcome.kind !== 'charged' && outcome.kind !== 'authorized') throw new Error(`It is ${outcome.kind}.`)
  return { ...again(charge), transactionId: outcome.transactionId }
}

/** Declined with such a sentence. */
export const declined = (sentence = /./) => ({ kind: 'declined', message: expect.stringMatching(sentence) })

/** It fails and leaves open whether money was taken. */
export const leavesOpen = (work: Promise<unknown>) => expect(work).rejects.toMatchObject({ isNothingCharged: false })

export const refundKey = ({ key }: { readonly key: string }) => `rfnd_${key.slice(-26)}`

/** A card of which nothing is said. */
export const NO_CARD = {
  ...{ number: null, cvc: null, expiryMonth: null, expiryYear: null, postalZipCode: null },
  ...{ token: null, nonce: null },
}

/** Reads messages as they come to the address that the provider was given. */
export const readerOf =
  ({ adapter, request, clock }: Pick<Bench, 'adapter' | 'request' | 'clock'>) =>
  (message: Message, more: Partial<ProviderMessage> = {}) =>
    adapter().history.readMessage({ ...request(), ...message, url: MESSAGE_URL, now: clock.now(), ...more })
