// Takes money that a gateway holds for an order, all of it or a part: the rest is then let go of. How much is noted at the charge before the
// gateway is asked. What dies or stays unanswered on the way is ended by a job, or by the same request sent again: the gateway knows the charge
// by its key.

import type { Tx } from '../../db/db.ts'
import type { Sum } from '../../gateways/call.ts'
import { isAsAsked, type TakeOutcome } from '../../gateways/gateway.ts'
import { findGateway } from '../../gateways/index.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notFound, notValid } from '../../lib/errors.ts'
import { decimalText, type Minor, priceOf } from '../../lib/money.ts'
import type { OrderOwner } from '../orders/links.ts'
import { changed, takeOrder } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { askTake, type MovementEntry, type OpenAnswer, type PaymentContext } from './ask.ts'
import { releasedOf, takenAt, withCharge, writeCharge } from './charge.ts'
import { lookIntoLater } from './look-later.ts'
import { endMovement, type Movement, noteEnd, paymentOf, refuseTooFine } from './movement.ts'
import { updateTransactionRow } from './store.ts'

/** The gateway has been, or will be, asked for the money. Until that has ended the order cannot be cancelled. */
export const isBeingTaken = ({ type, status, status_reason }: TransactionRow): boolean =>
  type === 'charge' && status === 'pending' && status_reason === 'awaiting_gateway'

/** How much of it. An older release has noted nothing, and takes all. */
const takenOf = ({ taking: part, amount }: TransactionRow): Minor => part ?? amount

/** What a request says of the charge that it completes, written with the outcome. A job says nothing. */
type Remarks = (charge: TransactionRow) => Pick<TransactionRow, 'notes' | 'meta'>

/** Of all charges, or of the one that a request completes. Its result is the charges as they then are. */
const takingOf = (id?: string, remarks?: Remarks): Movement<TakeOutcome, readonly TransactionRow[]> => ({
  job: 'orders.settle_taking',
  silence: 'A gateway has not answered about money that it holds.',
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

export const taking = takingOf()

/** Under the order's lock, before the gateway is asked. Gives the order as it then is. */
export async function noteTaking(
  tx: Tx,
  context: PaymentContext,
  owner: OrderOwner,
  row: OrderRow,
  charge: TransactionRow,
  amount: Minor,
): Promise<OrderRow> {
  const gateway = context.payments.charging(charge.gateway, charge.is_simulated)
  if (gateway?.take === undefined)
    throw notValid({ status: [`What ${charge.gateway} holds cannot be taken from here.`] })
  if (amount < charge.amount && !gateway.takesParts) {
    const all = priceOf(charge.amount, row.currency).formatted_with_code
    throw notValid({ amount: [`amount must be ${all}: what ${charge.gateway} holds is taken as a whole.`] })
  }
  refuseTooFine(context, charge, { amount, currency: row.currency }, 'amount')
  if (isBeingTaken(charge) && amount !== takenOf(charge))
    throw conflict('Another amount of it is being taken. Look at it again in a moment.', 1)
  const now = context.clock.now()
  await noteEnd(tx, context, owner, taking, row, now)
  if (isBeingTaken(charge)) return row
  const noted = { status_reason: 'awaiting_gateway', taking: amount, updated: unixSeconds(now) } as const
  const transaction = { ...charge, ...noted }
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
): Promise<TakeOutcome | OpenAnswer> {
  const sum = { amount: takenOf(charge), currency: order.currency }
  const outcome = await askTake(context, entry, { ...paymentOf(order, charge), ...sum })
  if (outcome.kind !== 'charged' || isAsAsked(outcome, sum)) return outcome
  // Never paid by something else than was asked. Where it is told with that sum, it is as asked.
  if (canBeTold(context, charge, outcome, sum)) return { kind: 'declined', message: takenAlready(charge, outcome) }
  // It stays as it is until a person has looked at it.
  const difference = `${sum.amount} ${sum.currency} were to be taken, and ${outcome.amount} ${outcome.currency} were.`
  return { kind: 'open', cause: new Error(`Of the charge ${charge.id} ${difference}`) }
}

/** Whether the merchant can complete the charge with what was taken, by somebody else, as in the dashboard of the provider. */
const canBeTold = (context: PaymentContext, charge: TransactionRow, taken: Sum, { currency }: Sum): boolean =>
  isAsAsked(taken, { amount: charge.amount, currency }) || isPartOf(context, charge, currency, taken)

/** Whether that is less than the gateway held for the charge, and so much could have been taken from here too. */
export function isPartOf(
  { payments }: Pick<PaymentContext, 'payments'>,
  { gateway, is_simulated, is_authorized: isHeld, amount }: TransactionRow,
  currency: string,
  taken: Sum,
): boolean {
  const takesParts = payments.charging(gateway, is_simulated)?.takesParts === true
  return isHeld && takesParts && taken.currency === currency && taken.amount > 0 && taken.amount < amount
}

const takenAlready = ({ gateway }: TransactionRow, { amount, currency }: Sum): string => {
  const name = findGateway(gateway)?.name ?? gateway
  const taken = priceOf(amount, currency).formatted_with_code
  return `${name} has taken ${taken} already: send amount ${decimalText(amount, currency)} to complete the transaction with it.`
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
    ...(isOpen && isTaken ? takenAt(outcome.amount, outcome.transactionId, now) : {}),
    ...(isOpen && !isTaken ? { status_reason: 'awaiting_capture', taking: null } : {}),
    ...(isTaken ? remarks?.(current) : {}),
    updated: unixSeconds(now),
  }
  const rest = isOpen && isTaken && outcome.amount < current.amount ? releasedOf(current, outcome.amount, now) : null
  if (isOpen || (isTaken && remarks)) await writeCharge(tx, owner, row, { transaction, rest }, now)
  // It stands otherwise there than here. Whoever was told of that, while it was being taken, has left it alone.
  const hasStory = payments.charging(current.gateway, current.is_simulated)?.story !== undefined
  if (isOpen && !isTaken && hasStory)
    await lookIntoLater(tx, owner.merchantId, { order_id: row.id, is_sandbox: owner.isSandbox }, current, now)
  return transaction
}
