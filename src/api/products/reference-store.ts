// Looks up what a body refers to, and holds it until the transaction ends: something deleted between the check and the write
// would otherwise break a foreign key, which is our crash and not the client's mistake. Assets are held by assets/store.ts.

import { statement, statementOfFamily, type Tx } from '../../db/db.ts'
import type { AttributeRow } from '../attributes/store.ts'

// In the order of ids, so that two requests that hold the same things cannot wait for each other.
const hold = (name: string, table: string) =>
  statementOfFamily<{ id: string }>(
    `products.hold_${name}`,
    `select id from ${table} where merchant_id = $1 and id = any($2) order by id for key share`,
  )

const holds = {
  categories: hold('categories', 'categories'),
  products: hold('products', 'products'),
  shipping_zones: hold('shipping_zones', 'shipping_zones'),
}

/** Those of the ids that exist. */
export async function holdExisting(
  tx: Tx,
  merchantId: number,
  things: keyof typeof holds,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.many(holds[things], [merchantId, ids])
  return new Set(rows.map(({ id }) => id))
}

export type AttributeRules = Pick<
  AttributeRow,
  'id' | 'type' | 'is_required' | 'is_multiselect' | 'default_value' | 'options'
>

// `for share`: the value is checked against the type and the options, which must then stay as they are.
const holdRules = statement<AttributeRules>(
  'products.hold_attributes',
  `select id, type, is_required, is_multiselect, default_value, options
   from attributes
   where merchant_id = $1 and id = any($2)
   order by id
   for share`,
)

export const holdAttributes = (tx: Tx, merchantId: number, ids: readonly string[]): Promise<AttributeRules[]> =>
  tx.many(holdRules, [merchantId, ids])
