// The SQL of providers' messages: which have been read, and which orders they are about.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import { sweepOf } from '../../jobs/sweeps.ts'

const insert = statement<{ id: string }>(
  'provider_messages.insert',
  `insert into provider_messages (merchant_id, payment_method_id, id, received_at)
   values (:merchant_id, :payment_method_id, :id, :now)
   on conflict (merchant_id, payment_method_id, id) do nothing
   returning id`,
)

/** False when it has been read before. One that is being read in this moment is waited for. */
export const noteMessage = async (
  tx: Tx,
  { merchantId }: Shop,
  { methodId, id }: { readonly methodId: string; readonly id: string },
  now: Date,
): Promise<boolean> =>
  (await tx.maybe(insert, { merchant_id: merchantId, payment_method_id: methodId, id, now })) !== null

/** An order, its mode, and by what it was paid. */
export type ToldOrder = { order_id: string; is_sandbox: boolean; gateway: string; is_simulated: boolean }

const findOrder = statement<ToldOrder>(
  'provider_messages.find_order',
  `select o.id as order_id, o.is_sandbox, charge.gateway, charge.is_simulated
   from order_transactions charge
   join orders o on o.merchant_id = :merchant_id and o.id = charge.order_id
   where charge.merchant_id = :merchant_id and charge.gateway_transaction_id = :transaction_id and charge.type = 'charge'
     and charge.payment_method_id = :payment_method_id
   limit 1`,
)

/** The order that was paid with it. Of this very gateway: what another calls its payments may be the same. */
export const findOrderPaidBy = (db: Db, { merchantId }: Shop, methodId: string, transactionId: string) =>
  db.maybe(findOrder, { merchant_id: merchantId, payment_method_id: methodId, transaction_id: transactionId })

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
