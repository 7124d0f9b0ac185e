// The receipt: what was ordered, for whoever knows the address of its checkout; where the link of a cart leads everybody there, for the buyer only. It
// stays when the token has long expired.

import { readReceipt } from '../../api/capture/capture.ts'
import { findKeptMethod } from '../../api/payment-methods/store.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer } from '../../http/files/pages.ts'
import { htmlAnswer, type PageHeaders } from '../headers.ts'
import { originsOf, policyOf } from '../policy.ts'
import { answerToEmail, orderedAnswer } from './ordered.ts'
import { receiptPage } from './views/receipt.ts'
import { goOn, isPayer, pageOfToken, payerHeaders, toReceipt, type Visit } from './visit.ts'

/** Where nothing is ordered yet, the page that pays says what is to be done, also when the token is gone. */
export const showReceipt = (services: Services) =>
  pageOfToken(services, async (visit) => {
    if (!visit.opened.isOrdered) return goOn(visit, '')
    return isPayer(visit) ? receiptAnswer(visit) : orderedAnswer(visit.opened.frame, null)
  })

/** Answered by the receipt itself, and not by a redirect: a browser that keeps no cookies would be asked again. */
export const sendReceiptForm = (services: Services) =>
  pageOfToken(services, async (visit) => {
    const { context, opened, request } = visit
    if (!opened.isOrdered || isPayer(visit)) return toReceipt(visit)
    return answerToEmail({ context, request, frame: opened.frame }, opened.tokenId, (orderId) =>
      receiptAnswer(visit, payerHeaders(visit, orderId)),
    )
  })

export async function receiptAnswer({ context, opened }: Visit, headers: PageHeaders = {}): Promise<PageAnswer> {
  const { order, manualMethodId } = await readReceipt(context, opened.tokenId)
  const { name, details } = await wayOf(context, manualMethodId)
  const howToPay = order.status === 'cancelled' ? null : details
  const { shop } = opened.frame
  const images = originsOf([shop.logo?.url, ...order.order.line_items.map(({ image }) => image?.url)])
  const policy = policyOf([], { isSandbox: shop.isSandbox, images })
  return htmlAnswer(receiptPage({ ...opened.frame, order, howToPay, wayName: name }), { policy, headers })
}

/** What the merchant has written on how to pay, also where that way to pay was deleted since. */
async function wayOf({ db, caller }: Context, methodId: string | null) {
  const method = methodId === null ? null : await findKeptMethod(db, caller, methodId)
  return { name: method?.config.name ?? null, details: method?.config.details ?? null }
}
