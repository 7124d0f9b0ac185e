// Table of contents: every gateway in the order of the lists.

import { hasCredentials } from './config-fields.ts'
import type { GatewayDefinition, GatewayPorts, PaymentGateways } from './gateway.ts'
import { manual } from './manual.ts'
import { mollie } from './mollie.ts'
import { paypal } from './paypal/paypal.ts'
import { razorpay } from './razorpay/razorpay.ts'
import { testGateway } from './sandbox/test-gateway.ts'
import { testRedirect } from './sandbox/test-redirect.ts'
import { square } from './square/square.ts'
import { stripe } from './stripe/stripe.ts'

export const gateways: readonly GatewayDefinition[] = [
  testGateway,
  testRedirect,
  manual,
  stripe,
  square,
  razorpay,
  paypal,
  mollie,
]

/** Undefined for a code that only a newer release knows. Such a release may run beside this one on the same database. */
export const findGateway = (code: string): GatewayDefinition | undefined =>
  gateways.find((gateway) => gateway.code === code)

/** Codes of the gateways with an external provider. */
export const providers: readonly string[] = gateways.filter(hasCredentials).map(({ code }) => code)

/** Creates the adapters and the simulations of all gateways. */
export const createAdapters = (ports: GatewayPorts): PaymentGateways['findAdapter'] => {
  const adapters = new Map(gateways.map((gateway) => [gateway.code, gateway.createAdapter?.(ports)]))
  const simulations = new Map(gateways.map((gateway) => [gateway.code, gateway.createSimulation?.(ports)]))
  return (code, isSimulated) => (isSimulated ? simulations : adapters).get(code)
}
