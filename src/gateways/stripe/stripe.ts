// Stripe: cards, by what its script makes of them in the browser with the publishable key.

import { type Gateway, optionalField, publicField, secretField } from '../gateway.ts'
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
      ...secretField(
        'The signing secret of the webhook: whsec_…; while it is being replaced two, separated by a comma',
      ),
      isRequired: false,
      beginsWith: ['whsec_'],
    },
    capture: {
      ...optionalField('automatic, or manual: money is only held until the merchant takes it'),
      beginsWith: ['automatic', 'manual'],
    },
  },
  publicSettings: ({ publishable_key = null }) => ({ publishable_key }),
  charging: stripeCharging,
  simulation,
}
