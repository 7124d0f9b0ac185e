// The SQL of carts themselves: make, change, empty, delete, sweep. Reading is in read-store.ts, lines are in line-store.ts.

import { type Db, statement, type Tx } from '../../db/db.ts'
import { type CartAt, cartValues, jsonText, LOCKED_CART } from '../lines/checks-store.ts'
import { CART_COLUMNS, type CartRow, usableDiscountOf } from './read-store.ts'

const insert = statement(
  'carts.insert',
  `insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at)
   values ($1, $2, $3, $4, $4, $5)`,
)

export const insertCart = (db: Db, { merchantId, isSandbox, cartId, now }: CartAt, expiresAt: Date) =>
  db.run(insert, [merchantId, cartId, isSandbox, now, expiresAt])

/** Undefined leaves a field as it is. */
export type CartUpdate = {
  readonly discountId?: string | null
  readonly meta?: Record<string, unknown> | null
}

const update = statement(
  'carts.update',
  `update carts
   set discount_id = case when $5 then $6 else discount_id end, meta = case when $7 then $8::json else meta end,
     updated_at = $4
   where merchant_id = $1 and id = $3 and is_sandbox = $2 and expires_at > $4`,
)

/** False when there is no such cart. */
export const updateCartRow = async (db: Db, cart: CartAt, { discountId, meta }: CartUpdate): Promise<boolean> => {
  const values = [discountId !== undefined, discountId ?? null, meta !== undefined, jsonText(meta ?? null)]
  return (await db.run(update, [...cartValues(cart), ...values])) === 1
}

const exists = statement<{ id: string }>(
  'carts.exists',
  'select id from carts where merchant_id = $1 and id = $3 and is_sandbox = $2 and expires_at > $4',
)

export const hasCart = async (db: Db, cart: CartAt): Promise<boolean> =>
  (await db.maybe(exists, cartValues(cart))) !== null

const lock = statement<{ id: string }>('carts.lock', `with ${LOCKED_CART} select id from cart`)

/** False when there is no such cart. The statements that follow in the transaction see the cart as nobody else can change it. */
export const lockCart = async (tx: Tx, cart: CartAt): Promise<boolean> =>
  (await tx.maybe(lock, cartValues(cart))) !== null

const empty = statement<Omit<CartRow, 'lines'>>(
  'carts.empty',
  `with emptied as (
     delete from cart_lines where merchant_id = $1 and cart_id = $3
   ),
   cart as (
     update carts
     set updated_at = $4
     where merchant_id = $1 and id = $3
     returning id, created_at, updated_at, expires_at, meta, discount_id
   )
   select ${CART_COLUMNS}, ${usableDiscountOf('$4')} as discount
   from cart`,
)

/** The cart without its lines. It has been locked in a statement before: a line made while this one waited would be missed. */
export const emptyLockedCart = (tx: Tx, cart: CartAt) => tx.one(empty, cartValues(cart))

const remove = statement(
  'carts.delete',
  'delete from carts where merchant_id = $1 and id = $3 and is_sandbox = $2 and expires_at > $4',
)

/** With its lines. False when there is no such cart. */
export const deleteCartRow = async (db: Db, cart: CartAt): Promise<boolean> =>
  (await db.run(remove, cartValues(cart))) === 1
