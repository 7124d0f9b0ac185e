// SQL of batches: inserting entries, locking them one by one, recording results and reading progress.

import { type Db, type Scope, type Shop, statement, type Tx } from '../../../db/db.ts'
import { sweepOf } from '../../../jobs/sweeps.ts'

/** `change` applies to all products. Null if each entry has its own change. */
export type BatchRow<Change> = {
  readonly id: string
  readonly is_sandbox: boolean
  readonly change: Change | null
  readonly is_trial: boolean
  readonly currency: string
  readonly origin: string
  readonly actor: string | null
  readonly request_id: string | null
}

export type NewEntry = {
  readonly product_id: string | null
  readonly name: string | null
  readonly line: number | null
  readonly change: object | null
}

export type EntryState = 'waiting' | 'changed' | 'unchanged' | 'refused'

/** `column` is null if the problem is about the whole line. */
export type EntryError = { readonly column: string | null; readonly message: string }

export type BatchEntryRow = {
  readonly product_id: string | null
  readonly name: string | null
  readonly line: number | null
  readonly state: EntryState
  readonly message: string | null
  readonly errors: readonly EntryError[] | null
}

export type BatchWithEntries = {
  readonly id: string
  readonly is_trial: boolean
  readonly created: number
  readonly entries: readonly BatchEntryRow[]
}

const insertBatch = statement(
  'products.insert_batch',
  `insert into product_batches (
     merchant_id, id, is_sandbox, change, is_trial, currency, origin, actor, request_id, created_at
   )
   values (
     :merchant_id, :id, :is_sandbox, :change, :is_trial, :currency, :origin, :actor, :request_id, :now
   )`,
)

const insertEntries = statement(
  'products.insert_batch_entries',
  `insert into product_batch_entries (merchant_id, batch_id, position, product_id, name, line, change)
   select :merchant_id::integer, :batch_id, entry.position, entry.product_id, entry.name, entry.line, entry.change
   from json_to_recordset(:entries::json) as entry (
     position integer, product_id text, name text, line integer, change json
   )`,
)

export async function insertProductBatch(
  tx: Tx,
  shop: Shop,
  batch: BatchRow<object>,
  entries: readonly NewEntry[],
  now: Date,
): Promise<void> {
  const { change, ...columns } = batch
  const merchant_id = shop.merchant_id
  await tx.run(insertBatch, { ...columns, merchant_id, change: change && JSON.stringify(change), now })
  const numbered = entries.map((entry, index) => ({ ...entry, position: index + 1 }))
  await tx.run(insertEntries, { merchant_id, batch_id: batch.id, entries: JSON.stringify(numbered) })
}

const selectNames = statement<{ id: string; name: string }>(
  'products.names',
  'select id, name from products where merchant_id = :merchant_id and id = any(:ids)',
)

/** Names of existing products by id. */
export async function findProductNames(
  db: Db,
  { merchant_id }: Shop,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.many(selectNames, { merchant_id, ids })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const selectBatch = statement<BatchWithEntries>(
  'products.find_batch',
  `select batch.id, batch.is_trial, extract(epoch from batch.created_at)::integer as created, (
     select coalesce(json_agg(json_build_object(
       'product_id', entry.product_id, 'name', entry.name, 'line', entry.line, 'state', entry.state,
       'message', entry.message, 'errors', entry.errors
     ) order by entry.position), '[]')
     from product_batch_entries entry
     where entry.merchant_id = :merchant_id and entry.batch_id = :id
   ) as entries
   from product_batches batch
   where batch.merchant_id = :merchant_id and batch.is_sandbox = :is_sandbox and batch.id = :id`,
)

/** Null if this shop has no such batch in this mode. */
export const findBatch = (db: Db, scope: Scope, id: string) => db.maybe(selectBatch, { ...scope, id })

export type BatchWork<Change> = BatchRow<Change> & { readonly created_at: Date }

const findWork = statement<BatchWork<object>>(
  'products.find_batch_work',
  `select id, is_sandbox, change, is_trial, currency, origin, actor, request_id, created_at
   from product_batches
   where merchant_id = :merchant_id and id = :id`,
)

/** The batch for the job, in any mode. */
export const findBatchWork = (db: Db, { merchant_id }: Shop, id: string) => db.maybe(findWork, { merchant_id, id })

const listWaiting = statement<{ position: number }>(
  'products.list_waiting_entries',
  `select position from product_batch_entries
   where merchant_id = :merchant_id and batch_id = :batch_id and position > :after and state = 'waiting'
   order by position
   limit :limit`,
)

/** The first waiting entries after a position. */
export async function listWaitingEntries(
  db: Db,
  { merchant_id }: Shop,
  batch_id: string,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await db.many(listWaiting, { merchant_id, batch_id, after, limit })
  return rows.map(({ position }) => position)
}

export type EntryKey = { readonly merchant_id: number; readonly batchId: string; readonly position: number }

const keyValues = ({ merchant_id, batchId, position }: EntryKey) => ({
  merchant_id,
  batch_id: batchId,
  position,
})

const THIS_ENTRY = 'merchant_id = :merchant_id and batch_id = :batch_id and position = :position'

const lock = statement<Pick<NewEntry, 'product_id' | 'line'> & { readonly change: object | null }>(
  'products.lock_batch_entry',
  `select product_id, line, change from product_batch_entries
   where ${THIS_ENTRY} and state = 'waiting'
   for update`,
)

/** Null if it no longer waits, because another run has done it. */
export const lockEntry = (tx: Tx, key: EntryKey) => tx.maybe(lock, keyValues(key))

export type BatchEntryResult = {
  readonly state: EntryState
  /** The product that was created. */
  readonly product?: { readonly id: string; readonly name: string }
  readonly message?: string
  readonly errors?: readonly EntryError[]
}

// An entry that no longer waits was ended by another run, which has the valid result.
const markEntryEnd = statement(
  'products.end_batch_entry',
  `update product_batch_entries
   set state = :state, message = :message, errors = :errors,
     product_id = coalesce(:product_id, product_id), name = coalesce(:name, name)
   where ${THIS_ENTRY} and state = 'waiting'`,
)

export const recordEntryResult = (db: Db, key: EntryKey, { state, product, message, errors }: BatchEntryResult) =>
  db.run(markEntryEnd, {
    ...keyValues(key),
    state,
    message: message ?? null,
    errors: errors === undefined ? null : JSON.stringify(errors),
    product_id: product?.id ?? null,
    name: product?.name ?? null,
  })

const KEPT_DAYS = 7

export const batchSweep = sweepOf('product_batches', {
  name: 'product-batches',
  everySeconds: 3_600,
  column: 'created_at',
  keptDays: KEPT_DAYS,
})
