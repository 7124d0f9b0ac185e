// The cookie of a browser that pays. Everybody who has opened the link of a cart knows the token, so the cookie also names what only the payer
// knows: the id of the order, or of the attempt to pay. Nobody guesses these, so it needs no signature.

import type { PageRequest } from '../../http/files/pages.ts'
import { cookieValues } from '../../http/session/cookies.ts'
import { isId } from '../../lib/ids.ts'
import type { PageHeaders } from '../headers.ts'

const PAID = 'cartwright-paid'
const MOST_PAID = 5
const PAID_SECONDS = 7 * 86_400

/** `proof`: the id of an order or of an attempt. */
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
    .slice(0, MOST_PAID)

const isProof = (id: string): boolean => isId('order', id) || isId('paymentAttempt', id)

/** Ids of the payments of this token that the browser has made, or has begun. */
export const proofsIn = (request: PageRequest, tokenId: string): string[] =>
  paymentsIn(request).flatMap((payment) => (payment.tokenId === tokenId ? payment.proof : []))

/** Adds a payment. A browser may have begun several of the same token, of which any can become the order. */
export function paidHeaders(request: PageRequest, merchantId: number, payment: Payment): PageHeaders {
  const others = paymentsIn(request).filter(({ proof }) => proof !== payment.proof)
  const entries = [payment, ...others].slice(0, MOST_PAID).map(({ tokenId, proof }) => `${tokenId}~${proof}`)
  const place = `Path=/checkout/${merchantId}; Max-Age=${PAID_SECONDS}; HttpOnly; SameSite=Lax`
  return { 'set-cookie': `${PAID}=${entries.join('.')}; ${place}${request.isSecure ? '; Secure' : ''}` }
}
