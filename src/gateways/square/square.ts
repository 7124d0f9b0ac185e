// Square: card payments. Its script creates a token in the browser for the application and the location. docs/payments/square.md describes
// the setup.

import type { CheckoutPage, TrialMeans } from '../checkout-page.ts'
import { captureField, optionalField, publicField, secretField } from '../config-fields.ts'
import type { GatewayDefinition } from '../gateway.ts'
import { messageField } from '../provider/messages.ts'
import { squareAdapter } from './adapter.ts'
import { LOCATION_CURRENCY } from './api.ts'
import { squareSimulation } from './simulation.ts'

const means = (id: TrialMeans['id'], token: string): TrialMeans => ({ id, fields: { 'payment[square][token]': token } })

/** Hosts from developer.squareup.com/docs/web-payments/content-security-policy. The sandbox has its own hosts. */
const page: CheckoutPage = {
  kind: 'script',
  isAllowedOnlyWhileChosen: true,
  hosts: (is_sandbox) => {
    const files = `https://${is_sandbox ? 'sandbox.' : ''}web.squarecdn.com`
    const domain = is_sandbox ? 'squareupsandbox.com' : 'squareup.com'
    return {
      script: [files],
      // Square's script frames the bank pages of a card check (3-D Secure) in our page and sends them forms. Each bank has its own host,
      // and Square lists none of them (docs/decisions/0076).
      frame: ['https:'],
      form: ['https:'],
      connect: [files, `https://pci-connect.${domain}`, `https://connect.${domain}`],
      style: [files],
      font: ['https://square-fonts-production-f.squarecdn.com', 'https://d1g145x70srn7h.cloudfront.net'],
    }
  },
  means: [
    means('pays', 'cnon:card-nonce-ok'),
    means('declined', 'cnon:card-nonce-declined'),
    means('expired_card', 'cnon:card-nonce-rejected-expiration'),
    means('incorrect_cvc', 'cnon:card-nonce-rejected-cvv'),
  ],
}

export const square: GatewayDefinition = {
  code: 'square',
  name: 'Square',
  description: 'Cards, within the page of the checkout.',
  type: 'card',
  cardsAccepted: ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay'],
  isSandboxOnly: false,
  isRepeatable: false,
  config: {
    // The application id is public. Its prefix reveals a pasted access token, which Square's dashboard shows beside it.
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
  paymentFields: ['token', 'verification_token'],
  accountFacts: [LOCATION_CURRENCY],
  page,
  publicSettings: ({ application_id = null, location_id = null }) => ({ application_id, location_id }),
  createAdapter: squareAdapter,
  createSimulation: squareSimulation,
}
