// The job that performs a batch, with one transaction per product that also marks its entry. After a crash each product is either changed
// and marked, or neither; the next run continues with the waiting entries.

import type { Tx } from '../../../db/db.ts'
import { databaseOf } from '../../../db/db.ts'
import type { JobContext, JobHandler } from '../../../jobs/job.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { ApiError } from '../../../lib/errors.ts'
import { uniqueIds } from '../../../lib/problems.ts'
import type { WriteContext } from '../../assets/view.ts'
import type { ProductChanges } from '../body-schema.ts'
import { changeProduct, deleteProduct } from '../product.ts'
import type { ProductRow } from '../read-store.ts'
import { importLine } from '../table/import.ts'
import { type BatchJob, EntryEnded, type ProductsChange, WORK_THROUGH } from './batch.ts'
import { applyPriceChange } from './price-change.ts'
import {
  type BatchEntryResult,
  type BatchWork,
  type EntryKey,
  findBatchWork,
  listWaitingEntries,
  lockEntry,
  recordEntryResult,
} from './store.ts'

/** Entries per run, so that other shops get their turn. */
const AT_ONCE = 25

/** Gives up on an entry after this many runs, so that later entries do not wait for a day. */
const MAX_RUNS = 5

/** The work of one entry. `change` is the entry's own change. */
type EntryWork = (
  context: WriteContext,
  entry: { readonly productId: string | null; readonly change: object | null },
) => Promise<BatchEntryResult>

export const workThroughBatch: JobHandler<BatchJob> = {
  kind: WORK_THROUGH,
  lane: 'bulk',
  async handle(context) {
    const { db, merchant_id, payload, signal } = context
    const batch = await findBatchWork(db, { merchant_id }, payload.id)
    if (batch === null) return
    const { change } = batch as BatchWork<ProductsChange>
    const work: EntryWork =
      change === null ? importLine : (caller, { productId }) => applyChange(caller, productId, change)
    const positions = await listWaitingEntries(db, { merchant_id }, batch.id, payload.after, AT_ONCE)
    for (const position of positions) {
      signal.throwIfAborted()
      await processEntry(context, batch, { merchant_id, batchId: batch.id, position }, work)
    }
    if (positions.length < AT_ONCE) return
    const next: BatchJob = { id: batch.id, after: positions.at(-1) ?? 0 }
    await db.transaction(async (tx) => {
      // Due since the batch was created, so that it runs before later batches of the shop.
      await enqueue(tx, { merchant_id, kind: WORK_THROUGH, payload: next, runAt: batch.created_at })
      await context.finish(tx)
    })
  },
}

async function processEntry(context: JobContext<BatchJob>, batch: BatchWork<object>, key: EntryKey, work: EntryWork) {
  const { db, signal } = context
  const transactionOptions = {
    throwIfAborted: () => signal.throwIfAborted(),
    actor: batch.actor,
    ...(batch.request_id !== null && { requestId: batch.request_id }),
  }
  try {
    await db.transaction((tx) => processInTransaction(tx, context, batch, key, work), transactionOptions)
  } catch (error) {
    signal.throwIfAborted()
    const end = endOf(error, context)
    if (end === null) throw error
    await recordEntryResult(db, key, end)
  }
}

async function processInTransaction(
  tx: Tx,
  { clock }: JobContext,
  batch: BatchWork<object>,
  key: EntryKey,
  work: EntryWork,
) {
  const entry = await lockEntry(tx, key)
  if (entry === null) return
  const caller = { merchant_id: key.merchant_id, is_sandbox: batch.is_sandbox, currency: batch.currency }
  const end = await work(
    { db: databaseOf(tx), clock, caller, lastingOrigin: batch.origin },
    { productId: entry.product_id, change: entry.change },
  )
  if (batch.is_trial) throw new EntryEnded(withoutProduct(end))
  await recordEntryResult(tx, key, end)
}

/** Removes the product, which the rollback of a trial has undone. */
const withoutProduct = ({ product: _product, ...end }: BatchEntryResult): BatchEntryResult => end

/** Null if the entry should be retried. */
function endOf(error: unknown, { run, log, jobId }: JobContext): BatchEntryResult | null {
  if (error instanceof EntryEnded) return error.end
  if (error instanceof ApiError && error.status < 500) return { state: 'refused', message: error.message }
  if (run < MAX_RUNS) return null
  log.error({ err: error, job_id: jobId }, 'skipped a product of a batch after an error')
  return { state: 'refused', message: 'Something went wrong on our side. The product was not changed.' }
}

async function applyChange(
  context: WriteContext,
  id: string | null,
  change: ProductsChange,
): Promise<BatchEntryResult> {
  if (change.isDeleted) await deleteProduct(context, id ?? '')
  else await changeProduct(context, id ?? '', (current) => bodyFor(current, change, context.caller.currency))
  return { state: 'changed' }
}

function bodyFor(
  current: ProductRow,
  { changes, price, categories }: ProductsChange,
  currency: string,
): ProductChanges {
  return {
    ...changes,
    ...(price && { price: applyPriceChange(current.price, price, currency) }),
    ...(categories && { categories: mergeCategories(uniqueIds(current.categories), categories) }),
  }
}

const mergeCategories = (current: readonly string[], { add, remove }: NonNullable<ProductsChange['categories']>) =>
  [...new Set([...current, ...add])].filter((id) => !remove.includes(id))
