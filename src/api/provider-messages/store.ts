// SQL of providers' messages: those that were received, and the orders that they are about.

import { type Db, type Shop, statement } from '../../db/db.ts'
import { sweepOf } from '../../jobs/sweeps.ts'
import { HASTEN_ATTEMPT } from '../capture/store.ts'

/** The gateway of a shop that a message came from, and the attempt that it is about, if known. */
export type MessageTarget = Shop & { readonly methodId: string; readonly attemptId: string | null }

const valuesOf = ({ merchant_id, methodId, attemptId }: MessageTarget) => ({
  merchant_id,
  payment_method_id: methodId,
  attempt_id: attemptId,
})

// Runs before any lookup. It waits for an attempt that is being settled, so that the lookups see its result.
const note = statement<{ id: string }>(
  'provider_messages.note',
  `with noted as (
     insert into provider_messages (merchant_id, payment_method_id, id, received_at)
     values (:merchant_id, :payment_method_id, :id, :now)
     on conflict (merchant_id, payment_method_id, id) do nothing
     returning id
   ), hastened as (
     ${HASTEN_ATTEMPT} and exists (select 1 from noted)
   )
   select id from noted`,
)

/**
 * Lets the completer check the attempt next, if it is still open. Waits for another request that is recording the same message. False if
 * the message was recorded before.
 */
export const recordMessage = async (db: Db, target: MessageTarget, id: string, now: Date): Promise<boolean> =>
  (await db.maybe(note, { ...valuesOf(target), id, now })) !== null

const hasten = statement('provider_messages.hasten', HASTEN_ATTEMPT)

/** The same without a message, for an attempt that was found later. */
export const hastenMessageTarget = (db: Db, target: MessageTarget, now: Date) =>
  db.run(hasten, { ...valuesOf(target), now })

/** An order, its mode, and the gateway that it was paid by. */
export type MessageOrder = { order_id: string; is_sandbox: boolean; gateway: string; is_simulated: boolean }

const findOrder = statement<MessageOrder>(
  'provider_messages.find_order',
  `select o.id as order_id, o.is_sandbox, charge.gateway, charge.is_simulated
   from order_transactions charge
   join orders o on o.merchant_id = :merchant_id and o.id = charge.order_id
   where charge.merchant_id = :merchant_id and charge.gateway_transaction_id = :transaction_id and charge.type = 'charge'
     and charge.payment_method_id = :payment_method_id
   union all
   select o.id, o.is_sandbox, coalesce(attempt.gateway, ''), attempt.is_simulated
   from capture_attempts attempt
   join orders o on o.merchant_id = :merchant_id and o.is_sandbox = attempt.is_sandbox and o.checkout_id = attempt.checkout_id
   where attempt.merchant_id = :merchant_id and attempt.id = :attempt_id and attempt.payment_method_id = :payment_method_id
     and (attempt.state = 'done') is true
   limit 1`,
)

/**
 * The order that was paid with the transaction, or made of the attempt. It must be of the same gateway, because another may use the same
 * ids.
 */
export const findMessageOrder = (db: Db, target: MessageTarget, transactionId: string | null) =>
  db.maybe(findOrder, { ...valuesOf(target), transaction_id: transactionId })

/** A charge that its provider has not decided yet. */
export type UndecidedRow = MessageOrder & { merchant_id: number; updated_at: Date; id: string }

const listUndecided = statement<UndecidedRow>(
  'sweep.undecided_payments',
  `select charge.merchant_id, charge.order_id, o.is_sandbox, charge.gateway, charge.is_simulated, charge.updated_at, charge.id
   from order_transactions charge
   join orders o on o.merchant_id = charge.merchant_id and o.id = charge.order_id
   where charge.type = 'charge' and charge.status = 'pending' and charge.gateway_transaction_id is not null
     and not charge.is_authorized
     and charge.updated_at <= :moment and (charge.updated_at, charge.merchant_id, charge.id) > (:updated_at, :merchant_id, :id)
   order by charge.updated_at, charge.merchant_id, charge.id
   limit :limit`,
)

/** Charges of all merchants that have not changed since `moment`, after `after`, oldest first. */
export const listUndecidedPayments = (
  db: Db,
  moment: Date,
  after: Pick<UndecidedRow, 'updated_at' | 'merchant_id' | 'id'>,
  limit: number,
) => db.many(listUndecided, { ...after, moment, limit })

/** Keeps messages longer than any provider tries to deliver one. */
export const sweepOldMessages = sweepOf('provider_messages', {
  name: 'old-provider-messages',
  everySeconds: 3_600,
  column: 'received_at',
  keptDays: 90,
  key: { payment_method_id: 'text', id: 'text' },
})
