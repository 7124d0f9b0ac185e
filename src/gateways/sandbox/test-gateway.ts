// Accepts test cards in the sandbox: cards that succeed, cards that are declined, and cards that imitate failures of a processor
// (cards.ts).

import type { FieldErrors } from '../../lib/errors.ts'
import { GatewayUnavailable } from '../call.ts'
import type { GatewayAdapter, GatewayDefinition, PaymentInput } from '../gateway.ts'
import { journalOperations } from './books.ts'
import { behaviourOf, brandOf, readCardNumber } from './cards.ts'
import { type BankVerification, chargeCard, createConfirm, randomText, type TestCard } from './charge.ts'

export const testGateway: GatewayDefinition = {
  code: 'test_gateway',
  name: 'Test Gateway',
  description: 'Takes made-up cards, so that the shop can be tried before there is an account anywhere.',
  type: 'card',
  cardsAccepted: ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay'],
  isSandboxOnly: true,
  isRepeatable: false,
  config: {},
  page: {
    kind: 'card',
    confirmedBy: (param) => ({ 'payment[test_gateway][payment_intent_id]': param }),
  },
  publicSettings: () => ({}),
  createAdapter: (ports): GatewayAdapter => ({
    ...journalOperations(ports),
    problemsOf,
    charge: async (request) => chargeCard(ports, request, cardOf(request.payment), verificationOf),
    confirmationOf: ({ details }) => confirmationIn(details.test_gateway),
    confirm: createConfirm(ports),
  }),
}

const confirmationIn = (details: unknown): string | null => {
  const id = (details as { payment_intent_id?: unknown } | null | undefined)?.payment_intent_id
  return typeof id === 'string' ? id : null
}

function problemsOf({ card }: PaymentInput): FieldErrors {
  const path = 'payment.card.number'
  const number = card?.number ?? null
  if (number === null) return { [path]: [`${path} is required.`] }
  if (readCardNumber(number) !== null) return {}
  return { [path]: [`${path} must be the number of a test card, such as 4242 four times in a row.`] }
}

function cardOf({ card }: PaymentInput): TestCard {
  const digits = readCardNumber(card?.number ?? '')
  if (digits === null) throw new GatewayUnavailable('The payment names no test card.', { isNothingCharged: true })
  return { behaviour: behaviourOf(digits), reference: digits.slice(-4), brand: brandOf(digits), country: 'US' }
}

const verificationOf = (key: string): BankVerification => {
  const param = `${key}_secret_${randomText()}`
  return { kind: 'requires_verification', param, confirmation: param }
}
