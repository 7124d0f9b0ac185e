// Razorpay: its window opens in the browser with the key id and returns a payment id. docs/payments/razorpay.md describes the setup.

import type { CheckoutPage, TrialMeans } from '../checkout-page.ts'
import { captureField, publicField, secretField } from '../config-fields.ts'
import type { GatewayDefinition } from '../gateway.ts'
import { messageField } from '../provider/messages.ts'
import { razorpayAdapter } from './adapter.ts'
import { razorpaySimulation } from './simulation.ts'

const means = (id: TrialMeans['id'], payment: string): TrialMeans => ({
  id,
  fields: { 'payment[razorpay][payment_id]': payment },
})

/** Hosts from Razorpay's own extension for Magento (razorpay-magento, etc/csp_whitelist.xml). Banks open in windows. */
const page: CheckoutPage = {
  kind: 'script',
  hosts: () => ({
    script: ['https://checkout.razorpay.com', 'https://cdn.razorpay.com'],
    frame: ['https://api.razorpay.com'],
    connect: ['https://lumberjack.razorpay.com', 'https://lumberjack-metrics.razorpay.com'],
    img: ['https://cdn.razorpay.com'],
  }),
  opensWindows: true,
  writesStyles: true,
  means: [means('pays', 'success@razorpay'), means('declined', 'failure@razorpay')],
}

export const razorpay: GatewayDefinition = {
  code: 'razorpay',
  name: 'Razorpay',
  description: 'Cards, UPI, wallets and banks of India, in a window above the checkout.',
  type: 'third_party',
  isSandboxOnly: false,
  isRepeatable: false,
  config: {
    // Shoppers see the key id. The prefix rejects a pasted secret, which Razorpay shows beside it.
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
  paymentFields: ['payment_id', 'order_id', 'signature'],
  page,
  publicSettings: ({ key_id = null }) => ({ key_id }),
  createAdapter: razorpayAdapter,
  createSimulation: razorpaySimulation,
}
