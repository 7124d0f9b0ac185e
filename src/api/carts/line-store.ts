// The SQL that writes the lines of a cart. Each is one statement that changes the cart's revision first, on the condition that it is still
// the one that was read; who comes too late writes nothing. A cart without a row is given one with its first line, if nobody else has.

import { type Db, sharedWrite } from '../../db/db.ts'
import type { LineRow } from '../lines/line.ts'
import { ALIVE, type CartAt, type CartRow, cartValues, NEW_CART } from './read-store.ts'

// Null while somebody else changes the cart: others share the transaction and must not wait for it.
const FREE_CART = `(
       select free.id from carts free
       where free.merchant_id = :merchant_id and free.id = :cart_id
       for no key update skip locked
     )`

// It also puts changes of one cart in a row: the cart before its lines, so that nothing deadlocks.
const CHANGED_CART = `cart as (
     update carts
     set updated_at = :now, revision = revision + 1
     where ${ALIVE} and revision = :revision and id = ${FREE_CART}
     returning merchant_id, id
   )`

// `after`: what has to be done before. How much a line shows is asked for a new one alone: what is changed later is of the same product.
const putting = (after = '') => `line as (
     insert into cart_lines (merchant_id, cart_id, id, product_id, name, options, quantity, shown_bytes)
     select :merchant_id::integer, cart.id, :line_id, :product_id, :name, :options::jsonb, :quantity::integer, :shown_bytes::integer
     from cart${after}
     on conflict (merchant_id, cart_id, id) do update
     set name = excluded.name, options = excluded.options, quantity = excluded.quantity
   )`

const put = sharedWrite<{ id: string }>('carts.put_line', `with ${CHANGED_CART}, ${putting()} select id from cart`)

const makeWithLine = sharedWrite<{ id: string }>(
  'carts.make_with_line',
  `with cart as (
     insert into carts (${NEW_CART.columns})
     values (${NEW_CART.values})
     on conflict (merchant_id, id) do nothing
     returning merchant_id, id
   ), ${putting()} select id from cart`,
)

const removing = `removed as (
     delete from cart_lines
     using cart
     where cart_lines.merchant_id = cart.merchant_id and cart_lines.merchant_id = :merchant_id
       and cart_lines.cart_id = :cart_id and cart_lines.id = :removed_id
     returning cart_lines.id
   )`

const remove = sharedWrite<{ id: string }>('carts.remove_line', `with ${CHANGED_CART}, ${removing} select id from cart`)

// That the line reads what was deleted puts the deletion first: the other way round two lines would be the same for a moment.
const replace = sharedWrite<{ id: string }>(
  'carts.join_lines',
  `with ${CHANGED_CART}, ${removing}, ${putting(' cross join (select count(*) from removed) gone')} select id from cart`,
)

/** A line as it is kept. */
export type KeptLine = Pick<LineRow, 'id' | 'product_id' | 'name' | 'options' | 'quantity'> & {
  readonly shown_bytes: number
}

/** One line becomes this, one goes, or both at once. */
export type LinesChange = { readonly put: KeptLine | null; readonly removedId: string | null }

/** False, and nothing is written, when the cart is not the one of this revision any more, or somebody else is changing it. */
export async function writeLines(
  db: Db,
  cart: CartAt,
  { row: { revision }, change: { put: line, removedId } }: { row: Pick<CartRow, 'revision'>; change: LinesChange },
): Promise<boolean> {
  const values = { ...cartValues(cart), revision, removed_id: removedId, ...(line && valuesOf(line)) }
  return (await db.maybe(writing(revision, line, removedId), values)) !== null
}

function writing(revision: number | null, line: KeptLine | null, removedId: string | null) {
  if (line === null) return remove
  if (removedId !== null) return replace
  return revision === null ? makeWithLine : put
}

const valuesOf = ({ id, options, ...line }: KeptLine) => ({ ...line, line_id: id, options: JSON.stringify(options) })
