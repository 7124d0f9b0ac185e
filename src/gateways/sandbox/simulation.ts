// Simulates a provider: a storefront's payment field names a test card, and the test journal does the rest.
// Each provider's own file says which field and which card names it uses.

import type { FieldErrors } from '../../lib/errors.ts'
import { GatewayUnavailable } from '../call.ts'
import type { GatewayAdapter, GatewayPorts, PaymentInput } from '../gateway.ts'
import { journalOperations } from './books.ts'
import { behaviourOf, type CardBehaviour, declineBehaviour, readCardNumber } from './cards.ts'
import { type BankVerification, chargeCard, createConfirm, type TestCard } from './charge.ts'

/** The card that a payment names, or the problems with it. */
export type NamedCard = { readonly card: TestCard } | { readonly problems: FieldErrors }

type Simulation = {
  read(payment: PaymentInput): NamedCard
  /** For a provider whose storefronts handle a bank confirmation. Other providers decline a card that needs one. */
  readonly verification?: { begin(): BankVerification; confirmationOf(payment: PaymentInput): string | null }
  /** The provider takes a held amount as a whole or not at all. */
  readonly isTakenWhole?: true
}

export const simulateProvider =
  ({ read, verification, isTakenWhole }: Simulation) =>
  (ports: GatewayPorts): GatewayAdapter => ({
    ...(isTakenWhole ? withoutPartialTakes(journalOperations(ports)) : journalOperations(ports)),
    problemsOf(payment) {
      const namedCard = read(payment)
      return 'problems' in namedCard ? namedCard.problems : {}
    },
    async charge(request) {
      const namedCard = read(request.payment)
      if ('problems' in namedCard)
        throw new GatewayUnavailable('The payment names no test card.', { isNothingCharged: true })
      if (verification !== undefined) return chargeCard(ports, request, namedCard.card, verification.begin)
      const { behaviour } = namedCard.card
      const card = behaviour.does === 'verify' ? { ...namedCard.card, behaviour: NOT_VERIFIED } : namedCard.card
      return chargeCard(ports, request, card, rejectVerification)
    },
    ...(verification === undefined
      ? {}
      : { confirmationOf: verification.confirmationOf, confirm: createConfirm(ports) }),
  })

const withoutPartialTakes = ({ takesParts: _, ...books }: ReturnType<typeof journalOperations>) => books

const NOT_VERIFIED = declineBehaviour('card_declined', 'The bank has not confirmed that the card is yours.')

const rejectVerification = (): never => {
  throw new Error('This provider cannot simulate a bank confirmation.')
}

/** Payment field of the card and the known values. */
type CardNames = {
  /** Dotted path in the body. */
  readonly path: string
  /** Valid input, for a message: "a token of …, or the name of a test card such as …". */
  readonly hint: string
  readonly names: Readonly<Record<string, TestCard>>
  /** Our own card name at every provider. Its group is the last four digits of a test gateway card. */
  readonly byDigits: RegExp
  /** Token that the provider's script creates for a shopper's own card. Its issuer and card are unknown here, so it always pays. */
  readonly isOwn: RegExp
}

export function findNamedCard(value: string | null, { path, hint, names, byDigits, isOwn }: CardNames): NamedCard {
  const problem = (rule: string): NamedCard => ({ problems: { [path]: [`${path} ${rule}`] } })
  if (value === null) return problem(`is required: ${hint}.`)
  if (readCardNumber(value) !== null) return problem(`must not be the number of a card: send ${hint}.`)
  const card = Object.hasOwn(names, value) ? names[value] : undefined
  if (card !== undefined) return { card }
  const digits = byDigits.exec(value)?.[1]
  if (digits !== undefined) return { card: { ...OWN_CARD, behaviour: behaviourOf(digits), reference: digits } }
  return isOwn.test(value) ? { card: OWN_CARD } : problem(`cannot be used in a simulation: send ${hint}.`)
}

const OWN_CARD: TestCard = { behaviour: { does: 'charge' }, reference: null, brand: null, country: null }

export const testCardWith = (behaviour: CardBehaviour, reference: string | null, brand = 'Visa'): TestCard => ({
  behaviour,
  reference,
  brand,
  country: 'US',
})

export const CHARGE_BEHAVIOUR: CardBehaviour = { does: 'charge' }
