// All SQL of the gateways that merchants have set up.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { Page } from '../../lib/page.ts'

/** `config` is whole, with its secrets: what leaves the service goes through view.ts or available.ts. */
export type PaymentMethodRow = {
  id: string
  code: string
  is_sandbox: boolean
  config: Record<string, string>
  is_enabled: boolean
  created: number
  updated: number
}

export type PaymentMethodColumns = Pick<PaymentMethodRow, 'is_sandbox' | 'config' | 'is_enabled'>

const ROW = `id, code, is_sandbox, config, is_enabled, unix_seconds(created_at) as created,
  unix_seconds(updated_at) as updated`

const find = statement<PaymentMethodRow>(
  'payment_methods.find',
  `select ${ROW} from payment_methods where merchant_id = $1 and id = $2`,
)

export const findPaymentMethod = (db: Db, merchantId: number, id: string) => db.maybe(find, [merchantId, id])

const list = statement<{ total: number; rows: PaymentMethodRow[] }>(
  'payment_methods.list',
  `select
     (select count(*) from payment_methods where merchant_id = $1) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${ROW} from payment_methods where merchant_id = $1 order by id limit $2 offset $3
       ) page
     ), '[]') as rows`,
)

/** One page, oldest first, and the count of all, in one round trip. */
export const listPaymentMethods = (db: Db, merchantId: number, { limit, offset }: Page) =>
  db.one(list, [merchantId, limit, offset])

const insert = statement<PaymentMethodRow>(
  'payment_methods.insert',
  `insert into payment_methods (
     merchant_id, id, code, is_single, is_sandbox, config, is_enabled, created_at, updated_at
   )
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
   on conflict (merchant_id, code, is_sandbox) where is_single do nothing
   returning ${ROW}`,
)

/** Null when the merchant has it already and may have it once only. It waits for one that is being set up. */
export const insertPaymentMethod = (
  db: Db,
  merchantId: number,
  { id, code, isSingle }: { id: string; code: string; isSingle: boolean },
  columns: PaymentMethodColumns,
  now: Date,
) => db.maybe(insert, [merchantId, id, code, isSingle, ...values(columns), now])

const lock = statement<PaymentMethodRow>(
  'payment_methods.lock',
  `select ${ROW} from payment_methods where merchant_id = $1 and id = $2 for update`,
)

export const lockPaymentMethod = (tx: Tx, merchantId: number, id: string) => tx.maybe(lock, [merchantId, id])

const update = statement<PaymentMethodRow>(
  'payment_methods.update',
  `update payment_methods
   set is_sandbox = $3, config = $4, is_enabled = $5, updated_at = $6
   where merchant_id = $1 and id = $2
   returning ${ROW}`,
)

export const updatePaymentMethodRow = (
  tx: Tx,
  merchantId: number,
  id: string,
  columns: PaymentMethodColumns,
  now: Date,
) => tx.one(update, [merchantId, id, ...values(columns), now])

const remove = statement('payment_methods.delete', 'delete from payment_methods where merchant_id = $1 and id = $2')

/** False when there was none. */
export const deletePaymentMethod = async (db: Db, merchantId: number, id: string) =>
  (await db.run(remove, [merchantId, id])) === 1

const values = ({ is_sandbox, config, is_enabled }: PaymentMethodColumns) => [
  is_sandbox,
  JSON.stringify(config),
  is_enabled,
]

/** The part of a row that tells what a checkout may offer. */
export type OfferRow = Pick<PaymentMethodRow, 'id' | 'code' | 'is_sandbox' | 'config' | 'is_enabled'>

/**
 * Every `OfferRow` of a merchant as one JSON list, oldest first, to stand among the columns of a larger select; `merchantId` is SQL, such
 * as `$1`. `availableGateways` makes of it what a shopper may see.
 */
export const offerRowsJson = (merchantId: string) =>
  `(select coalesce(json_agg(json_build_object('id', method.id, 'code', method.code, 'is_sandbox', method.is_sandbox,
      'config', method.config, 'is_enabled', method.is_enabled) order by method.id), '[]')
    from payment_methods method
    where method.merchant_id = ${merchantId})`
