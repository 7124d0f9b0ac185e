// SQL that updates, empties and deletes carts. Update and delete have two statements each: one needs an existing row, the other inserts a
// missing row. See read-store.ts for reads and line-store.ts for lines.

import { toJsonColumn } from '../../db/columns.ts'
import { type Db, statement } from '../../db/db.ts'
import {
  CART_COLUMNS,
  CART_IS_ALIVE,
  type CartAt,
  type CartRow,
  cartValues,
  NEW_CART,
  withCartLocked,
} from './read-store.ts'

/** Undefined leaves a field unchanged. */
type CartUpdate = {
  readonly discountId?: string | null
  readonly meta?: Record<string, unknown> | null
}

const UPDATED = `discount_id = case when :sets_discount then :discount_id else carts.discount_id end,
     meta = case when :sets_meta then :meta::json else carts.meta end,
     updated_at = :now, revision = carts.revision + 1`

const update = statement('carts.update', `update carts set ${UPDATED} where ${CART_IS_ALIVE}`)

const makeOrUpdate = statement(
  'carts.make_or_update',
  `insert into carts (${NEW_CART.columns}, discount_id, meta)
   values (${NEW_CART.values}, :discount_id, :meta::json)
   on conflict (merchant_id, id) do update
   set ${UPDATED}
   where ${CART_IS_ALIVE}`,
)

/** False if the cart does not exist, or has no row and may not get one. */
export const updateCartRow = async (db: Db, cart: CartAt, { discountId, meta }: CartUpdate): Promise<boolean> => {
  const updatedRows = await db.run(cart.canCreateRow ? makeOrUpdate : update, {
    ...cartValues(cart),
    sets_discount: discountId !== undefined,
    discount_id: discountId ?? null,
    sets_meta: meta !== undefined,
    meta: toJsonColumn(meta),
  })
  return updatedRows === 1
}

const empty = statement<Omit<CartRow, 'lines'>>(
  'carts.empty',
  `with cart as (
     update carts
     set updated_at = :now, revision = carts.revision + 1
     where ${CART_IS_ALIVE}
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

/**
 * Returns the cart without lines, or null if it does not exist. A separate statement locks it first, so that a concurrently added line is
 * deleted, too.
 */
export const emptyCartRow = (db: Db, cart: CartAt) =>
  withCartLocked(db, cart, (all) => all.maybe(empty, cartValues(cart)))

// Deletes the contents at once. The row remains to mark the id as deleted; without a row it would be an empty cart.
const DELETED = 'is_deleted = true, discount_id = null, meta = null, updated_at = :now, revision = carts.revision + 1'

const remove = statement('carts.delete', `update carts set ${DELETED} where ${CART_IS_ALIVE}`)

const makeOrRemove = statement(
  'carts.make_or_delete',
  `insert into carts (${NEW_CART.columns}, is_deleted)
   values (${NEW_CART.values}, true)
   on conflict (merchant_id, id) do update
   set ${DELETED}
   where ${CART_IS_ALIVE}`,
)

const removeLines = statement(
  'carts.delete_lines',
  `delete from cart_lines
   where merchant_id = :merchant_id and cart_id = :cart_id
     and exists (select 1 from carts where merchant_id = :merchant_id and id = :cart_id and is_deleted)`,
)

/**
 * Deletes the lines in a second statement, so that a line added while the first one waited is deleted, too. False if the cart does not
 * exist.
 */
export async function deleteCartRow(db: Db, cart: CartAt): Promise<boolean> {
  const values = cartValues(cart)
  const [deleted] = await db.together((all) => [
    all.run(cart.life === null ? remove : makeOrRemove, values),
    all.run(removeLines, values),
  ])
  return deleted === 1
}
