// How an id tells that its cart exists. An empty cart has no row: its id carries the moment it was made, and a signature of this shop and mode.
// A row is made by the first thing that is written to it. Carts of older releases have rows, and ids without a signature.

import type { Shop } from '../../db/records.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { isSandboxFull } from '../../http/endpoint/metering.ts'
import { newSignedId, type Signer, timeOfSignedId } from '../../keys/signed-ids.ts'
import { isId } from '../../lib/ids.ts'
import { type CartAt, findCartMode, type Life } from './read-store.ts'

/** From its creation; changes do not prolong it. */
export const LIFE_MS = 30 * 86_400_000

/** The clock of another process may be ahead of ours, but not by so much. */
const MOST_AHEAD_MS = 86_400_000

/** What it takes to know a cart by its id. */
export type CartIdContext = Pick<Context, 'clock' | 'caller' | 'signingSecret'>

/** A cart that is made now. */
export async function newCart(context: CartIdContext): Promise<CartAt & { readonly life: Life }> {
  const now = context.clock.now()
  return cartOf(context, newSignedId('cart', now, await signerOf(context)), now, lifeFrom(now.getTime()))
}

/** Of which mode a cart is, for who has its id and no key: as its signature says, else its row. Null when there is no such cart. */
export async function modeOfCart(
  { db, signingSecret }: Pick<Context, 'db' | 'signingSecret'>,
  { merchantId }: Shop,
  cartId: string,
): Promise<boolean | null> {
  const secret = await signingSecret('carts')
  for (const isSandbox of [false, true])
    if (timeOfSignedId('cart', cartId, { secret, facts: [merchantId, isSandbox] }) !== null) return isSandbox
  return isId('cart', cartId) ? findCartMode(db, { merchantId }, cartId) : null
}

/** The cart by its id, as it must be now for this caller. */
export async function cartAt(context: CartIdContext, cartId: string): Promise<CartAt> {
  const now = context.clock.now()
  const born = timeOfSignedId('cart', cartId, await signerOf(context))
  const isOfNow = born !== null && born > now.getTime() - LIFE_MS && born <= now.getTime() + MOST_AHEAD_MS
  return cartOf(context, cartId, now, isOfNow ? lifeFrom(born) : null)
}

const cartOf = <L extends Life | null>({ caller }: CartIdContext, cartId: string, now: Date, life: L) => ({
  merchantId: caller.merchantId,
  isSandbox: caller.isSandbox,
  cartId,
  now,
  life,
  makesRow: life !== null && !isSandboxFull(caller, 'carts'),
})

const lifeFrom = (born: number): Life => ({ bornAt: new Date(born), expiresAt: new Date(born + LIFE_MS) })

const signerOf = async ({ signingSecret, caller: { merchantId, isSandbox } }: CartIdContext): Promise<Signer> => ({
  secret: await signingSecret('carts'),
  facts: [merchantId, isSandbox],
})
