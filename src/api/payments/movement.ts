// How the money of an order moves after it was made: what is about to be asked is noted at the order with a job, the gateway is asked with no
// transaction open, its answer is recorded; and whatever dies on the way is ended by the job (ask.ts).

import type { Db, Tx } from '../../db/db.ts'
import { GatewayUnavailable, type Sum } from '../../gateways/call.ts'
import type { Declined } from '../../gateways/gateway.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { gatewayError, notValid } from '../../lib/errors.ts'
import { priceOf } from '../../lib/money.ts'
import { type OrderOwner, orderAddresses } from '../orders/links.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { findOrder } from '../orders/store.ts'
import { jobProvider } from '../payment-methods/account.ts'
import { isOpen, type MovementEntry, notAnswered, type OpenAnswer, type PaymentContext } from './ask.ts'
import { firstLookAt, lookIntoLater } from './look-later.ts'

/** One kind of movement: of which transactions, how they are asked about, and what is made of the answers. */
export type Movement<Outcome extends { readonly kind: string }, Result> = {
  /** The kind of the job that ends what a request could not. */
  readonly job: string
  /** What that job fails with while a gateway does not answer. */
  readonly silence: string
  /** Whether it is noted, and has not ended. */
  isUnderWay(transaction: TransactionRow): boolean
  ask(
    context: PaymentContext,
    entry: MovementEntry,
    order: OrderRow,
    transaction: TransactionRow,
  ): Promise<Outcome | OpenAnswer>
  /** In a transaction of its own. Another run may have been faster, and there may be no answer at all. */
  record(
    context: PaymentContext,
    owner: OrderOwner,
    order: OrderRow,
    answers: readonly Answer<Outcome>[],
  ): Promise<Result>
}

export type Answer<Outcome> = { readonly transaction: TransactionRow; readonly outcome: Outcome }

export const entryOf = (
  { merchant_id: merchantId, is_sandbox: isSandbox }: Pick<OrderRow, 'merchant_id' | 'is_sandbox'>,
  { gateway_key: key, gateway, payment_method_id: methodId, is_simulated: isSimulated, ...row }: TransactionRow,
): MovementEntry => ({ merchantId, key, isSandbox, gateway, methodId, isSimulated, begunAt: begunAtOf(row) })

/** A refund is noted with its row. A take is noted at its charge, which may be older than the credentials that it is asked with. */
const begunAtOf = ({ type, created, updated }: Pick<TransactionRow, 'type' | 'created' | 'updated'>): Date =>
  new Date((type === 'refund' ? created : updated) * 1_000)

/** By the id that the gateway gave it, by our key where it gave none. */
export const transactionIdOf = ({ gateway_transaction_id: id, gateway_key: key }: TransactionRow): string => id ?? key

/** By which its gateway is asked about a charge of an order. */
export const paymentOf = ({ transactions, currency }: OrderRow, charge: TransactionRow) => ({
  transactionId: transactionIdOf(charge),
  currency,
  otherIds: transactions
    .filter(({ type, id }) => type === 'charge' && id !== charge.id)
    .flatMap(({ gateway_transaction_id: id }) => id ?? []),
})

/** Throws where the gateway of a charge cannot move so fine a part of it; `field` says how much. To be asked before anything is noted. */
export function refuseTooFine(
  { payments }: Pick<PaymentContext, 'payments'>,
  { gateway, is_simulated }: TransactionRow,
  { amount, currency }: Sum,
  field: 'amount' | 'items',
): void {
  const step = payments.charging(gateway, is_simulated)?.stepIn?.(currency) ?? 1
  if (amount % step === 0) return
  const [sum, finest] = [amount, step].map((minor) => priceOf(minor, currency).formatted_with_code)
  const rule = `${gateway} moves money in steps of ${finest}, and cannot move ${sum}.`
  throw notValid({
    [field]: [field === 'amount' ? `amount is too fine: ${rule}` : `${rule} Say in amount how much is given back.`],
  })
}

type EndPayload = { orderId: string; isSandbox: boolean; origin: string }

/** Puts in the job that ends the movement. At most one waits for each order: another joins it. */
export const enqueueEnd = (
  db: Db,
  { merchantId, isSandbox, addresses }: OrderOwner,
  { job }: { readonly job: string },
  { id: orderId, transactions }: Pick<OrderRow, 'id' | 'transactions'>,
  runAt: Date,
) =>
  enqueue(db, {
    merchantId,
    kind: job,
    // All that an order was paid with is of one capture, and so of one provider.
    provider: transactions.map(jobProvider).find((code) => code !== null) ?? null,
    key: orderId,
    payload: { orderId, isSandbox, origin: addresses.lasting.origin } satisfies EndPayload,
    runAt,
  })

/** The same for a movement that this request is about to end itself. What its provider makes of it in the end is looked at later. */
export async function noteEnd(
  tx: Tx,
  { payments }: Pick<PaymentContext, 'payments'>,
  owner: OrderOwner,
  movement: { readonly job: string },
  order: Pick<OrderRow, 'id' | 'transactions'>,
  now: Date,
): Promise<void> {
  await enqueueEnd(tx, owner, movement, order, new Date(now.getTime() + payments.settleAfterMs))
  const told = order.transactions.find(
    ({ gateway, is_simulated }) => payments.charging(gateway, is_simulated)?.story !== undefined,
  )
  const { merchantId, isSandbox: is_sandbox } = owner
  if (told !== undefined)
    await lookIntoLater(tx, merchantId, { order_id: order.id, is_sandbox }, told, firstLookAt(now))
}

/** Asks about what is under way and records the answers. Throws where a gateway has not answered, or has refused. */
export async function endMovement<Outcome extends { readonly kind: string }, Result>(
  context: PaymentContext,
  owner: OrderOwner,
  movement: Movement<Outcome, Result>,
  order: OrderRow,
): Promise<Result> {
  const { result, open, refusal } = await settle(context, owner, movement, order)
  if (open !== null) throw notAnswered(open, Math.ceil(context.payments.settleAfterMs / 1_000))
  if (refusal !== null) throw gatewayError(refusal)
  return result
}

/** About a month of them: wrong credentials, or too little money at the provider, take their time to be mended, and money must not be left behind. */
export const MOST_FAILURES = 800

/** Ends what a request has begun and not ended. It is due for every movement, and finds nothing to do after most. */
export const endJob = <Outcome extends { readonly kind: string }, Result>(
  services: Services,
  movement: Movement<Outcome, Result>,
): JobHandler => ({
  kind: movement.job,
  lane: 'provider',
  isUrgent: true,
  maxFailures: MOST_FAILURES,
  async handle({ payload, merchantId, signal }) {
    const { orderId, isSandbox, origin } = payload as EndPayload
    const owner = { merchantId, isSandbox, addresses: await orderAddresses(services, origin) }
    const order = await findOrder(services.db, owner, orderId)
    if (order === null) return
    const { open } = await settle({ ...services, signal }, owner, movement, order)
    if (open !== null) throw new GatewayUnavailable(movement.silence, { isNothingCharged: false, cause: open.cause })
  },
})

/** May be repeated, also at the same time. */
async function settle<Outcome extends { readonly kind: string }, Result>(
  context: PaymentContext,
  owner: OrderOwner,
  movement: Movement<Outcome, Result>,
  order: OrderRow,
): Promise<{ result: Result; open: OpenAnswer | null; refusal: string | null }> {
  const answers: Answer<Outcome>[] = []
  let open: OpenAnswer | null = null
  let refusal: string | null = null
  // At once: one after the other, the last would be asked when nobody waits any longer.
  const questions = order.transactions.filter(movement.isUnderWay).map(async (transaction) => ({
    transaction,
    outcome: await movement.ask(context, entryOf(order, transaction), order, transaction),
  }))
  for (const { transaction, outcome } of await Promise.all(questions)) {
    if (isOpen(outcome)) open = outcome
    else answers.push({ transaction, outcome })
    if (isDeclined(outcome)) refusal = outcome.message
  }
  return { result: await movement.record(context, owner, order, answers), open, refusal }
}

const isDeclined = (outcome: { readonly kind: string }): outcome is Pick<Declined, 'kind' | 'message'> =>
  outcome.kind === 'declined'
