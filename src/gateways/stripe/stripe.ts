// Stripe: cards, by what its script makes of them in the browser with the publishable key.

import { captureField, type Gateway, publicField, secretField } from '../gateway.ts'
import { messageField } from '../provider/messages.ts'
import { stripeCharging } from './adapter.ts'
import { simulation } from './simulation.ts'

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
    webhook_secret: {
      ...messageField('The signing secret of the webhook, whsec_….', { isSecret: true }),
      beginsWith: ['whsec_'],
    },
    capture: captureField,
  },
  sent: ['payment_method_id', 'payment_intent_id'],
  publicSettings: ({ publishable_key = null }) => ({ publishable_key }),
  charging: stripeCharging,
  simulation,
}
