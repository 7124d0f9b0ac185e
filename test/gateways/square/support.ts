// What the tests of Square's adapter share: the double, an adapter that asks it, and charges that were begun now.

import { afterAll, afterEach, expect } from 'vitest'
import type { ChargeRequest, GatewayAdapter, PaymentInput } from '../../../src/gateways/gateway.ts'
import type { ProviderStory } from '../../../src/gateways/provider/story.ts'
import { squareAdapter } from '../../../src/gateways/square/adapter.ts'
import { TestClock } from '../../support/app.ts'
import { chargeRequest, gatewayPorts, NO_PAYMENT } from '../../support/gateways.ts'
import { openSquare, SQUARE_CONFIG } from '../doubles/square.ts'

export const payWith = (token: string, more: object = {}): PaymentInput => ({
  ...NO_PAYMENT,
  gateway: 'square',
  details: { square: { token, ...more } },
})

export const OK = 'cnon:card-nonce-ok'
export const MANUAL = { ...SQUARE_CONFIG, capture: 'manual' }

/** What comes of a charge of 12.34 USD with the card that pays. */
export const PAID = {
  kind: 'charged',
  amount: 1_234,
  currency: 'USD',
  transactionId: expect.stringMatching(/^P\d+$/),
  reference: '1111',
  source: { type: 'card', brand: 'Visa', country: null, zip: '94107' },
}

type Whole = GatewayAdapter & Required<Pick<GatewayAdapter, 'confirm' | 'take' | 'release'>> & { story: ProviderStory }

/** Another adapter for every call in turn, as another process would have. */
export async function openSquareTest() {
  const clock = new TestClock()
  const square = await openSquare(() => clock.now())
  // Nothing of Square's is kept in our database.
  const ports = gatewayPorts({ db: undefined as never, clock }, { places: square.places })
  afterEach(() => {
    square.calm()
    square.lists = 'fresh'
    square.pageSize = 100
    Object.assign(square.location, { currency: 'USD', status: 'ACTIVE', capabilities: ['CREDIT_CARD_PROCESSING'] })
    expect(square.mistakes.splice(0)).toEqual([])
  })
  afterAll(async () => {
    ports.http.close()
    await square.close()
  })
  return {
    clock,
    square,
    /** What is kept of connections is let go: on one that was just cut nobody could tell whether a request got there. */
    hangUp: () => ports.http.close(),
    adapter: () => squareAdapter(ports) as Whole,
    request: (more: Partial<ChargeRequest> = {}) =>
      chargeRequest(1, clock.now(), { config: SQUARE_CONFIG, payment: payWith(OK), ...more }),
  }
}

/** Payments of one key, by their states. */
export const statesOf = (rows: readonly { status: string }[]) => rows.map(({ status }) => status)
