// Razorpay: its own window opens in the browser with the key id, and gives the id of a payment.

import { type Gateway, type PaymentInput, publicField, secretField } from '../gateway.ts'
import { decline } from '../sandbox/cards.ts'
import type { TestCard } from '../sandbox/charge.ts'
import { CHARGE, cardNamed, fieldIn, type NamedCard, simulate } from '../sandbox/simulation.ts'

export const razorpay: Gateway = {
  code: 'razorpay',
  name: 'Razorpay',
  type: 'third_party',
  isSandboxOnly: false,
  isRepeatable: false,
  config: {
    key_id: publicField('The key id: rzp_…'),
    key_secret: secretField('The secret that belongs to the key id.'),
  },
  publicSettings: ({ key_id = null }) => ({ key_id }),
  simulation: simulate({ read, isTakenWhole: true }),
}

// The simulation. Without an account no window opens: the addresses that pay by UPI there stand here for the payment itself.

function read({ details }: PaymentInput): NamedCard {
  return cardNamed(fieldIn(details.razorpay, 'payment_id'), {
    path: 'payment.razorpay.payment_id',
    hint: 'the id of a payment, pay_…, or a UPI address for trying out: success@razorpay or failure@razorpay',
    names: NAMES,
    byDigits: /^pay_(\d{4})$/,
    isOwn: /^pay_\w+$/,
  })
}

const UPI = { reference: null, brand: null, country: 'IN', type: 'upi' } as const

const NAMES: Readonly<Record<string, TestCard>> = {
  'success@razorpay': { ...UPI, behaviour: CHARGE },
  'failure@razorpay': { ...UPI, behaviour: decline('payment_declined', 'The payment was declined.') },
}
