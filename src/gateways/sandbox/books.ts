// The books of the test gateways, what a processor of its own would keep, and what both do with them: read an outcome off an entry, give
// up, take, refund. journal-store.ts keeps them.

import type {
  Charged,
  ChargeOutcome,
  GatewayAdapter,
  GatewayCall,
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

const paidOf = <K extends Charged['kind']>(key: string, { amount, currency, details }: TestEntry, kind: K) => ({
  kind,
  amount,
  currency,
  transactionId: transactionIdOf(key),
  reference: (details.reference ?? null) as string | null,
  source: details.source as never,
})

export const declinedOnPage: ChargeOutcome = {
  kind: 'declined',
  reason: 'payment_declined',
  message: 'The payment was declined.',
}

type KeptBooks = Pick<GatewayAdapter, 'lookUp' | 'cancel' | 'take' | 'refund' | 'release'>

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
  const held = await journal.find(merchantId, key)
  const isMeant = held?.amount === amount && held.currency === currency
  const entry = isMeant ? await journal.move(merchantId, key, 'authorized', 'charged') : null
  // Refunded: it had been taken before.
  return entry?.state === 'charged' || entry?.state === 'refunded'
    ? paidOf(key, entry, 'charged')
    : { kind: 'declined', message: 'There is no authorized payment of that id and amount.' }
}

async function refund(
  journal: GatewayPorts['journal'],
  { merchantId, key, transactionId, amount, currency }: RefundRequest,
): Promise<RefundOutcome> {
  const charge = await journal.find(merchantId, keyOf(transactionId))
  if (charge?.amount !== amount || charge.currency !== currency)
    return { kind: 'declined', message: 'There is no payment of that id and amount.' }
  const refunded = await journal.move(merchantId, keyOf(transactionId), 'charged', 'refunded', { refund: key })
  // By the key of the refund: the same one repeated has succeeded before, another one comes too late.
  return refunded?.state === 'refunded' && refunded.details.refund === key
    ? { kind: 'refunded', transactionId: transactionIdOf(key) }
    : { kind: 'declined', message: 'The payment has been refunded already, or was never completed.' }
}
