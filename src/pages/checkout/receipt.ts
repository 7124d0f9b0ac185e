// The receipt: what was ordered, for whoever knows the address of its checkout. It stays when the token has long expired.

import { readReceipt } from '../../api/capture/capture.ts'
import { findKeptMethod } from '../../api/payment-methods/store.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import type { PageRequest } from '../../http/files/pages.ts'
import { contextFor } from '../context.ts'
import { htmlAnswer, seeOther } from '../headers.ts'
import { originsOf, policyOf } from '../policy.ts'
import { gone, isTooOpen, notSecure } from './message.ts'
import { languageQuery, openCheckout, payPath } from './shop.ts'
import { receiptPage } from './views/receipt.ts'

export const showReceipt = (services: Services) => async (request: PageRequest) => {
  const { checkout: opened, frame } = await openCheckout(services, request)
  if (opened === null) return gone(frame)
  if (isTooOpen(frame, request)) return notSecure(frame)
  // It is not ordered yet: the page that pays says what is to be done, also where the token is gone.
  if (!opened.isOrdered) return seeOther(payPath(opened) + languageQuery(request, frame))
  const context = contextFor(services, request, opened.caller)
  const { order, manualMethodId } = await readReceipt(context, opened.tokenId)
  const howToPay = order.status === 'cancelled' ? null : await detailsOf(context, manualMethodId)
  const { shop } = frame
  const images = originsOf([shop.logo?.url, ...order.order.line_items.map(({ image }) => image?.url)])
  const policy = policyOf([], { isSandbox: shop.isSandbox, images })
  return htmlAnswer(receiptPage({ ...frame, order, howToPay }), { policy })
}

/** What the merchant has written on how to pay, also where that way to pay was deleted since. */
async function detailsOf({ db, caller }: Context, methodId: string | null): Promise<string | null> {
  const method = methodId === null ? null : await findKeptMethod(db, caller, methodId)
  return method?.config.details ?? null
}
