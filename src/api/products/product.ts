// Creating, changing and deleting a product. Each change of a product or of its parts ends by reading the product again and emitting its
// event.

import type { Tx } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import { notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Problems, refuseEntries, uniqueIds } from '../../lib/problems.ts'
import { lockUsableAssets, USABLE_ASSET } from '../assets/store.ts'
import { unsignedFileUrls, type WriteContext } from '../assets/view.ts'
import { moveProductCount } from '../categories/store.ts'
import { type AssetReferences, MAX_ASSETS, MAX_VARIANTS, type NewProduct, type ProductChanges } from './body-schema.ts'
import { mergeAssetOrder, resolveChildren, writeChildren } from './children.ts'
import { replaceLinks } from './children-store.ts'
import {
  checkPermalink,
  lockStockBeforeCheck,
  mergeColumns,
  newStock,
  permalinksFor,
  STOCK_FIELDS,
  stockInBody,
  writeStock,
} from './draft.ts'
import { BLANK_PRODUCT, type ProductColumns, type ProductRow } from './read-store.ts'
import { openStock } from './stock-store.ts'
import {
  asProductTx,
  deleteProductRow,
  findProduct,
  insertProduct,
  lockProduct,
  type ProductTx,
  storeVariantFacts,
  touchProduct,
  updateProductRow,
} from './store.ts'
import { createOptionVariants } from './variants/combinations.ts'
import { optionStockOf, refuseOptionStock } from './variants/groups.ts'
import { findValidity, listVariants } from './variants/store.ts'
import { emitValidityChanges, emitVariantEvents, emitVariantsCreated } from './variants/tell.ts'
import { viewProduct } from './view.ts'

const NOTHING = { extra_fields: [], variant_groups: [] }

export const createProduct = (context: WriteContext, body: NewProduct): Promise<ProductRow> =>
  context.db.transaction(async (baseTx) => {
    const tx = asProductTx(baseTx)
    const { caller, clock } = context
    const now = clock.now()
    const id = newId('product', now)
    const problems = new Problems()
    const columns = mergeColumns(withDefaults(body), body, caller.currency, problems)
    if (body.permalink !== undefined) checkPermalink(body.permalink, problems)
    const stock = newStock(stockInBody(body), STOCK_FIELDS, problems)
    const optionStock = optionStockOf(body)
    if (body.variant_groups && body.variant_groups.length > 1)
      refuseOptionStock(
        body,
        'is only for a product with one variant group. Create variants and set their inventory',
        problems,
      )
    const draft = { shop: caller, currency: caller.currency, productId: id, price: columns.price, current: NOTHING }
    const children = await resolveChildren(tx, draft, body, problems, now)

    await insertUnderFreePermalink(tx, caller, { ...columns, id }, body.permalink, now)
    await openStock(tx, caller, id, [{ id, available: stock ?? 0 }])
    await writeChildren(tx, caller, id, children, now)
    moveProductCount(tx, caller, [], countingCategories(columns, children.categories ?? []))
    const group = children.variant_groups?.[0]
    const variants = group && optionStock ? await createOptionVariants(tx, caller, id, group, optionStock, now) : []
    await storeVariantFacts(tx, caller, id)
    const created = await announce(tx, context, 'products.create', id, now)
    if (variants.length > 0) await emitVariantsCreated(tx, context, id, variants, now)
    return created
  })

/** Defaults that depend on the body. */
const withDefaults = (body: NewProduct): ProductColumns => ({
  ...BLANK_PRODUCT,
  is_inventory_managed:
    body.inventory?.available !== undefined || body.inventory?.on_hand !== undefined || optionStockOf(body) !== null,
})

async function insertUnderFreePermalink(
  tx: ProductTx,
  caller: WriteContext['caller'],
  product: ProductColumns & { id: string },
  requestedPermalink: string | undefined,
  now: Date,
) {
  const candidates = requestedPermalink === undefined ? permalinksFor(product.name) : [requestedPermalink]
  for (const permalink of candidates) if (await insertProduct(tx, caller, { ...product, permalink }, now)) return
  throw requestedPermalink === undefined
    ? unprocessable({ permalink: ['permalink is required: the permalinks made from the name are taken.'] })
    : permalinkTakenError()
}

const permalinkTakenError = () =>
  notValid({ permalink: ['permalink is taken by another product; it must be unique among your products.'] })

export const updateProduct = (context: WriteContext, id: string, body: ProductChanges): Promise<ProductRow> => {
  const item = { ...context.caller, productId: id, itemId: id }
  return changeProduct({ ...context, ...lockStockBeforeCheck(context, item, stockInBody(body)) }, id, () => body)
}

/** `bodyFor` returns the changes, given the current product. It runs while the product is locked. */
export const changeProduct = (
  context: WriteContext,
  id: string,
  bodyFor: (current: ProductRow) => ProductChanges,
): Promise<ProductRow> =>
  withLockedProduct(context, id, async (tx, now) => {
    const { caller } = context
    const current = await readFullProduct(tx, caller, id)
    const body = bodyFor(current)
    const problems = new Problems()
    const columns = mergeColumns(current, body, caller.currency, problems)
    const permalink = body.permalink ?? current.permalink
    checkPermalink(permalink, problems)
    refuseOptionStock(body, 'is only for new products. Set the inventory of the variants instead', problems)
    const draft = { shop: caller, currency: caller.currency, productId: id, price: columns.price, current }
    const children = await resolveChildren(tx, draft, body, problems, now)

    const columnsToWrite = { ...columns, id, permalink }
    if (!(await updateProductRow(tx, caller, columnsToWrite, current.is_active, now))) throw permalinkTakenError()
    await writeStock(tx, { ...caller, productId: id, itemId: id }, stockInBody(body), STOCK_FIELDS)
    const validity = children.variant_groups ? await findValidity(tx, caller, id) : []
    await writeChildren(tx, caller, id, children, now)
    const categories = uniqueIds(current.categories)
    moveProductCount(
      tx,
      caller,
      countingCategories(current, categories),
      countingCategories(columns, children.categories ?? categories),
    )
    const updatedProduct = await announce(tx, context, 'products.update', id, now)
    await emitValidityChanges(tx, context, id, validity, now)
    return updatedProduct
  })

/** The categories that count the product as active. */
const countingCategories = ({ is_active }: Pick<ProductRow, 'is_active'>, categories: readonly string[]) =>
  is_active ? categories : []

/** Deletes a product. Foreign keys delete its parts; variants get their own events. */
export const deleteProduct = (context: WriteContext, id: string): Promise<void> =>
  withLockedProduct(context, id, async (tx, now) => {
    const deleted = await announce(tx, context, 'products.delete', id, now)
    const variants = await listVariants(tx, asSecret(context.caller), id, { limit: MAX_VARIANTS, offset: 0 })
    await emitVariantEvents(tx, context, 'variants.delete', id, variants?.rows ?? [], now)
    await deleteProductRow(tx, context.caller, id)
    moveProductCount(tx, context.caller, countingCategories(deleted, uniqueIds(deleted.categories)), [])
  })

/** Adds or replaces the assets of a product and leaves its other fields unchanged. */
export const setProductAssets = (
  context: WriteContext,
  id: string,
  references: AssetReferences,
  mode: 'add' | 'replace',
): Promise<ProductRow> =>
  withLockedProduct(context, id, async (tx, now) => {
    const { caller } = context
    const problems = new Problems()
    refuseEntries(
      references,
      await lockUsableAssets(tx, caller, uniqueIds(references)),
      'assets',
      USABLE_ASSET,
      problems,
    )
    problems.throwIfAny()

    const current = mode === 'add' ? (await readFullProduct(tx, caller, id)).assets.map((asset) => asset.id) : []
    const assets = mergeAssetOrder(current, references)
    if (assets.length > MAX_ASSETS)
      throw notValid({
        assets: [`assets must have at most ${MAX_ASSETS} entries; the product already has ${current.length}.`],
      })
    await replaceLinks(tx, caller, id, 'assets', assets)
    return emitPartChange(tx, context, id, now)
  })

/**
 * Runs `work` in a transaction that locks the product before reading it, so that changes are merged into its latest state. Changes of a
 * product and its parts run in sequence, and each raises the product's version.
 */
export const withLockedProduct = <T>(
  { db, clock, caller, refuseIfChanged }: WriteContext,
  id: string,
  work: (tx: ProductTx, now: Date) => Promise<T>,
): Promise<T> =>
  db.transaction(async (baseTx) => {
    const tx = await lockProduct(baseTx, caller, id)
    if (tx === null) throw notFound('product')
    await refuseIfChanged?.(tx)
    const result = await work(tx, clock.now())
    await storeVariantFacts(tx, caller, id)
    return result
  })

/** Records a change of a part of the product as a change of the product. */
export async function emitPartChange(tx: ProductTx, context: WriteContext, id: string, now: Date): Promise<ProductRow> {
  await touchProduct(tx, context.caller, id, now)
  return announce(tx, context, 'products.update', id, now)
}

type EventName = 'products.create' | 'products.update' | 'products.delete'

/**
 * Emits the event and returns the current product. The stock in the event is that of the mode of the change. Its links are always those of
 * the live shop: a published link must not lead shoppers to the sandbox.
 */
async function announce(
  tx: Tx,
  { caller, lastingOrigin }: WriteContext,
  name: EventName,
  id: string,
  now: Date,
): Promise<ProductRow> {
  const row = await readFullProduct(tx, caller, id)
  await emit(
    tx,
    caller,
    name,
    viewProduct(row, { ...asSecret(caller), is_sandbox: false }, unsignedFileUrls(lastingOrigin)),
    now,
  )
  return row
}

async function readFullProduct(tx: Tx, caller: WriteContext['caller'], id: string): Promise<ProductRow> {
  const row = await findProduct(tx, asSecret(caller), id)
  if (row === null) throw notFound('product')
  return row
}

/** A caller who may change a product may see all of it. */
export const asSecret = <Caller extends object>(caller: Caller) => ({ ...caller, isSecret: true })
