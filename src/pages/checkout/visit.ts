// What every page of a token begins with: whose it is, whether it may be shown over this connection, and the way to its other pages.

import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
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

/** To another page of the token: `''`, `/receipt`. */
export const goOn = ({ request, opened }: Visit, below: string, ...query: readonly string[]): PageAnswer => {
  const { frame, caller, tokenId } = opened
  return seeOther(`/checkout/${caller.merchantId}/pay/${tokenId}${below}${languageQuery(request, frame, ...query)}`)
}

export const toWait = (visit: Visit, attemptId: string): PageAnswer => goOn(visit, '/wait', `${ATTEMPT}=${attemptId}`)

/** Filled in as it was when that was begun. */
export const toForm = (visit: Visit, attemptId: string): PageAnswer => goOn(visit, '', `${ATTEMPT}=${attemptId}`)
