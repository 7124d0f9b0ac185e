// Adapts cart responses to the public SDK.

import type { ClientForms } from '../http/endpoint/endpoint.ts'
import { notValid } from '../lib/errors.ts'
import { isJsonObject } from '../versions/change.ts'
import { isSdk } from './sdk.ts'

export const cartForms: ClientForms = {
  /**
   * The SDK concludes from any 404 below a cart that the cart is gone. It then creates a new cart and repeats the call
   * there. So a missing line item of an existing cart becomes a validation error for the SDK.
   */
  rewriteError(error, headers) {
    const isMissingPart = error.status === 404 && error.thing !== undefined && error.thing !== 'cart'
    if (!isMissingPart || !isSdk(headers)) return error
    return notValid(
      { line_item_id: ['line_item_id must be the id of a line of this cart; the cart has no such line.'] },
      error.shopperMessage,
    )
  },

  /**
   * Older versions answer a cart change with `event`. The SDK reads `_event` and dispatches it in the page, where storefronts listen.
   * Only browsers send an `Origin`. Elsewhere there is no page, and the SDK would fail on `_event`.
   */
  rewriteAged(body, headers) {
    if (!isJsonObject(body) || typeof body.event !== 'string') return body
    return isSdk(headers) && headers.origin !== undefined ? { ...body, _event: body.event } : body
  },

  /**
   * The newest version answers a cart change with the bare cart. Many storefronts expect the former envelope and read its `.cart`. So
   * the SDK gets both: the fields of the cart, and beside them the envelope with `facts`. No name is in both (reference
   * commercejs-sdk, section 5). If the SDK names no version, the cart has the fields of all versions. The cart is
   * serialised once and inserted
   * twice.
   */
  rewriteNewest(text, facts, headers) {
    if (typeof facts.event !== 'string' || !isSdk(headers)) return null
    const cart = text()
    const beside = JSON.stringify({ success: true, ...facts })
    return `${cart.slice(0, -1)},${beside.slice(1, -1)},"cart":${cart}}`
  },
}
