// Moves the money of an order after the order was made. The planned call is recorded at the order with a job. The gateway is called with no
// transaction open, and its answer is recorded. If the process dies in between, the job ends the movement (ask.ts).

import type { Db, Tx } from '../../db/db.ts'
import { GatewayUnavailable, type Money } from '../../gateways/call.ts'
import type { DeclinedOutcome } from '../../gateways/gateway.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { gatewayError, notValid } from '../../lib/errors.ts'
import { priceOf } from '../../lib/money.ts'
import { createOrderAddresses, type OrderOwner } from '../orders/links.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { findOrder } from '../orders/store.ts'
import { jobProvider } from '../payment-methods/account.ts'
import { isUndecidedAnswer, toTimeoutError, type UndecidedAnswer } from './call-gateway.ts'
import type { MovementEntry, PaymentContext } from './calls.ts'
import { firstPollAt, schedulePoll } from './polls.ts'

/** One kind of movement: its transactions, the calls about them, and the recording of the answers. */
export type Movement<Outcome extends { readonly kind: string }, Result> = {
  /** Kind of the job that ends what a request could not. */
  readonly job: string
  /** Error message of that job while a gateway does not answer. */
  readonly unansweredMessage: string
  /** True if it is recorded and has not ended. */
  isUnderWay(transaction: TransactionRow): boolean
  ask(
    context: PaymentContext,
    entry: MovementEntry,
    order: OrderRow,
    transaction: TransactionRow,
  ): Promise<Outcome | UndecidedAnswer>
  /** Runs in its own transaction. Another run may have been faster, and `answers` may be empty. */
  record(
    context: PaymentContext,
    owner: OrderOwner,
    order: OrderRow,
    answers: readonly MovementAnswer<Outcome>[],
  ): Promise<Result>
}

export type MovementAnswer<Outcome> = { readonly transaction: TransactionRow; readonly outcome: Outcome }

export const toMovementEntry = (
  { merchant_id, is_sandbox }: Pick<OrderRow, 'merchant_id' | 'is_sandbox'>,
  { gateway_key: key, gateway, payment_method_id: methodId, is_simulated: isSimulated, ...row }: TransactionRow,
): MovementEntry => ({ merchant_id, key, is_sandbox, gateway, methodId, isSimulated, begunAt: begunAtOf(row) })

/** A refund is recorded with its row. A take is recorded at its charge, which may be older than the credentials for the call. */
const begunAtOf = ({ type, created, updated }: Pick<TransactionRow, 'type' | 'created' | 'updated'>): Date =>
  new Date((type === 'refund' ? created : updated) * 1_000)

/** The id from the gateway, or our key if it gave none. */
export const transactionIdOf = ({ gateway_transaction_id: id, gateway_key: key }: TransactionRow): string => id ?? key

/** Identifies a charge of an order to its gateway. */
export const identifyPayment = ({ transactions, currency }: OrderRow, charge: TransactionRow) => ({
  transactionId: transactionIdOf(charge),
  currency,
  otherIds: transactions
    .filter(({ type, id }) => type === 'charge' && id !== charge.id)
    .flatMap(({ gateway_transaction_id: id }) => id ?? []),
})

/**
 * Throws if the gateway cannot move such a fine amount of a charge. `field` is the field of the body that sets it. Call it before anything
 * is recorded.
 */
export function refuseTooFineAmount(
  { payments }: Pick<PaymentContext, 'payments'>,
  { gateway, is_simulated }: TransactionRow,
  { amount, currency }: Money,
  field: 'amount' | 'items',
): void {
  const step = payments.findAdapter(gateway, is_simulated)?.stepIn?.(currency) ?? 1
  if (amount % step === 0) return
  const [sum, finest] = [amount, step].map((minor) => priceOf(minor, currency).formatted_with_code)
  const rule = `${gateway} only accepts multiples of ${finest}, and ${sum} is not one.`
  throw notValid({
    [field]: [field === 'amount' ? `amount is too precise: ${rule}` : `${rule} Send the amount to refund in amount.`],
  })
}

type EndPayload = { orderId: string; isSandbox: boolean; origin: string }

/** Enqueues the job that ends the movement. At most one waits for each order; another joins it. */
export const enqueueMovementEnd = (
  db: Db,
  { merchant_id, is_sandbox, addresses }: OrderOwner,
  { job }: { readonly job: string },
  { id: orderId, transactions }: Pick<OrderRow, 'id' | 'transactions'>,
  runAt: Date,
) =>
  enqueue(db, {
    merchant_id,
    kind: job,
    // All payments of an order come from one capture, and so from one provider.
    provider: transactions.map(jobProvider).find((code) => code !== null) ?? null,
    key: orderId,
    payload: { orderId, isSandbox: is_sandbox, origin: addresses.lasting.origin } satisfies EndPayload,
    runAt,
  })

/**
 * Enqueues the job for a movement that this request is about to end itself. Also enqueues a poll, which checks later what the provider made
 * of it.
 */
export async function scheduleMovementEnd(
  tx: Tx,
  { payments }: Pick<PaymentContext, 'payments'>,
  owner: OrderOwner,
  movement: { readonly job: string },
  order: Pick<OrderRow, 'id' | 'transactions'>,
  now: Date,
): Promise<void> {
  await enqueueMovementEnd(tx, owner, movement, order, new Date(now.getTime() + payments.settleAfterMs))
  const chargeToPoll = order.transactions.find(
    ({ gateway, is_simulated }) => payments.findAdapter(gateway, is_simulated)?.history !== undefined,
  )
  const { merchant_id, is_sandbox } = owner
  if (chargeToPoll !== undefined)
    await schedulePoll(tx, merchant_id, { order_id: order.id, is_sandbox }, chargeToPoll, firstPollAt(now))
}

/** Calls the gateways about all that is under way, and records the answers. Throws if a gateway has not answered or has refused. */
export async function endMovement<Outcome extends { readonly kind: string }, Result>(
  context: PaymentContext,
  owner: OrderOwner,
  movement: Movement<Outcome, Result>,
  order: OrderRow,
): Promise<Result> {
  const { result, open, refusal } = await settle(context, owner, movement, order)
  if (open !== null) throw toTimeoutError(open, Math.ceil(context.payments.settleAfterMs / 1_000))
  if (refusal !== null) throw gatewayError(refusal)
  return result
}

/** About a month of retries. Wrong credentials or too little money at the provider take time to fix, and no money must be left behind. */
export const MAX_PROVIDER_FAILURES = 800

/** Ends what a request has begun and not ended. The job runs for every movement, and finds nothing to do after most. */
export const createMovementJob = <Outcome extends { readonly kind: string }, Result>(
  services: Services,
  movement: Movement<Outcome, Result>,
): JobHandler => ({
  kind: movement.job,
  lane: 'provider',
  isUrgent: true,
  maxFailures: MAX_PROVIDER_FAILURES,
  async handle({ payload, merchant_id, signal }) {
    const { orderId, isSandbox: is_sandbox, origin } = payload as EndPayload
    const owner = { merchant_id, is_sandbox, addresses: await createOrderAddresses(services, origin) }
    const order = await findOrder(services.db, owner, orderId)
    if (order === null) return
    const { open } = await settle({ ...services, signal }, owner, movement, order)
    if (open !== null)
      throw new GatewayUnavailable(movement.unansweredMessage, { isNothingCharged: false, cause: open.cause })
  },
})

/** Can be repeated, even concurrently. */
async function settle<Outcome extends { readonly kind: string }, Result>(
  context: PaymentContext,
  owner: OrderOwner,
  movement: Movement<Outcome, Result>,
  order: OrderRow,
): Promise<{ result: Result; open: UndecidedAnswer | null; refusal: string | null }> {
  const answers: MovementAnswer<Outcome>[] = []
  let open: UndecidedAnswer | null = null
  let refusal: string | null = null
  // Concurrently: in sequence, the last call would be made when nobody waits any longer.
  const calls = order.transactions.filter(movement.isUnderWay).map(async (transaction) => ({
    transaction,
    outcome: await movement.ask(context, toMovementEntry(order, transaction), order, transaction),
  }))
  for (const { transaction, outcome } of await Promise.all(calls)) {
    if (isUndecidedAnswer(outcome)) open = outcome
    else answers.push({ transaction, outcome })
    if (isDeclined(outcome)) refusal = outcome.message
  }
  return { result: await movement.record(context, owner, order, answers), open, refusal }
}

const isDeclined = (outcome: { readonly kind: string }): outcome is Pick<DeclinedOutcome, 'kind' | 'message'> =>
  outcome.kind === 'declined'
