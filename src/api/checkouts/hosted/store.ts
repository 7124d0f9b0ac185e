// SQL of tokens that links make: find the token of a cart, and make one token per state of a cart.

import { type Db, lookup, type Scope, type Shop, statement, type Tx } from '../../../db/db.ts'
import type { Minor } from '../../../lib/money.ts'
import { type CartAt, cartIsAliveSql, cartValues } from '../../carts/read-store.ts'
import type { TokenDetailsScope } from '../read-store.ts'
import { type NewCheckout, newValues } from '../store.ts'

/** Checkouts of a cart in its current state. */
export type CartCheckoutState = {
  /** The token that the cart's link made of this state. */
  open: { readonly id: string; readonly is_alive: boolean } | null
  /** The token that this state was ordered by, regardless of who made it. */
  ordered_by: string | null
}

// The token of an order tells which state of the cart it was made of. Tokens are deleted after a week, their orders stay. Without the
// token, the order counts for this state if the cart has not changed since.
const findStanding = lookup<CartCheckoutState & { is_alive: boolean }>(
  'checkouts.find_of_cart',
  `select ${cartIsAliveSql('cart')} as is_alive,
     (
       select json_build_object('id', hosted.id, 'is_alive', hosted.expires_at > :now)
       from checkouts hosted
       where hosted.merchant_id = :merchant_id and hosted.cart_id = :cart_id and hosted.cart_revision = cart.revision
         and hosted.is_hosted
     ) as open,
     (
       select placed.checkout_id
       from orders placed
       left join checkouts paid on paid.merchant_id = :merchant_id and paid.id = placed.checkout_id
       where placed.merchant_id = :merchant_id and placed.cart_id = :cart_id
         and coalesce(paid.cart_revision = cart.revision, placed.created_at >= cart.updated_at)
       order by placed.created_at desc, placed.id desc
       limit 1
     ) as ordered_by
   from carts cart
   where cart.merchant_id = :merchant_id and cart.id = :cart_id`,
)

/** Null if there is no such cart in this mode; `empty` if nothing was ever written to it. */
export async function findCartCheckoutState(db: Db, cart: CartAt): Promise<CartCheckoutState | 'empty' | null> {
  const { merchant_id, cart_id, is_sandbox, now } = cartValues(cart)
  const cartRow = await db.maybe(findStanding, { merchant_id, cart_id, is_sandbox, now })
  if (cartRow === null) return cart.life && 'empty'
  const { is_alive: isCart, ...standing } = cartRow
  return isCart ? standing : null
}

const findByEmail = statement<{ id: string; is_same: boolean }>(
  'checkouts.find_order_by_email',
  `select id, lower(email collate "C") = lower(:email::text collate "C") as is_same
   from orders
   where merchant_id = :merchant_id and is_sandbox = :is_sandbox and checkout_id = :checkout_id`,
)

/** Id of the token's order if it has this e-mail address, ignoring case. */
export async function findOrderIdByEmail(
  db: Db,
  { merchant_id, is_sandbox }: Scope,
  tokenId: string,
  email: string,
): Promise<string | null> {
  const values = { merchant_id, is_sandbox, checkout_id: tokenId, email }
  const order = await db.maybe(findByEmail, values)
  return order?.is_same ? order.id : null
}

const detachExpired = statement(
  'checkouts.let_go_of_link',
  `update checkouts
   set is_hosted = false
   where merchant_id = :merchant_id and id = :checkout_id and expires_at <= :now`,
)

/** Detaches an expired token from its link, so that the link can make another. The sweep would delete it within the hour. */
export async function detachExpiredToken(db: Db, { merchant_id, now }: TokenDetailsScope, id: string): Promise<void> {
  await db.run(detachExpired, { merchant_id, checkout_id: id, now })
}

const detachSpent = statement(
  'checkouts.let_go_of_spent',
  `update checkouts
   set is_hosted = false
   where merchant_id = :merchant_id and id = :checkout_id and is_hosted`,
)

/**
 * Detaches a token that takes no more payments, so that the link can make another. Call it in the transaction that counts its last decline.
 */
export const detachSpentToken = (tx: Tx, { merchant_id }: Shop, id: string): void =>
  tx.withCommit(detachSpent, { merchant_id, checkout_id: id })

const insert = statement<{ id: string }>(
  'checkouts.insert_of_link',
  `with token as (
     insert into checkouts (
       merchant_id, id, is_sandbox, cart_id, cart_revision, is_hosted, discount_id, customer_set_price, meta, created_at, updated_at,
       expires_at
     )
     values (
       :merchant_id, :id, :is_sandbox, :cart_id, :cart_revision, :cart_id::text is not null, :discount_id, :customer_set_price, :meta, :now,
       :now, :expires_at
     )
     on conflict (merchant_id, cart_id, cart_revision) where is_hosted do nothing
     returning id
   ),
   bought as (
     insert into checkout_lines (merchant_id, checkout_id, id, product_id, name, options, quantity)
     select :merchant_id, token.id, entry.id, entry.product_id, entry.name, entry.options, entry.quantity
     from token
     cross join json_to_recordset(:lines) as entry (id text, product_id text, name text, options jsonb, quantity integer)
   )
   select id from token`,
)

/** False if this state of the cart has a token already; nothing is written then. */
export const insertLinkCheckout = async (
  db: Db,
  { merchant_id, is_sandbox, now }: TokenDetailsScope,
  token: NewCheckout,
  customerSetPrice: Minor | null,
): Promise<boolean> => {
  const insertedToken = await db.maybe(insert, {
    ...newValues(token),
    merchant_id,
    is_sandbox,
    now,
    customer_set_price: customerSetPrice,
  })
  return insertedToken !== null
}
