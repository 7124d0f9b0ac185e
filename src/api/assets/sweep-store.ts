// The SQL of the sweeps of assets, which go through all merchants.

import { type Db, statement, type Tx } from '../../db/db.ts'
import { KEPT_COLUMNS, type KeptAsset } from './store.ts'

// An upload that is being finished in this moment is passed over; it is then finished, or found by the next run.
const deletePending = statement<KeptAsset>(
  'sweep.pending_assets',
  `delete from assets a
   where (a.merchant_id, a.id) in (
     select merchant_id, id from assets where is_pending and created_at < $1 order by created_at limit $2
     for update skip locked
   )
   returning ${KEPT_COLUMNS}`,
)

/** Deletes at most `limit` assets whose upload was announced before `moment` and never finished. */
export const deletePendingBefore = (tx: Tx, moment: Date, limit: number) => tx.many(deletePending, [moment, limit])

const usedKeys = statement<{ key: string }>(
  'sweep.used_file_keys',
  `select a.file_key as key
   from unnest($1::integer[], $2::text[]) as owner (merchant_id, asset_id)
   join assets a on a.merchant_id = owner.merchant_id and a.id = owner.asset_id
   where a.file_key is not null`,
)

/** The keys that the rows of these assets name. */
export const listUsedKeys = async (
  db: Db,
  owners: readonly { merchantId: number; assetId: string }[],
): Promise<string[]> => {
  const merchantIds = owners.map(({ merchantId }) => merchantId)
  const assetIds = owners.map(({ assetId }) => assetId)
  return (await db.many(usedKeys, [merchantIds, assetIds])).map(({ key }) => key)
}
