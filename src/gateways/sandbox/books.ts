// The books of the test gateways, what a processor of its own would keep, and what both do with them: read an outcome off an entry, give
// up, take, refund. journal-store.ts keeps them.

import type { Minor } from '../../lib/money.ts'
import type { GatewayCall } from '../call.ts'
import type {
  Charged,
  ChargeOutcome,
  GatewayAdapter,
  GatewayPorts,
  RefundOutcome,
  RefundRequest,
  TakeOutcome,
  TakeRequest,
} from '../gateway.ts'
import type { TestEntry } from './journal-store.ts'

const PREFIX = 'test_'

const transactionIdOf = (key: string): string => PREFIX + key

/** Entries hold the outcome as it is told while nothing has changed; `state` says what has become of it. */
export function outcomeOf(key: string, entry: TestEntry): ChargeOutcome {
  const { state, details } = entry
  if (state === 'waiting' || state === 'declined') return details.outcome as ChargeOutcome
  if (state === 'cancelled')
    return { kind: 'declined', reason: 'cancelled', message: 'The payment was cancelled before it was made.' }
  // Also after a refund: the question is whether it was charged.
  return paidOf(key, entry, state === 'authorized' ? 'authorized' : 'charged')
}

const paidOf = <K extends Charged['kind']>(key: string, entry: TestEntry, kind: K) => ({
  kind,
  amount: chargedOf(entry),
  currency: entry.currency,
  transactionId: transactionIdOf(key),
  reference: (entry.details.reference ?? null) as string | null,
  source: entry.details.source as never,
})

/** What was taken, where that is less than was set aside. */
const chargedOf = ({ taken = null, amount }: TestEntry): Minor => taken ?? amount

export const declinedOnPage: ChargeOutcome = {
  kind: 'declined',
  reason: 'payment_declined',
  message: 'The payment was declined.',
}

type KeptBooks = Pick<GatewayAdapter, 'lookUp' | 'cancel' | 'take' | 'takesParts' | 'refund' | 'release'>

export const keptBooks = ({ journal }: GatewayPorts): KeptBooks => ({
  async lookUp({ merchantId, key }) {
    const entry = await journal.find(merchantId, key)
    return entry === null ? { kind: 'unknown' } : outcomeOf(key, entry)
  },

  async cancel({ merchantId, key }) {
    // A key that nobody knows is taken, so that a charge which is still on its way finds it cancelled.
    const blank = { state: 'cancelled', amount: 0, currency: '', details: {} } as const
    const entry = await journal.enter(merchantId, key, blank)
    const moved = entry.state === 'waiting' ? await journal.move(merchantId, key, 'waiting', 'cancelled') : entry
    return moved === null || moved.state === 'cancelled' ? { kind: 'cancelled' } : outcomeOf(key, moved)
  },

  takesParts: true,
  async take(request) {
    return take(journal, request)
  },

  async refund(request) {
    return refund(journal, request)
  },

  async release({ merchantId, transactionId }: GatewayCall & { transactionId: string }) {
    const moved = await journal.move(merchantId, keyOf(transactionId), 'authorized', 'cancelled')
    return moved?.state === 'cancelled'
      ? { kind: 'released' }
      : { kind: 'declined', reason: 'payment_declined', message: 'There is no authorized payment of that id.' }
  },
})

const keyOf = (transactionId: string): string => transactionId.slice(PREFIX.length)

async function take(
  journal: GatewayPorts['journal'],
  { merchantId, transactionId, amount, currency }: TakeRequest,
): Promise<TakeOutcome> {
  const key = keyOf(transactionId)
  const entry = await journal.take(merchantId, key, amount, currency)
  // Refunded: it had been taken before. In another amount: another request was first.
  const isTaken = entry?.state === 'charged' || entry?.state === 'refunded'
  return isTaken && chargedOf(entry) === amount && entry.currency === currency
    ? paidOf(key, entry, 'charged')
    : { kind: 'declined', message: 'There is no authorized payment of that id that holds as much.' }
}

async function refund(
  journal: GatewayPorts['journal'],
  { merchantId, key, transactionId, amount, currency }: RefundRequest,
): Promise<RefundOutcome> {
  const charge = await journal.refund(merchantId, keyOf(transactionId), key, amount, currency)
  // By the key of the refund: the same one repeated has succeeded before, another one may have come too late.
  return charge !== null && refundsIn(charge)[key] === amount && charge.currency === currency
    ? { kind: 'refunded', transactionId: transactionIdOf(key) }
    : { kind: 'declined', message: 'The payment was never completed, or less than that is left to give back of it.' }
}

/** How much each refund has given back, by its key. An older release refunded all of a charge at once. */
function refundsIn(entry: TestEntry): Readonly<Record<string, unknown>> {
  const { refund: whole, refunds = {} } = entry.details
  return { ...(typeof whole === 'string' ? { [whole]: entry.amount } : {}), ...(refunds as object) }
}
