// Charges a test card. The test gateway identifies it by its number, a simulated provider by the provider's name for it.

import { randomBytes } from 'node:crypto'
import { GatewayUnavailable } from '../call.ts'
import type { AwaitingShopper, ChargeOutcome, ChargeRequest, GatewayAdapter, GatewayPorts } from '../gateway.ts'
import { outcomeOfEntry } from './books.ts'
import type { CardBehaviour } from './cards.ts'
import type { TestEntry } from './journal-store.ts'

/** A test card, without its number. */
export type TestCard = {
  readonly behaviour: CardBehaviour
  /** The only stored part of a card number: the digits that a receipt shows. */
  readonly reference: string | null
  readonly brand: string | null
  readonly country: string | null
  /** `card`, or another payment type of the provider. */
  readonly type?: string
}

/** The bank's confirmation request, in the form that the gateway uses. */
export type BankVerification = Extract<AwaitingShopper, { kind: 'requires_verification' }>

export async function chargeCard(
  ports: GatewayPorts,
  request: ChargeRequest,
  card: TestCard,
  verificationOf: (key: string) => BankVerification,
): Promise<ChargeOutcome> {
  const { merchant_id, key, signal } = request
  const { behaviour } = card
  const isFault = behaviour.does === 'hang' || behaviour.does === 'fail'
  const outcome =
    isFault && !behaviour.isCharged
      ? null
      : outcomeOfEntry(key, await ports.journal.enter(merchant_id, key, entryOf(card, request, verificationOf)))
  if (behaviour.does === 'hang') return hang(signal)
  if (isFault || outcome === null)
    throw new GatewayUnavailable('The sandbox payment provider reported an internal error.', {
      isNothingCharged: outcome === null,
    })
  if (behaviour.does === 'answer_twice') await announceTwice(ports, merchant_id, key)
  return outcome
}

/** Random, so that only the storefront that received it can confirm the payment. */
export const randomText = (): string => randomBytes(12).toString('hex')

function entryOf(
  { behaviour, reference, brand, country, type = 'card' }: TestCard,
  { key, amount, currency, payment }: ChargeRequest,
  verificationOf: (key: string) => BankVerification,
): TestEntry {
  const entry = (state: TestEntry['state'], details: TestEntry['details']) => ({ state, amount, currency, details })
  const paymentDetails = { reference, source: { type, brand, country, zip: payment.card?.postalZipCode ?? null } }
  switch (behaviour.does) {
    case 'authorize':
      return entry('authorized', paymentDetails)
    case 'decline':
      return entry('declined', { outcome: declinedBy(behaviour) })
    case 'verify': {
      const { declinedAfter } = behaviour
      const laterOutcome = declinedAfter === undefined ? {} : { after_confirmation: declinedBy(declinedAfter) }
      return entry('waiting', { ...paymentDetails, outcome: verificationOf(key), ...laterOutcome })
    }
    default:
      return entry('charged', paymentDetails)
  }
}

const declinedBy = ({ reason, message }: Extract<CardBehaviour, { does: 'decline' }>): ChargeOutcome => ({
  kind: 'declined',
  reason,
  message,
})

/** Continues a payment that the shopper has confirmed. Some cards are declined only now. */
export const createConfirm =
  ({ journal }: GatewayPorts): NonNullable<GatewayAdapter['confirm']> =>
  async ({ merchant_id, key }) => {
    const waiting = await journal.find(merchant_id, key)
    const outcome = waiting?.details.after_confirmation
    const entry =
      outcome === undefined
        ? await journal.move(merchant_id, key, 'waiting', 'charged')
        : await journal.move(merchant_id, key, 'waiting', 'declined', { outcome })
    if (entry === null) throw new GatewayUnavailable('There is no payment with this key.', { isNothingCharged: true })
    return outcomeOfEntry(key, entry)
  }

/** Waits until the caller gives up. */
const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const rejectNow = () => reject(signal.reason)
    if (signal.aborted) rejectNow()
    else signal.addEventListener('abort', rejectNow, { once: true })
  })

/** Imitates a processor's webhook that arrives before the answer, and once more after it. */
async function announceTwice(ports: GatewayPorts, merchant_id: number, key: string) {
  await ports.announce(merchant_id, key)
  const announceAgain = () => ports.announce(merchant_id, key).catch(() => undefined)
  setTimeout(announceAgain, 50).unref()
}
