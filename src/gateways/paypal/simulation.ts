// PayPal in a sandbox without an account. A first capture sends the shopper to our page in place of PayPal's; one that names a payment which
// is none of ours stands for a shopper who has approved it in PayPal's own window.

import type { GatewayAdapter, GatewayPorts, PaymentInput } from '../gateway.ts'
import { decline } from '../sandbox/cards.ts'
import type { TestCard } from '../sandbox/charge.ts'
import { cardNamed, type NamedCard, simulate } from '../sandbox/simulation.ts'
import { chargeOnPage } from '../sandbox/test-redirect.ts'
import { actionOf, confirmationOf, paymentIdOf } from './payment.ts'

export function simulation(ports: GatewayPorts): GatewayAdapter {
  const approved = simulate({ read })(ports)
  return {
    ...approved,
    problemsOf: (payment, sum) => (beginsOnPage(payment) ? {} : approved.problemsOf(payment, sum)),
    charge: (request) =>
      beginsOnPage(request.payment)
        ? chargeOnPage(ports, request, { gateway: 'paypal', provider: 'PayPal', type: 'paypal' })
        : approved.charge(request),
    confirmationOf,
  }
}

/** Ours are the keys of attempts: one whose attempt waits no more was never approved, and begins anew. */
const OUR_ID = /^atmpt_\w+$/

function beginsOnPage(payment: PaymentInput): boolean {
  const id = paymentIdOf(payment)
  const action = actionOf(payment)
  return action === 'authorize' || (id === null ? action !== 'capture' : OUR_ID.test(id))
}

const read = (payment: PaymentInput): NamedCard =>
  cardNamed(paymentIdOf(payment), {
    path: 'payment.paypal.payment_id',
    hint: 'the payment_id that a capture with the action authorize has given, or the id of a payment that the shopper has approved: PAYID-…',
    names: NAMES,
    byDigits: /^PAY(?:ID)?-(\d{4})$/,
    isOwn: /^[A-Z0-9][A-Z0-9-]+$/i,
  })

const REFUSED: TestCard = {
  behaviour: decline('payment_declined', 'PayPal has declined the payment.'),
  reference: null,
  brand: null,
  country: null,
}

/** What PayPal's own sandbox is told to answer with. */
const NAMES: Readonly<Record<string, TestCard>> = {
  INSTRUMENT_DECLINED: REFUSED,
  PAYER_CANNOT_PAY: REFUSED,
  TRANSACTION_REFUSED: REFUSED,
}
