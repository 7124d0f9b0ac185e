// Square: cards, by a nonce that its script makes in the browser with the application and the location.

import { type Gateway, type PaymentInput, publicField, secretField } from '../gateway.ts'
import { DECLINES, decline } from '../sandbox/cards.ts'
import type { TestCard } from '../sandbox/charge.ts'
import { CHARGE, cardNamed, cardThat, fieldIn, type NamedCard, simulate } from '../sandbox/simulation.ts'

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
  simulation: simulate({ read }),
}

// The simulation. Names: developer.squareup.com, "Sandbox payments". Storefronts of before 2020 say fake-card-nonce-… for the same.

function read({ card, details }: PaymentInput): NamedCard {
  const token = fieldIn(details.square, 'token')
  const nonce = card?.nonce?.trim() ?? null
  const isNonce = token === null && nonce !== null
  return cardNamed((isNonce ? nonce : token)?.replace(/^fake-card-nonce-/, 'cnon:card-nonce-') ?? null, {
    path: isNonce ? 'payment.card.nonce' : 'payment.square.token',
    hint: "a token of Square's script, or the name of a test card such as cnon:card-nonce-ok",
    names: NAMES,
    byDigits: /^cnon:card-nonce-(\d{4})$/,
    // Names of test cards that we do not know are mistakes.
    isOwn: /^(?!cnon:(?:gift-)?card-nonce-)(?:cnon:)?[\w-]+$/,
  })
}

const ENTER_AGAIN = decline('payment_declined', 'The card has to be entered again.')
const OTHER_POSTAL_CODE = decline('card_declined', 'The postal code is not the one of the card.')

const NAMES: Readonly<Record<string, TestCard>> = {
  'cnon:card-nonce-ok': cardThat(CHARGE, '1111'),
  'cnon:card-nonce-declined': cardThat(DECLINES.declined, null),
  'cnon:card-nonce-rejected-cvv': cardThat(DECLINES.incorrectCvc, null),
  'cnon:card-nonce-rejected-postalcode': cardThat(OTHER_POSTAL_CODE, null),
  'cnon:card-nonce-rejected-expiration': cardThat(DECLINES.expired, null),
  'cnon:card-nonce-already-used': cardThat(ENTER_AGAIN, null),
  'cnon:gift-card-nonce-ok': cardThat(CHARGE, null, 'Square Gift Card'),
  'cnon:gift-card-nonce-insufficient-funds': cardThat(DECLINES.insufficientFunds, null),
  'cnon:gift-card-nonce-insufficient-permission': cardThat(DECLINES.declined, null),
}
