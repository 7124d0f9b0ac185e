// The rules of carts: how long one lives, which code it takes, and how it is emptied and deleted. Its lines' are in lines.ts.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { sweepOf } from '../../jobs/sweeps.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { metaProblem } from '../../lib/json.ts'
import { addressesFor } from '../assets/view.ts'
import { REFUSED_CODE, tryDiscountCode } from '../discounts/code.ts'
import type { CartAt } from '../lines/checks-store.ts'
import { type CartRow, findCart } from './read-store.ts'
import type { Cart, CartChanges } from './schema.ts'
import { deleteCartRow, emptyLockedCart, hasCart, insertCart, lockCart, updateCartRow } from './store.ts'
import { viewCart } from './view.ts'

/** What carts need of a request. */
export type Shopping = Pick<
  Context,
  'db' | 'clock' | 'caller' | 'origin' | 'signingSecret' | 'clientNetworks' | 'tell' | 'weigh'
>

/** From its creation; changes do not prolong it. */
export const LIFE_MS = 30 * 86_400_000

export async function createCart(shopping: Shopping): Promise<Cart> {
  const now = shopping.clock.now()
  const expiresAt = new Date(now.getTime() + LIFE_MS)
  const cart = cartAt(shopping, newId('cart', now), now)
  await insertCart(shopping.db, cart, expiresAt)
  const created = unixSeconds(now)
  const row = { id: cart.cartId, created, updated: created, expires: unixSeconds(expiresAt) }
  return show(shopping, { ...row, meta: null, discount: null, lines: [] })
}

/** One statement reads all of it. Throws `notFound`, also when it has expired, or belongs to the other mode. */
export async function getCart(shopping: Shopping, id: string, now = shopping.clock.now()): Promise<Cart> {
  const row = await findCart(shopping.db, shopping.caller, id, now)
  if (row === null) throw notFound('cart')
  shopping.weigh(row.lines.length)
  return show(shopping, row)
}

export async function updateCart(shopping: Shopping, id: string, body: CartChanges): Promise<Cart> {
  const { db } = shopping
  const cart = cartAt(shopping, id)
  // Before the code, so that a request which is refused for its meta counts for no guess.
  const problem = metaProblem(body.meta)
  if (problem !== null) throw unprocessable({ meta: [problem] })
  const discountId =
    body.discount_code === undefined ? undefined : await discountFor(shopping, cart, body.discount_code)
  const changes = {
    ...(discountId === undefined ? {} : { discountId }),
    ...(body.meta === undefined ? {} : { meta: body.meta }),
  }
  if (!(await updateCartRow(db, cart, changes))) throw notFound('cart')
  return getCart(shopping, id, cart.now)
}

/** The id of the discount that the code stands for; null for no code. */
async function discountFor(shopping: Shopping, cart: CartAt, code: string | null): Promise<string | null> {
  if (code === null || code === '') return null
  const { db } = shopping
  const found = await tryDiscountCode(shopping, { code, enteredIn: cart.cartId })
  if (found !== null) return found.id
  // Asked only now: a code that is right finds out about its cart when it is written there.
  if (!(await hasCart(db, cart))) throw notFound('cart')
  throw notValid({ discount_code: [REFUSED_CODE] })
}

export async function emptyCart(shopping: Shopping, id: string): Promise<Cart> {
  const cart = cartAt(shopping, id)
  const row = await shopping.db.transaction(async (tx) => {
    if (!(await lockCart(tx, cart))) throw notFound('cart')
    return emptyLockedCart(tx, cart)
  })
  shopping.tell({ event: 'Cart.Emptied' })
  return show(shopping, { ...row, lines: [] })
}

export async function deleteCart(shopping: Shopping, id: string): Promise<void> {
  if (!(await deleteCartRow(shopping.db, cartAt(shopping, id)))) throw notFound('cart')
  shopping.tell({ event: 'Cart.Deleted' })
}

/** The cart by its id, as it must be now for this caller. */
export const cartAt = ({ clock, caller }: Shopping, cartId: string, now = clock.now()): CartAt => ({
  merchantId: caller.merchantId,
  isSandbox: caller.isSandbox,
  cartId,
  now,
})

const show = async (shopping: Shopping, row: CartRow): Promise<Cart> =>
  viewCart(row, { caller: shopping.caller, addresses: await addressesFor(shopping) })

// What happens to carts later: those that have expired are deleted, with their lines.

/** Nobody is shown a cart from the moment it expires, so that an hour more or less matters to the disk alone. */
export const sweepExpiredCarts = sweepOf('carts', { name: 'expired-carts', everySeconds: 3_600, column: 'expires_at' })
