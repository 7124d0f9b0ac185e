// The form that asks for the e-mail address of an order: where the address of the page is known to others than the buyer.

import { orderOfBuyer } from '../../api/checkouts/hosted/open.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
import { readEmail } from '../../lib/text.ts'
import { htmlAnswer } from '../headers.ts'
import { originsOf, policyOf } from '../policy.ts'
import type { PageFrame } from './model.ts'
import { orderedPage } from './views/ordered.ts'

/** `refused`: what was typed and is not the address of the order; null where nothing was. */
export const orderedAnswer = (frame: PageFrame, refused: string | null): PageAnswer =>
  htmlAnswer(orderedPage({ ...frame, refused }), {
    status: refused === null ? 200 : 422,
    policy: policyOf([], { isSandbox: frame.shop.isSandbox, images: originsOf([frame.shop.logo?.url]) }),
  })

type Asked = { readonly context: Context; readonly frame: PageFrame; readonly request: PageRequest }

/** `right`: the answer to who has entered the address of the order. */
export async function answerToEmail(
  { context, frame, request }: Asked,
  tokenId: string,
  right: (orderId: string) => PageAnswer | Promise<PageAnswer>,
): Promise<PageAnswer> {
  const typed = request.form.inputs.get('email') ?? ''
  const email = readEmail(typed)
  const orderId = email === null ? null : await orderOfBuyer(context, tokenId, email)
  return orderId === null ? orderedAnswer(frame, typed) : right(orderId)
}
