// How a provider is simulated: what a storefront sends for it names a card, by the provider's own name for a test card or by what its script
// has made, and the test books do the rest. Each provider says in its own file where it looks and which names it knows.

import type { FieldErrors } from '../../lib/errors.ts'
import { GatewayUnavailable } from '../call.ts'
import type { GatewayAdapter, GatewayPorts, PaymentInput } from '../gateway.ts'
import { keptBooks } from './books.ts'
import { behaviourOf, type CardBehaviour, decline, readCardNumber } from './cards.ts'
import { chargeCard, confirmWith, type TestCard, type Verification } from './charge.ts'

/** What a payment names, or what is wrong with it. */
export type NamedCard = { readonly card: TestCard } | { readonly problems: FieldErrors }

type Simulation = {
  read(payment: PaymentInput): NamedCard
  /** For a provider whose storefronts confirm with the bank in between. At the others a card that wants it is declined. */
  readonly verification?: { begin(): Verification; confirmationOf(payment: PaymentInput): string | null }
  /** The provider takes all that it holds, or nothing. */
  readonly isTakenWhole?: true
}

export const simulate =
  ({ read, verification, isTakenWhole }: Simulation) =>
  (ports: GatewayPorts): GatewayAdapter => ({
    ...(isTakenWhole ? takenWhole(keptBooks(ports)) : keptBooks(ports)),
    problemsOf(payment) {
      const named = read(payment)
      return 'problems' in named ? named.problems : {}
    },
    async charge(request) {
      const named = read(request.payment)
      if ('problems' in named) throw new GatewayUnavailable('That is no card.', { isNothingCharged: true })
      if (verification !== undefined) return chargeCard(ports, request, named.card, verification.begin)
      const { behaviour } = named.card
      const card = behaviour.does === 'verify' ? { ...named.card, behaviour: NOT_VERIFIED } : named.card
      return chargeCard(ports, request, card, neverBegun)
    },
    ...(verification === undefined ? {} : { confirmationOf: verification.confirmationOf, confirm: confirmWith(ports) }),
  })

const takenWhole = ({ takesParts: _, ...books }: ReturnType<typeof keptBooks>) => books

const NOT_VERIFIED = decline('card_declined', 'The bank has not confirmed that the card is yours.')

const neverBegun = (): never => {
  throw new Error('A card that is declined waits for nobody.')
}

/** Where a payment may name its card, and what is known there. */
type CardNames = {
  /** From the body, dotted. */
  readonly path: string
  /** What to send, for a sentence: "a token of …, or the name of a test card such as …". */
  readonly hint: string
  readonly names: Readonly<Record<string, TestCard>>
  /** A name of ours at every provider: its group, the last four digits of a card of the test gateway. */
  readonly byDigits: RegExp
  /** What the provider's script makes of a shopper's own card. It pays: who has made it, and of which card, is not known here. */
  readonly isOwn: RegExp
}

export function cardNamed(value: string | null, { path, hint, names, byDigits, isOwn }: CardNames): NamedCard {
  const problem = (rule: string): NamedCard => ({ problems: { [path]: [`${path} ${rule}`] } })
  if (value === null) return problem(`is required: ${hint}.`)
  if (readCardNumber(value) !== null) return problem(`must not be the number of a card: send ${hint}.`)
  const card = Object.hasOwn(names, value) ? names[value] : undefined
  if (card !== undefined) return { card }
  const digits = byDigits.exec(value)?.[1]
  if (digits !== undefined) return { card: { ...OWN_CARD, behaviour: behaviourOf(digits), reference: digits } }
  return isOwn.test(value)
    ? { card: OWN_CARD }
    : problem(`is nothing that can be paid with in a simulation: send ${hint}.`)
}

const OWN_CARD: TestCard = { behaviour: { does: 'charge' }, reference: null, brand: null, country: null }

export const cardThat = (behaviour: CardBehaviour, reference: string | null, brand = 'Visa'): TestCard => ({
  behaviour,
  reference,
  brand,
  country: 'US',
})

export const CHARGE: CardBehaviour = { does: 'charge' }
