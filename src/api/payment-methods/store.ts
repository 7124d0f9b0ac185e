// All SQL of the gateways that merchants have set up.

import { columns } from '../../db/columns.ts'
import { counted, keptCount } from '../../db/counts.ts'
import { type Db, lookup, statement, type Tx } from '../../db/db.ts'
import { BY_KEY, keyOf, listSql, type RowPage, type Shop, shopValues, TIMES } from '../../db/records.ts'
import { sweepOf } from '../../jobs/sweeps.ts'
import type { Page } from '../../lib/page.ts'

/** `config` is whole, with its secrets, which are sealed (credentials.ts): what leaves the service goes through `viewPaymentMethod` or `availableGateways`. */
export type PaymentMethodRow = {
  id: string
  code: string
  is_sandbox: boolean
  /** Whether the test books stand in for the provider, for which it has no credentials. */
  is_simulated: boolean
  config: Record<string, string>
  is_enabled: boolean
  created: number
  updated: number
}

/** What a merchant sets. */
export type PaymentMethodColumns = Pick<PaymentMethodRow, 'is_sandbox' | 'is_simulated' | 'config' | 'is_enabled'>

const COLUMNS = columns<keyof PaymentMethodColumns>(['is_sandbox', 'is_simulated', 'config', 'is_enabled'], ['config'])

const ROW = `id, code, ${COLUMNS.names}, ${TIMES}`

const find = statement<PaymentMethodRow>('payment_methods.find', `select ${ROW} from payment_methods where ${BY_KEY}`)

export const findPaymentMethod = (db: Db, shop: Shop, id: string) => db.maybe(find, keyOf(shop, id))

/** What is needed to ask its gateway; also of one that was deleted. */
export type KeptMethod = Pick<PaymentMethodRow, 'id' | 'code' | 'is_sandbox' | 'is_simulated' | 'config'> & {
  readonly is_deleted: boolean
  /** When it was last set up for what may be another account than before. */
  readonly account_changed_at: Date | null
}

const KEPT = 'id, code, is_sandbox, is_simulated, config, account_changed_at'

const findKept = lookup<KeptMethod>(
  'payment_methods.find_kept',
  `select ${KEPT}, false as is_deleted from payment_methods where ${BY_KEY}
   union all
   select ${KEPT}, true from deleted_payment_methods where ${BY_KEY}`,
)

/** For what is under way there and has to end. */
export const findKeptMethod = (db: Db, shop: Shop, id: string) => db.maybe(findKept, keyOf(shop, id))

const list = statement<RowPage<PaymentMethodRow>>(
  'payment_methods.list',
  listSql({ row: ROW, from: 'payment_methods', total: keptCount('payment_methods') }),
)

export const listPaymentMethods = (db: Db, shop: Shop, page: Page) => db.one(list, { ...shopValues(shop), ...page })

const insert = statement<PaymentMethodRow>(
  'payment_methods.insert',
  `with made as (
     insert into payment_methods (merchant_id, id, code, is_single, ${COLUMNS.names}, created_at, updated_at)
     values (:merchant_id, :id, :code, :is_single, ${COLUMNS.parameters}, :now, :now)
     on conflict (merchant_id, code, is_sandbox) where is_single do nothing
     returning ${ROW}
   ),
   ${counted({ list: 'payment_methods', change: 1, from: 'made' })}
   select * from made`,
)

/** What stays as it was set up. `is_single`: there may be one of it in each mode. */
type FixedColumns = { readonly code: string; readonly is_single: boolean }

/** Null when the merchant has it already and may have it once only. It waits for one that is being set up. */
export const insertPaymentMethod = (
  db: Db,
  shop: Shop,
  id: string,
  { code, is_single, ...method }: PaymentMethodColumns & FixedColumns,
  now: Date,
) => db.maybe(insert, { ...keyOf(shop, id), code, is_single, ...COLUMNS.values(method), now })

const lock = statement<PaymentMethodRow>(
  'payment_methods.lock',
  `select ${ROW} from payment_methods where ${BY_KEY} for update`,
)

export const lockPaymentMethod = (tx: Tx, shop: Shop, id: string) => tx.maybe(lock, keyOf(shop, id))

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
 * The same content, otherwise sealed: to whoever reads the record nothing has changed, and so its time stays. False when the row no longer
 * holds what was read.
 */
export const replaceConfig = async (
  db: Db,
  shop: Shop,
  { id, is_deleted: isDeleted, config: before }: Pick<KeptMethod, 'id' | 'is_deleted' | 'config'>,
  config: PaymentMethodRow['config'],
) =>
  (await db.run(isDeleted ? replaceDeleted : replace, {
    ...keyOf(shop, id),
    before: JSON.stringify(before),
    config: JSON.stringify(config),
  })) === 1

/** A row as whoever goes through all merchants reads it. */
export type StoredConfig = Pick<KeptMethod, 'id' | 'code' | 'is_sandbox' | 'is_simulated' | 'config' | 'is_deleted'> & {
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

/** Of all merchants, in the order of their keys: those that are set up, or those that were deleted. */
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
   ${counted({ list: 'payment_methods', change: -1, from: 'gone' })}
   select 1 from gone`,
)

export const deletePaymentMethodRow = (tx: Tx, shop: Shop, id: string, now: Date) =>
  tx.run(remove, { ...keyOf(shop, id), now })

/** As long as attempts to pay are kept: until then a payment may be told late, and be given back. */
export const sweepDeletedMethods = sweepOf('deleted_payment_methods', {
  name: 'deleted-gateways',
  everySeconds: 3_600,
  column: 'deleted_at',
  keptDays: 30,
})

/** The part of a row that tells what a checkout may offer. */
export type OfferRow = Pick<PaymentMethodRow, 'id' | 'code' | 'is_sandbox' | 'is_simulated' | 'config' | 'is_enabled'>

/**
 * Every `OfferRow` of a merchant as one JSON list, oldest first, to stand among the columns of a larger select; `merchantId` is SQL, such
 * as `:merchant_id`. `availableGateways` makes of it what a shopper may see.
 */
export const offerRowsJson = (merchantId: string) =>
  `(select coalesce(json_agg(json_build_object('id', method.id, 'code', method.code, 'is_sandbox', method.is_sandbox,
      'is_simulated', method.is_simulated, 'config', method.config, 'is_enabled', method.is_enabled) order by method.id), '[]')
    from payment_methods method
    where method.merchant_id = ${merchantId})`
