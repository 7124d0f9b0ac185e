// Stripe: card payments. Its script creates a payment method in the browser with the publishable key.

import type { CheckoutPage, TrialMeans } from '../checkout-page.ts'
import { captureField, publicField, secretField } from '../config-fields.ts'
import type { GatewayDefinition } from '../gateway.ts'
import { messageField } from '../provider/messages.ts'
import { stripeCharging } from './adapter.ts'
import { stripeSimulation } from './simulation.ts'

const means = (id: TrialMeans['id'], method: string): TrialMeans => ({
  id,
  fields: { 'payment[stripe][payment_method_id]': method },
})

/** Hosts for Stripe.js, from docs.stripe.com/security/guide. */
const page: CheckoutPage = {
  kind: 'script',
  hosts: () => ({
    script: ['https://js.stripe.com', 'https://*.js.stripe.com'],
    frame: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
    connect: ['https://api.stripe.com'],
  }),
  opensWindows: true,
  asksWallets: true,
  means: [
    means('pays', 'pm_card_visa'),
    means('verifies', 'pm_card_threeDSecure2Required'),
    means('declined', 'pm_card_chargeDeclined'),
    means('insufficient_funds', 'pm_card_chargeDeclinedInsufficientFunds'),
    means('expired_card', 'pm_card_chargeDeclinedExpiredCard'),
    means('incorrect_cvc', 'pm_card_chargeDeclinedIncorrectCvc'),
  ],
  confirmedBy: (param) => ({ 'payment[stripe][payment_intent_id]': param }),
}

export const stripe: GatewayDefinition = {
  code: 'stripe',
  name: 'Stripe',
  description: 'Cards and wallets, within the page of the checkout.',
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
  paymentFields: ['payment_method_id', 'payment_intent_id'],
  page,
  publicSettings: ({ publishable_key = null }) => ({ publishable_key }),
  createAdapter: stripeCharging,
  createSimulation: stripeSimulation,
}
