// Catalogue versions: the cache keys of products. A process caches what it derived from a product under the versions that the same
// statement read. Each change raises a version in its own transaction, so that no process uses the old cache entry again.
// There are two versions. `version` of the product covers the product and its parts; products/store.ts raises it by locking the row. The
// shop's version, in this file, covers what many products show: categories, attributes, assets, and which shipping zones exist.

import { statement, type Tx } from '../../db/db.ts'
import { type Shop, shopValues } from '../../db/records.ts'

/** The catalogue version of the shop `:merchant_id`, as SQL. */
export const SHOP_CATALOGUE_VERSION = `coalesce((
    select stamp.version from catalogue_stamps stamp where stamp.merchant_id = :merchant_id
  ), 0)`

/** A transaction that ends by raising the shop's catalogue version. Store functions that change shared data require this type. */
export interface CatalogueTx extends Tx {
  readonly raisesCatalogueVersion: true
}

const raise = statement(
  'catalogue.raise_stamp',
  `insert into catalogue_stamps (merchant_id, version)
   values (:merchant_id, 1)
   on conflict (merchant_id) do update set version = catalogue_stamps.version + 1`,
)

/**
 * Raises the version right before the commit. All catalogue changes of a shop lock this row, so its holder must not wait for anything else.
 */
export function raiseCatalogueVersionAfter<T>(tx: Tx, shop: Shop, work: (tx: CatalogueTx) => Promise<T>): Promise<T> {
  tx.beforeCommit(raise, shopValues(shop))
  return work(tx as CatalogueTx)
}
