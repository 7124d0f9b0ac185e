// PayPal in a sandbox without an account. The first capture sends the shopper to our page instead of PayPal's.
// A payment id that is not ours means that the shopper approved it in PayPal's own window.

import type { GatewayAdapter, GatewayPorts, PaymentInput } from '../gateway.ts'
import { declineBehaviour } from '../sandbox/cards.ts'
import type { TestCard } from '../sandbox/charge.ts'
import { findNamedCard, type NamedCard, simulateProvider } from '../sandbox/simulation.ts'
import { chargeOnPage } from '../sandbox/test-redirect.ts'
import { actionOf, paymentIdOf, paypalConfirmation } from './payment.ts'

export function paypalSimulation(ports: GatewayPorts): GatewayAdapter {
  const simulated = simulateProvider({ read: readNamedCard })(ports)
  return {
    ...simulated,
    problemsOf: (payment, sum) => (beginsOnPage(payment) ? {} : simulated.problemsOf(payment, sum)),
    charge: (request) =>
      beginsOnPage(request.payment)
        ? chargeOnPage(ports, request, { gateway: 'paypal', provider: 'PayPal', type: 'paypal' })
        : simulated.charge(request),
    confirmationOf: paypalConfirmation,
  }
}

/** Our payment ids are keys of attempts. If the attempt no longer waits, it was never approved and starts again. */
const OUR_ID = /^atmpt_\w+$/

function beginsOnPage(payment: PaymentInput): boolean {
  const id = paymentIdOf(payment)
  const action = actionOf(payment)
  return action === 'authorize' || (id === null ? action !== 'capture' : OUR_ID.test(id))
}

const readNamedCard = (payment: PaymentInput): NamedCard =>
  findNamedCard(paymentIdOf(payment), {
    path: 'payment.paypal.payment_id',
    hint: 'the payment_id from the reply to a capture with the action authorize, or the id of a payment that the shopper has approved: PAYID-…',
    names: NAMES,
    byDigits: /^PAY(?:ID)?-(\d{4})$/,
    isOwn: /^[A-Z0-9][A-Z0-9-]+$/i,
  })

const REFUSED: TestCard = {
  behaviour: declineBehaviour('payment_declined', 'PayPal has declined the payment.'),
  reference: null,
  brand: null,
  country: null,
}

/** Values that trigger errors in PayPal's own sandbox. */
const NAMES: Readonly<Record<string, TestCard>> = {
  INSTRUMENT_DECLINED: REFUSED,
  PAYER_CANNOT_PAY: REFUSED,
  TRANSACTION_REFUSED: REFUSED,
}
