// Resolves the link of a cart to the page where it leads. The link itself shows a page only if it leads nowhere.

import { findCartIsSandbox } from '../../../api/carts/lifetime/life.ts'
import { type LinkContext, openCartCheckout } from '../../../api/checkouts/hosted/open.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { ApiError } from '../../../lib/errors.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import type { MessageModel } from '../model.ts'

/** Content and status of a message page, without the frame. */
export type LinkMessage = {
  readonly kind: 'message'
  readonly status: number
  readonly message: Pick<MessageModel, 'kind' | 'shopperMessage' | 'next' | 'refreshSeconds'>
}

/**
 * `pay`: redirect with 303 to the page of the token. `ordered`: many people may know the link, so it does not open the receipt with the
 * buyer's name and address. `nothing`: an empty 200 response to a HEAD request.
 */
export type CartEntry =
  | { readonly kind: 'pay' | 'ordered'; readonly tokenId: string }
  | { readonly kind: 'nothing' }
  | LinkMessage

export const linkMessage = (
  status: number,
  kind: MessageModel['kind'],
  shopperMessage: MessageModel['shopperMessage'],
  next: string | null = null,
): LinkMessage => ({ kind: 'message', status, message: { kind, shopperMessage, next, refreshSeconds: null } })

/** Neither mode has a cart with this id. */
export const CART_GONE = linkMessage(404, 'gone', refusal('cart_gone'))

/** The mode of the page; null if the answer is `CART_GONE`. A signed cart id needs no database statement; only old ids are unsigned. */
export const isSandboxCart = (
  context: Pick<Context, 'db' | 'signingSecret'>,
  merchant_id: number,
  cartId: string,
): Promise<boolean | null> => findCartIsSandbox(context, { merchant_id }, cartId)

/** `isHead`: create nothing. The context has a public key's rights in the cart's mode. */
export async function enterCart(context: LinkContext, cartId: string, isHead: boolean): Promise<CartEntry> {
  try {
    const openedCart = await openCartCheckout(context, cartId, !isHead)
    if (openedCart === null) return { kind: 'nothing' }
    return { kind: openedCart.isOrdered ? 'ordered' : 'pay', tokenId: openedCart.tokenId }
  } catch (error) {
    const message = error instanceof ApiError ? messageFor(error) : null
    if (message === null) throw error
    return message
  }
}

/** Null if the error is not about the cart, such as too many requests or a full disk. */
function messageFor({ status, shopperMessage }: ApiError): LinkMessage | null {
  if (status === 404) return CART_GONE
  // An empty cart is a normal state and not a failure.
  if (shopperMessage?.code === 'cart_empty') return linkMessage(200, 'cart_empty', shopperMessage)
  // The text names the unavailable line item. Nobody is to blame, and nothing was paid.
  return status === 422 && shopperMessage !== undefined ? linkMessage(status, 'not_paid', shopperMessage) : null
}
