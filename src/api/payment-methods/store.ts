// All SQL of the gateways that merchants have set up.

import { columns } from '../../db/columns.ts'
import { countChangeSql } from '../../db/counts.ts'
import { type Db, lookup, type Shop, statement, type Tx } from '../../db/db.ts'
import { findRecord, listRecords, lockRecord } from '../../db/record-store.ts'
import { BY_KEY, keyOf, TIMES } from '../../db/records.ts'
import { sweepOf } from '../../jobs/sweeps.ts'

/**
 * `config` is complete and contains the sealed secrets (credentials.ts). It leaves the service only through `viewPaymentMethod` or
 * `availableGateways`.
 */
export type PaymentMethodRow = {
  id: string
  code: string
  is_sandbox: boolean
  /** True if the test books replace the provider, and so no credentials exist. */
  is_simulated: boolean
  config: Record<string, string>
  is_enabled: boolean
  created: number
  updated: number
}

/** Columns that a merchant sets. */
export type PaymentMethodColumns = Pick<PaymentMethodRow, 'is_sandbox' | 'is_simulated' | 'config' | 'is_enabled'>

const COLUMNS = columns<keyof PaymentMethodColumns>(['is_sandbox', 'is_simulated', 'config', 'is_enabled'], ['config'])

const ROW = `id, code, ${COLUMNS.names}, ${TIMES}`

export const findPaymentMethod = findRecord<PaymentMethodRow>('payment_methods.find', 'payment_methods', ROW)
export const listPaymentMethods = listRecords<PaymentMethodRow>('payment_methods.list', 'payment_methods', ROW)
export const lockPaymentMethod = lockRecord<PaymentMethodRow>('payment_methods.lock', 'payment_methods', ROW)

/** Data needed to call its gateway; also of a deleted method. */
export type MethodOrDeleted = Pick<PaymentMethodRow, 'id' | 'code' | 'is_sandbox' | 'is_simulated' | 'config'> & {
  readonly is_deleted: boolean
  /** Last time that it was set up for what may be another account. */
  readonly account_changed_at: Date | null
}

const KEPT = 'id, code, is_sandbox, is_simulated, config, account_changed_at'

const findKept = lookup<MethodOrDeleted>(
  'payment_methods.find_kept',
  `select ${KEPT}, false as is_deleted from payment_methods where ${BY_KEY}
   union all
   select ${KEPT}, true from deleted_payment_methods where ${BY_KEY}`,
)

/** For payments that are under way there and have to end. */
export const findMethodOrDeleted = (db: Db, shop: Shop, id: string) => db.maybe(findKept, keyOf(shop, id))

const insert = statement<PaymentMethodRow>(
  'payment_methods.insert',
  `with made as (
     insert into payment_methods (merchant_id, id, code, is_single, ${COLUMNS.names}, created_at, updated_at)
     values (:merchant_id, :id, :code, :is_single, ${COLUMNS.parameters}, :now, :now)
     on conflict (merchant_id, code, is_sandbox) where is_single do nothing
     returning ${ROW}
   ),
   ${countChangeSql({ list: 'payment_methods', change: 1, from: 'made' })}
   select * from made`,
)

/** Columns that never change. `is_single`: only one of it may exist in each mode. */
type FixedColumns = { readonly code: string; readonly is_single: boolean }

/** Null if the merchant has it already and may have it only once. Waits for one that is being set up. */
export const insertPaymentMethod = (
  db: Db,
  shop: Shop,
  id: string,
  { code, is_single, ...method }: PaymentMethodColumns & FixedColumns,
  now: Date,
) => db.maybe(insert, { ...keyOf(shop, id), code, is_single, ...COLUMNS.values(method), now })

const update = statement<PaymentMethodRow>(
  'payment_methods.update',
  `update payment_methods
   set ${COLUMNS.assignments}, updated_at = :now,
     account_changed_at = case when :is_same_account then account_changed_at else :now end
   where ${BY_KEY}
   returning ${ROW}`,
)

export const updatePaymentMethodRow = (
  tx: Tx,
  shop: Shop,
  id: string,
  { isSameAccount, ...method }: PaymentMethodColumns & { readonly isSameAccount: boolean },
  now: Date,
) => tx.one(update, { ...keyOf(shop, id), ...COLUMNS.values(method), is_same_account: isSameAccount, now })

const replacementIn = (table: string) => `update ${table} set config = :config where ${BY_KEY} and config = :before`

const replace = statement('payment_methods.replace_config', replacementIn('payment_methods'))
const replaceDeleted = statement('payment_methods.replace_deleted_config', replacementIn('deleted_payment_methods'))

/**
 * Replaces the stored config. The time of the record stays, because its readers see no difference. False if the row no longer holds the
 * config that was read.
 */
export const replaceConfig = async (
  db: Db,
  shop: Shop,
  { id, is_deleted: isDeleted, config: before }: Pick<MethodOrDeleted, 'id' | 'is_deleted' | 'config'>,
  config: PaymentMethodRow['config'],
) =>
  (await db.run(isDeleted ? replaceDeleted : replace, {
    ...keyOf(shop, id),
    before: JSON.stringify(before),
    config: JSON.stringify(config),
  })) === 1

/** A row as it is read when all merchants are gone through. */
export type StoredConfig = Pick<
  MethodOrDeleted,
  'id' | 'code' | 'is_sandbox' | 'is_simulated' | 'config' | 'is_deleted'
> & {
  readonly merchant_id: number
}

const listOfAllIn = (table: string, isDeleted: boolean) =>
  `select merchant_id, id, code, is_sandbox, is_simulated, config, ${isDeleted} as is_deleted
   from ${table}
   where (merchant_id, id) > (:after_merchant_id, :after_id)
   order by merchant_id, id
   limit :limit`

const listOfAll = statement<StoredConfig>('payment_methods.list_of_all', listOfAllIn('payment_methods', false))
const listDeletedOfAll = statement<StoredConfig>(
  'payment_methods.list_deleted_of_all',
  listOfAllIn('deleted_payment_methods', true),
)

/** Gateways of all merchants in the order of their keys: either those that are set up, or those that were deleted. */
export const listMethodsOfAll = (
  db: Db,
  after: Pick<StoredConfig, 'merchant_id' | 'id' | 'is_deleted'>,
  limit: number,
) =>
  db.many(after.is_deleted ? listDeletedOfAll : listOfAll, {
    after_merchant_id: after.merchant_id,
    after_id: after.id,
    limit,
  })

const remove = statement(
  'payment_methods.delete',
  `with gone as (delete from payment_methods where ${BY_KEY} returning ${KEPT}),
   kept as (
     insert into deleted_payment_methods (merchant_id, ${KEPT}, deleted_at)
     select :merchant_id, ${KEPT}, :now from gone
   ),
   ${countChangeSql({ list: 'payment_methods', change: -1, from: 'gone' })}
   select 1 from gone`,
)

export const deletePaymentMethodRow = (tx: Tx, shop: Shop, id: string, now: Date) =>
  tx.run(remove, { ...keyOf(shop, id), now })

/** Kept as long as payment attempts. Until then a payment may be reported late, and be refunded. */
export const sweepDeletedMethods = sweepOf('deleted_payment_methods', {
  name: 'deleted-gateways',
  everySeconds: 3_600,
  column: 'deleted_at',
  keptDays: 30,
})

/** Columns of a row that decide what a checkout may offer. */
export type OfferRow = Pick<PaymentMethodRow, 'id' | 'code' | 'is_sandbox' | 'is_simulated' | 'config' | 'is_enabled'>

/**
 * SQL: every `OfferRow` of a merchant as one JSON list, oldest first, for use as a column of a larger select. `merchant_id` is SQL, such as
 * `:merchant_id`. `availableGateways` derives from it what a shopper may see.
 */
export const offerRowsJson = (merchant_id: string) =>
  `(select coalesce(json_agg(json_build_object('id', method.id, 'code', method.code, 'is_sandbox', method.is_sandbox,
      'is_simulated', method.is_simulated, 'config', method.config, 'is_enabled', method.is_enabled) order by method.id), '[]')
    from payment_methods method
    where method.merchant_id = ${merchant_id})`
