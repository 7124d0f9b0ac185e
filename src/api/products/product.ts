// Creating a product.

import type { Tx } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import type { Caller, Context } from '../../http/endpoint/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { type FieldErrors, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { holdUsableAssets } from '../assets/store.ts'
import { type WriterAddresses, writerAddresses } from '../assets/view.ts'
import { type AssetReferences, MAX_ASSETS, type NewProduct, type ProductChanges } from './body-schema.ts'
import { arranged, idsOf, refuseEntries, resolveChildren, USABLE_ASSET, writeChildren } from './children.ts'
import { replaceLinks } from './children-store.ts'
import { BLANK, mergeColumns, permalinksFor, refusePermalink, STOCK_FIELDS, stockOf } from './draft.ts'
import type { ProductColumns } from './read-store.ts'
import type { Product } from './schema.ts'
import { newStock, writeStock } from './stock.ts'
import {
  deleteProductRow,
  findProduct,
  insertProduct,
  lockProduct,
  openProductStock,
  touchProduct,
  updateProductRow,
} from './store.ts'
import { type Judgement, optionStockOf, refuseOptionStock } from './variants/groups.ts'
import { createOptionVariants } from './variants/variant.ts'
import { viewProduct } from './view.ts'

const NOTHING = { extra_fields: [], variant_groups: [] }

export async function createProduct(tx: Tx, writer: Writer, body: NewProduct): Promise<Product> {
  const { merchantId, currency } = writer.caller
  const now = writer.clock.now()
  const productId = newId('product', now)
  const judgement: Judgement = { malformed: {}, refused: {} }
  const columns = mergeColumns(withDefaults(body), body, currency, judgement)
  const wrongPermalink = body.permalink === undefined ? null : refusePermalink(body.permalink)
  if (wrongPermalink) judgement.malformed.permalink = [wrongPermalink]
  const stock = newStock(stockOf(body), STOCK_FIELDS, judgement.refused)
  const optionStock = optionStockOf(body)
  if (body.variant_groups && body.variant_groups.length > 1)
    refuseOptionStock(
      body,
      'is for a product with one variant group. Create variants, and set theirs.',
      judgement.refused,
    )
  const children = await resolveChildren(
    tx,
    { merchantId, currency, productId, price: columns.price, current: NOTHING },
    body,
    judgement,
    now,
  )

  await insertUnderFreePermalink(tx, merchantId, productId, body.permalink, columns, now)
  await openProductStock(tx, merchantId, productId, stock ?? 0)
  await writeChildren(tx, merchantId, productId, children, now)
  const group = children.variant_groups?.[0]
  if (group && optionStock) await createOptionVariants(tx, merchantId, productId, group, optionStock, now)
  return reportChange(tx, writer, productId, 'products.create', now)
}

/** Defaults that depend on what is sent. */
const withDefaults = (body: NewProduct): ProductColumns => ({
  ...BLANK,
  is_inventory_managed:
    body.inventory?.available !== undefined || body.inventory?.on_hand !== undefined || optionStockOf(body) !== null,
  // What consists of downloads only is not shipped.
  is_physical: (body.delivery?.digital?.packages ?? []).length === 0,
})

async function insertUnderFreePermalink(
  tx: Tx,
  merchantId: number,
  productId: string,
  given: string | undefined,
  columns: ProductColumns,
  now: Date,
) {
  const candidates = given === undefined ? permalinksFor(columns.name) : [given]
  for (const permalink of candidates)
    if (await insertProduct(tx, merchantId, productId, permalink, columns, now)) return
  throw given === undefined
    ? unprocessable({ permalink: ['permalink is required, as none that follows from the name is free.'] })
    : permalinkTaken()
}

export const permalinkTaken = () =>
  notValid({ permalink: ['permalink must be unique, and another of your products has this one.'] })

// Changing a product, and deleting one.

export async function updateProduct(tx: Tx, writer: Writer, id: string, body: ProductChanges): Promise<Product> {
  const { merchantId, currency, isSandbox } = writer.caller
  // Locked before it is read: what is merged must be what the last change left.
  const exists = await lockProduct(tx, merchantId, id)
  const current = exists ? await findProduct(tx, { ...writer.caller, isSecret: true }, id) : null
  if (current === null) throw notFound('product')

  const now = writer.clock.now()
  const judgement: Judgement = { malformed: {}, refused: {} }
  const columns = mergeColumns(current, body, currency, judgement)
  const permalink = body.permalink ?? current.permalink
  const wrongPermalink = refusePermalink(permalink)
  if (wrongPermalink) judgement.malformed.permalink = [wrongPermalink]
  refuseOptionStock(body, 'is for new products. Set that of its variants.', judgement.refused)
  const owner = { merchantId, currency, productId: id, price: columns.price, current }
  const children = await resolveChildren(tx, owner, body, judgement, now)

  if (!(await updateProductRow(tx, merchantId, id, permalink, columns, now))) throw permalinkTaken()
  await writeStock(tx, { merchantId, isSandbox, productId: id, itemId: id }, stockOf(body), STOCK_FIELDS)
  await writeChildren(tx, merchantId, id, children, now)
  return reportChange(tx, writer, id, 'products.update', now)
}

/** What belongs to it goes with it, by foreign keys. */
export async function deleteProduct(tx: Tx, writer: Writer, id: string): Promise<void> {
  const { merchantId } = writer.caller
  if (!(await lockProduct(tx, merchantId, id))) throw notFound('product')
  await reportChange(tx, writer, id, 'products.delete', writer.clock.now())
  await deleteProductRow(tx, merchantId, id)
}

// Who changes a product, and how every change ends: the product is read as it now is, told to the webhooks and answered.

export type Writer = {
  readonly caller: Pick<Caller, 'merchantId' | 'currency' | 'isSandbox'>
  readonly clock: Clock
  readonly addresses: WriterAddresses
}

/** Runs `work` in a transaction. The writer is made before it begins: the signing secret is read by a connection of its own. */
export async function write<T>(context: Context, work: (tx: Tx, writer: Writer) => Promise<T>): Promise<T> {
  const { db, caller, clock } = context
  const writer = { caller, clock, addresses: await writerAddresses(context) }
  return db.transaction((tx) => work(tx, writer))
}

type EventName = 'products.create' | 'products.update' | 'products.delete'

/** The event and the reply differ in their addresses alone: an event is kept for weeks, so its own last, and none is signed. */
export async function reportChange(
  tx: Tx,
  { caller, addresses }: Writer,
  id: string,
  name: EventName,
  now: Date,
): Promise<Product> {
  const everything = { ...caller, isSecret: true }
  const row = await findProduct(tx, everything, id)
  if (row === null) throw notFound('product')
  const payload = viewProduct(row, { caller: everything, addresses: addresses.lasting })
  // Not of one mode: the catalogue is shared. Its stock is that of the key that made the change.
  await emit(tx, caller, name, payload, now)
  return viewProduct(row, { caller: everything, addresses })
}

// Adding assets to a product and replacing them, without touching anything else of it.

export async function setProductAssets(
  tx: Tx,
  writer: Writer,
  productId: string,
  sent: AssetReferences,
  mode: 'add' | 'replace',
): Promise<Product> {
  const { merchantId } = writer.caller
  if (!(await lockProduct(tx, merchantId, productId))) throw notFound('product')
  const refused: FieldErrors = {}
  refuseEntries(sent, await holdUsableAssets(tx, merchantId, idsOf(sent)), 'assets', USABLE_ASSET, refused)
  if (Object.keys(refused).length > 0) throw notValid(refused)

  const product = mode === 'add' ? await findProduct(tx, { ...writer.caller, isSecret: true }, productId) : null
  const current = product?.assets.map(({ id }) => id) ?? []
  const assets = arranged(current, sent)
  if (assets.length > MAX_ASSETS)
    throw notValid({
      assets: [`assets must be at most ${MAX_ASSETS} in all, and the product has ${current.length} already.`],
    })
  const now = writer.clock.now()
  await replaceLinks(tx, merchantId, productId, 'assets', assets)
  await touchProduct(tx, merchantId, productId, now)
  return reportChange(tx, writer, productId, 'products.update', now)
}
