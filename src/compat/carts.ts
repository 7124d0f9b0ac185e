// What the public SDK reads off the answers of carts, beside the contract.

import type { ClientForms } from '../http/endpoint/endpoint.ts'
import { notValid } from '../lib/errors.ts'
import { isJsonObject } from '../versions/change.ts'
import { isSdk } from './sdk.ts'

export const cartForms: ClientForms = {
  /**
   * The SDK takes any 404 under a cart for "the cart is gone": it makes a new cart, forgets the shopper's, and sends the call
   * again. So to the SDK a line that is missing from a cart that is there is a mistake in the request.
   */
  rewriteError(error, headers) {
    const isMissingInside = error.status === 404 && error.thing !== undefined && error.thing !== 'cart'
    if (!isMissingInside || !isSdk(headers)) return error
    return notValid(
      { line_item_id: ['line_item_id must be the id of a line of this cart; the cart has no such line.'] },
      error.said,
    )
  },

  /**
   * In older versions a change of a cart names its event as `event`; the SDK reads `_event` and dispatches it in the page, where
   * storefronts listen. Outside of a browser, which alone sends an Origin, there is no page, and the SDK would fail on it.
   */
  rewriteAged(body, headers) {
    if (!isJsonObject(body) || typeof body.event !== 'string') return body
    return isSdk(headers) && headers.origin !== undefined ? { ...body, _event: body.event } : body
  },

  /**
   * In the newest version a change of a cart answers the bare cart; many storefronts were written for the envelope that was answered
   * before, and read its `.cart`. So to the SDK a change answers both: the fields of the cart and, beside them, the envelope, which is
   * what the handler told for older versions. (Reference commercejs-sdk, section 5: the two do not collide.) The cart, which to the SDK
   * without a version has the fields of all versions, is written once as JSON and stands there twice.
   */
  rewriteNewest(text, facts, headers) {
    if (typeof facts.event !== 'string' || !isSdk(headers)) return null
    const cart = text()
    const beside = JSON.stringify({ success: true, ...facts })
    return `${cart.slice(0, -1)},${beside.slice(1, -1)},"cart":${cart}}`
  },
}
