// The SQL of carts themselves: make, read, change, empty, delete, sweep. Changing their lines: line-store.ts.

import { jsonText } from '../../db/columns.ts'
import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import { APPLIED_DISCOUNT_JSON, type AppliedDiscountRow, usableDiscount } from '../discounts/store.ts'
import type { LineRow } from '../lines/line.ts'
import { type GoodsRow, goodsJson, withLines } from '../lines/store.ts'

/** Which cart, and the moment by which it must not have expired. */
export type CartAt = Scope & { readonly cartId: string; readonly now: Date }

/** The values that every statement about a cart has. */
export const cartValues = ({ merchantId, isSandbox, cartId, now }: CartAt) => ({
  merchant_id: merchantId,
  is_sandbox: isSandbox,
  cart_id: cartId,
  now,
})

/** The condition on the carts row. */
const ALIVE = 'merchant_id = :merchant_id and id = :cart_id and is_sandbox = :is_sandbox and expires_at > :now'

// Every change of a cart's lines locks the cart first, and only then the lines: one order, so that nothing deadlocks. What this
// statement reads beside it is as old as its start, also when it waited for the lock. Only what a statement writes, and the rows
// that it writes to, are sure to be of the present.
export const LOCKED_CART = `cart as (
     select merchant_id, id
     from carts
     where ${ALIVE}
     for no key update
   )`

export type CartRow = {
  id: string
  created: number
  updated: number
  expires: number
  meta: Record<string, unknown> | null
  /** The one that applies now: a code that has expired or is used up is none. */
  discount: AppliedDiscountRow | null
  lines: LineRow[]
}

/** The discount of this id, if it can be used at the moment :now. */
export const discountJson = (id: string) => `(
       select ${APPLIED_DISCOUNT_JSON('discount')}
       from discounts discount
       where discount.merchant_id = :merchant_id and discount.id = ${id}
         and ${usableDiscount('discount', { now: ':now', isSandbox: ':is_sandbox' })}
     )`

/** The columns of a CartRow but for its lines, of the carts row called `cart`. */
const CART_COLUMNS = `cart.id, unix_seconds(cart.created_at) as created, unix_seconds(cart.updated_at) as updated,
     unix_seconds(cart.expires_at) as expires, cart.meta,
     ${discountJson('cart.discount_id')} as discount`

const find = statement<Omit<CartRow, 'lines'> & { goods: GoodsRow }>(
  'carts.find',
  `select ${CART_COLUMNS},
     ${goodsJson('cart_lines', 'line.cart_id = :cart_id')} as goods
   from carts cart
   where cart.merchant_id = :merchant_id and cart.id = :cart_id and cart.is_sandbox = :is_sandbox
     and cart.expires_at > :now`,
)

/** One statement reads the cart with all that it shows. Null when there is none in this mode, or it has expired. */
export async function findCart(db: Db, cart: CartAt & { readonly isSecret: boolean }): Promise<CartRow | null> {
  const found = await db.maybe(find, { ...cartValues(cart), is_secret: cart.isSecret })
  return found && withLines(found)
}

const insert = statement(
  'carts.insert',
  `insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at)
   values (:merchant_id, :cart_id, :is_sandbox, :now, :now, :expires_at)`,
)

export const insertCart = (db: Db, cart: CartAt, expiresAt: Date) =>
  db.run(insert, { ...cartValues(cart), expires_at: expiresAt })

/** Undefined leaves a field as it is. */
type CartUpdate = {
  readonly discountId?: string | null
  readonly meta?: Record<string, unknown> | null
}

const update = statement(
  'carts.update',
  `update carts
   set discount_id = case when :sets_discount then :discount_id else discount_id end,
     meta = case when :sets_meta then :meta::json else meta end, updated_at = :now
   where ${ALIVE}`,
)

/** False when there is no such cart. */
export const updateCartRow = async (db: Db, cart: CartAt, { discountId, meta }: CartUpdate): Promise<boolean> => {
  const changed = await db.run(update, {
    ...cartValues(cart),
    sets_discount: discountId !== undefined,
    discount_id: discountId ?? null,
    sets_meta: meta !== undefined,
    meta: jsonText(meta),
  })
  return changed === 1
}

const exists = statement<{ id: string }>('carts.exists', `select id from carts where ${ALIVE}`)

export const hasCart = async (db: Db, cart: CartAt): Promise<boolean> =>
  (await db.maybe(exists, cartValues(cart))) !== null

const lock = statement<{ id: string }>('carts.lock', `with ${LOCKED_CART} select id from cart`)

/** False when there is no such cart. The statements that follow in the transaction see the cart as nobody else can change it. */
export const lockCart = async (tx: Tx, cart: CartAt): Promise<boolean> =>
  (await tx.maybe(lock, cartValues(cart))) !== null

const empty = statement<Omit<CartRow, 'lines'>>(
  'carts.empty',
  `with emptied as (
     delete from cart_lines where merchant_id = :merchant_id and cart_id = :cart_id
   ),
   cart as (
     update carts
     set updated_at = :now
     where merchant_id = :merchant_id and id = :cart_id and is_sandbox = :is_sandbox
     returning id, created_at, updated_at, expires_at, meta, discount_id
   )
   select ${CART_COLUMNS}
   from cart`,
)

/** The cart without its lines. It has been locked in a statement before: a line made while this one waited would be missed. */
export const emptyLockedCart = (tx: Tx, cart: CartAt) => tx.one(empty, cartValues(cart))

const remove = statement('carts.delete', `delete from carts where ${ALIVE}`)

/** With its lines. False when there is no such cart. */
export const deleteCartRow = async (db: Db, cart: CartAt): Promise<boolean> =>
  (await db.run(remove, cartValues(cart))) === 1
