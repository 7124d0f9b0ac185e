// Stripe's adapter by itself, against the server in Stripe's place: no shop and no database.

import { afterAll, afterEach, expect } from 'vitest'
import type { GatewayConfig } from '../../../src/gateways/call.ts'
import type { ChargeRequest, GatewayAdapter, GatewayPorts, PaymentInput } from '../../../src/gateways/gateway.ts'
import { providerClient } from '../../../src/gateways/provider/client.ts'
import { stripe } from '../../../src/gateways/stripe/stripe.ts'
import { chargeRequest } from '../../support/gateways.ts'
import { openStripe, SECRET_KEY, WEBHOOK_SECRET } from '../doubles/stripe.ts'

export const OFFICIAL = 'https://api.stripe.com'

export const CONFIG: GatewayConfig = {
  publishable_key: 'pk_test_double',
  secret_key: SECRET_KEY,
  webhook_secret: WEBHOOK_SECRET,
}

export const payment = (
  fields: Record<string, unknown>,
  card: Partial<NonNullable<PaymentInput['card']>> | null = null,
): PaymentInput => ({
  gateway: 'stripe',
  card: card && {
    ...{ number: null, cvc: null, expiryMonth: null, expiryYear: null, postalZipCode: null, token: null, nonce: null },
    ...card,
  },
  details: { stripe: fields },
})

export const by = (method: string) => payment({ payment_method_id: method })

/** Stripe.js, as far as we are concerned: a method that can be used. */
export const VISA = by('pm_card_visa')
export const VERIFY = by('pm_card_threeDSecure2Required')

/** Every request must be one that Stripe's specification knows, in each test. */
export async function openAdapter() {
  let time = Date.parse('2026-01-02T03:04:05Z')
  const clock = { now: () => new Date(time) }
  const double = await openStripe(() => clock.now())
  const http = providerClient()
  const addresses: string[] = []
  const ports = {
    http,
    address: (official: string) => {
      addresses.push(official)
      return double.url
    },
    clock,
  } as unknown as GatewayPorts
  const adapter = stripe.charging?.(ports) as Required<Omit<GatewayAdapter, 'referenceOf'>>
  afterEach(() => {
    double.calm()
    Object.assign(double.settings, { isKeyInUse: false, lockedUntilCalm: false, hasSearch: true, storedFailure: null })
    expect(double.mistakes).toEqual([])
    expect(new Set(addresses)).toEqual(addresses.length === 0 ? new Set() : new Set([OFFICIAL]))
  })
  afterAll(async () => {
    http.close()
    await double.close()
  })
  return {
    adapter,
    double,
    clock,
    advance: (seconds: number) => {
      time += seconds * 1_000
    },
    request: (more: Partial<ChargeRequest> = {}): ChargeRequest =>
      chargeRequest(7, clock.now(), { config: CONFIG, payment: VISA, ...more }),
    /** The requests since the last question, by method and last parts of the path. */
    asked: () =>
      double.requests
        .splice(0)
        .map(({ method, path }) => `${method} ${path.replace(/pi_\w+/, 'pi').replace('/v1/', '')}`),
  }
}

/** What a call throws. */
export const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (outcome) => {
      throw new Error(`It was to be thrown, and is ${JSON.stringify(outcome)}.`)
    },
    (error: unknown) => error,
  )
