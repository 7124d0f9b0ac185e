// Opens every page of a token: identifies the shop, checks the connection, and builds the URLs of the token's other pages.

import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
import { isId } from '../../lib/ids.ts'
import { contextFor } from '../context.ts'
import { type PageHeaders, seeOther } from '../headers.ts'
import { goneAnswer, isInsecurePage, notSecureAnswer } from './message.ts'
import { paidHeaders, paymentProofsIn } from './paid.ts'
import { languageQuery, type OpenedCheckout, openCheckout } from './shop.ts'

export type PageVisit = { readonly context: Context; readonly request: PageRequest; readonly opened: OpenedCheckout }

type Answer = (visit: PageVisit) => Promise<PageAnswer>

/** Handles a page of a token, or of the order that was made from it. */
export const pageOfToken =
  (services: Services, answer: Answer) =>
  async (request: PageRequest): Promise<PageAnswer> => {
    const { checkout: opened, frame } = await openCheckout(services, request)
    if (opened === null) return goneAnswer(frame)
    if (isInsecurePage(frame, request)) return notSecureAnswer(frame)
    return answer({ context: contextFor(services, request, opened.caller), request, opened })
  }

/** Query parameter with the payment attempt of the page. Only the browser that started the attempt knows its id. */
const ATTEMPT = 'payment'

export const attemptIdIn = ({ query }: PageRequest): string | null => {
  const id = query.get(ATTEMPT) ?? ''
  return isId('paymentAttempt', id) ? id : null
}

/** Redirects to another page of the token: `''`, `/continue`. */
export const redirectBelow = (visit: PageVisit, subpath: string, ...query: readonly string[]): PageAnswer =>
  seeOther(addressOf(visit, subpath, ...query))

const addressOf = ({ request, opened }: PageVisit, subpath: string, ...query: readonly string[]): string => {
  const { frame, caller, tokenId } = opened
  return `/checkout/${caller.merchant_id}/pay/${tokenId}${subpath}${languageQuery(request, frame, ...query)}`
}

/** Sets the cookie of the payer. `proof`: the id of the order or of the attempt. */
export const payerHeaders = ({ request, opened: { caller, tokenId } }: PageVisit, proof: string): PageHeaders =>
  paidHeaders(request, caller.merchant_id, { tokenId, proof })

/** True if the receipt may be shown. Only its shopper knows a token that no link created, so the token itself is a proof. */
export const isPayer = ({ request, opened: { isOfLink, tokenId, proofs } }: PageVisit): boolean =>
  !isOfLink || paymentProofsIn(request, tokenId).some((proof) => proofs.includes(proof))

/** True if the visitor started this attempt. Others may learn neither its id nor its input. */
export const hasStartedAttempt = ({ request, opened: { isOfLink, tokenId } }: PageVisit, attemptId: string): boolean =>
  !isOfLink || attemptIdIn(request) === attemptId || paymentProofsIn(request, tokenId).includes(attemptId)

const attemptQuery = (attemptId: string): string => `${ATTEMPT}=${attemptId}`

/** Redirects to the receipt of an order that was just made. */
export const redirectToNewReceipt = (visit: PageVisit, orderId: string): PageAnswer =>
  seeOther(addressOf(visit, '/receipt'), payerHeaders(visit, orderId))

/** Redirects the browser that just started this attempt. The URL contains the id for browsers without cookies. */
export const redirectWithAttempt = (visit: PageVisit, subpath: '/continue' | '/wait', attemptId: string): PageAnswer =>
  seeOther(addressOf(visit, subpath, attemptQuery(attemptId)), payerHeaders(visit, attemptId))

/** The receipt identifies everybody except the payer. An attempt in this page's URL is stored as a proof. */
export function redirectToReceipt(visit: PageVisit): PageAnswer {
  const id = attemptIdIn(visit.request)
  return seeOther(addressOf(visit, '/receipt'), id === null ? {} : payerHeaders(visit, id))
}

/** Redirects to a page about the attempt: `''` is the form, filled in as it was for the attempt. */
export const redirectToAttempt = (
  visit: PageVisit,
  subpath: '' | '/continue' | '/wait',
  attemptId: string,
): PageAnswer =>
  redirectBelow(visit, subpath, ...(hasStartedAttempt(visit, attemptId) ? [attemptQuery(attemptId)] : []))

export const redirectToWait = (visit: PageVisit, attemptId: string): PageAnswer =>
  redirectToAttempt(visit, '/wait', attemptId)

export const redirectToForm = (visit: PageVisit, attemptId: string): PageAnswer =>
  redirectToAttempt(visit, '', attemptId)
