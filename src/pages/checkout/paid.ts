// The cookie of a browser that pays. Everybody with a cart's link knows its token. So the cookie also names an id that only the payer
// knows: that of the order or of the payment attempt. Nobody can guess such an id, so the cookie needs no signature.

import type { PageRequest } from '../../http/files/pages.ts'
import { cookieValues } from '../../http/session/cookies.ts'
import { isId } from '../../lib/ids.ts'
import type { PageHeaders } from '../headers.ts'

const PAID = 'cartwright-paid'
const MAX_PAID = 5
const PAID_SECONDS = 7 * 86_400

/** `proof`: the id of an order or of a payment attempt. */
type Payment = { readonly tokenId: string; readonly proof: string }

/** Newest first. */
const paymentsIn = (request: PageRequest): Payment[] =>
  cookieValues(request.header('cookie'), PAID)
    .flatMap((value) => value.split('.'))
    .map((entry) => {
      const [tokenId = '', proof = ''] = entry.split('~')
      return { tokenId, proof }
    })
    .filter(({ tokenId, proof }) => isId('checkoutToken', tokenId) && isProof(proof))
    .slice(0, MAX_PAID)

const isProof = (id: string): boolean => isId('order', id) || isId('paymentAttempt', id)

/** Ids of this token's payments that the browser has started or finished. */
export const paymentProofsIn = (request: PageRequest, tokenId: string): string[] =>
  paymentsIn(request).flatMap((payment) => (payment.tokenId === tokenId ? payment.proof : []))

/** Adds a payment to the cookie. A browser may have started several attempts for a token, and each of them can become the order. */
export function paidHeaders(request: PageRequest, merchant_id: number, payment: Payment): PageHeaders {
  const others = paymentsIn(request).filter(({ proof }) => proof !== payment.proof)
  const entries = [payment, ...others].slice(0, MAX_PAID).map(({ tokenId, proof }) => `${tokenId}~${proof}`)
  const cookieAttributes = `Path=/checkout/${merchant_id}; Max-Age=${PAID_SECONDS}; HttpOnly; SameSite=Lax`
  return { 'set-cookie': `${PAID}=${entries.join('.')}; ${cookieAttributes}${request.isSecure ? '; Secure' : ''}` }
}
