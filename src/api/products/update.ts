// Changing a product, and deleting one.

import type { Tx } from '../../db/db.ts'
import { notFound } from '../../lib/errors.ts'
import type { ProductChanges } from './body-schema.ts'
import { resolveChildren, writeChildren } from './children.ts'
import { permalinkTaken } from './create.ts'
import { mergeColumns, STOCK_FIELDS, stockOf } from './draft.ts'
import { refusePermalink } from './permalink.ts'
import { deleteProductRow, findProduct, lockProduct, updateProductRow } from './product-store.ts'
import type { Product } from './schema.ts'
import { writeStock } from './stock.ts'
import { type Judgement, refuseOptionStock } from './variant-groups.ts'
import { reportChange, type Writer } from './writer.ts'

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
  return reportChange(tx, writer, id, 'products.update', 200, now)
}

/** What belongs to it goes with it, by foreign keys. */
export async function deleteProduct(tx: Tx, writer: Writer, id: string): Promise<void> {
  const { merchantId } = writer.caller
  if (!(await lockProduct(tx, merchantId, id))) throw notFound('product')
  await reportChange(tx, writer, id, 'products.delete', 204, writer.clock.now())
  await deleteProductRow(tx, merchantId, id)
}
