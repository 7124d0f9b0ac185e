// The SQL of new orders that wait for a digest (`order_digests`).

import { type Db, type Scope, statement, type Tx } from '../../../db/db.ts'

/** Maximum number of references that are listed; further orders are only counted. */
const MAX_LISTED = 50

const note = statement(
  'orders.note_for_digest',
  `insert into order_digests (merchant_id, is_sandbox, orders, order_references)
   values (:merchant_id, :is_sandbox, 1, array[:reference::text])
   on conflict (merchant_id, is_sandbox) do update
   set orders = order_digests.orders + 1,
     order_references = case
       when cardinality(order_digests.order_references) < ${MAX_LISTED} then order_digests.order_references || excluded.order_references
       else order_digests.order_references
     end`,
)

/** Call it in the transaction that ends the job of the order's own mail, so that each order counts once. */
export const addToDigest = (tx: Tx, { merchant_id, is_sandbox }: Scope, reference: string) =>
  tx.run(note, { merchant_id, is_sandbox, reference })

export type DigestRow = { orders: number; order_references: string[] }

const find = statement<DigestRow>(
  'orders.find_digest',
  'select orders, order_references from order_digests where merchant_id = :merchant_id and is_sandbox = :is_sandbox',
)

/** Null if no order waits. */
export const findDigest = (db: Db, { merchant_id, is_sandbox }: Scope): Promise<DigestRow | null> =>
  db.maybe(find, { merchant_id, is_sandbox })

const removeReported = statement(
  'orders.delete_digest',
  'delete from order_digests where merchant_id = :merchant_id and is_sandbox = :is_sandbox and orders <= :orders',
)

const keepUnreported = statement(
  'orders.keep_rest_of_digest',
  `update order_digests
   set orders = orders - :orders, order_references = array(
     select told.name from unnest(order_references) with ordinality as told (name, place) where told.place > :listed order by told.place
   )
   where merchant_id = :merchant_id and is_sandbox = :is_sandbox and orders > :orders`,
)

/**
 * Removes the orders that a sent digest has reported. Orders that arrived after it was read, or between the two statements, stay for the
 * next digest.
 */
export async function removeReportedOrders(
  tx: Tx,
  { merchant_id, is_sandbox }: Scope,
  digest: DigestRow,
): Promise<void> {
  const values = { merchant_id, is_sandbox, orders: digest.orders }
  const areAllReported = (await tx.run(removeReported, values)) > 0
  if (!areAllReported) await tx.run(keepUnreported, { ...values, listed: digest.order_references.length })
}
