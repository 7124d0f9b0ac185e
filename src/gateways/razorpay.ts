// Razorpay: its own window opens in the browser with the key id, and gives the id of a payment.

import { type Gateway, publicField, secretField } from './gateway.ts'

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
}
