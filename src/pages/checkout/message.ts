// Pages with one message and a next step. They report a problem with the URL, the shop or the connection, and every unhandled error.

import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
import type { ApiError } from '../../lib/errors.ts'
import { refusal, type ShopperRefusal } from '../../lib/words/refusals.ts'
import { htmlAnswer, type PageHeaders } from '../headers.ts'
import { originsOf, policyOf } from '../policy.ts'
import type { MessageModel, PageFrame } from './model.ts'
import { messagePage } from './views/message.ts'

type Message = Pick<MessageModel, 'kind'> & Partial<Pick<MessageModel, 'shopperMessage' | 'next' | 'refreshSeconds'>>

/** `next` defaults to the storefront, if the shop has set its URL. */
export const messageAnswer = (
  frame: PageFrame,
  status: number,
  { shopperMessage = null, next = frame.shop.returnUrl, refreshSeconds = null, kind }: Message,
  headers: PageHeaders = {},
): PageAnswer =>
  htmlAnswer(messagePage({ ...frame, kind, shopperMessage, next, refreshSeconds }), {
    status,
    headers,
    policy: policyOf([], { is_sandbox: frame.shop.is_sandbox, images: originsOf([frame.shop.logo?.url]) }),
  })

/** The token has expired or never existed. */
export const goneAnswer = (frame: PageFrame, shopperMessage: ShopperRefusal = refusal('checkout_gone')): PageAnswer =>
  messageAnswer(frame, 404, { kind: 'gone', shopperMessage })

export const closedAnswer = (frame: PageFrame): PageAnswer =>
  messageAnswer(frame, 402, { kind: 'closed', shopperMessage: refusal('shop_closed') })

/** Live pages are refused over plain HTTP, like live keys, because nobody may type a card there. */
export const notSecureAnswer = (frame: PageFrame): PageAnswer =>
  messageAnswer(frame, 403, { kind: 'not_secure', next: null })

/** True if the page must not be shown over this connection. */
export const isInsecurePage = ({ shop }: PageFrame, { isSecure }: PageRequest): boolean => !shop.is_sandbox && !isSecure

/** Shows an error that no page handles itself. */
export function failureAnswer(frame: PageFrame, error: ApiError, request: PageRequest): PageAnswer {
  const { status, shopperMessage = null } = error
  if (status === 404) return goneAnswer(frame, shopperMessage ?? refusal('not_found'))
  if (status === 402) return closedAnswer(frame)
  const retryUrl = request.method === 'POST' ? null : request.url
  if (status === 429) return messageAnswer(frame, 429, { kind: 'too_many', shopperMessage, next: retryUrl })
  return messageAnswer(frame, status, {
    kind: 'failed',
    shopperMessage: status >= 500 ? errorRefusal(request.id) : shopperMessage,
    next: retryUrl,
  })
}

/** The request id finds the cause in the log. The page reveals nothing else about the error. */
const errorRefusal = (requestId: string): ShopperRefusal => ({
  code: 'request_not_right',
  params: { request_id: requestId },
})
