// Pages that say one sentence and what can be done: what is wrong with the address, the shop or the connection, and what every failure becomes.

import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
import type { ApiError } from '../../lib/errors.ts'
import { type Refusal, refusal } from '../../lib/words/refusals.ts'
import { htmlAnswer, type PageHeaders } from '../headers.ts'
import { originsOf, policyOf } from '../policy.ts'
import type { MessageModel, PageFrame } from './model.ts'
import { messagePage } from './views/message.ts'

type Message = Pick<MessageModel, 'kind'> & Partial<Pick<MessageModel, 'said' | 'next' | 'refreshSeconds'>>

/** `next`: unless given, the storefront, where the shop has told which it is. */
export const messageAnswer = (
  frame: PageFrame,
  status: number,
  { said = null, next = frame.shop.returnUrl, refreshSeconds = null, kind }: Message,
  headers: PageHeaders = {},
): PageAnswer =>
  htmlAnswer(messagePage({ ...frame, kind, said, next, refreshSeconds }), {
    status,
    headers,
    policy: policyOf([], { isSandbox: frame.shop.isSandbox, images: originsOf([frame.shop.logo?.url]) }),
  })

/** The token has expired, or there never was one. */
export const gone = (frame: PageFrame, said: Refusal = refusal('checkout_gone')): PageAnswer =>
  messageAnswer(frame, 404, { kind: 'gone', said })

export const closed = (frame: PageFrame): PageAnswer =>
  messageAnswer(frame, 402, { kind: 'closed', said: refusal('shop_closed') })

/** As live keys are refused over plain HTTP: nobody may type a card there. */
export const notSecure = (frame: PageFrame): PageAnswer => messageAnswer(frame, 403, { kind: 'not_secure', next: null })

/** Whether a page of this shop may be shown at all. */
export const isTooOpen = ({ shop }: PageFrame, { isSecure }: PageRequest): boolean => !shop.isSandbox && !isSecure

/** What has been thrown, where no page has an answer of its own for it. */
export function failure(frame: PageFrame, error: ApiError, request: PageRequest): PageAnswer {
  const { status, said = null } = error
  if (status === 404) return gone(frame, said ?? refusal('not_found'))
  if (status === 402) return closed(frame)
  const again = request.method === 'POST' ? null : request.url
  if (status === 429) return messageAnswer(frame, 429, { kind: 'too_many', said, next: again })
  return messageAnswer(frame, status, {
    kind: 'failed',
    said: status >= 500 ? failedWith(request.id) : said,
    next: again,
  })
}

/** The id finds the cause in the log. Nothing else of it leaves the house. */
const failedWith = (requestId: string): Refusal => ({ code: 'request_not_right', params: { request_id: requestId } })
