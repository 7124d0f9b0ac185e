// Adding assets to a product and replacing them, without touching anything else of it.

import type { Tx } from '../../db/db.ts'
import { type FieldErrors, notFound, notValid } from '../../lib/errors.ts'
import { holdUsableAssets } from '../assets/store.ts'
import { type AssetReferences, MAX_ASSETS } from './body-schema.ts'
import { replaceLinks } from './children-store.ts'
import { findProduct, lockProduct, touchProduct } from './product-store.ts'
import { arranged, idsOf, refuseEntries, USABLE_ASSET } from './references.ts'
import type { Product } from './schema.ts'
import { reportChange, type Writer } from './writer.ts'

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
  return reportChange(tx, writer, productId, 'products.update', 200, now)
}
