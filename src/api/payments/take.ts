// Takes money that a gateway holds for an order: written down first, then asked of the gateway with no transaction open, then recorded.
// What dies or stays unanswered in between is ended by a job, or by the same request sent again: the gateway knows the charge by its key.

import type { Tx } from '../../db/db.ts'
import { isAsAsked, type TakeOutcome } from '../../gateways/gateway.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { gatewayError, notFound, notValid } from '../../lib/errors.ts'
import { type OrderOwner, orderAddresses } from '../orders/links.ts'
import { changed, takeOrder } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import type { Transaction } from '../orders/schema.ts'
import { findOrder } from '../orders/store.ts'
import { viewTransaction } from '../orders/view.ts'
import { type Asking, callGateway, notAnswered, type Open, stillOpen, transactionIdOf } from './ask.ts'
import { updateTransactionRow } from './store.ts'
import { completeAt, withCharge, writeCharge } from './transaction.ts'

/** The gateway has been, or will be, asked for the money. Until that has ended the order cannot be cancelled. */
export const isBeingTaken = ({ type, status, status_reason }: TransactionRow): boolean =>
  type === 'charge' && status === 'pending' && status_reason === 'awaiting_gateway'

/** Under the order's lock, before the gateway is asked. Gives the order as it then is. */
export async function noteTaking(
  tx: Tx,
  { clock, payments }: Asking,
  owner: OrderOwner,
  row: OrderRow,
  charge: TransactionRow,
): Promise<OrderRow> {
  if (payments.charging(charge.gateway)?.take === undefined)
    throw notValid({ status: [`What ${charge.gateway} holds cannot be taken from here.`] })
  const now = clock.now()
  await enqueue(tx, {
    merchantId: owner.merchantId,
    kind: SETTLE_TAKING,
    key: row.id,
    payload: {
      orderId: row.id,
      isSandbox: owner.isSandbox,
      origin: owner.addresses.lasting.origin,
    } satisfies SettlePayload,
    runAt: new Date(now.getTime() + payments.settleAfterMs),
  })
  if (isBeingTaken(charge)) return row
  const transaction = { ...charge, status_reason: 'awaiting_gateway', updated: unixSeconds(now) } as const
  const next = changed(row, { transactions: withCharge(row, transaction) }, now)
  await updateTransactionRow(tx, next, { transaction, rest: null, endings: [] }, now)
  return next
}

/** What the request says beside: it is written with the outcome. */
type Said = (charge: TransactionRow) => Pick<TransactionRow, 'notes' | 'meta'>

/** Takes what `noteTaking` has noted. */
export async function takeHeld(
  services: Asking,
  owner: OrderOwner,
  row: OrderRow,
  id: string,
  said: Said,
): Promise<Transaction> {
  const charge = row.transactions.find((transaction) => transaction.id === id)
  if (!charge) throw notFound('transaction')
  const outcome = await askGateway(services, row, charge)
  if (outcome.kind === 'open') throw notAnswered(services, outcome)
  const transaction = await record(services, owner, row.id, id, outcome, said)
  if (outcome.kind === 'declined') throw gatewayError(outcome.message)
  return transaction
}

/** Whatever is thrown leaves it open what the gateway has done. */
async function askGateway(services: Asking, row: OrderRow, charge: TransactionRow): Promise<TakeOutcome | Open> {
  const { amount } = charge
  const { currency, merchant_id: merchantId } = row
  const { take } = services.payments.charging(charge.gateway) ?? {}
  // A newer release, which knows the gateway, will settle it.
  if (take === undefined) return { kind: 'open', cause: new Error(`${charge.gateway} is not known here.`) }
  try {
    const outcome = await callGateway(services, merchantId, charge, (call) =>
      take({ ...call, transactionId: transactionIdOf(charge), amount, currency }),
    )
    if (outcome.kind === 'charged' && !isAsAsked(outcome, { amount, currency }))
      // Never paid by something else than was asked. It stays as it is until a person has looked at it.
      throw new Error(
        `Of the charge ${charge.id} ${amount} ${currency} were to be taken, and ${outcome.amount} ${outcome.currency} were.`,
      )
    return outcome
  } catch (cause) {
    return { kind: 'open', cause }
  }
}

async function record(
  { db, clock }: Asking,
  owner: OrderOwner,
  orderId: string,
  id: string,
  outcome: TakeOutcome,
  said?: Said,
): Promise<Transaction> {
  return db.transaction(async (tx) => {
    const row = await takeOrder(tx, owner, orderId)
    const current = row.transactions.find((transaction) => transaction.id === id)
    if (!current) throw notFound('transaction')
    const now = clock.now()
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
      ...(isTaken ? said?.(current) : {}),
      updated: unixSeconds(now),
    }
    if (isOpen || (isTaken && said)) await writeCharge(tx, owner, row, { transaction, rest: null }, now)
    return viewTransaction(transaction, row.currency)
  })
}

const SETTLE_TAKING = 'orders.settle_taking'

type SettlePayload = { orderId: string; isSandbox: boolean; origin: string }

/** Ends what a request has begun and not ended. It is due for every charge that is taken, and finds nothing to do after most. */
export const settleTaking = (services: Services): JobHandler => ({
  kind: SETTLE_TAKING,
  async handle({ payload, merchantId, signal }) {
    const { orderId, isSandbox, origin } = payload as SettlePayload
    const owner = { merchantId, isSandbox, addresses: await orderAddresses(services, origin) }
    const row = await findOrder(services.db, owner, orderId)
    for (const charge of row?.transactions.filter(isBeingTaken) ?? []) {
      const outcome = row && (await askGateway({ ...services, signal }, row, charge))
      if (outcome?.kind === 'open') throw stillOpen('A gateway has not answered about money that it holds.', outcome)
      if (outcome) await record({ ...services, signal }, owner, orderId, charge.id, outcome)
    }
  },
})
