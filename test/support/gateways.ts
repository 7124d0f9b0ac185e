// The ports that the application passes to gateways, for tests that call a gateway directly.

import { hasCredentials } from '../../src/gateways/config-fields.ts'
import type { ChargeRequest, GatewayPorts, PaymentInput } from '../../src/gateways/gateway.ts'
import { gateways } from '../../src/gateways/index.ts'
import { providerClient } from '../../src/gateways/provider/client.ts'
import { testJournal } from '../../src/gateways/sandbox/journal-store.ts'
import { newId } from '../../src/lib/ids.ts'
import type { TestApp } from './app.ts'

/** `places`: test servers that replace a provider, keyed by the provider's official address. */
export function gatewayPorts(
  { db, clock }: Pick<TestApp, 'db' | 'clock'>,
  {
    announce = async () => undefined,
    places = {},
  }: { announce?: GatewayPorts['announce']; places?: Readonly<Record<string, string>> } = {},
): GatewayPorts {
  return {
    journal: testJournal(db, clock),
    announce,
    http: providerClient(),
    address: (official) => places[official] ?? official,
    clock,
  }
}

/** The gateways that a token lists when none is configured. Trial gateways are listed only once they are configured. */
export const NONE_AVAILABLE: Readonly<Record<string, false>> = Object.fromEntries(
  gateways.filter(({ isOptIn }) => !isOptIn).map(({ code }) => [code, false]),
)

/** Gateways with credentials, and so with a provider. */
export const PROVIDERS: readonly string[] = gateways.filter(hasCredentials).map(({ code }) => code)

/** A payment without any details. */
export const NO_PAYMENT: PaymentInput = { gateway: null, card: null, details: {} }

/** A charge of 12.34 USD that starts now. */
export function chargeRequest(merchant_id: number, now: Date, more: Partial<ChargeRequest> = {}): ChargeRequest {
  const key = more.key ?? newId('paymentAttempt', now)
  return {
    merchant_id,
    key,
    is_sandbox: true,
    config: {},
    signal: AbortSignal.timeout(60_000),
    amount: 1_234,
    currency: 'USD',
    description: `Payment ${key}`,
    begunAt: now,
    confirmation: null,
    reference: null,
    payment: NO_PAYMENT,
    returnUrl: `https://shop.example/checkout/${merchant_id}/pay/chkt_1/back`,
    messageUrl: null,
    ...more,
  }
}
