// Creating a product.

import type { Tx } from '../../db/db.ts'
import { notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { NewProduct } from './body-schema.ts'
import { resolveChildren, writeChildren } from './children.ts'
import { BLANK, mergeColumns, STOCK_FIELDS, stockOf } from './draft.ts'
import { permalinksFor, refusePermalink } from './permalink.ts'
import { insertProduct, openProductStock } from './product-store.ts'
import type { ProductColumns } from './row-store.ts'
import type { Product } from './schema.ts'
import { newStock } from './stock.ts'
import { createOptionVariants } from './variant.ts'
import { type Judgement, optionStockOf, refuseOptionStock } from './variant-groups.ts'
import { reportChange, type Writer } from './writer.ts'

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
  return reportChange(tx, writer, productId, 'products.create', 201, now)
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
