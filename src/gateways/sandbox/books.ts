// Operations of the test gateways on their journal, which a real processor would keep itself: read an outcome, cancel, take, refund,
// release. journal-store.ts stores the entries.

import type { Minor } from '../../lib/money.ts'
import type { GatewayCall } from '../call.ts'
import type {
  ChargedOutcome,
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

/** An entry stores the outcome of a charge that is waiting or declined. `state` says what happened to it later. */
export function outcomeOfEntry(key: string, entry: TestEntry): ChargeOutcome {
  const { state, details } = entry
  if (state === 'waiting' || state === 'declined') return details.outcome as ChargeOutcome
  if (state === 'cancelled')
    return { kind: 'declined', reason: 'cancelled', message: 'The payment was cancelled before it was made.' }
  // Also after a refund: the caller wants to know if the money was charged.
  return paidOf(key, entry, state === 'authorized' ? 'authorized' : 'charged')
}

const paidOf = <K extends ChargedOutcome['kind']>(key: string, entry: TestEntry, kind: K) => ({
  kind,
  amount: chargedOf(entry),
  currency: entry.currency,
  transactionId: transactionIdOf(key),
  reference: (entry.details.reference ?? null) as string | null,
  source: entry.details.source as never,
})

/** Amount taken, which may be less than was set aside. */
const chargedOf = ({ taken = null, amount }: TestEntry): Minor => taken ?? amount

export const PAGE_DECLINE: ChargeOutcome = {
  kind: 'declined',
  reason: 'payment_declined',
  message: 'The payment was declined.',
}

type JournalOperations = Pick<GatewayAdapter, 'lookUp' | 'cancel' | 'take' | 'takesParts' | 'refund' | 'release'>

export const journalOperations = ({ journal }: GatewayPorts): JournalOperations => ({
  async lookUp({ merchant_id, key }) {
    const entry = await journal.find(merchant_id, key)
    return entry === null ? { kind: 'unknown' } : outcomeOfEntry(key, entry)
  },

  async cancel({ merchant_id, key }) {
    // An unknown key is stored as cancelled, so that a charge still in flight finds it cancelled.
    const blank = { state: 'cancelled', amount: 0, currency: '', details: {} } as const
    const entry = await journal.enter(merchant_id, key, blank)
    const entryAfterMove =
      entry.state === 'waiting' ? await journal.move(merchant_id, key, 'waiting', 'cancelled') : entry
    return entryAfterMove === null || entryAfterMove.state === 'cancelled'
      ? { kind: 'cancelled' }
      : outcomeOfEntry(key, entryAfterMove)
  },

  takesParts: true,
  async take(request) {
    return take(journal, request)
  },

  async refund(request) {
    return refund(journal, request)
  },

  async release({ merchant_id, transactionId }: GatewayCall & { transactionId: string }) {
    const entryAfterMove = await journal.move(merchant_id, keyOf(transactionId), 'authorized', 'cancelled')
    return entryAfterMove?.state === 'cancelled'
      ? { kind: 'released' }
      : { kind: 'declined', reason: 'payment_declined', message: 'There is no authorized payment with that id.' }
  },
})

const keyOf = (transactionId: string): string => transactionId.slice(PREFIX.length)

async function take(
  journal: GatewayPorts['journal'],
  { merchant_id, transactionId, amount, currency }: TakeRequest,
): Promise<TakeOutcome> {
  const key = keyOf(transactionId)
  const entry = await journal.take(merchant_id, key, amount, currency)
  // `refunded` counts too: the money had been taken before. Another amount means that another request came first.
  const isTaken = entry?.state === 'charged' || entry?.state === 'refunded'
  return isTaken && chargedOf(entry) === amount && entry.currency === currency
    ? paidOf(key, entry, 'charged')
    : { kind: 'declined', message: 'There is no authorized payment with that id that holds this amount.' }
}

async function refund(
  journal: GatewayPorts['journal'],
  { merchant_id, key, transactionId, amount, currency }: RefundRequest,
): Promise<RefundOutcome> {
  const charge = await journal.refund(merchant_id, keyOf(transactionId), key, amount, currency)
  // Checks the key of the refund. A repeated refund has succeeded before; another refund may have come too late.
  return charge !== null && refundsIn(charge)[key] === amount && charge.currency === currency
    ? { kind: 'refunded', transactionId: transactionIdOf(key) }
    : { kind: 'declined', message: 'The payment was never completed, or the refund exceeds the amount left to refund.' }
}

/** Refunded amounts by key of the refund. An older release refunded the whole charge at once. */
function refundsIn(entry: TestEntry): Readonly<Record<string, unknown>> {
  const { refund: whole, refunds = {} } = entry.details
  return { ...(typeof whole === 'string' ? { [whole]: entry.amount } : {}), ...(refunds as object) }
}
