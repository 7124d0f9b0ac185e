// Polls the provider about the payments of an order, and records what has changed there. An undecided payment was paid or failed, a held
// one is gone, refunds and disputes were made elsewhere.
// It runs after a message, and by a sweep in case none comes.

import { GatewayUnavailable } from '../../gateways/call.ts'
import { isExpectedSum } from '../../gateways/gateway.ts'
import type { ProviderPaymentState, ProviderRefund } from '../../gateways/provider/history.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler, WorkerLog } from '../../jobs/job.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { createOrderAddresses, type OrderOwner } from '../orders/links.ts'
import { lockOrderOrThrow } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { findOrder } from '../orders/store.ts'
import { GatewayDeleted } from '../payments/call-gateway.ts'
import { readPaymentState } from '../payments/calls.ts'
import { completedFields, heldRestOf, releasedRestOf, takenFields, writeCharge } from '../payments/charge.ts'
import { identifyPayment, MAX_PROVIDER_FAILURES, toMovementEntry, transactionIdOf } from '../payments/movement.ts'
import { recordDispute } from '../payments/notices/disputes.ts'
import { type NoticeResult, recordOutsideRefund, recordRefundFailure } from '../payments/notices/refunds.ts'
import {
  describeUnknownOutcome,
  isPendingAtProvider,
  nextPollAt,
  POLL_INTERVAL_MS,
  POLL_PAYMENTS_JOB,
  type PollPayload,
  schedulePoll,
} from '../payments/polls.ts'
import { beginRefund } from '../payments/refund/refund.ts'
import { enqueueRelease } from '../payments/release.ts'
import { isBeingTaken, isTakeablePart } from '../payments/take.ts'
import { listUndecidedPayments, type UndecidedRow } from './store.ts'

export const pollPayments = (services: Services): JobHandler => ({
  kind: POLL_PAYMENTS_JOB,
  lane: 'provider',
  isUrgent: true,
  // A provider sends a message once. Its subject must not be lost because it takes days to correct the credentials.
  maxFailures: MAX_PROVIDER_FAILURES,
  async handle({ payload, merchant_id, signal, log }) {
    const { orderId, isSandbox: is_sandbox, refundId } = payload as PollPayload
    const owner = { merchant_id, is_sandbox, addresses: await createOrderAddresses(services, services.publicUrl ?? '') }
    const order = await findOrder(services.db, owner, orderId)
    const charges = order?.transactions.filter(isAtProvider(services)) ?? []
    await forEachItem(charges, (charge) =>
      pollCharge({ ...services, signal }, log, owner, order as OrderRow, charge, refundId),
    )
    const [charge] = charges
    const nextAt = nextPollAt(order?.transactions ?? [], services.clock.now())
    if (charge !== undefined && nextAt !== null)
      await schedulePoll(services.db, merchant_id, { order_id: orderId, is_sandbox }, charge, nextAt)
  },
})

/**
 * Works on the items in sequence, continues after an error, and rethrows at the end. One bad item must not block the others of the order.
 */
async function forEachItem<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = []
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error))
  const sentences = new Set(failures.map(sentenceOf))
  if (sentences.size > 1) throw new AggregateError(failures, [...sentences].join(' '))
  if (sentences.size === 1) throw failures[0]
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isAtProvider =
  ({ payments }: Services) =>
  ({ type, gateway, is_simulated: isSimulated, gateway_transaction_id: id }: TransactionRow): boolean =>
    type === 'charge' && id !== null && payments.findAdapter(gateway, isSimulated)?.history !== undefined

async function pollCharge(
  context: Services & { readonly signal: AbortSignal },
  log: WorkerLog,
  owner: OrderOwner,
  order: OrderRow,
  charge: TransactionRow,
  refundId: string | undefined,
) {
  const question = { ...identifyPayment(order, charge), refundId }
  const standing = await readPaymentState(context, toMovementEntry(order, charge), question).catch(rethrowOther)
  if (standing instanceof GatewayDeleted) return recordUnknown(context, owner, order.id, charge.id, standing)
  const current = await recordCharge(context, log, owner, order.id, charge.id, standing)
  if (isForgone(charge) && standing.charge === 'pending')
    await schedulePoll(
      context.db,
      owner.merchant_id,
      { order_id: order.id, is_sandbox: owner.is_sandbox },
      charge,
      new Date(context.clock.now().getTime() + POLL_INTERVAL_MS),
    )
  const about = { gateway: charge.gateway, chargeId: transactionIdOf(current ?? charge) }
  await forEachItem(noticesOf(context, owner, order, about, standing), async (record) => {
    if ((await record()) === 'later')
      throw new GatewayUnavailable('Another change of this order is in progress. The provider is polled again later.', {
        isNothingCharged: false,
      })
  })
}

/** The notices to record. Failed refunds come first, because another refund may have covered the same amount since. */
function noticesOf(
  context: Services,
  owner: OrderOwner,
  order: OrderRow,
  about: { readonly gateway: string; readonly chargeId: string },
  { refunds, disputes, currency }: ProviderPaymentState,
): (() => Promise<NoticeResult>)[] {
  const reason = 'The provider could not give the money back: it is with you again.'
  const failedRefunds = refunds.filter(({ status }) => status === 'failed')
  const outsideRefunds = refunds.filter((refund) => refund.status !== 'failed' && !isOurs(order, refund))
  return [
    ...failedRefunds.map(
      ({ id: refundId }) =>
        () =>
          recordRefundFailure(context, owner, order.id, { ...about, refundId, reason }),
    ),
    ...outsideRefunds.map(
      ({ id: refundId, amount }) =>
        () =>
          recordOutsideRefund(context, owner, order.id, { ...about, refundId, amount, currency, reason: null }),
    ),
    ...disputes.map(
      ({ id: disputeId, ...dispute }) =>
        () =>
          recordDispute(context, owner, order.id, { ...about, ...dispute, disputeId }),
    ),
  ]
}

const rethrowOther = (error: unknown): GatewayDeleted => {
  if (error instanceof GatewayDeleted) return error
  throw error
}

/** The provider was still deciding and cannot be called any more. The merchant checks there, and must be able to record the result. */
async function recordUnknown(
  { db, clock }: Services,
  owner: OrderOwner,
  orderId: string,
  chargeId: string,
  cause: GatewayDeleted,
) {
  await db.transaction(async (tx) => {
    const row = await lockOrderOrThrow(tx, owner, orderId)
    const charge = row.transactions.find(({ id }) => id === chargeId)
    if (charge === undefined || !isPendingAtProvider(charge)) return
    const now = clock.now()
    const notes = describeUnknownOutcome(cause, [transactionIdOf(charge)])
    const transaction = { ...charge, status_reason: 'gateway_failure', notes, updated: unixSeconds(now) } as const
    await writeCharge(tx, owner, row, { transaction, rest: null }, now)
  })
}

/**
 * True if the refund was requested here, because its caller records the result. False if the request failed and the provider made the
 * refund anyway.
 */
const isOurs = ({ transactions }: OrderRow, { id, key }: ProviderRefund): boolean =>
  transactions.some(
    ({ type, status, gateway_key: ours, gateway_transaction_id: theirs }) =>
      type === 'refund' && (theirs === id || (key !== null && ours === key && status !== 'failed')),
  )

/** True if the order was cancelled before its provider had decided. */
const isForgone = ({ status, status_reason }: TransactionRow): boolean =>
  status === 'cancelled' && status_reason === 'order_cancelled'

/** True if the merchant has released the charge. The released rest of a partial take has no id at the provider. */
const isReleased = ({ status, status_reason }: TransactionRow): boolean =>
  status === 'cancelled' && status_reason === 'released'

/** New id of a held payment that was taken, because not every provider refunds by the id of the hold. */
const newIdIn = ({ transactionId }: ProviderPaymentState) =>
  transactionId === undefined ? {} : { gateway_transaction_id: transactionId }

/** Fields to set on a charge, and its rest if only a part was taken. */
type ChargeChange = { readonly fields: Partial<TransactionRow>; readonly rest?: TransactionRow }

/** Change of a charge; null if nothing changes. */
function afterStanding(
  context: Services,
  { currency, transactions }: OrderRow,
  charge: TransactionRow,
  standing: ProviderPaymentState,
  now: Date,
): ChargeChange | 'other_sum' | null {
  const isTakenAfterAll = (isForgone(charge) || isReleased(charge)) && standing.charge === 'complete'
  const canChange = charge.status === 'pending' || isTakenAfterAll
  // A take that is under way records its own result.
  if (!canChange || isBeingTaken(charge)) return null
  const { transactionId: newId, amount } = standing
  // It has been recorded since the provider was called.
  if (newId !== undefined && transactions.some(({ gateway_transaction_id: id }) => id === newId)) return null
  const isOfThatSum = isExpectedSum(standing, { amount: charge.amount, currency })
  switch (standing.charge) {
    case 'complete':
      if (isOfThatSum) return { fields: { ...completedFields(now), ...newIdIn(standing) } }
      if (!isTakeablePart(context, charge, currency, standing)) return 'other_sum'
      return {
        fields: takenFields(amount, newId ?? charge.gateway_transaction_id, now),
        rest: standing.isRestOpen ? heldRestOf(charge, amount, now) : releasedRestOf(charge, amount, now),
      }
    case 'held':
      // The money can now be taken or released.
      return isOfThatSum && !charge.is_authorized ? { fields: { is_authorized: true } } : null
    case 'failed':
    case 'released':
      return {
        fields: {
          status: standing.charge === 'failed' ? 'failed' : 'cancelled',
          status_reason: 'gateway_failure',
          is_authorized: false,
        },
      }
    default:
      return null
  }
}

/** Returns the charge after that. It may have been taken meanwhile, and then have another id. */
async function recordCharge(
  context: Services & { readonly signal: AbortSignal },
  log: WorkerLog,
  owner: OrderOwner,
  orderId: string,
  chargeId: string,
  standing: ProviderPaymentState,
): Promise<TransactionRow | undefined> {
  return context.db.transaction(async (tx) => {
    const row = await lockOrderOrThrow(tx, owner, orderId)
    const now = context.clock.now()
    const charge = row.transactions.find(({ id }) => id === chargeId)
    if (charge === undefined) return undefined
    // The money is now held for an order that was cancelled.
    if (isForgone(charge) && standing.charge === 'held') await enqueueRelease(tx, owner, row, charge, now)
    const change = afterStanding(context, row, charge, standing, now)
    if (change === null) return charge
    if (change === 'other_sum') {
      // A payment of another amount than requested is never recorded. A person has to check it.
      const takenSum = `${standing.amount} ${standing.currency}`
      const details = { merchant_id: owner.merchant_id, order: orderId, transaction: chargeId, taken: takenSum }
      log.error(details, 'A payment provider charged a different amount than requested. The payment stays open.')
      return charge
    }
    const { fields, rest = null } = change
    const transaction = { ...charge, ...fields, updated: unixSeconds(now) }
    const next = await writeCharge(tx, owner, row, { transaction, rest }, now)
    // More of the rest may have been taken already. The rest of a cancelled order has to be released.
    if (standing.isRestOpen)
      await schedulePoll(tx, owner.merchant_id, { order_id: orderId, is_sandbox: owner.is_sandbox }, charge, now)
    if (charge.status === 'cancelled' && row.cancelled !== null)
      await beginRefund(tx, context, owner, next, { reason: 'The order was cancelled before it was paid.' })
    return transaction
  })
}

const BATCH = 100
/** Time that a message gets to arrive. */
const AFTER_MS = 3_600_000
/** Earlier than any real payment. */
const BEGINNING = { updated_at: new Date(0), merchant_id: 0, id: '' }

/** Without this sweep, a payment would wait for ever if its message was lost. */
export const sweepUndecidedPayments: Sweep = {
  name: 'undecided-payments',
  everySeconds: 3_600,
  async run({ db, clock, signal }) {
    const now = clock.now()
    const moment = new Date(now.getTime() - AFTER_MS)
    let total = 0
    for (let after: Pick<UndecidedRow, 'updated_at' | 'merchant_id' | 'id'> = BEGINNING; ; ) {
      const payments = await listUndecidedPayments(db, moment, after, BATCH)
      for (const row of payments) {
        if (signal.aborted) return total
        await schedulePoll(db, row.merchant_id, row, row, now)
        total++
      }
      after = payments.at(-1) ?? after
      if (payments.length < BATCH) return total
    }
  },
}
