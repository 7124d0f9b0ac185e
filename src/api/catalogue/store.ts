// Catalogue versions: the cache keys of products. A statement reads a product together with its versions.
// The process caches the product data under these versions. The transaction of each change also raises a version.
// After the commit, no process uses the old cache entry again. There are two versions:
// - `version` of a product covers the product and its parts. products/store.ts raises it and thereby locks the row.
// - The shop's version, in this file, covers data that many products share: categories, attributes, assets, and the
//   list of shipping zones.

import { type Shop, statement, type Tx } from '../../db/db.ts'

/** The catalogue version of the shop `:merchant_id`, as SQL. */
export const SHOP_CATALOGUE_VERSION = `coalesce((
    select stamp.version from catalogue_stamps stamp where stamp.merchant_id = :merchant_id
  ), 0)`

/**
 * A transaction that raises the shop's catalogue version right before its commit. Store functions that change shared
 * data require this type.
 */
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
 * Runs `work`, and raises the version right before the commit. All catalogue changes of a shop lock the version's row.
 * A transaction that waited for something else while it holds this lock would block them.
 */
export function raiseCatalogueVersionAfter<T>(tx: Tx, shop: Shop, work: (tx: CatalogueTx) => Promise<T>): Promise<T> {
  tx.beforeCommit(raise, shop)
  return work(tx as CatalogueTx)
}
