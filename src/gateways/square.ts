// Square: cards, by a nonce that its script makes in the browser with the application and the location.

import { type Gateway, publicField, secretField } from './gateway.ts'

export const square: Gateway = {
  code: 'square',
  name: 'Square',
  type: 'card',
  cardsAccepted: ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay'],
  isSandboxOnly: false,
  isRepeatable: false,
  config: {
    application_id: publicField('The id of the application.'),
    location_id: publicField('The id of the location that sells.'),
    access_token: secretField('The access token of the application.'),
  },
  publicSettings: ({ application_id = null, location_id = null }) => ({ application_id, location_id }),
}
