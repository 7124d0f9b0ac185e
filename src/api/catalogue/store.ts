// Catalogue versions: the cache keys of products. Each statement that reads a product also reads its versions. Each process
// caches the product's data under them. A transaction that changes a product also raises a version. After its commit, every
// read finds the new version, so no process uses the old cache entry again. There are two versions:
// - `version` of a product covers the product and its parts. products/store.ts raises it and thereby locks the row.
// - The shop's version, in this file, covers data that many products share: categories, attributes, assets, and the
//   list of shipping zones.

import { type Shop, statement, type Tx } from '../../db/db.ts'

/** SQL: the catalogue version of the shop `:merchant_id`. 0 before the first change. */
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
 * Runs `work` at once, and raises the shop's version when the transaction commits. The raise locks the version's row until
 * the commit. If it ran earlier, the transaction would block all other catalogue changes of the shop while it does its work.
 */
export function withCatalogueRaiseBeforeCommit<T>(
  tx: Tx,
  shop: Shop,
  work: (tx: CatalogueTx) => Promise<T>,
): Promise<T> {
  tx.beforeCommit(raise, shop)
  return work(tx as CatalogueTx)
}
