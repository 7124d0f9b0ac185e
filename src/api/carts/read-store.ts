// The SQL that reads a cart, with its lines and with what is asked for among them, and locks it. A cart that nothing has been written to has
// no row; its id alone says that it exists.

import { jsonText } from '../../db/columns.ts'
import { type Db, lookup, type Scope, type Statement, statement, type Values } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { APPLIED_DISCOUNT_JSON, type AppliedDiscountRow, usableDiscount } from '../discounts/store.ts'
import { goodsOf } from '../lines/goods.ts'
import type { LineRow } from '../lines/line.ts'
import { type LiveGoods, liveGoodsJson } from '../lines/read-store.ts'
import type { Combination } from '../products/variants/schema.ts'

/** From when to when a cart lives. */
export type Life = { readonly bornAt: Date; readonly expiresAt: Date }

/** Which cart, and the moment by which it must not have expired. */
export type CartAt = Scope & {
  readonly cartId: string
  readonly now: Date
  /** As its id tells it. Null: only its row can say that it exists. */
  readonly life: Life | null
  /** Whether what is put into it may give it a row where it has none. */
  readonly makesRow: boolean
}

/** The values that every statement about a cart has. Those of a row to be made are null where none may be. */
export const cartValues = ({ merchantId, isSandbox, cartId, now, life }: CartAt) => ({
  merchant_id: merchantId,
  is_sandbox: isSandbox,
  cart_id: cartId,
  now,
  born_at: life?.bornAt ?? null,
  expires_at: life?.expiresAt ?? null,
})

/** Whether a carts row is that of a cart which exists in this mode, at the moment :now. */
export const isAlive = (cart: string) =>
  `${cart}.is_sandbox = :is_sandbox and ${cart}.expires_at > :now and not ${cart}.is_deleted`

const NAMED = 'carts.merchant_id = :merchant_id and carts.id = :cart_id'

/** The condition on the carts row. */
export const ALIVE = `${NAMED} and ${isAlive('carts')}`

export type CartRow = {
  id: string
  created: number
  updated: number
  expires: number
  meta: Record<string, unknown> | null
  /** The one that applies now: a code that has expired or is used up is none. */
  discount: AppliedDiscountRow | null
  /** How often it has been changed: what was read is still all of it as long as this is the same. Null: it has no row yet. */
  revision: number | null
  lines: LineRow[]
}

/** The cart that nothing has been written to. */
export const unwrittenCart = ({ cartId, life: { bornAt, expiresAt } }: { cartId: string; life: Life }) => ({
  id: cartId,
  created: unixSeconds(bornAt),
  updated: unixSeconds(bornAt),
  expires: unixSeconds(expiresAt),
  meta: null,
  discount: null,
  revision: null,
})

/** The discount of this id, if it can be used at the moment :now. */
export const discountJson = (id: string) => `(
       select ${APPLIED_DISCOUNT_JSON('discount')}
       from discounts discount
       where discount.merchant_id = :merchant_id and discount.id = ${id}
         and ${usableDiscount('discount', { now: ':now', isSandbox: ':is_sandbox' })}
     )`

/** The columns of a CartRow but for its lines, of the carts row called `cart`. */
export const CART_COLUMNS = `cart.id, unix_seconds(cart.created_at) as created, unix_seconds(cart.updated_at) as updated,
     unix_seconds(cart.expires_at) as expires, cart.meta, cart.revision,
     ${discountJson('cart.discount_id')} as discount`

/** A cart with what is the lines' own; goods.ts knows what they show of their products. */
type LiveCart = Omit<CartRow, 'lines'> & {
  goods: LiveGoods
  /** Null: there is no row. */
  is_alive: boolean | null
}

/** One row, whether the cart has one or not. Lines are from what `from` gives as `line`. `more`: further columns. */
const reading = (from: string, more = '') => `select ${CART_COLUMNS},
     ${isAlive('cart')} as is_alive,
     ${liveGoodsJson(from)} as goods${more}
   from (select 1 as only) one
   left join carts cart on cart.merchant_id = :merchant_id and cart.id = :cart_id`

const LINES = 'from cart_lines line where line.merchant_id = :merchant_id and line.cart_id = :cart_id'

const find = lookup<LiveCart>('carts.find', reading(LINES))

/** Whether the secret key asks: it sees private files, too. */
export type ReadCartAt = CartAt & {
  readonly isSecret: boolean
  /** In a transaction: nobody else changes the cart from the moment it is read. */
  readonly isLocked: boolean
}

const ask = <Row>(db: Db, cart: ReadCartAt, statement: Statement<Row>, more: Values = {}): Promise<Row> => {
  const values = { ...cartValues(cart), ...more }
  return cart.isLocked ? withCartLocked(db, cart, (all) => all.one(statement, values)) : db.one(statement, values)
}

const lock = statement<{ id: string }>('carts.lock', `select id from carts where ${ALIVE} for no key update`)

/** The columns of a row that is made, and their values; what makes it may add others. */
export const NEW_CART = {
  columns: 'merchant_id, id, is_sandbox, created_at, updated_at, expires_at, made_at',
  values: ':merchant_id, :cart_id, :is_sandbox, :born_at, :now, :expires_at, :now',
}

const make = statement(
  'carts.make',
  `insert into carts (${NEW_CART.columns}) values (${NEW_CART.values}) on conflict (merchant_id, id) do nothing`,
)

/**
 * What is asked sees the cart as nobody else can change it. The lock is a statement of its own, in the same round trip: what a statement
 * reads is as old as its start, also when it waited. A cart without a row is given one first: there is nothing else to lock.
 */
export async function withCartLocked<T>(db: Db, cart: CartAt, asked: (all: Db) => Promise<T>): Promise<T> {
  const values = cartValues(cart)
  const [locked, found] = await db.together((all) => [all.maybe(lock, values), asked(all)])
  if (locked !== null || !cart.makesRow) return found
  const [, , foundLater] = await db.together((all) => [all.run(make, values), all.maybe(lock, values), asked(all)])
  return foundLater
}

/** Null when there is none in this mode, or it has expired, or was deleted. */
export async function findCart(db: Db, cart: ReadCartAt): Promise<CartRow | null> {
  const found = existing(cart, await ask(db, cart, find))
  return found && withLines(db, cart, found)
}

function existing<Row extends LiveCart>({ cartId, life }: CartAt, found: Row): Row | null {
  if (found.is_alive !== null) return found.is_alive ? found : null
  return life && { ...found, ...unwrittenCart({ cartId, life }) }
}

async function withLines<Row extends LiveCart>(db: Db, cart: ReadCartAt, { goods, is_alive: _, ...row }: Row) {
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

const findWithWish = lookup<Omit<WishedCart, 'lines'> & LiveCart>(
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
  const found = existing(
    cart,
    await ask(db, cart, findWithWish, {
      line_id: wish.lineId,
      product_id: wish.productId,
      quantity: wish.quantity,
      options: jsonText(wish.options),
      variant_id: wish.variantId,
    }),
  )
  return found && withLines(db, cart, found)
}

const findExisting = statement<{ is_alive: boolean }>(
  'carts.exists',
  `select ${isAlive('carts')} as is_alive from carts where ${NAMED}`,
)

export async function hasCart(db: Db, cart: CartAt): Promise<boolean> {
  const row = await db.maybe(findExisting, cartValues(cart))
  return row === null ? cart.life !== null : row.is_alive
}

const findMode = statement<{ is_sandbox: boolean }>(
  'carts.find_mode',
  'select is_sandbox from carts where merchant_id = :merchant_id and id = :cart_id',
)

/** Null when the cart has no row. */
export const findCartMode = async (db: Db, { merchantId }: Shop, cartId: string): Promise<boolean | null> =>
  (await db.maybe(findMode, { merchant_id: merchantId, cart_id: cartId }))?.is_sandbox ?? null
