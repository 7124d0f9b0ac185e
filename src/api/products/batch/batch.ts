// Batches: many products changed by one request. The request stores the changes, a job performs them (work.ts), and clients poll the
// progress.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import { notFound } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { Problems, refuseEntries } from '../../../lib/problems.ts'
import { enqueueBulk, refuseAtJobLimit } from '../../merchants/bulk.ts'
import type { ProductChanges } from '../body-schema.ts'
import { lockExisting } from '../store.ts'
import { type PriceChange, readPriceChange } from './price-change.ts'
import type { BatchBody, ProductBatch } from './schema.ts'
import {
  type BatchEntryResult,
  type BatchWithEntries,
  findBatch,
  findProductNames,
  insertProductBatch,
  type NewEntry,
} from './store.ts'

/** The change of each product, as stored for the job. */
export type ProductsChange = {
  readonly changes?: ProductChanges
  readonly price?: PriceChange
  readonly categories?: { readonly add: readonly string[]; readonly remove: readonly string[] }
  readonly isDeleted?: true
}

export const WORK_THROUGH = 'products.work_through_batch'
const THINGS = 'imports or batches of products'

/** `after` is the position of the last entry known to be done. */
export type BatchJob = { readonly id: string; readonly after: number }

/** Thrown to roll back the work of an entry and still record its result. */
export class EntryEnded extends Error {
  readonly end: BatchEntryResult

  constructor(end: BatchEntryResult) {
    super('Undone.')
    this.end = end
  }
}

type BatchContext = Pick<Context, 'db' | 'clock' | 'caller' | 'lastingOrigin'>

export async function createBatch(context: BatchContext, body: BatchBody): Promise<ProductBatch> {
  const { db, caller } = context
  await refuseFurtherBatch(context, 'ids')
  const problems = new Problems()
  refuseEntries(body.ids, new Set(body.ids), 'ids', 'a product', problems)
  const change = parseChange(body, caller.currency, problems)
  problems.throwIfMalformed()
  // Checked here, because the job would refuse an unknown category for each product. The client sees a typing error once, and at once.
  const addedCategories = body.categories?.add ?? []
  const existingCategories = await db.transaction((tx) => lockExisting(tx, caller, 'categories', addedCategories))
  refuseEntries(addedCategories, existingCategories, 'categories.add', 'one of your categories', problems)
  problems.throwIfAny()
  const names = await findProductNames(db, caller, body.ids)
  const entries = body.ids.map((id) => ({ product_id: id, name: names.get(id) ?? null, line: null, change: null }))
  return startBatch(context, 'ids', { change, entries, isTrial: false })
}

function parseChange(body: BatchBody, currency: string, problems: Problems): ProductsChange {
  const { changes, price, categories, delete: isDeleted = false } = body
  const others = [changes, price, categories].filter((each) => each !== undefined)
  if (isDeleted) {
    if (others.length > 0)
      problems.malformed('delete', 'cannot be combined with other changes: omit changes, price and categories')
    return { isDeleted }
  }
  if (others.length === 0) problems.malformed('changes', 'is required, unless price, categories or delete is sent')
  else if (price === undefined && categories === undefined && Object.keys(changes ?? {}).length === 0)
    problems.malformed('changes', 'must name at least one field')
  if (price !== undefined && changes?.price !== undefined)
    problems.malformed('price', 'cannot be combined with changes.price: send only one of the two')
  if (categories !== undefined && changes?.categories !== undefined)
    problems.malformed('categories', 'cannot be combined with changes.categories: send only one of the two')
  if (categories !== undefined && categories.add === undefined && categories.remove === undefined)
    problems.malformed('categories', 'must have add, remove, or both')
  const isInBoth = (categories?.remove ?? []).some((id) => categories?.add?.includes(id))
  if (isInBoth) problems.malformed('categories.remove', 'must not repeat an id from categories.add')
  return {
    ...(changes && { changes }),
    ...(price && { price: readPriceChange(price, currency, problems) }),
    ...(categories && { categories: { add: categories.add ?? [], remove: categories.remove ?? [] } }),
  }
}

/** Throws a 429 for `field` if the shop already has the maximum number of waiting batches. */
export const refuseFurtherBatch = ({ db, caller }: Pick<BatchContext, 'db' | 'caller'>, field: string) =>
  refuseAtJobLimit(db, { merchant_id: caller.merchant_id, kind: WORK_THROUGH }, { field, things: THINGS })

type NewBatch = {
  /** Null if each entry has its own change. */
  readonly change: ProductsChange | null
  readonly entries: readonly NewEntry[]
  readonly isTrial: boolean
}

/** Stores a batch together with its job. Throws a 429 like `refuseFurtherBatch`. */
export async function startBatch(
  { db, clock, caller, lastingOrigin }: BatchContext,
  field: string,
  { change, entries, isTrial }: NewBatch,
): Promise<ProductBatch> {
  return db.transaction(async (tx) => {
    const now = clock.now()
    const batch = {
      id: newId('productBatch', now),
      is_sandbox: caller.is_sandbox,
      change,
      is_trial: isTrial,
      currency: caller.currency,
      origin: lastingOrigin,
      actor: tx.actor,
      request_id: tx.requestId,
    }
    await insertProductBatch(tx, caller, batch, entries, now)
    const payload: BatchJob = { id: batch.id, after: 0 }
    const batchView = await readBatch({ db: tx, caller }, batch.id)
    await enqueueBulk(
      tx,
      { merchant_id: caller.merchant_id, kind: WORK_THROUGH, payload, runAt: now },
      { field, things: THINGS },
    )
    return batchView
  })
}

export async function readBatch(
  { db, caller }: { readonly db: Pick<BatchContext['db'], 'maybe'> } & Pick<BatchContext, 'caller'>,
  id: string,
): Promise<ProductBatch> {
  const batch = await findBatch(db as BatchContext['db'], caller, id)
  if (batch === null) throw notFound('batch')
  return viewBatch(batch)
}

function viewBatch({ id, is_trial, created, entries }: BatchWithEntries): ProductBatch {
  const waiting = entries.filter(({ state }) => state === 'waiting').length
  return {
    id,
    state: waiting === 0 ? 'done' : 'running',
    total: entries.length,
    done: entries.length - waiting,
    refused: entries.filter(({ state }) => state === 'refused').length,
    dry_run: is_trial,
    created,
    results: entries.map(({ product_id, name, state, message, line, errors }) => ({
      id: product_id,
      name,
      state,
      message,
      line,
      errors: [...(errors ?? [])],
    })),
  }
}
