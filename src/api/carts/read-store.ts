// SQL that reads and locks a cart: with its lines, and with a requested line among them. An empty cart may have no row; then only its id
// says that it exists.

import { toJsonColumn } from '../../db/columns.ts'
import { type Db, lookup, type Scope, type Shop, type Statement, statement, type Values } from '../../db/db.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { APPLIED_DISCOUNT_JSON, type AppliedDiscountRow, usableDiscount } from '../discounts/store.ts'
import { loadGoods } from '../lines/goods.ts'
import type { LineRow } from '../lines/line.ts'
import { type LiveGoods, liveGoodsJson } from '../lines/read-store.ts'
import type { Combination } from '../products/variants/schema.ts'

/** Creation and expiry of a cart. */
export type Life = { readonly bornAt: Date; readonly expiresAt: Date }

/** Identifies a cart, together with the current time for its expiry. */
export type CartAt = Scope & {
  readonly cartId: string
  readonly now: Date
  /** Lifetime according to the id. Null if only the row can say that the cart exists. */
  readonly life: Life | null
  /** True if a write may insert the missing row. */
  readonly canCreateRow: boolean
}

/** Parameters that all statements about a cart share. `born_at` and `expires_at` are null if no row may be inserted. */
export const cartValues = ({ merchant_id, is_sandbox, cartId, now, life }: CartAt) => ({
  merchant_id,
  is_sandbox,
  cart_id: cartId,
  now,
  born_at: life?.bornAt ?? null,
  expires_at: life?.expiresAt ?? null,
})

/** Condition that a carts row belongs to an existing cart of this mode, at the moment :now. */
export const cartIsAliveSql = (cart: string) =>
  `${cart}.is_sandbox = :is_sandbox and ${cart}.expires_at > :now and not ${cart}.is_deleted`

const NAMED = 'carts.merchant_id = :merchant_id and carts.id = :cart_id'

/** The condition for the row in `carts`. */
export const CART_IS_ALIVE = `${NAMED} and ${cartIsAliveSql('carts')}`

export type CartRow = {
  id: string
  created: number
  updated: number
  expires: number
  meta: Record<string, unknown> | null
  /** Discount that applies now. Null for a code that has expired or is used up. */
  discount: AppliedDiscountRow | null
  /** Number of changes so far. Anything read is up to date while the revision is the same. Null if the cart has no row yet. */
  revision: number | null
  lines: LineRow[]
}

/** An empty cart without a row. */
export const emptyCartWithoutRow = ({ cartId, life: { bornAt, expiresAt } }: { cartId: string; life: Life }) => ({
  id: cartId,
  created: unixSeconds(bornAt),
  updated: unixSeconds(bornAt),
  expires: unixSeconds(expiresAt),
  meta: null,
  discount: null,
  revision: null,
})

/** The discount with this id, if it is usable at the moment :now. */
export const discountJson = (id: string) => `(
       select ${APPLIED_DISCOUNT_JSON('discount')}
       from discounts discount
       where discount.merchant_id = :merchant_id and discount.id = ${id}
         and ${usableDiscount('discount', { now: ':now', is_sandbox: ':is_sandbox' })}
     )`

/** The columns of a CartRow without lines, from the row named `cart`. */
export const CART_COLUMNS = `cart.id, unix_seconds(cart.created_at) as created, unix_seconds(cart.updated_at) as updated,
     unix_seconds(cart.expires_at) as expires, cart.meta, cart.revision,
     ${discountJson('cart.discount_id')} as discount`

/** A cart whose lines are not yet combined with their products. goods.ts does this. */
type LiveCart = Omit<CartRow, 'lines'> & {
  goods: LiveGoods
  /** Null if the cart has no row. */
  is_alive: boolean | null
}

/** Always returns one row, even if the cart has none. `from` provides the lines as `line`; `more` is further columns. */
const readSql = (from: string, more = '') => `select ${CART_COLUMNS},
     ${cartIsAliveSql('cart')} as is_alive,
     ${liveGoodsJson(from)} as goods${more}
   from (select 1 as only) one
   left join carts cart on cart.merchant_id = :merchant_id and cart.id = :cart_id`

const LINES = 'from cart_lines line where line.merchant_id = :merchant_id and line.cart_id = :cart_id'

const find = lookup<LiveCart>('carts.find', readSql(LINES))

/** True for a secret key, which may see private files. */
export type CartReadRequest = CartAt & {
  readonly isSecret: boolean
  /** Locks the cart for the rest of the transaction before it is read. */
  readonly isLocked: boolean
}

const readCartRow = <Row>(
  db: Db,
  cart: CartReadRequest,
  statement: Statement<Row>,
  more: Values = {},
): Promise<Row> => {
  const values = { ...cartValues(cart), ...more }
  return cart.isLocked ? withCartLocked(db, cart, (all) => all.one(statement, values)) : db.one(statement, values)
}

const lock = statement<{ id: string }>('carts.lock', `select id from carts where ${CART_IS_ALIVE} for no key update`)

/** The columns of a new row and their values. Statements may add others. */
export const NEW_CART = {
  columns: 'merchant_id, id, is_sandbox, created_at, updated_at, expires_at, made_at',
  values: ':merchant_id, :cart_id, :is_sandbox, :born_at, :now, :expires_at, :now',
}

const make = statement(
  'carts.make',
  `insert into carts (${NEW_CART.columns}) values (${NEW_CART.values}) on conflict (merchant_id, id) do nothing`,
)

/**
 * Runs statements on a locked cart. The lock is a separate statement in the same round trip, because a statement reads data as of its
 * start, even if it waited. A cart without a row gets one first, to be locked.
 */
export async function withCartLocked<T>(db: Db, cart: CartAt, runQueries: (all: Db) => Promise<T>): Promise<T> {
  const values = cartValues(cart)
  const [locked, result] = await db.together((all) => [all.maybe(lock, values), runQueries(all)])
  if (locked !== null || !cart.canCreateRow) return result
  const [, , lockedResult] = await db.together((all) => [
    all.run(make, values),
    all.maybe(lock, values),
    runQueries(all),
  ])
  return lockedResult
}

/** Null if there is none in this mode, or it has expired or was deleted. */
export async function findCart(db: Db, cart: CartReadRequest): Promise<CartRow | null> {
  const row = existingCart(cart, await readCartRow(db, cart, find))
  return row && withLines(db, cart, row)
}

function existingCart<Row extends LiveCart>({ cartId, life }: CartAt, row: Row): Row | null {
  if (row.is_alive !== null) return row.is_alive ? row : null
  return life && { ...row, ...emptyCartWithoutRow({ cartId, life }) }
}

async function withLines<Row extends LiveCart>(db: Db, cart: CartReadRequest, { goods, is_alive: _, ...row }: Row) {
  const { lines } = await loadGoods(db, cart, goods)
  return { ...row, lines }
}

/** A product to be added, with the choice made for it. */
export type RequestedLine = {
  readonly lineId: string
  readonly productId: string
  readonly quantity: number
  readonly options: Combination | null
  readonly variantId: string | null
}

/** A cart with the requested line among its lines. */
export type CartWithRequestedLine = CartRow & {
  /** Options of the requested variant. Null if no variant was requested or it does not exist. */
  named_options: Combination | null
  /** Bytes that all lines of the cart show. */
  shown_bytes: number
}

const NAMED_OPTIONS = `(
         select variant.options from variants variant
         where variant.merchant_id = :merchant_id and variant.product_id = :product_id and variant.id = :variant_id
       )`

const findWithWish = lookup<Omit<CartWithRequestedLine, 'lines'> & LiveCart>(
  'carts.find_with_wish',
  readSql(
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

/** Null if the cart does not exist. */
export async function findCartWithRequestedLine(
  db: Db,
  cart: CartReadRequest,
  requestedLine: RequestedLine,
): Promise<CartWithRequestedLine | null> {
  const row = existingCart(
    cart,
    await readCartRow(db, cart, findWithWish, {
      line_id: requestedLine.lineId,
      product_id: requestedLine.productId,
      quantity: requestedLine.quantity,
      options: toJsonColumn(requestedLine.options),
      variant_id: requestedLine.variantId,
    }),
  )
  return row && withLines(db, cart, row)
}

const findExisting = statement<{ is_alive: boolean }>(
  'carts.exists',
  `select ${cartIsAliveSql('carts')} as is_alive from carts where ${NAMED}`,
)

export async function hasCart(db: Db, cart: CartAt): Promise<boolean> {
  const row = await db.maybe(findExisting, cartValues(cart))
  return row === null ? cart.life !== null : row.is_alive
}

const findMode = statement<{ is_sandbox: boolean }>(
  'carts.find_mode',
  'select is_sandbox from carts where merchant_id = :merchant_id and id = :cart_id',
)

/** Null if the cart has no row. */
export const findCartMode = async (db: Db, { merchant_id }: Shop, cartId: string): Promise<boolean | null> =>
  (await db.maybe(findMode, { merchant_id, cart_id: cartId }))?.is_sandbox ?? null
