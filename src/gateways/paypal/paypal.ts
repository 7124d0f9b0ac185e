// PayPal: the shopper is sent there and comes back.

import {
  type Gateway,
  type GatewayAdapter,
  type GatewayPorts,
  optionalField,
  type PaymentInput,
  publicField,
  secretField,
} from '../gateway.ts'
import { decline } from '../sandbox/cards.ts'
import type { TestCard } from '../sandbox/charge.ts'
import { cardNamed, fieldIn, type NamedCard, simulate } from '../sandbox/simulation.ts'
import { chargeOnPage } from '../sandbox/test-redirect.ts'

export const paypal: Gateway = {
  code: 'paypal',
  name: 'PayPal',
  type: 'third_party',
  isSandboxOnly: false,
  isRepeatable: false,
  config: {
    client_id: publicField('The client id of the application.'),
    client_secret: secretField('The secret of the application.'),
    email: optionalField('The e-mail address of the account, for storefronts that show it.'),
  },
  publicSettings: ({ client_id = null, email = null }) => ({ client_id, email }),
  simulation,
}

// The simulation. A first capture sends the shopper to our page in place of PayPal's; one that names a payment which is none of ours
// stands for a shopper who has approved it in PayPal's own window.

function simulation(ports: GatewayPorts): GatewayAdapter {
  const approved = simulate({ read })(ports)
  return {
    ...approved,
    problemsOf: (payment, sum) => (beginsOnPage(payment) ? {} : approved.problemsOf(payment, sum)),
    charge: (request) =>
      beginsOnPage(request.payment)
        ? chargeOnPage(ports, request, { gateway: 'paypal', provider: 'PayPal', type: 'paypal' })
        : approved.charge(request),
    confirmationOf: (payment) => (actionOf(payment) === 'authorize' ? null : paymentIdOf(payment)),
  }
}

const actionOf = ({ details }: PaymentInput) => fieldIn(details.paypal, 'action')

/** Under the names that the address has to which shoppers come back, today and before. */
const paymentIdOf = ({ details: { paypal: sent } }: PaymentInput): string | null =>
  fieldIn(sent, 'payment_id') ?? fieldIn(sent, 'paykey') ?? fieldIn(sent, 'token')

/** Ours are the keys of attempts: one whose attempt waits no more was never approved, and begins anew. */
const OUR_ID = /^atmpt_\w+$/

/** "authorize" means "begin" to storefronts. */
function beginsOnPage(payment: PaymentInput): boolean {
  const id = paymentIdOf(payment)
  const action = actionOf(payment)
  return action === 'authorize' || (id === null ? action !== 'capture' : OUR_ID.test(id))
}

const read = (payment: PaymentInput): NamedCard =>
  cardNamed(paymentIdOf(payment), {
    path: 'payment.paypal.payment_id',
    hint: 'the paykey that a capture with the action authorize has given, or the id of a payment that the shopper has approved: PAYID-…',
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
