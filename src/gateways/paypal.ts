// PayPal: the shopper is sent there and comes back.

import { type Gateway, optionalField, publicField, secretField } from './gateway.ts'

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
}
