// The receipt of a checkout. Everybody who knows the checkout's URL may see it. If the token belongs to a cart's link, only the buyer
// may. The receipt remains after the token has expired.

import { readReceipt } from '../../api/capture/answer.ts'
import { findMethodOrDeleted } from '../../api/payment-methods/store.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer } from '../../http/files/pages.ts'
import { htmlAnswer, type PageHeaders } from '../headers.ts'
import { originsOf, policyOf } from '../policy.ts'
import { answerToEmail, orderedAnswer } from './ordered.ts'
import { receiptPage } from './views/receipt.ts'
import { isPayer, type PageVisit, pageOfToken, payerHeaders, redirectBelow, redirectToReceipt } from './visit.ts'

/** Without an order the pay page explains the next step, even if the token has expired. */
export const showReceipt = (services: Services) =>
  pageOfToken(services, async (visit) => {
    if (!visit.opened.isOrdered) return redirectBelow(visit, '')
    return isPayer(visit) ? receiptAnswer(visit) : orderedAnswer(visit.opened.frame, null)
  })

/** Answers with the receipt and without a redirect: a browser without cookies would be asked again. */
export const sendReceiptForm = (services: Services) =>
  pageOfToken(services, async (visit) => {
    const { context, opened, request } = visit
    if (!opened.isOrdered || isPayer(visit)) return redirectToReceipt(visit)
    return answerToEmail({ context, request, frame: opened.frame }, opened.tokenId, (orderId) =>
      receiptAnswer(visit, payerHeaders(visit, orderId)),
    )
  })

export async function receiptAnswer({ context, opened }: PageVisit, headers: PageHeaders = {}): Promise<PageAnswer> {
  const { order, manualMethodId } = await readReceipt(context, opened.tokenId)
  const { name, details } = await findManualMethod(context, manualMethodId)
  const howToPay = order.status === 'cancelled' ? null : details
  const { shop } = opened.frame
  const images = originsOf([shop.logo?.url, ...order.order.line_items.map(({ image }) => image?.url)])
  const policy = policyOf([], { is_sandbox: shop.is_sandbox, images })
  return htmlAnswer(receiptPage({ ...opened.frame, order, howToPay, wayName: name }), { policy, headers })
}

/** Finds the merchant's payment instructions, even if that payment method was deleted since. */
async function findManualMethod({ db, caller }: Context, methodId: string | null) {
  const method = methodId === null ? null : await findMethodOrDeleted(db, caller, methodId)
  return { name: method?.config.name ?? null, details: method?.config.details ?? null }
}
