// Razorpay: its own window opens in the browser with the key id, and gives the id of a payment. Set up as docs/payments/razorpay.md says.

import { captureField, type Gateway, publicField, secretField } from '../gateway.ts'
import { messageField } from '../provider/messages.ts'
import { razorpayAdapter } from './adapter.ts'
import { razorpaySimulation } from './simulation.ts'

export const razorpay: Gateway = {
  code: 'razorpay',
  name: 'Razorpay',
  type: 'third_party',
  isSandboxOnly: false,
  isRepeatable: false,
  config: {
    // Shoppers see it, and the secret is shown beside it when both are made.
    key_id: {
      ...publicField('The key id: rzp_live_…, or rzp_test_… in the sandbox.'),
      beginsWith: ['rzp_'],
    },
    key_secret: secretField('The secret that belongs to the key id.'),
    webhook_secret: messageField('The secret that was chosen for the webhook, without blanks and commas.', {
      isSecret: true,
    }),
    capture: captureField,
  },
  accountField: 'key_id',
  sent: ['payment_id', 'order_id', 'signature'],
  publicSettings: ({ key_id = null }) => ({ key_id }),
  charging: razorpayAdapter,
  simulation: razorpaySimulation,
}
