// Asks the provider how the payments of an order stand, and writes down what has changed there: a payment that was still being looked into has
// come or failed, one that was held is gone, refunds and disputes were made elsewhere. After a message, and by a sweep should none come.

import { GatewayUnavailable } from '../../gateways/call.ts'
import { isAsAsked } from '../../gateways/gateway.ts'
import type { FoundRefund, PaymentStanding } from '../../gateways/provider/story.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler, Log } from '../../jobs/job.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { type OrderOwner, orderAddresses } from '../orders/links.ts'
import { takeOrder } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { findOrder } from '../orders/store.ts'
import { askStanding, GatewayGone } from '../payments/ask.ts'
import { completeAt, releasedOf, stillHeldOf, takenAt, writeCharge } from '../payments/charge.ts'
import {
  isBeingDecided,
  LOOK_AGAIN_MS,
  LOOK_INTO,
  type LookPayload,
  lookIntoLater,
  nextLookAt,
  unknownBecause,
} from '../payments/look-later.ts'
import { entryOf, MOST_FAILURES, paymentOf, transactionIdOf } from '../payments/movement.ts'
import { recordDispute } from '../payments/notices/disputes.ts'
import { type Noted, recordOutsideRefund, recordRefundFailure } from '../payments/notices/refunds.ts'
import { beginRefund } from '../payments/refund.ts'
import { enqueueRelease } from '../payments/release.ts'
import { isBeingTaken, isPartOf } from '../payments/take.ts'
import { listUndecidedPayments, type UndecidedRow } from './store.ts'

export const lookIntoPayments = (services: Services): JobHandler => ({
  kind: LOOK_INTO,
  lane: 'provider',
  isUrgent: true,
  // A provider sends a message once; what it was about must not be forgotten because credentials take days to be mended.
  maxFailures: MOST_FAILURES,
  async handle({ payload, merchantId, signal, log }) {
    const { orderId, isSandbox, refundId } = payload as LookPayload
    const owner = { merchantId, isSandbox, addresses: await orderAddresses(services, services.publicUrl ?? '') }
    const order = await findOrder(services.db, owner, orderId)
    const charges = order?.transactions.filter(isAtProvider(services)) ?? []
    await eachDone(charges, (charge) =>
      lookInto({ ...services, signal }, log, owner, order as OrderRow, charge, refundId),
    )
    const [charge] = charges
    const nextAt = nextLookAt(order?.transactions ?? [], services.clock.now())
    if (charge !== undefined && nextAt !== null)
      await lookIntoLater(services.db, merchantId, { order_id: orderId, is_sandbox: isSandbox }, charge, nextAt)
  },
})

/** One after the other, also behind one that throws; and throws in the end. So nothing is kept from the order by what a person has to look at. */
async function eachDone<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
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
    type === 'charge' && id !== null && payments.charging(gateway, isSimulated)?.story !== undefined

async function lookInto(
  context: Services & { readonly signal: AbortSignal },
  log: Log,
  owner: OrderOwner,
  order: OrderRow,
  charge: TransactionRow,
  refundId: string | undefined,
) {
  const question = { ...paymentOf(order, charge), refundId }
  const standing = await askStanding(context, entryOf(order, charge), question).catch(goneOrThrow)
  if (standing instanceof GatewayGone) return recordUnknown(context, owner, order.id, charge.id, standing)
  const current = await recordCharge(context, log, owner, order.id, charge.id, standing)
  if (isForgone(charge) && standing.charge === 'pending')
    await lookIntoLater(
      context.db,
      owner.merchantId,
      { order_id: order.id, is_sandbox: owner.isSandbox },
      charge,
      new Date(context.clock.now().getTime() + LOOK_AGAIN_MS),
    )
  const about = { gateway: charge.gateway, chargeId: transactionIdOf(current ?? charge) }
  await eachDone(noticesOf(context, owner, order, about, standing), async (record) => {
    if ((await record()) === 'later')
      throw new GatewayUnavailable(
        'Something of this order is under way; what its provider tells is looked at again.',
        { isNothingCharged: false },
      )
  })
}

/** What is there to be recorded. Refunds that have failed come first: what they were for may have been given back by another one. */
function noticesOf(
  context: Services,
  owner: OrderOwner,
  order: OrderRow,
  about: { readonly gateway: string; readonly chargeId: string },
  { refunds, disputes, currency }: PaymentStanding,
): (() => Promise<Noted>)[] {
  const reason = 'The provider could not give the money back: it is with you again.'
  const failed = refunds.filter(({ status }) => status === 'failed')
  const outside = refunds.filter((refund) => refund.status !== 'failed' && !isOurs(order, refund))
  return [
    ...failed.map(
      ({ id: refundId }) =>
        () =>
          recordRefundFailure(context, owner, order.id, { ...about, refundId, reason }),
    ),
    ...outside.map(
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

const goneOrThrow = (error: unknown): GatewayGone => {
  if (error instanceof GatewayGone) return error
  throw error
}

/** Its provider was still deciding, and cannot be asked any more: the merchant looks there, and is not kept from saying what came of it. */
async function recordUnknown(
  { db, clock }: Services,
  owner: OrderOwner,
  orderId: string,
  chargeId: string,
  cause: GatewayGone,
) {
  await db.transaction(async (tx) => {
    const row = await takeOrder(tx, owner, orderId)
    const charge = row.transactions.find(({ id }) => id === chargeId)
    if (charge === undefined || !isBeingDecided(charge)) return
    const now = clock.now()
    const notes = unknownBecause(cause, [transactionIdOf(charge)])
    const transaction = { ...charge, status_reason: 'gateway_failure', notes, updated: unixSeconds(now) } as const
    await writeCharge(tx, owner, row, { transaction, rest: null }, now)
  })
}

/** Asked for from here: whoever asked records what comes of it. Not where it failed for all we know, and was made all the same. */
const isOurs = ({ transactions }: OrderRow, { id, key }: FoundRefund): boolean =>
  transactions.some(
    ({ type, status, gateway_key: ours, gateway_transaction_id: theirs }) =>
      type === 'refund' && (theirs === id || (key !== null && ours === key && status !== 'failed')),
  )

/** Its order was cancelled before its provider had decided. */
const isForgone = ({ status, status_reason }: TransactionRow): boolean =>
  status === 'cancelled' && status_reason === 'order_cancelled'

/** The merchant has told its provider to let go of it. What the provider let go of when it took a part has no id there. */
const isReleased = ({ status, status_reason }: TransactionRow): boolean =>
  status === 'cancelled' && status_reason === 'released'

/** Of what was held and is taken now: not every provider gives money back by the id of what it held. */
const newIdIn = ({ transactionId }: PaymentStanding) =>
  transactionId === undefined ? {} : { gateway_transaction_id: transactionId }

/** What is set of a charge; and, where a part of it was taken, what becomes of the rest. */
type ChargeChange = { readonly fields: Partial<TransactionRow>; readonly rest?: TransactionRow }

/** What becomes of a charge; null where nothing does. */
function afterStanding(
  context: Services,
  { currency, transactions }: OrderRow,
  charge: TransactionRow,
  standing: PaymentStanding,
  now: Date,
): ChargeChange | 'other_sum' | null {
  const isTakenAfterAll = (isForgone(charge) || isReleased(charge)) && standing.charge === 'complete'
  const isWanted = charge.status === 'pending' || isTakenAfterAll
  // Whoever is at it writes down what comes of it.
  if (!isWanted || isBeingTaken(charge)) return null
  const { transactionId: newId, amount } = standing
  // It has been recorded since the provider was asked.
  if (newId !== undefined && transactions.some(({ gateway_transaction_id: id }) => id === newId)) return null
  const isOfThatSum = isAsAsked(standing, { amount: charge.amount, currency })
  switch (standing.charge) {
    case 'complete':
      if (isOfThatSum) return { fields: { ...completeAt(now), ...newIdIn(standing) } }
      if (!isPartOf(context, charge, currency, standing)) return 'other_sum'
      return {
        fields: takenAt(amount, newId ?? charge.gateway_transaction_id, now),
        rest: standing.isRestOpen ? stillHeldOf(charge, amount, now) : releasedOf(charge, amount, now),
      }
    case 'held':
      // Now it can be taken, or let go.
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

/** Gives the charge as it then is: it may have been taken meanwhile, and have another id. */
async function recordCharge(
  context: Services & { readonly signal: AbortSignal },
  log: Log,
  owner: OrderOwner,
  orderId: string,
  chargeId: string,
  standing: PaymentStanding,
): Promise<TransactionRow | undefined> {
  return context.db.transaction(async (tx) => {
    const row = await takeOrder(tx, owner, orderId)
    const now = context.clock.now()
    const charge = row.transactions.find(({ id }) => id === chargeId)
    if (charge === undefined) return undefined
    // Held now, for an order that is not wanted any more.
    if (isForgone(charge) && standing.charge === 'held') await enqueueRelease(tx, owner, row, charge, now)
    const change = afterStanding(context, row, charge, standing, now)
    if (change === null) return charge
    if (change === 'other_sum') {
      // Never paid by something else than was asked: a person has to look at it.
      const taken = `${standing.amount} ${standing.currency}`
      const details = { merchant_id: owner.merchantId, order: orderId, transaction: chargeId, taken }
      log.error(details, 'A payment provider has taken another sum than was asked; the payment stays open.')
      return charge
    }
    const { fields, rest = null } = change
    const transaction = { ...charge, ...fields, updated: unixSeconds(now) }
    const next = await writeCharge(tx, owner, row, { transaction, rest }, now)
    // More of it may have been taken by itself; and of a cancelled order it is to be let go.
    if (standing.isRestOpen)
      await lookIntoLater(tx, owner.merchantId, { order_id: orderId, is_sandbox: owner.isSandbox }, charge, now)
    if (charge.status === 'cancelled' && row.cancelled !== null)
      await beginRefund(tx, context, owner, next, { reason: 'The order was cancelled before it was paid.' })
    return transaction
  })
}

const BATCH = 100
/** A message has had that long to come. */
const AFTER_MS = 3_600_000
/** Earlier than any. */
const BEGINNING = { updated_at: new Date(0), merchant_id: 0, id: '' }

/** No payment waits for ever because a message was lost. */
export const sweepUndecidedPayments: Sweep = {
  name: 'undecided-payments',
  everySeconds: 3_600,
  async run({ db, clock, signal }) {
    const now = clock.now()
    const moment = new Date(now.getTime() - AFTER_MS)
    let total = 0
    for (let after: Pick<UndecidedRow, 'updated_at' | 'merchant_id' | 'id'> = BEGINNING; ; ) {
      const found = await listUndecidedPayments(db, moment, after, BATCH)
      for (const row of found) {
        if (signal.aborted) return total
        await lookIntoLater(db, row.merchant_id, row, row, now)
        total++
      }
      after = found.at(-1) ?? after
      if (found.length < BATCH) return total
    }
  },
}
