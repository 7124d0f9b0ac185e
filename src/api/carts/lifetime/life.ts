// Carts without rows. An empty cart has no row: its id contains its creation time and a signature of its shop and mode. The first write
// inserts the row. Carts of older releases have rows, and ids without a signature.

import type { Shop } from '../../../db/db.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { isSandboxFull } from '../../../http/endpoint/metering.ts'
import { newSignedId, type Signer, verifySignedId } from '../../../keys/signed-ids.ts'
import { isId } from '../../../lib/ids.ts'
import { type CartAt, findCartMode, type Life } from '../read-store.ts'

/** Time from creation to expiry. Changes do not prolong it. */
export const CART_LIFETIME_MS = 30 * 86_400_000

/** Tolerance for the clock of another process that is ahead of ours. */
const MAX_AHEAD_MS = 86_400_000

/** The parts of a request that are needed to verify a cart's id. */
export type CartIdContext = Pick<Context, 'clock' | 'caller' | 'signingSecret'>

/** A new cart, which expires after 30 days. */
export async function newCart(context: CartIdContext): Promise<CartAt & { readonly life: Life }> {
  const now = context.clock.now()
  return cartWith(context, newSignedId('cart', now, await signerOf(context)), now, lifeFrom(now.getTime()))
}

/**
 * True for a sandbox cart, for callers with an id but no key. The signature tells the mode, or else the row. Null if there is no such cart.
 */
export async function findCartIsSandbox(
  { db, signingSecret }: Pick<Context, 'db' | 'signingSecret'>,
  { merchant_id }: Shop,
  cartId: string,
): Promise<boolean | null> {
  const secret = await signingSecret('carts')
  for (const is_sandbox of [false, true])
    if (verifySignedId('cart', cartId, { secret, signedValues: [merchant_id, is_sandbox] }) !== null) return is_sandbox
  return isId('cart', cartId) ? findCartMode(db, { merchant_id }, cartId) : null
}

/** The cart with this id and the caller's mode. Whether its row exists is not checked. */
export async function identifyCart(context: CartIdContext, cartId: string): Promise<CartAt> {
  const now = context.clock.now()
  const bornMs = verifySignedId('cart', cartId, await signerOf(context))
  const isWithinLife =
    bornMs !== null && bornMs > now.getTime() - CART_LIFETIME_MS && bornMs <= now.getTime() + MAX_AHEAD_MS
  return cartWith(context, cartId, now, isWithinLife ? lifeFrom(bornMs) : null)
}

const cartWith = <L extends Life | null>({ caller }: CartIdContext, cartId: string, now: Date, life: L) => ({
  merchant_id: caller.merchant_id,
  is_sandbox: caller.is_sandbox,
  cartId,
  now,
  life,
  canCreateRow: life !== null && !isSandboxFull(caller, 'carts'),
})

const lifeFrom = (bornMs: number): Life => ({
  bornAt: new Date(bornMs),
  expiresAt: new Date(bornMs + CART_LIFETIME_MS),
})

const signerOf = async ({ signingSecret, caller: { merchant_id, is_sandbox } }: CartIdContext): Promise<Signer> => ({
  secret: await signingSecret('carts'),
  signedValues: [merchant_id, is_sandbox],
})
