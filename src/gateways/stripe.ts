// Stripe: cards, by a token that its script makes in the browser with the publishable key.

import { type Gateway, publicField, secretField } from './gateway.ts'

export const stripe: Gateway = {
  code: 'stripe',
  name: 'Stripe',
  type: 'card',
  cardsAccepted: ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay'],
  isSandboxOnly: false,
  isRepeatable: false,
  config: {
    publishable_key: { ...publicField('The publishable key: pk_…'), beginsWith: ['pk_'] },
    secret_key: { ...secretField('The secret key: sk_… or rk_…'), beginsWith: ['sk_', 'rk_'] },
  },
  publicSettings: ({ publishable_key = null }) => ({ publishable_key }),
}
