// The stamps that say whether a product still shows what it showed before. A process that keeps what it made of a product keeps it under
// the stamps that the same statement read; whoever changes something raises the stamp in the same transaction, so that what is kept under
// the old one is never asked for again, in any process.
// There are two: `version` of the product, for itself and all that belongs to it, which products/store.ts raises by locking it; and the
// shop's, here, for what many products show: categories, attributes, assets, and which shipping zones there are.

import { statement, type Tx } from '../../db/db.ts'
import { type Shop, shopValues } from '../../db/records.ts'

/** The stamp of the shop `:merchant_id`, as SQL. */
export const SHOP_STAMP = `coalesce((
    select stamp.version from catalogue_stamps stamp where stamp.merchant_id = :merchant_id
  ), 0)`

/** A transaction that ends by raising the shop's stamp. Stores that change what many products show ask for this type. */
export interface CatalogueTx extends Tx {
  readonly raisesStamp: true
}

const raise = statement(
  'catalogue.raise_stamp',
  `insert into catalogue_stamps (merchant_id, version)
   values (:merchant_id, 1)
   on conflict (merchant_id) do update set version = catalogue_stamps.version + 1`,
)

/** With the commit: all changes of a shop's catalogue meet at this row, and whoever holds it must not wait for anything else. */
export function raisingStamp<T>(tx: Tx, shop: Shop, work: (tx: CatalogueTx) => Promise<T>): Promise<T> {
  tx.beforeCommit(raise, shopValues(shop))
  return work(tx as CatalogueTx)
}
