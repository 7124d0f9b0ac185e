// What every page of a token begins with: whose it is, whether it may be shown over this connection, and the way to its other pages.

import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
import { isId } from '../../lib/ids.ts'
import { contextFor } from '../context.ts'
import { type PageHeaders, seeOther } from '../headers.ts'
import { gone, isTooOpen, notSecure } from './message.ts'
import { paidHeaders, proofsIn } from './paid.ts'
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
const ATTEMPT = 'payment'

export const attemptIdIn = ({ query }: PageRequest): string | null => {
  const id = query.get(ATTEMPT) ?? ''
  return isId('paymentAttempt', id) ? id : null
}

/** To another page of the token: `''`, `/continue`. */
export const goOn = (visit: Visit, below: string, ...query: readonly string[]): PageAnswer =>
  seeOther(addressOf(visit, below, ...query))

const addressOf = ({ request, opened }: Visit, below: string, ...query: readonly string[]): string => {
  const { frame, caller, tokenId } = opened
  return `/checkout/${caller.merchantId}/pay/${tokenId}${below}${languageQuery(request, frame, ...query)}`
}

/** For the browser that pays, which keeps what proves it: the id of the order or of the attempt. */
export const payerHeaders = ({ request, opened: { caller, tokenId } }: Visit, proof: string): PageHeaders =>
  paidHeaders(request, caller.merchantId, { tokenId, proof })

/** True if the receipt may be shown. A token that no link made is a secret of its shopper, and proves as much. */
export const isPayer = ({ request, opened: { isOfLink, tokenId, proofs } }: Visit): boolean =>
  !isOfLink || proofsIn(request, tokenId).some((proof) => proofs.includes(proof))

/** True if the visitor has begun this attempt: others may learn neither its id nor anything that was typed for it. */
export const hasBegun = ({ request, opened: { isOfLink, tokenId } }: Visit, attemptId: string): boolean =>
  !isOfLink || attemptIdIn(request) === attemptId || proofsIn(request, tokenId).includes(attemptId)

const attemptQuery = (attemptId: string): string => `${ATTEMPT}=${attemptId}`

/** The order was made at once. */
export const toReceiptOf = (visit: Visit, orderId: string): PageAnswer =>
  seeOther(addressOf(visit, '/receipt'), payerHeaders(visit, orderId))

/** For who has begun this attempt, at this moment. The id is in the address also for browsers that keep no cookies. */
export const goOnWith = (visit: Visit, below: '/continue' | '/wait', attemptId: string): PageAnswer =>
  seeOther(addressOf(visit, below, attemptQuery(attemptId)), payerHeaders(visit, attemptId))

/** The receipt asks others than the payer who they are. The attempt in the address of this page, if there is one, is kept as a proof. */
export function toReceipt(visit: Visit): PageAnswer {
  const id = attemptIdIn(visit.request)
  return seeOther(addressOf(visit, '/receipt'), id === null ? {} : payerHeaders(visit, id))
}

/** To a page that is about the attempt: `''` is the form, filled in as it was when the attempt was begun. */
export const toAttempt = (visit: Visit, below: '' | '/continue' | '/wait', attemptId: string): PageAnswer =>
  goOn(visit, below, ...(hasBegun(visit, attemptId) ? [attemptQuery(attemptId)] : []))

export const toWait = (visit: Visit, attemptId: string): PageAnswer => toAttempt(visit, '/wait', attemptId)

export const toForm = (visit: Visit, attemptId: string): PageAnswer => toAttempt(visit, '', attemptId)
