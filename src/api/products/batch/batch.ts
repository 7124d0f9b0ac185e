// Many products changed by one request: what is asked for is written down, a job does it (work.ts), and whoever asks is told how far it is.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import { notFound } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { Problems, refuseEntries } from '../../../lib/problems.ts'
import { enqueueBulk, refuseFullQueue } from '../../merchants/bulk.ts'
import type { ProductChanges } from '../body-schema.ts'
import { holdExisting } from '../store.ts'
import { type PriceChange, readPriceChange } from './price-change.ts'
import type { BatchBody, ProductBatch } from './schema.ts'
import { type EntryEnd, findBatch, insertProductBatch, type NewEntry, namesOf, type ShownBatch } from './store.ts'

/** What becomes of each product, as it is kept until the job has done it. */
export type ProductsChange = {
  readonly changes?: ProductChanges
  readonly price?: PriceChange
  readonly categories?: { readonly add: readonly string[]; readonly remove: readonly string[] }
  readonly isDeleted?: true
}

export const WORK_THROUGH = 'products.work_through_batch'
const THINGS = 'imports or batches of products'

/** `after`: the place of the last entry that is known to be done. */
export type BatchJob = { readonly id: string; readonly after: number }

/** Thrown to undo what was done for an entry, and to say how it ended all the same. */
export class Ended extends Error {
  readonly end: EntryEnd

  constructor(end: EntryEnd) {
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
  const change = changeOf(body, caller.currency, problems)
  problems.throwIfMalformed()
  // A category that is not there would be refused for each product; who mistyped it hears of it once, and at once.
  const added = body.categories?.add ?? []
  const known = await db.transaction((tx) => holdExisting(tx, caller, 'categories', added))
  refuseEntries(added, known, 'categories.add', 'one of your categories', problems)
  problems.throwIfAny()
  const names = await namesOf(db, caller, body.ids)
  const entries = body.ids.map((id) => ({ product_id: id, name: names.get(id) ?? null, line: null, change: null }))
  return startBatch(context, 'ids', { change, entries, isTrial: false })
}

function changeOf(body: BatchBody, currency: string, problems: Problems): ProductsChange {
  const { changes, price, categories, delete: isDeleted = false } = body
  const others = [changes, price, categories].filter((each) => each !== undefined)
  if (isDeleted) {
    if (others.length > 0)
      problems.malformed('delete', 'goes with nothing else: leave changes, price and categories out')
    return { isDeleted }
  }
  if (others.length === 0) problems.malformed('changes', 'is required, unless price, categories or delete is sent')
  else if (price === undefined && categories === undefined && Object.keys(changes ?? {}).length === 0)
    problems.malformed('changes', 'must name at least one field')
  if (price !== undefined && changes?.price !== undefined)
    problems.malformed('price', 'goes in place of changes.price: send one of the two')
  if (categories !== undefined && changes?.categories !== undefined)
    problems.malformed('categories', 'goes in place of changes.categories: send one of the two')
  if (categories !== undefined && categories.add === undefined && categories.remove === undefined)
    problems.malformed('categories', 'must have add, remove, or both')
  const both = (categories?.remove ?? []).some((id) => categories?.add?.includes(id))
  if (both) problems.malformed('categories.remove', 'must name other categories than categories.add')
  return {
    ...(changes && { changes }),
    ...(price && { price: readPriceChange(price, currency, problems) }),
    ...(categories && { categories: { add: categories.add ?? [], remove: categories.remove ?? [] } }),
  }
}

/** Throws a 429 for `field` where the shop has as many batches waiting as it may. */
export const refuseFurtherBatch = ({ db, caller }: Pick<BatchContext, 'db' | 'caller'>, field: string) =>
  refuseFullQueue(db, { merchantId: caller.merchantId, kind: WORK_THROUGH }, { field, things: THINGS })

type NewBatch = {
  /** Null where each entry says itself what becomes of its product. */
  readonly change: ProductsChange | null
  readonly entries: readonly NewEntry[]
  readonly isTrial: boolean
}

/** Writes down what is to be done, with the job that does it. Throws as `refuseFurtherBatch` does. */
export async function startBatch(
  { db, clock, caller, lastingOrigin }: BatchContext,
  field: string,
  { change, entries, isTrial }: NewBatch,
): Promise<ProductBatch> {
  return db.transaction(async (tx) => {
    const now = clock.now()
    const batch = {
      id: newId('productBatch', now),
      is_sandbox: caller.isSandbox,
      change,
      is_trial: isTrial,
      currency: caller.currency,
      origin: lastingOrigin,
      actor: tx.actor,
      request_id: tx.requestId,
    }
    await insertProductBatch(tx, caller, batch, entries, now)
    const payload: BatchJob = { id: batch.id, after: 0 }
    const begun = await readBatch({ db: tx, caller }, batch.id)
    await enqueueBulk(
      tx,
      { merchantId: caller.merchantId, kind: WORK_THROUGH, payload, runAt: now },
      { field, things: THINGS },
    )
    return begun
  })
}

export async function readBatch(
  { db, caller }: { readonly db: Pick<BatchContext['db'], 'maybe'> } & Pick<BatchContext, 'caller'>,
  id: string,
): Promise<ProductBatch> {
  const found = await findBatch(db as BatchContext['db'], caller, id)
  if (found === null) throw notFound('batch')
  return viewBatch(found)
}

function viewBatch({ id, is_trial, created, entries }: ShownBatch): ProductBatch {
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
