// PayPal: the shopper is redirected there and comes back.

import { captureField, optionalField, publicField, secretField } from '../config-fields.ts'
import type { GatewayDefinition } from '../gateway.ts'
import { messageField } from '../provider/messages.ts'
import { paypalAdapter } from './adapter.ts'
import { paypalSimulation } from './simulation.ts'

export const paypal: GatewayDefinition = {
  code: 'paypal',
  name: 'PayPal',
  description: 'The shopper pays at PayPal and comes back.',
  type: 'third_party',
  isSandboxOnly: false,
  isRepeatable: false,
  config: {
    client_id: publicField('The client id of the application.'),
    client_secret: secretField('The secret of the application.'),
    webhook_id: messageField(
      'The id of the webhook that tells us of payments. Without it what PayPal tells is not believed.',
      { isSecret: false },
    ),
    email: optionalField('The e-mail address of the account, for storefronts that show it.'),
    capture: captureField,
    brand_name: optionalField('The name of the shop on the pages of PayPal. Without it they show that of the account.'),
    return_url: {
      ...optionalField(
        'A page of the storefront to which shoppers come back, and which then captures again. Without it they come to a page of ours, which finishes the payment.',
      ),
      beginsWith: ['https://', 'http://'],
    },
  },
  accountField: 'client_id',
  paymentFields: ['action', 'payment_id', 'paykey', 'token'],
  page: { kind: 'redirect' },
  publicSettings: ({ client_id = null, email = null }) => ({ client_id, email }),
  createAdapter: paypalAdapter,
  createSimulation: paypalSimulation,
}
