// The SQL of one stock item, a product's own or that of a variant: what captures under way hold of it, and writing it.

import { statement, type Tx } from '../../db/db.ts'

/** A stock item in one mode. `itemId` is the product's id, or that of a variant with stock of its own. */
export type StockItem = {
  readonly merchantId: number
  readonly isSandbox: boolean
  readonly productId: string
  readonly itemId: string
}

/**
 * SQL for what captures under way hold of the item whose id the SQL `itemId` is. $1 is the merchant, `isSandbox` SQL for the mode.
 * Added up anew each time: held_stock has the open captures alone, and a sum kept beside would be one more row that each capture has
 * to lock when it ends.
 */
export const heldOf = (itemId: string, isSandbox: string) => `(
    select coalesce(sum(held.quantity), 0)::bigint
    from held_stock held
    join capture_attempts attempt on attempt.merchant_id = $1 and attempt.id = held.attempt_id
    where held.merchant_id = $1 and held.item_id = ${itemId} and attempt.is_sandbox = ${isSandbox}
  )`

const lock = statement(
  'products.lock_stock',
  `select from stock
   where merchant_id = $1 and item_id = $2 and is_sandbox = $3
   for update`,
)

/**
 * Until the transaction ends no capture takes any of it nor gives any back. What is held must be read by a later statement: this one may
 * have waited, and sees held_stock as it was before.
 */
export const lockStock = (tx: Tx, { merchantId, itemId, isSandbox }: StockItem) =>
  tx.run(lock, [merchantId, itemId, isSandbox])

const findHeld = statement<{ held: number }>('products.find_held', `select ${heldOf('$2', '$3')} as held`)

export const heldStock = async (tx: Tx, { merchantId, itemId, isSandbox }: StockItem): Promise<number> =>
  (await tx.one(findHeld, [merchantId, itemId, isSandbox])).held

const set = statement(
  'products.set_stock',
  `insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
   values ($1, $2, $3, $4, $5)
   on conflict (merchant_id, item_id, is_sandbox) do update set available = excluded.available`,
)

/** One mode's alone: a count that a test key sends must not change what can be sold. */
export const setStock = (tx: Tx, { merchantId, productId, itemId, isSandbox }: StockItem, available: number) =>
  tx.run(set, [merchantId, productId, itemId, isSandbox, available])

// What is held is read by the statement that writes: a capture that ends in between would be taken for held and for sold at once.
const count = statement<{ held: number; is_written: boolean }>(
  'products.count_stock',
  `with held as (
     select ${heldOf('$3', '$4')} as quantity
   ),
   counted as (
     insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
     select $1, $2, $3, $4, $5::bigint - held.quantity
     from held
     where held.quantity <= $5
     on conflict (merchant_id, item_id, is_sandbox) do update set available = excluded.available
     returning item_id
   )
   select held.quantity as held, exists (select from counted) as is_written from held`,
)

/** Whoever calls has locked the item. Where more is held than was counted, nothing is written. */
export const countStock = (tx: Tx, { merchantId, productId, itemId, isSandbox }: StockItem, onHand: number) =>
  tx.one(count, [merchantId, productId, itemId, isSandbox, onHand])

const clear = statement(
  'products.clear_stock',
  'delete from stock where merchant_id = $1 and item_id = $2 and is_sandbox = $3',
)

/** In this mode a variant sells from the product's from now on; in the other it keeps what it has. */
export const clearStock = (tx: Tx, { merchantId, itemId, isSandbox }: StockItem) =>
  tx.run(clear, [merchantId, itemId, isSandbox])
