// Table of contents: every gateway, in the order in which they are offered.

import { type Gateway, type GatewayPorts, hasCredentials, type Payments } from './gateway.ts'
import { manual } from './manual.ts'
import { mollie } from './mollie.ts'
import { paypal } from './paypal/paypal.ts'
import { razorpay } from './razorpay/razorpay.ts'
import { testGateway } from './sandbox/test-gateway.ts'
import { testRedirect } from './sandbox/test-redirect.ts'
import { square } from './square/square.ts'
import { stripe } from './stripe/stripe.ts'

export const gateways: readonly Gateway[] = [
  testGateway,
  testRedirect,
  manual,
  stripe,
  square,
  razorpay,
  paypal,
  mollie,
]

/** Undefined for a code that only a newer release knows, which may run beside this one on the same database. */
export const findGateway = (code: string): Gateway | undefined => gateways.find((gateway) => gateway.code === code)

/** The codes of those that have a provider, somebody else's server. */
export const providers: readonly string[] = gateways.filter(hasCredentials).map(({ code }) => code)

/** How each gateway takes money, and how it is simulated. */
export const chargingWith = (ports: GatewayPorts): Payments['charging'] => {
  const ways = new Map(gateways.map((gateway) => [gateway.code, gateway.charging?.(ports)]))
  const simulations = new Map(gateways.map((gateway) => [gateway.code, gateway.simulation?.(ports)]))
  return (code, isSimulated) => (isSimulated ? simulations : ways).get(code)
}
