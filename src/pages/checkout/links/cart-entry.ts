// The link of a cart: where it leads whoever opens it. Nothing is shown at its own address but why it leads nowhere.

import { modeOfCart } from '../../../api/carts/life.ts'
import { type LinkContext, openCart } from '../../../api/checkouts/hosted/open.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { ApiError } from '../../../lib/errors.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import type { MessageModel } from '../model.ts'

/** What a page says besides its frame, and the status that it is answered with. */
export type Message = {
  readonly kind: 'message'
  readonly status: number
  readonly message: Pick<MessageModel, 'kind' | 'said' | 'next' | 'refreshSeconds'>
}

/**
 * `pay`: on to the page of the token, by a 303. `ordered`: the link of a cart is given away, so it does not open the receipt, which has the buyer's
 * name and address. `nothing`: to who only looks, 200 without a body.
 */
export type CartEntry =
  | { readonly kind: 'pay' | 'ordered'; readonly tokenId: string }
  | { readonly kind: 'nothing' }
  | Message

export const messageOf = (
  status: number,
  kind: MessageModel['kind'],
  said: MessageModel['said'],
  next: string | null = null,
): Message => ({ kind: 'message', status, message: { kind, said, next, refreshSeconds: null } })

/** There is no such cart: neither mode has made it. */
export const CART_GONE = messageOf(404, 'gone', refusal('cart_gone'))

/** Of which mode the page is; null where the answer is `CART_GONE`. No statement for a cart whose id is signed, as all are but old ones. */
export const isSandboxCart = (
  context: Pick<Context, 'db' | 'signingSecret'>,
  merchantId: number,
  cartId: string,
): Promise<boolean | null> => modeOfCart(context, { merchantId }, cartId)

/** `isHead`: nothing is made. The context is that of a public key in the cart's own mode. */
export async function enterCart(context: LinkContext, cartId: string, isHead: boolean): Promise<CartEntry> {
  try {
    const opened = await openCart(context, cartId, !isHead)
    if (opened === null) return { kind: 'nothing' }
    return { kind: opened.isOrdered ? 'ordered' : 'pay', tokenId: opened.tokenId }
  } catch (error) {
    const message = error instanceof ApiError ? messageFor(error) : null
    if (message === null) throw error
    return message
  }
}

/** Null where it is not about the cart: too many requests, a full disk. */
function messageFor({ status, said }: ApiError): Message | null {
  if (status === 404) return CART_GONE
  // That there is nothing in it is a state of a cart, and no failure.
  if (said?.code === 'cart_empty') return messageOf(200, 'cart_empty', said)
  // The line that cannot be had is named. Nobody is to blame for it, and nothing was paid.
  return status === 422 && said !== undefined ? messageOf(status, 'not_paid', said) : null
}
