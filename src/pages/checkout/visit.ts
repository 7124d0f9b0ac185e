// What every page of a token begins with: whose it is, whether it may be shown over this connection, and the way to its other pages.

import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
import { cookieValues } from '../../http/session/cookies.ts'
import { isId } from '../../lib/ids.ts'
import { contextFor } from '../context.ts'
import { seeOther } from '../headers.ts'
import { gone, isTooOpen, notSecure } from './message.ts'
import { languageQuery, type OpenedCheckout, openCheckout } from './shop.ts'

export type Visit = { readonly context: Context; readonly request: PageRequest; readonly opened: OpenedCheckout }

type Answer = (visit: Visit) => Promise<PageAnswer>

/** A page of a token, or of the order that was made of it. */
export const pageOfToken =
  (services: Services, answer: Answer) =>
  async (request: PageRequest): Promise<PageAnswer> => {
    const { checkout: opened, frame } = await openCheckout(services, request)
    if (opened === null) return gone(frame)
    if (isTooOpen(frame, request)) return notSecure(frame)
    return answer({ context: contextFor(services, request, opened.caller), request, opened })
  }

/** In the query of pages: the attempt to pay that they are about. Who knows its id has begun it. */
export const ATTEMPT = 'payment'

/** To another page of the token: `''`, `/continue`. */
export const goOn = (visit: Visit, below: string, ...query: readonly string[]): PageAnswer =>
  seeOther(addressOf(visit, below, ...query))

const addressOf = ({ request, opened }: Visit, below: string, ...query: readonly string[]): string => {
  const { frame, caller, tokenId } = opened
  return `/checkout/${caller.merchantId}/pay/${tokenId}${below}${languageQuery(request, frame, ...query)}`
}

/** For the browser that pays. It keeps the token, so that the link of the cart leads it to the receipt too. */
export const goOnAsPayer = (visit: Visit, below: '/receipt' | '/continue'): PageAnswer =>
  seeOther(addressOf(visit, below), { 'set-cookie': paidCookie(visit) })

export const toReceipt = (visit: Visit): PageAnswer => goOnAsPayer(visit, '/receipt')

// The tokens that this browser pays or has paid for, newest first. Whoever knows a token can open its receipt, so the cookie needs no signature.

const PAID = 'cartwright-paid'
const MOST_PAID = 5
const PAID_SECONDS = 7 * 86_400

export const paidTokens = (request: PageRequest): string[] =>
  cookieValues(request.header('cookie'), PAID)
    .flatMap((value) => value.split('.'))
    .filter((id) => isId('checkoutToken', id))
    .slice(0, MOST_PAID)

function paidCookie({ request, opened: { caller, tokenId } }: Visit): string {
  const tokens = [tokenId, ...paidTokens(request).filter((id) => id !== tokenId)].slice(0, MOST_PAID)
  const place = `Path=/checkout/${caller.merchantId}; Max-Age=${PAID_SECONDS}; HttpOnly; SameSite=Lax`
  return `${PAID}=${tokens.join('.')}; ${place}${request.isSecure ? '; Secure' : ''}`
}

export const toWait = (visit: Visit, attemptId: string): PageAnswer => goOn(visit, '/wait', `${ATTEMPT}=${attemptId}`)

/** Filled in as it was when that was begun. */
export const toForm = (visit: Visit, attemptId: string): PageAnswer => goOn(visit, '', `${ATTEMPT}=${attemptId}`)
