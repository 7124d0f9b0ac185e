// The SQL that changes carts themselves: update, empty, delete. Each change has two statements: one for a cart that must have a row, and one that
// makes the row where it is missing. Reading: read-store.ts; changing the lines: line-store.ts.

import { jsonText } from '../../db/columns.ts'
import { type Db, statement } from '../../db/db.ts'
import { ALIVE, CART_COLUMNS, type CartAt, type CartRow, cartValues, NEW_CART, withCartLocked } from './read-store.ts'

/** Undefined leaves a field as it is. */
type CartUpdate = {
  readonly discountId?: string | null
  readonly meta?: Record<string, unknown> | null
}

const UPDATED = `discount_id = case when :sets_discount then :discount_id else carts.discount_id end,
     meta = case when :sets_meta then :meta::json else carts.meta end,
     updated_at = :now, revision = carts.revision + 1`

const update = statement('carts.update', `update carts set ${UPDATED} where ${ALIVE}`)

const makeOrUpdate = statement(
  'carts.make_or_update',
  `insert into carts (${NEW_CART.columns}, discount_id, meta)
   values (${NEW_CART.values}, :discount_id, :meta::json)
   on conflict (merchant_id, id) do update
   set ${UPDATED}
   where ${ALIVE}`,
)

/** False when there is no such cart, or only one without a row that may not be given one. */
export const updateCartRow = async (db: Db, cart: CartAt, { discountId, meta }: CartUpdate): Promise<boolean> => {
  const changed = await db.run(cart.makesRow ? makeOrUpdate : update, {
    ...cartValues(cart),
    sets_discount: discountId !== undefined,
    discount_id: discountId ?? null,
    sets_meta: meta !== undefined,
    meta: jsonText(meta),
  })
  return changed === 1
}

const empty = statement<Omit<CartRow, 'lines'>>(
  'carts.empty',
  `with cart as (
     update carts
     set updated_at = :now, revision = carts.revision + 1
     where ${ALIVE}
     returning id, created_at, updated_at, expires_at, meta, discount_id, revision
   ),
   emptied as (
     delete from cart_lines
     using cart
     where cart_lines.merchant_id = :merchant_id and cart_lines.cart_id = :cart_id
   )
   select ${CART_COLUMNS}
   from cart`,
)

/** The cart without its lines. It is locked in a statement before: a line made while this one waited would be missed. Null as above. */
export const emptyCartRow = (db: Db, cart: CartAt) =>
  withCartLocked(db, cart, (all) => all.maybe(empty, cartValues(cart)))

// What a cart holds goes at once. What remains of it says that its id is not that of an empty cart.
const DELETED = 'is_deleted = true, discount_id = null, meta = null, updated_at = :now, revision = carts.revision + 1'

const remove = statement('carts.delete', `update carts set ${DELETED} where ${ALIVE}`)

const makeOrRemove = statement(
  'carts.make_or_delete',
  `insert into carts (${NEW_CART.columns}, is_deleted)
   values (${NEW_CART.values}, true)
   on conflict (merchant_id, id) do update
   set ${DELETED}
   where ${ALIVE}`,
)

const removeLines = statement(
  'carts.delete_lines',
  `delete from cart_lines
   where merchant_id = :merchant_id and cart_id = :cart_id
     and exists (select 1 from carts where merchant_id = :merchant_id and id = :cart_id and is_deleted)`,
)

/** With its lines, by a statement of their own: one made while the first waited would be missed. False when there is no such cart. */
export async function deleteCartRow(db: Db, cart: CartAt): Promise<boolean> {
  const values = cartValues(cart)
  const [deleted] = await db.together((all) => [
    all.run(cart.life === null ? remove : makeOrRemove, values),
    all.run(removeLines, values),
  ])
  return deleted === 1
}
