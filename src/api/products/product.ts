// Creating, changing and deleting a product, and how every change of one or of something that belongs to it ends: the product is read as
// it now is, and its event written.

import type { Tx } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import { notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { idsOf, Problems, refuseEntries } from '../../lib/problems.ts'
import { holdUsableAssets, USABLE_ASSET } from '../assets/store.ts'
import { unsigned, type WriteContext } from '../assets/view.ts'
import { moveProductCount } from '../categories/store.ts'
import { type AssetReferences, MAX_ASSETS, MAX_VARIANTS, type NewProduct, type ProductChanges } from './body-schema.ts'
import { arranged, resolveChildren, writeChildren } from './children.ts'
import { replaceLinks } from './children-store.ts'
import {
  checkPermalink,
  holdingStock,
  mergeColumns,
  newStock,
  permalinksFor,
  STOCK_FIELDS,
  stockOf,
  writeStock,
} from './draft.ts'
import { BLANK_PRODUCT, type ProductColumns, type ProductRow } from './read-store.ts'
import { openStock } from './stock-store.ts'
import {
  deleteProductRow,
  findProduct,
  insertProduct,
  lockProduct,
  makingProduct,
  type ProductTx,
  tellVariantsOf,
  touchProduct,
  updateProductRow,
} from './store.ts'
import { createOptionVariants } from './variants/combinations.ts'
import { optionStockOf, refuseOptionStock } from './variants/groups.ts'
import { findValidity, listVariants } from './variants/store.ts'
import { tellChangedValidity, tellNewVariants, tellVariants } from './variants/tell.ts'
import { viewProduct } from './view.ts'

const NOTHING = { extra_fields: [], variant_groups: [] }

export const createProduct = (context: WriteContext, body: NewProduct): Promise<ProductRow> =>
  context.db.transaction(async (begun) => {
    const tx = makingProduct(begun)
    const { caller, clock } = context
    const now = clock.now()
    const id = newId('product', now)
    const problems = new Problems()
    const columns = mergeColumns(withDefaults(body), body, caller.currency, problems)
    if (body.permalink !== undefined) checkPermalink(body.permalink, problems)
    const stock = newStock(stockOf(body), STOCK_FIELDS, problems)
    const optionStock = optionStockOf(body)
    if (body.variant_groups && body.variant_groups.length > 1)
      refuseOptionStock(body, 'is for a product with one variant group. Create variants, and set theirs', problems)
    const draft = { scope: caller, currency: caller.currency, productId: id, price: columns.price, current: NOTHING }
    const children = await resolveChildren(tx, draft, body, problems, now)

    await insertUnderFreePermalink(tx, caller, { ...columns, id }, body.permalink, now)
    await openStock(tx, caller, id, [{ id, available: stock ?? 0 }])
    await writeChildren(tx, caller, id, children, now)
    moveProductCount(tx, caller, [], countingIn(columns, children.categories ?? []))
    const group = children.variant_groups?.[0]
    const variants = group && optionStock ? await createOptionVariants(tx, caller, id, group, optionStock, now) : []
    await tellVariantsOf(tx, caller, id)
    const created = await announce(tx, context, 'products.create', id, now)
    if (variants.length > 0) await tellNewVariants(tx, context, id, variants, now)
    return created
  })

/** Defaults that depend on what is sent. */
const withDefaults = (body: NewProduct): ProductColumns => ({
  ...BLANK_PRODUCT,
  is_inventory_managed:
    body.inventory?.available !== undefined || body.inventory?.on_hand !== undefined || optionStockOf(body) !== null,
})

async function insertUnderFreePermalink(
  tx: ProductTx,
  caller: WriteContext['caller'],
  product: ProductColumns & { id: string },
  sentPermalink: string | undefined,
  now: Date,
) {
  const candidates = sentPermalink === undefined ? permalinksFor(product.name) : [sentPermalink]
  for (const permalink of candidates) if (await insertProduct(tx, caller, { ...product, permalink }, now)) return
  throw sentPermalink === undefined
    ? unprocessable({ permalink: ['permalink is required, as none that follows from the name is free.'] })
    : permalinkTaken()
}

const permalinkTaken = () =>
  notValid({ permalink: ['permalink must be unique, and another of your products has this one.'] })

export const updateProduct = (context: WriteContext, id: string, body: ProductChanges): Promise<ProductRow> => {
  const item = { ...context.caller, productId: id, itemId: id }
  return changeProduct({ ...context, ...holdingStock(context, item, stockOf(body)) }, id, () => body)
}

/** `bodyFor`: what is to be changed, of the product as it is once nobody else can change it. */
export const changeProduct = (
  context: WriteContext,
  id: string,
  bodyFor: (current: ProductRow) => ProductChanges,
): Promise<ProductRow> =>
  withLockedProduct(context, id, async (tx, now) => {
    const { caller } = context
    const current = await readWhole(tx, caller, id)
    const body = bodyFor(current)
    const problems = new Problems()
    const columns = mergeColumns(current, body, caller.currency, problems)
    const permalink = body.permalink ?? current.permalink
    checkPermalink(permalink, problems)
    refuseOptionStock(body, 'is for new products. Set that of its variants', problems)
    const draft = { scope: caller, currency: caller.currency, productId: id, price: columns.price, current }
    const children = await resolveChildren(tx, draft, body, problems, now)

    const write = { ...columns, id, permalink }
    if (!(await updateProductRow(tx, caller, write, current.is_active, now))) throw permalinkTaken()
    await writeStock(tx, { ...caller, productId: id, itemId: id }, stockOf(body), STOCK_FIELDS)
    const validity = children.variant_groups ? await findValidity(tx, caller, id) : []
    await writeChildren(tx, caller, id, children, now)
    const categories = idsOf(current.categories)
    moveProductCount(
      tx,
      caller,
      countingIn(current, categories),
      countingIn(columns, children.categories ?? categories),
    )
    const changed = await announce(tx, context, 'products.update', id, now)
    await tellChangedValidity(tx, context, id, validity, now)
    return changed
  })

/** Those of its categories that count it. */
const countingIn = ({ is_active }: Pick<ProductRow, 'is_active'>, categories: readonly string[]) =>
  is_active ? categories : []

/** What belongs to it goes with it, by foreign keys; of that, variants are told of. */
export const deleteProduct = (context: WriteContext, id: string): Promise<void> =>
  withLockedProduct(context, id, async (tx, now) => {
    const deleted = await announce(tx, context, 'products.delete', id, now)
    const variants = await listVariants(tx, asSecret(context.caller), id, { limit: MAX_VARIANTS, offset: 0 })
    await tellVariants(tx, context, 'variants.delete', id, variants?.rows ?? [], now)
    await deleteProductRow(tx, context.caller, id)
    moveProductCount(tx, context.caller, countingIn(deleted, idsOf(deleted.categories)), [])
  })

/** Adds assets to a product, or replaces those it has, without touching anything else of it. */
export const setProductAssets = (
  context: WriteContext,
  id: string,
  sent: AssetReferences,
  mode: 'add' | 'replace',
): Promise<ProductRow> =>
  withLockedProduct(context, id, async (tx, now) => {
    const { caller } = context
    const problems = new Problems()
    refuseEntries(sent, await holdUsableAssets(tx, caller, idsOf(sent)), 'assets', USABLE_ASSET, problems)
    problems.throwIfAny()

    const current = mode === 'add' ? (await readWhole(tx, caller, id)).assets.map((asset) => asset.id) : []
    const assets = arranged(current, sent)
    if (assets.length > MAX_ASSETS)
      throw notValid({
        assets: [`assets must be at most ${MAX_ASSETS} in all, and the product has ${current.length} already.`],
      })
    await replaceLinks(tx, caller, id, 'assets', assets)
    return announcePart(tx, context, id, now)
  })

/**
 * Runs `work` in a transaction that has locked the product, before anything of it is read: what is merged must be what the last change
 * left. Changes of one product, and of all that belongs to it, come after one another, and raise its version.
 */
export const withLockedProduct = <T>(
  { db, clock, caller, refuseIfChanged }: WriteContext,
  id: string,
  work: (tx: ProductTx, now: Date) => Promise<T>,
): Promise<T> =>
  db.transaction(async (begun) => {
    const tx = await lockProduct(begun, caller, id)
    if (tx === null) throw notFound('product')
    await refuseIfChanged?.(tx)
    const answer = await work(tx, clock.now())
    await tellVariantsOf(tx, caller, id)
    return answer
  })

/** Something that belongs to the product has changed, and with it the product. */
export async function announcePart(tx: ProductTx, context: WriteContext, id: string, now: Date): Promise<ProductRow> {
  await touchProduct(tx, context.caller, id, now)
  return announce(tx, context, 'products.update', id, now)
}

type EventName = 'products.create' | 'products.update' | 'products.delete'

/**
 * Gives the product as it now is. Of no mode, like the catalogue: the stock that it shows is that of the key that made the change. Its links
 * are those of the live shop, whoever changed it: what a receiver publishes must not lead shoppers to where nothing is really sold.
 */
async function announce(
  tx: Tx,
  { caller, lastingOrigin }: WriteContext,
  name: EventName,
  id: string,
  now: Date,
): Promise<ProductRow> {
  const row = await readWhole(tx, caller, id)
  await emit(
    tx,
    caller,
    name,
    viewProduct(row, { ...asSecret(caller), isSandbox: false }, unsigned(lastingOrigin)),
    now,
  )
  return row
}

async function readWhole(tx: Tx, caller: WriteContext['caller'], id: string): Promise<ProductRow> {
  const row = await findProduct(tx, asSecret(caller), id)
  if (row === null) throw notFound('product')
  return row
}

/** Whoever changes a product sees all of it. */
export const asSecret = <Caller extends object>(caller: Caller) => ({ ...caller, isSecret: true })
