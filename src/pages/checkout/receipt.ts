// The receipt: what was ordered, for whoever knows the address of its checkout. It stays when the token has long expired.

import { readReceipt } from '../../api/capture/capture.ts'
import { findKeptMethod } from '../../api/payment-methods/store.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer } from '../../http/files/pages.ts'
import { htmlAnswer } from '../headers.ts'
import { originsOf, policyOf } from '../policy.ts'
import { receiptPage } from './views/receipt.ts'
import { goOn, pageOfToken, type Visit } from './visit.ts'

/** Where nothing is ordered yet, the page that pays says what is to be done, also when the token is gone. */
export const showReceipt = (services: Services) =>
  pageOfToken(services, async (visit) => (visit.opened.isOrdered ? receiptAnswer(visit) : goOn(visit, '')))

export async function receiptAnswer({ context, opened }: Visit): Promise<PageAnswer> {
  const { order, manualMethodId } = await readReceipt(context, opened.tokenId)
  const { name, details } = await wayOf(context, manualMethodId)
  const howToPay = order.status === 'cancelled' ? null : details
  const { shop } = opened.frame
  const images = originsOf([shop.logo?.url, ...order.order.line_items.map(({ image }) => image?.url)])
  const policy = policyOf([], { isSandbox: shop.isSandbox, images })
  return htmlAnswer(receiptPage({ ...opened.frame, order, howToPay, wayName: name }), { policy })
}

/** What the merchant has written on how to pay, also where that way to pay was deleted since. */
async function wayOf({ db, caller }: Context, methodId: string | null) {
  const method = methodId === null ? null : await findKeptMethod(db, caller, methodId)
  return { name: method?.config.name ?? null, details: method?.config.details ?? null }
}
