// Square: cards, by a nonce that its script makes in the browser with the application and the location. Set up as docs/payments/square.md says.

import { captureField, type Gateway, optionalField, publicField, secretField } from '../gateway.ts'
import { messageField } from '../provider/messages.ts'
import { squareAdapter } from './adapter.ts'
import { LOCATION_CURRENCY } from './api.ts'
import { squareSimulation } from './simulation.ts'

export const square: Gateway = {
  code: 'square',
  name: 'Square',
  type: 'card',
  cardsAccepted: ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay'],
  isSandboxOnly: false,
  isRepeatable: false,
  config: {
    // Shoppers see it, and the access token stands beside it in Square's dashboard: that one begins in another way.
    application_id: {
      ...publicField('The id of the application: sq0idp-…, or sandbox-sq0idb-… in the sandbox.'),
      beginsWith: ['sq0idp-', 'sandbox-sq0id'],
    },
    location_id: publicField('The id of the location that sells.'),
    access_token: secretField('The access token of the application.'),
    webhook_signature_key: messageField('The signature key of the webhook subscription.', { isSecret: true }),
    capture: captureField,
    statement_description_identifier: optionalField(
      'What stands on card statements beside the name of the seller. At most 20 characters are sent.',
    ),
  },
  sent: ['token', 'verification_token'],
  learned: [LOCATION_CURRENCY],
  publicSettings: ({ application_id = null, location_id = null }) => ({ application_id, location_id }),
  charging: squareAdapter,
  simulation: squareSimulation,
}
