// The SQL of carts themselves: make, read, change, empty, delete, sweep. Changing their lines: line-store.ts.

import { jsonText } from '../../db/columns.ts'
import { type Db, lookup, type Scope, type Statement, statement, type Tx, type Values } from '../../db/db.ts'
import { APPLIED_DISCOUNT_JSON, type AppliedDiscountRow, usableDiscount } from '../discounts/store.ts'
import { goodsOf } from '../lines/goods.ts'
import type { LineRow } from '../lines/line.ts'
import { type LiveGoods, liveGoodsJson } from '../lines/read-store.ts'
import type { Combination } from '../products/variants/schema.ts'

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
export const ALIVE = 'merchant_id = :merchant_id and id = :cart_id and is_sandbox = :is_sandbox and expires_at > :now'

export type CartRow = {
  id: string
  created: number
  updated: number
  expires: number
  meta: Record<string, unknown> | null
  /** The one that applies now: a code that has expired or is used up is none. */
  discount: AppliedDiscountRow | null
  /** How often it has been changed: what was read is still all of it as long as this is the same. */
  revision: number
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
     unix_seconds(cart.expires_at) as expires, cart.meta, cart.revision,
     ${discountJson('cart.discount_id')} as discount`

const lock = statement<{ id: string }>('carts.lock', `select id from carts where ${ALIVE} for no key update`)

/** False when there is no such cart. The statements that follow in the transaction see the cart as nobody else can change it. */
export const lockCart = async (tx: Tx, cart: CartAt): Promise<boolean> =>
  (await tx.maybe(lock, cartValues(cart))) !== null

/** A cart with what is the lines' own; goods.ts knows what they show of their products. */
type LiveCart = Omit<CartRow, 'lines'> & { goods: LiveGoods }

/** The cart, with lines from what `from` gives as `line`. `more`: further columns. */
const reading = (from: string, more = '') => `select ${CART_COLUMNS},
     ${liveGoodsJson(from)} as goods${more}
   from carts cart
   where cart.merchant_id = :merchant_id and cart.id = :cart_id and cart.is_sandbox = :is_sandbox
     and cart.expires_at > :now`

const LINES = 'from cart_lines line where line.merchant_id = :merchant_id and line.cart_id = :cart_id'

const find = lookup<LiveCart>('carts.find', reading(LINES))

/** Whether the secret key asks: it sees private files, too. */
export type ReadCartAt = CartAt & {
  readonly isSecret: boolean
  /** In a transaction: nobody else changes the cart from the moment it is read. */
  readonly isLocked: boolean
}

/** The lock is a statement of its own, in the same round trip: what a statement reads is as old as its start, also when it waited. */
async function ask<Row>(db: Db, cart: ReadCartAt, statement: Statement<Row>, more: Values = {}): Promise<Row | null> {
  const values = { ...cartValues(cart), ...more }
  if (!cart.isLocked) return db.maybe(statement, values)
  const [, found] = await db.together((all) => [all.maybe(lock, values), all.maybe(statement, values)])
  return found
}

/** Null when there is none in this mode, or it has expired. */
export async function findCart(db: Db, cart: ReadCartAt): Promise<CartRow | null> {
  const found = await ask(db, cart, find)
  return found && withLines(db, cart, found)
}

async function withLines<Row extends { goods: LiveGoods }>(db: Db, cart: ReadCartAt, { goods, ...row }: Row) {
  const { lines } = await goodsOf(db, cart, goods)
  return { ...row, lines }
}

/** What is asked for: of which product, and what of it. */
export type Wish = {
  readonly lineId: string
  readonly productId: string
  readonly quantity: number
  readonly options: Combination | null
  readonly variantId: string | null
}

/** A cart with what is asked for among its lines. */
export type WishedCart = CartRow & {
  /** The options of the variant that was named; null when there is none of this id, or none was named. */
  named_options: Combination | null
  /** Of all lines together. */
  shown_bytes: number
}

const NAMED_OPTIONS = `(
         select variant.options from variants variant
         where variant.merchant_id = :merchant_id and variant.product_id = :product_id and variant.id = :variant_id
       )`

const findWithWish = lookup<Omit<WishedCart, 'lines'> & { goods: LiveGoods }>(
  'carts.find_with_wish',
  reading(
    `from (
         select line.merchant_id, line.id, line.product_id, line.name, line.quantity, line.options
         ${LINES}
         union all
         select :merchant_id::integer, :line_id::text, :product_id::text, '', :quantity::integer,
           coalesce(${NAMED_OPTIONS}, :options::jsonb, '{}')
       ) line`,
    `,
     ${NAMED_OPTIONS} as named_options,
     (
       select coalesce(sum(line.shown_bytes), 0) ${LINES}
     ) as shown_bytes`,
  ),
)

/** Null when there is no such cart. */
export async function findCartWithWish(db: Db, cart: ReadCartAt, wish: Wish): Promise<WishedCart | null> {
  const found = await ask(db, cart, findWithWish, {
    line_id: wish.lineId,
    product_id: wish.productId,
    quantity: wish.quantity,
    options: jsonText(wish.options),
    variant_id: wish.variantId,
  })
  return found && withLines(db, cart, found)
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
     meta = case when :sets_meta then :meta::json else meta end, updated_at = :now, revision = revision + 1
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

const empty = statement<Omit<CartRow, 'lines'>>(
  'carts.empty',
  `with emptied as (
     delete from cart_lines where merchant_id = :merchant_id and cart_id = :cart_id
   ),
   cart as (
     update carts
     set updated_at = :now, revision = revision + 1
     where merchant_id = :merchant_id and id = :cart_id and is_sandbox = :is_sandbox
     returning id, created_at, updated_at, expires_at, meta, discount_id, revision
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
