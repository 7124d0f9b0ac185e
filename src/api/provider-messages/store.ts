// The SQL of providers' messages: which have been read, and which orders they are about.

import { type Db, statement } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import { sweepOf } from '../../jobs/sweeps.ts'
import { HASTEN_ATTEMPT } from '../capture/store.ts'

/** By which gateway of a shop something was told, and of which attempt to pay it is, where that is known. */
export type Told = Shop & { readonly methodId: string; readonly attemptId: string | null }

const valuesOf = ({ merchantId, methodId, attemptId }: Told) => ({
  merchant_id: merchantId,
  payment_method_id: methodId,
  attempt_id: attemptId,
})

// Before anything is looked up: an attempt that is being settled in this moment is waited for, and what is looked up then is there.
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
 * Has the completer look at the attempt next, where it is still open. False when the message has been read before. One that is being read in
 * this moment is waited for.
 */
export const noteMessage = async (db: Db, told: Told, id: string, now: Date): Promise<boolean> =>
  (await db.maybe(note, { ...valuesOf(told), id, now })) !== null

const hasten = statement('provider_messages.hasten', HASTEN_ATTEMPT)

/** The same without a message, for what one was found to be about later. */
export const hastenTold = (db: Db, told: Told, now: Date) => db.run(hasten, { ...valuesOf(told), now })

/** An order, its mode, and by what it was paid. */
export type ToldOrder = { order_id: string; is_sandbox: boolean; gateway: string; is_simulated: boolean }

const findOrder = statement<ToldOrder>(
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

/** The order that was paid with it, or was made of the attempt. Of this very gateway: what another calls its payments may be the same. */
export const findToldOrder = (db: Db, told: Told, transactionId: string | null) =>
  db.maybe(findOrder, { ...valuesOf(told), transaction_id: transactionId })

/** A charge that its provider is still looking into. */
export type UndecidedRow = ToldOrder & { merchant_id: number; updated_at: Date; id: string }

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

/** Of all merchants, oldest first: those unchanged since `moment`, behind `after`. */
export const listUndecidedPayments = (
  db: Db,
  moment: Date,
  after: Pick<UndecidedRow, 'updated_at' | 'merchant_id' | 'id'>,
  limit: number,
) => db.many(listUndecided, { ...after, moment, limit })

/** Longer than any provider tries to deliver one. */
export const sweepOldMessages = sweepOf('provider_messages', {
  name: 'old-provider-messages',
  everySeconds: 3_600,
  column: 'received_at',
  keptDays: 90,
  key: { payment_method_id: 'text', id: 'text' },
})
