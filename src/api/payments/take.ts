// Takes money that a gateway holds for an order. What dies or stays unanswered on the way is ended by a job, or by the same request sent
// again: the gateway knows the charge by its key.

import type { Tx } from '../../db/db.ts'
import { isAsAsked, type TakeOutcome } from '../../gateways/gateway.ts'
import { type Clock, unixSeconds } from '../../lib/clock.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import type { OrderOwner } from '../orders/links.ts'
import { changed, takeOrder } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { askTake, type GatewayEntry, type OpenAnswer, type PaymentContext } from './ask.ts'
import { completeAt, withCharge, writeCharge } from './charge.ts'
import { endMovement, type Movement, noteEnd, transactionIdOf } from './movement.ts'
import { updateTransactionRow } from './store.ts'

/** The gateway has been, or will be, asked for the money. Until that has ended the order cannot be cancelled. */
export const isBeingTaken = ({ type, status, status_reason }: TransactionRow): boolean =>
  type === 'charge' && status === 'pending' && status_reason === 'awaiting_gateway'

/** What a request says of the charge that it completes, written with the outcome. A job says nothing. */
type Remarks = (charge: TransactionRow) => Pick<TransactionRow, 'notes' | 'meta'>

/** Of all charges, or of the one that a request completes. Its result is the charges as they then are. */
const takingOf = (id?: string, remarks?: Remarks): Movement<TakeOutcome, readonly TransactionRow[]> => ({
  job: 'orders.settle_taking',
  silence: 'A gateway has not answered about money that it holds.',
  isUnderWay: (charge) => isBeingTaken(charge) && (id === undefined || charge.id === id),
  ask: askForCharge,
  async record({ db, clock }, owner, order, answers) {
    const charges: TransactionRow[] = []
    for (const { transaction, outcome } of answers)
      charges.push(
        await db.transaction((tx) => recordTake(tx, owner, order.id, transaction.id, outcome, clock, remarks)),
      )
    return charges
  },
})

export const taking = takingOf()

/** Under the order's lock, before the gateway is asked. Gives the order as it then is. */
export async function noteTaking(
  tx: Tx,
  context: PaymentContext,
  owner: OrderOwner,
  row: OrderRow,
  charge: TransactionRow,
): Promise<OrderRow> {
  if (context.payments.charging(charge.gateway, charge.is_simulated)?.take === undefined)
    throw notValid({ status: [`What ${charge.gateway} holds cannot be taken from here.`] })
  const now = context.clock.now()
  await noteEnd(tx, context, owner, taking, row.id, now)
  if (isBeingTaken(charge)) return row
  const transaction = { ...charge, status_reason: 'awaiting_gateway', updated: unixSeconds(now) } as const
  const next = changed(row, { transactions: withCharge(row, transaction) }, now)
  await updateTransactionRow(tx, next, { transaction, rest: null, endings: [] }, now)
  return next
}

/** Takes what `noteTaking` has noted, and gives the charge as it then is. */
export async function takeHeld(
  context: PaymentContext,
  owner: OrderOwner,
  order: OrderRow,
  id: string,
  remarks: Remarks,
): Promise<TransactionRow> {
  const charges = await endMovement(context, owner, takingOf(id, remarks), order)
  const charge = charges.find((each) => each.id === id)
  if (charge === undefined) throw notFound('transaction')
  return charge
}

async function askForCharge(
  context: PaymentContext,
  entry: GatewayEntry,
  order: OrderRow,
  charge: TransactionRow,
): Promise<TakeOutcome | OpenAnswer> {
  const sum = { amount: charge.amount, currency: order.currency }
  const outcome = await askTake(context, entry, { ...sum, transactionId: transactionIdOf(charge) })
  if (outcome.kind !== 'charged' || isAsAsked(outcome, sum)) return outcome
  // Never paid by something else than was asked. It stays as it is until a person has looked at it.
  const difference = `${sum.amount} ${sum.currency} were to be taken, and ${outcome.amount} ${outcome.currency} were.`
  return { kind: 'open', cause: new Error(`Of the charge ${charge.id} ${difference}`) }
}

async function recordTake(
  tx: Tx,
  owner: OrderOwner,
  orderId: string,
  id: string,
  outcome: TakeOutcome,
  clock: Clock,
  remarks?: Remarks,
): Promise<TransactionRow> {
  const row = await takeOrder(tx, owner, orderId)
  // After the wait for the lock: an order's moments do not run backwards.
  const now = clock.now()
  const current = row.transactions.find((transaction) => transaction.id === id)
  if (!current) throw notFound('transaction')
  const isTaken = outcome.kind === 'charged'
  if (current.status === 'cancelled' && isTaken)
    // A gateway that had refused under this key has promised that this cannot be. Nobody but a person can mend it.
    throw new Error(`The charge ${id} was taken after its order had been cancelled. It has to be given back.`)
  // Another run may have been faster.
  const isOpen = isTaken ? current.status === 'pending' : isBeingTaken(current)
  const transaction: TransactionRow = {
    ...current,
    ...(isOpen && isTaken ? { ...completeAt(now), gateway_transaction_id: outcome.transactionId } : {}),
    ...(isOpen && !isTaken ? { status_reason: 'awaiting_capture' } : {}),
    ...(isTaken ? remarks?.(current) : {}),
    updated: unixSeconds(now),
  }
  if (isOpen || (isTaken && remarks)) await writeCharge(tx, owner, row, { transaction, rest: null }, now)
  return transaction
}
