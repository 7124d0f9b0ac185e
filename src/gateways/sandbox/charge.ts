// What a made-up card does once it is known which one it is: of the test gateway by its number, of a simulated provider by the name that
// the provider gives it.

import { randomBytes } from 'node:crypto'
import { GatewayUnavailable } from '../call.ts'
import type { AwaitingShopper, ChargeOutcome, ChargeRequest, GatewayAdapter, GatewayPorts } from '../gateway.ts'
import { outcomeOf } from './books.ts'
import type { CardBehaviour } from './cards.ts'
import type { TestEntry } from './journal-store.ts'

/** A made-up card, without its number. */
export type TestCard = {
  readonly behaviour: CardBehaviour
  /** All of a card that is kept: what a receipt shows of it. */
  readonly reference: string | null
  readonly brand: string | null
  readonly country: string | null
  /** `card`, or another way of paying that the provider has. */
  readonly type?: string
}

/** What the shopper's bank asks, in the words of the gateway. */
export type Verification = Extract<AwaitingShopper, { kind: 'requires_verification' }>

export async function chargeCard(
  ports: GatewayPorts,
  request: ChargeRequest,
  card: TestCard,
  verificationOf: (key: string) => Verification,
): Promise<ChargeOutcome> {
  const { merchantId, key, signal } = request
  const { behaviour } = card
  const isFault = behaviour.does === 'hang' || behaviour.does === 'fail'
  const outcome =
    isFault && !behaviour.isCharged
      ? null
      : outcomeOf(key, await ports.journal.enter(merchantId, key, entryOf(card, request, verificationOf)))
  if (behaviour.does === 'hang') return hang(signal)
  if (isFault || outcome === null)
    throw new GatewayUnavailable('The payment provider of the sandbox answered with an error of its own.', {
      isNothingCharged: outcome === null,
    })
  if (behaviour.does === 'answer_twice') await announceTwice(ports, merchantId, key)
  return outcome
}

/** Random, so that nobody but the one who was told can confirm the payment. */
export const randomText = (): string => randomBytes(12).toString('hex')

function entryOf(
  { behaviour, reference, brand, country, type = 'card' }: TestCard,
  { key, amount, currency, payment }: ChargeRequest,
  verificationOf: (key: string) => Verification,
): TestEntry {
  const entry = (state: TestEntry['state'], details: TestEntry['details']) => ({ state, amount, currency, details })
  const paid = { reference, source: { type, brand, country, zip: payment.card?.postalZipCode ?? null } }
  switch (behaviour.does) {
    case 'authorize':
      return entry('authorized', paid)
    case 'decline':
      return entry('declined', { outcome: declinedBy(behaviour) })
    case 'verify': {
      const { declinedAfter } = behaviour
      const after = declinedAfter === undefined ? {} : { after_confirmation: declinedBy(declinedAfter) }
      return entry('waiting', { ...paid, outcome: verificationOf(key), ...after })
    }
    default:
      return entry('charged', paid)
  }
}

const declinedBy = ({ reason, message }: Extract<CardBehaviour, { does: 'decline' }>): ChargeOutcome => ({
  kind: 'declined',
  reason,
  message,
})

/** Goes on with a payment that the shopper has confirmed; some cards are declined only then. */
export const confirmWith =
  ({ journal }: GatewayPorts): NonNullable<GatewayAdapter['confirm']> =>
  async ({ merchantId, key }) => {
    const waiting = await journal.find(merchantId, key)
    const outcome = waiting?.details.after_confirmation
    const entry =
      outcome === undefined
        ? await journal.move(merchantId, key, 'waiting', 'charged')
        : await journal.move(merchantId, key, 'waiting', 'declined', { outcome })
    if (entry === null) throw new GatewayUnavailable('There is no such payment.', { isNothingCharged: true })
    return outcomeOf(key, entry)
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
