// Razorpay in a sandbox without an account. No window opens, so Razorpay's UPI test addresses are used as payment ids.

import type { PaymentInput } from '../gateway.ts'
import { readPaymentField } from '../provider/payment.ts'
import { declineBehaviour } from '../sandbox/cards.ts'
import type { TestCard } from '../sandbox/charge.ts'
import { CHARGE_BEHAVIOUR, findNamedCard, type NamedCard, simulateProvider } from '../sandbox/simulation.ts'

export const razorpaySimulation = simulateProvider({ read: readNamedCard, isTakenWhole: true })

function readNamedCard({ details }: PaymentInput): NamedCard {
  return findNamedCard(readPaymentField(details.razorpay, 'payment_id'), {
    path: 'payment.razorpay.payment_id',
    hint: 'the id of a payment, pay_…, or a UPI address for trying out: success@razorpay or failure@razorpay',
    names: NAMES,
    byDigits: /^pay_(\d{4})$/,
    isOwn: /^pay_\w+$/,
  })
}

const UPI = { reference: null, brand: null, country: 'IN', type: 'upi' } as const

const NAMES: Readonly<Record<string, TestCard>> = {
  'success@razorpay': { ...UPI, behaviour: CHARGE_BEHAVIOUR },
  'failure@razorpay': { ...UPI, behaviour: declineBehaviour('payment_declined', 'The payment was declined.') },
}
