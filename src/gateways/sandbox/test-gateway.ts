// Pays with made-up cards, in the sandbox: those that succeed, those that are declined, and those that show what a processor's
// failures do to a shop (cards.ts).

import { randomBytes } from 'node:crypto'
import type { FieldErrors } from '../../lib/errors.ts'
import {
  type ChargeOutcome,
  type ChargeRequest,
  type Gateway,
  type GatewayAdapter,
  type GatewayPorts,
  GatewayUnavailable,
  type PaymentInput,
} from '../gateway.ts'
import { keptBooks, outcomeOf } from './books.ts'
import { behaviourOf, brandOf, type CardBehaviour, readCardNumber } from './cards.ts'
import type { TestEntry } from './journal-store.ts'

export const testGateway: Gateway = {
  code: 'test_gateway',
  name: 'Test Gateway',
  type: 'card',
  cardsAccepted: ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay'],
  isSandboxOnly: true,
  isRepeatable: false,
  config: {},
  publicSettings: () => ({}),
  charging: (ports): GatewayAdapter => ({
    ...keptBooks(ports),
    problemsOf,
    charge: (request) => charge(ports, request),
    confirmationOf: ({ details }) => confirmationIn(details.test_gateway),
    async confirm({ merchantId, key }) {
      const entry = await ports.journal.move(merchantId, key, 'waiting', 'charged')
      if (entry === null) throw new GatewayUnavailable('There is no such payment.', { isNothingCharged: true })
      return outcomeOf(key, entry)
    },
  }),
}

const confirmationIn = (sent: unknown): string | null => {
  const id = (sent as { payment_intent_id?: unknown } | null | undefined)?.payment_intent_id
  return typeof id === 'string' ? id : null
}

function problemsOf({ card }: PaymentInput): FieldErrors {
  const path = 'payment.card.number'
  const number = card?.number ?? null
  if (number === null) return { [path]: [`${path} is required.`] }
  if (readCardNumber(number) !== null) return {}
  return { [path]: [`${path} must be the number of a test card, such as 4242 four times in a row.`] }
}

async function charge(ports: GatewayPorts, request: ChargeRequest): Promise<ChargeOutcome> {
  const { merchantId, key, signal } = request
  const digits = readCardNumber(request.payment.card?.number ?? '')
  if (digits === null) throw new GatewayUnavailable('That is no card.', { isNothingCharged: true })
  const card = behaviourOf(digits)
  const isFault = card.does === 'hang' || card.does === 'fail'
  const outcome =
    isFault && !card.isCharged
      ? null
      : outcomeOf(key, await ports.journal.enter(merchantId, key, entryOf(card, digits, request)))
  if (card.does === 'hang') return hang(signal)
  if (isFault || outcome === null)
    throw new GatewayUnavailable('The test gateway answered with an error of its own.', {
      isNothingCharged: outcome === null,
    })
  if (card.does === 'answer_twice') await announceTwice(ports, merchantId, key)
  return outcome
}

function entryOf(card: CardBehaviour, digits: string, { key, amount, currency, payment }: ChargeRequest): TestEntry {
  const entry = (state: TestEntry['state'], details: TestEntry['details']) => ({ state, amount, currency, details })
  const paid = {
    // All of a card that is kept: what a receipt shows of it.
    reference: digits.slice(-4),
    source: { type: 'card', brand: brandOf(digits), country: 'US', zip: payment.card?.postalZipCode ?? null },
  }
  if (card.does === 'authorize') return entry('authorized', paid)
  if (card.does === 'decline')
    return entry('declined', { outcome: { kind: 'declined', reason: card.reason, message: card.message } })
  if (card.does !== 'verify') return entry('charged', paid)
  const param = `${key}_secret_${randomBytes(12).toString('hex')}`
  return entry('waiting', { ...paid, outcome: { kind: 'requires_verification', param, confirmation: param } })
}

/** Until the caller gives up. */
const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })

/** Like a webhook of a processor that arrives before the answer, and once more after it. */
async function announceTwice(ports: GatewayPorts, merchantId: number, key: string) {
  await ports.announce(merchantId, key)
  const again = () => ports.announce(merchantId, key).catch(() => undefined)
  setTimeout(again, 50).unref()
}
