// SQL that writes the lines of a cart, with optimistic concurrency. Each statement first raises the cart's revision, if it still has the
// revision that was read. A writer with an outdated revision changes nothing. The first line of a cart without a row inserts the row,
// unless another request has inserted it.

import { type Db, sharedWrite } from '../../db/db.ts'
import type { LineRow } from '../lines/line.ts'
import { CART_IS_ALIVE, type CartAt, type CartRow, cartValues, NEW_CART } from './read-store.ts'

// Null while another request changes the cart. Requests share this transaction, so it must not wait for the lock.
const FREE_CART = `(
       select free.id from carts free
       where free.merchant_id = :merchant_id and free.id = :cart_id
       for no key update skip locked
     )`

// Locks the cart before its lines, so that changes of one cart run in sequence and cannot deadlock.
const CHANGED_CART = `cart as (
     update carts
     set updated_at = :now, revision = revision + 1
     where ${CART_IS_ALIVE} and revision = :revision and id = ${FREE_CART}
     returning merchant_id, id
   )`

// `after` names the steps that must run first. `shown_bytes` is set on insert only, because a later change keeps the product.
const putLineSql = (after = '') => `line as (
     insert into cart_lines (merchant_id, cart_id, id, product_id, name, options, quantity, shown_bytes)
     select :merchant_id::integer, cart.id, :line_id, :product_id, :name, :options::jsonb, :quantity::integer, :shown_bytes::integer
     from cart${after}
     on conflict (merchant_id, cart_id, id) do update
     set name = excluded.name, options = excluded.options, quantity = excluded.quantity
   )`

const putLine = sharedWrite<{ id: string }>(
  'carts.put_line',
  `with ${CHANGED_CART}, ${putLineSql()} select id from cart`,
)

const insertCartWithLine = sharedWrite<{ id: string }>(
  'carts.make_with_line',
  `with cart as (
     insert into carts (${NEW_CART.columns})
     values (${NEW_CART.values})
     on conflict (merchant_id, id) do nothing
     returning merchant_id, id
   ), ${putLineSql()} select id from cart`,
)

const REMOVED_LINE = `removed as (
     delete from cart_lines
     using cart
     where cart_lines.merchant_id = cart.merchant_id and cart_lines.merchant_id = :merchant_id
       and cart_lines.cart_id = :cart_id and cart_lines.id = :removed_id
     returning cart_lines.id
   )`

const removeLine = sharedWrite<{ id: string }>(
  'carts.remove_line',
  `with ${CHANGED_CART}, ${REMOVED_LINE} select id from cart`,
)

// The line reads the result of the deletion, so the deletion runs first. The other order would have two equal lines for a moment.
const replaceLine = sharedWrite<{ id: string }>(
  'carts.join_lines',
  `with ${CHANGED_CART}, ${REMOVED_LINE}, ${putLineSql(' cross join (select count(*) from removed) gone')} select id from cart`,
)

/** A line with the columns that are stored. */
export type StoredLine = Pick<LineRow, 'id' | 'product_id' | 'name' | 'options' | 'quantity'> & {
  readonly shown_bytes: number
}

/** A line to write, a line to remove, or both. */
export type LinesChange = { readonly savedLine: StoredLine | null; readonly removedId: string | null }

/** Returns false and writes nothing if the cart has another revision by now, or another request is changing it. */
export async function writeLines(
  db: Db,
  cart: CartAt,
  {
    row: { revision },
    change: { savedLine: line, removedId },
  }: { row: Pick<CartRow, 'revision'>; change: LinesChange },
): Promise<boolean> {
  const values = { ...cartValues(cart), revision, removed_id: removedId, ...(line && valuesOf(line)) }
  return (await db.maybe(statementFor(revision, line, removedId), values)) !== null
}

function statementFor(revision: number | null, line: StoredLine | null, removedId: string | null) {
  if (line === null) return removeLine
  if (removedId !== null) return replaceLine
  return revision === null ? insertCartWithLine : putLine
}

const valuesOf = ({ id, options, ...line }: StoredLine) => ({ ...line, line_id: id, options: JSON.stringify(options) })
