// Square in a sandbox without an account. Card names are from developer.squareup.com, "Sandbox payments". Storefronts from before 2020
// write fake-card-nonce-… for the same cards.

import type { PaymentInput } from '../gateway.ts'
import { fieldIn } from '../provider/payment.ts'
import { DECLINES, decline } from '../sandbox/cards.ts'
import type { TestCard } from '../sandbox/charge.ts'
import { CHARGE, cardNamed, cardThat, type NamedCard, simulate } from '../sandbox/simulation.ts'

export const squareSimulation = simulate({ read: readNamedCard })

function readNamedCard({ card, details }: PaymentInput): NamedCard {
  const token = fieldIn(details.square, 'token')
  const nonce = card?.nonce?.trim() ?? null
  const isNonce = token === null && nonce !== null
  return cardNamed((isNonce ? nonce : token)?.replace(/^fake-card-nonce-/, 'cnon:card-nonce-') ?? null, {
    path: isNonce ? 'payment.card.nonce' : 'payment.square.token',
    hint: "a token of Square's script, or the name of a test card such as cnon:card-nonce-ok",
    names: NAMES,
    byDigits: /^cnon:card-nonce-(\d{4})$/,
    // An unknown name of a test card is a mistake.
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
