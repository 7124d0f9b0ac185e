// Asks for the e-mail address of an order, if others than the buyer know the address of the page.

import { findBuyersOrder } from '../../api/checkouts/hosted/open.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
import { readEmail } from '../../lib/text.ts'
import { htmlAnswer } from '../headers.ts'
import { originsOf, policyOf } from '../policy.ts'
import type { PageFrame } from './model.ts'
import { orderedPage } from './views/ordered.ts'

/** `refused`: the typed address that does not match the order; null before the first try. */
export const orderedAnswer = (frame: PageFrame, refused: string | null): PageAnswer =>
  htmlAnswer(orderedPage({ ...frame, refused }), {
    status: refused === null ? 200 : 422,
    policy: policyOf([], { is_sandbox: frame.shop.is_sandbox, images: originsOf([frame.shop.logo?.url]) }),
  })

type EmailFormVisit = { readonly context: Context; readonly frame: PageFrame; readonly request: PageRequest }

/** `onMatch`: creates the response if the visitor has typed the order's address. */
export async function answerToEmail(
  { context, frame, request }: EmailFormVisit,
  tokenId: string,
  onMatch: (orderId: string) => PageAnswer | Promise<PageAnswer>,
): Promise<PageAnswer> {
  const typed = request.form.inputs.get('email') ?? ''
  const email = readEmail(typed)
  const orderId = email === null ? null : await findBuyersOrder(context, tokenId, email)
  return orderId === null ? orderedAnswer(frame, typed) : onMatch(orderId)
}
