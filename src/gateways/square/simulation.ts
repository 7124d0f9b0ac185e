// Square in a sandbox without an account. Card names are from developer.squareup.com, "Sandbox payments". Storefronts from before 2020
// write fake-card-nonce-… for the same cards.

import type { PaymentInput } from '../gateway.ts'
import { readPaymentField } from '../provider/payment.ts'
import { DECLINE_BEHAVIOURS, declineBehaviour } from '../sandbox/cards.ts'
import type { TestCard } from '../sandbox/charge.ts'
import {
  CHARGE_BEHAVIOUR,
  findNamedCard,
  type NamedCard,
  simulateProvider,
  testCardWith,
} from '../sandbox/simulation.ts'

export const squareSimulation = simulateProvider({ read: readNamedCard })

function readNamedCard({ card, details }: PaymentInput): NamedCard {
  const token = readPaymentField(details.square, 'token')
  const nonce = card?.nonce?.trim() ?? null
  const isNonce = token === null && nonce !== null
  return findNamedCard((isNonce ? nonce : token)?.replace(/^fake-card-nonce-/, 'cnon:card-nonce-') ?? null, {
    path: isNonce ? 'payment.card.nonce' : 'payment.square.token',
    hint: "a token of Square's script, or the name of a test card such as cnon:card-nonce-ok",
    names: NAMES,
    byDigits: /^cnon:card-nonce-(\d{4})$/,
    // An unknown name of a test card is a mistake.
    isOwn: /^(?!cnon:(?:gift-)?card-nonce-)(?:cnon:)?[\w-]+$/,
  })
}

const ENTER_AGAIN = declineBehaviour('payment_declined', 'The card has to be entered again.')
const OTHER_POSTAL_CODE = declineBehaviour('card_declined', 'The postal code is not the one of the card.')

const NAMES: Readonly<Record<string, TestCard>> = {
  'cnon:card-nonce-ok': testCardWith(CHARGE_BEHAVIOUR, '1111'),
  'cnon:card-nonce-declined': testCardWith(DECLINE_BEHAVIOURS.declined, null),
  'cnon:card-nonce-rejected-cvv': testCardWith(DECLINE_BEHAVIOURS.incorrectCvc, null),
  'cnon:card-nonce-rejected-postalcode': testCardWith(OTHER_POSTAL_CODE, null),
  'cnon:card-nonce-rejected-expiration': testCardWith(DECLINE_BEHAVIOURS.expired, null),
  'cnon:card-nonce-already-used': testCardWith(ENTER_AGAIN, null),
  'cnon:gift-card-nonce-ok': testCardWith(CHARGE_BEHAVIOUR, null, 'Square Gift Card'),
  'cnon:gift-card-nonce-insufficient-funds': testCardWith(DECLINE_BEHAVIOURS.insufficientFunds, null),
  'cnon:gift-card-nonce-insufficient-permission': testCardWith(DECLINE_BEHAVIOURS.declined, null),
}
