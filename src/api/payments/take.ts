// Takes money that a gateway holds for an order, all of it or a part; the rest is then released.
// The amount is recorded at the charge before the gateway is called. If the process dies or gets no answer, a job ends the take, or the
// same request sent again does. The gateway knows the charge by its key.

import type { Tx } from '../../db/db.ts'
import type { Money } from '../../gateways/call.ts'
import { isExpectedSum, type TakeOutcome } from '../../gateways/gateway.ts'
import { findGateway } from '../../gateways/index.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notFound, notValid } from '../../lib/errors.ts'
import { decimalText, type Minor, priceOf } from '../../lib/money.ts'
import type { OrderOwner } from '../orders/links.ts'
import { applyOrderChange, lockOrderOrThrow } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import type { UndecidedAnswer } from './call-gateway.ts'
import { type MovementEntry, type PaymentContext, requestTake } from './calls.ts'
import { releasedRestOf, takenFields, withCharge, writeCharge } from './charge.ts'
import { endMovement, identifyPayment, type Movement, refuseTooFineAmount, scheduleMovementEnd } from './movement.ts'
import { schedulePoll } from './polls.ts'
import { updateTransactionRow } from './store.ts'

/** True while a take is under way at the gateway, or about to be. The order cannot be cancelled until that has ended. */
export const isBeingTaken = ({ type, status, status_reason }: TransactionRow): boolean =>
  type === 'charge' && status === 'pending' && status_reason === 'awaiting_gateway'

/** Amount of the take. An older release has recorded none, and takes all. */
const amountToTake = ({ taking: part, amount }: TransactionRow): Minor => part ?? amount

/** Notes and metadata that a request sets on the charge that it completes, written with the outcome. A job sets none. */
type Remarks = (charge: TransactionRow) => Pick<TransactionRow, 'notes' | 'meta'>

/** Takes all charges, or only the one that a request completes. Its result is the charges after that. */
const takingOf = (id?: string, remarks?: Remarks): Movement<TakeOutcome, readonly TransactionRow[]> => ({
  job: 'orders.settle_taking',
  unansweredMessage: 'A gateway has not answered about a held payment.',
  isUnderWay: (charge) => isBeingTaken(charge) && (id === undefined || charge.id === id),
  ask: askForCharge,
  async record(context, owner, order, answers) {
    await checkpoint('orders.take_asked')
    const charges: TransactionRow[] = []
    for (const { transaction, outcome } of answers)
      charges.push(
        await context.db.transaction((tx) =>
          recordTake(tx, context, owner, order.id, transaction.id, outcome, remarks),
        ),
      )
    await checkpoint('orders.take_recorded')
    return charges
  },
})

export const takeMovement = takingOf()

/** Call it under the order's lock, before the gateway is called. Returns the order after that. */
export async function beginTake(
  tx: Tx,
  context: PaymentContext,
  owner: OrderOwner,
  row: OrderRow,
  charge: TransactionRow,
  amount: Minor,
): Promise<OrderRow> {
  const gateway = context.payments.findAdapter(charge.gateway, charge.is_simulated)
  if (gateway?.take === undefined)
    throw notValid({ status: [`Payments that ${charge.gateway} holds cannot be captured here.`] })
  if (amount < charge.amount && !gateway.takesParts) {
    const all = priceOf(charge.amount, row.currency).formatted_with_code
    throw notValid({ amount: [`amount must be ${all}: ${charge.gateway} captures a held payment only in full.`] })
  }
  refuseTooFineAmount(context, charge, { amount, currency: row.currency }, 'amount')
  if (isBeingTaken(charge) && amount !== amountToTake(charge))
    throw conflict('Another amount of this transaction is being captured. Try again in a moment.', 1)
  const now = context.clock.now()
  await scheduleMovementEnd(tx, context, owner, takeMovement, row, now)
  if (isBeingTaken(charge)) return row
  const takeFields = { status_reason: 'awaiting_gateway', taking: amount, updated: unixSeconds(now) } as const
  const transaction = { ...charge, ...takeFields }
  const next = applyOrderChange(row, { transactions: withCharge(row, transaction) }, now)
  await updateTransactionRow(tx, next, { transaction, rest: null, endings: [] }, now)
  return next
}

/** Takes what `beginTake` has recorded, and returns the charge after that. */
export async function executeTake(
  context: PaymentContext,
  owner: OrderOwner,
  order: OrderRow,
  id: string,
  remarks: Remarks,
): Promise<TransactionRow> {
  await checkpoint('orders.take_noted')
  const charges = await endMovement(context, owner, takingOf(id, remarks), order)
  const charge = charges.find((each) => each.id === id)
  if (charge === undefined) throw notFound('transaction')
  return charge
}

async function askForCharge(
  context: PaymentContext,
  entry: MovementEntry,
  order: OrderRow,
  charge: TransactionRow,
): Promise<TakeOutcome | UndecidedAnswer> {
  const sum = { amount: amountToTake(charge), currency: order.currency }
  const outcome = await requestTake(context, entry, { ...identifyPayment(order, charge), ...sum })
  if (outcome.kind !== 'charged' || isExpectedSum(outcome, sum)) return outcome
  // An amount that differs from the requested one is never recorded. The merchant can send the amount that was taken, which then matches.
  if (canComplete(context, charge, outcome, sum)) return { kind: 'declined', message: takenAlready(charge, outcome) }
  // The charge stays as it is until a person has checked it.
  const difference = `${sum.amount} ${sum.currency} were requested, but ${outcome.amount} ${outcome.currency} were captured.`
  return { kind: 'open', cause: new Error(`Charge ${charge.id}: ${difference}`) }
}

/** True if the merchant can complete the charge with an amount that was taken elsewhere, such as in the provider's dashboard. */
const canComplete = (context: PaymentContext, charge: TransactionRow, taken: Money, { currency }: Money): boolean =>
  isExpectedSum(taken, { amount: charge.amount, currency }) || isTakeablePart(context, charge, currency, taken)

/** True if the amount is less than the gateway held for the charge, and could have been taken from here too. */
export function isTakeablePart(
  { payments }: Pick<PaymentContext, 'payments'>,
  { gateway, is_simulated, is_authorized: isHeld, amount }: TransactionRow,
  currency: string,
  taken: Money,
): boolean {
  const takesParts = payments.findAdapter(gateway, is_simulated)?.takesParts === true
  return isHeld && takesParts && taken.currency === currency && taken.amount > 0 && taken.amount < amount
}

const takenAlready = ({ gateway }: TransactionRow, { amount, currency }: Money): string => {
  const name = findGateway(gateway)?.name ?? gateway
  const sum = priceOf(amount, currency).formatted_with_code
  return `${name} has already captured ${sum}: send amount ${decimalText(amount, currency)} to complete the transaction.`
}

async function recordTake(
  tx: Tx,
  { payments, clock }: PaymentContext,
  owner: OrderOwner,
  orderId: string,
  id: string,
  outcome: TakeOutcome,
  remarks?: Remarks,
): Promise<TransactionRow> {
  const row = await lockOrderOrThrow(tx, owner, orderId)
  // Read after waiting for the lock, so that the times of an order never run backwards.
  const now = clock.now()
  const current = row.transactions.find((transaction) => transaction.id === id)
  if (!current) throw notFound('transaction')
  const isTaken = outcome.kind === 'charged'
  if (current.status === 'cancelled' && isTaken)
    // The gateway had refused under this key, which rules this out. Only a person can repair it.
    throw new Error(`The charge ${id} was captured after its order had been cancelled. It must be refunded.`)
  // Another run may have been faster.
  const isOpen = isTaken ? current.status === 'pending' : isBeingTaken(current)
  const transaction: TransactionRow = {
    ...current,
    ...(isOpen && isTaken ? takenFields(outcome.amount, outcome.transactionId, now) : {}),
    ...(isOpen && !isTaken ? { status_reason: 'awaiting_capture', taking: null } : {}),
    ...(isTaken ? remarks?.(current) : {}),
    updated: unixSeconds(now),
  }
  const rest =
    isOpen && isTaken && outcome.amount < current.amount ? releasedRestOf(current, outcome.amount, now) : null
  if (isOpen || (isTaken && remarks)) await writeCharge(tx, owner, row, { transaction, rest }, now)
  // The provider's state differs from ours. A poll that saw it during the take has ignored it, so another poll follows.
  const hasHistory = payments.findAdapter(current.gateway, current.is_simulated)?.history !== undefined
  if (isOpen && !isTaken && hasHistory)
    await schedulePoll(tx, owner.merchant_id, { order_id: row.id, is_sandbox: owner.is_sandbox }, current, now)
  return transaction
}
