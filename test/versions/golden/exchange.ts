// One request of the script and its answer, before redaction. Ageing turns it into the answer of an older version, or of the SDK, in
// memory, with the plans that the server uses.

import { compat } from '../../../src/compat/index.ts'
import type { Plan } from '../../../src/versions/apply.ts'
import type { ApiReply, ChangeContext, JsonData, JsonObject } from '../../../src/versions/change.ts'
import { versions } from '../../../src/versions/index.ts'
import { real } from '../real.ts'
import { SDK } from './files.ts'
import { print } from './print.ts'
import { redaction } from './redact.ts'

type Asked = {
  readonly operation: string
  readonly params: Readonly<Record<string, string>>
  readonly query: JsonObject
  readonly sent?: JsonObject | undefined
}

export type Exchange = Asked & {
  readonly merchant_id: number
  /** Method and address. */
  readonly request: string
  /** The kind of key. */
  readonly key: string
  readonly status: number
  readonly headers: JsonObject
  /** Undefined where the answer is empty. */
  readonly body?: JsonData | undefined
  /** Told by the handler for older envelopes. No newest answer shows them. */
  readonly facts: JsonObject
}

/** The text of a golden body. Ids are numbered in the order in which this exchange names them. */
export function printExchange({ merchant_id, request, key, sent, status, headers, body }: Exchange): string {
  const redact = redaction(merchant_id)
  return print({
    request: redact(request),
    key,
    ...(sent === undefined ? {} : { sent: redact(sent) }),
    status,
    headers,
    ...(body === undefined ? {} : { body: redact(body) }),
  })
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Turns the answer of the newest version into that of `version`. It cannot know what a handler does differently there. */
export function age(exchange: Exchange, version: string): Exchange {
  const { operation, headers, status } = exchange
  const isText = status !== 204 && headers['content-type'] !== JSON_TYPE
  if (version === real.head || isText) return exchange
  const plan = version === SDK ? real.oldClientPlanFor(operation, false) : real.planFor(version, operation)
  const reply = agedReply(exchange, plan)
  const shown = version === SDK && reply.status < 300 ? withEnvelope(exchange, reply) : reply
  if (shown.status === 204) return exchange
  const { 'content-type': _, ...others } = headers
  return { ...exchange, ...shown, headers: { 'content-type': JSON_TYPE, ...others } }
}

function agedReply({ status, body = {}, merchant_id, params, facts }: Exchange, plan: Plan | null): ApiReply {
  const reply: ApiReply = { status, body }
  const told: ChangeContext = { merchant_id, params, facts }
  return (status < 400 ? plan?.age?.(reply, told) : plan?.ageError?.(reply, { ...told, facts: {} })) ?? reply
}

/** To the SDK, a change of a cart answers the older envelope too. */
function withEnvelope({ operation, facts }: Exchange, reply: ApiReply): ApiReply {
  const write = () => JSON.stringify(reply.body)
  const text = reply.status === 204 ? null : compat.formsOf(operation)?.rewriteNewest?.(write, facts, SDK_HEADERS)
  return typeof text === 'string' ? { ...reply, body: JSON.parse(text) as JsonData } : reply
}

export const SDK_HEADERS = { 'x-chec-agent': 'commerce.js/v2' }

/** No client is older, and the requests of the SDK without a version are read as its requests. */
export const OLDEST = versions.at(-1)?.date ?? ''

/** The request as the handler receives it when it comes in at `version`. */
export function upgrade({ operation, params, query, sent }: Asked, version: string): Asked {
  const asked = { params, query, body: sent ?? {} }
  const told: ChangeContext = { merchant_id: null, params, facts: {} }
  const today = real.planFor(version, operation)?.upgrade?.(asked, told) ?? asked
  const body = today.body as JsonObject
  return { operation, params: today.params, query: today.query, sent: sent === undefined ? undefined : body }
}

/**
 * The exchange to age for `version`: `plain` was sent as it is; `today` in today's form, upgraded as from the oldest version. Null where
 * `version` makes something else of the request: the script would have to be played in that form too.
 */
export function sourceFor(version: string, plain: Exchange, today: Exchange): Exchange | null {
  const formAt = (date: string) => JSON.stringify(upgrade(plain, date))
  const form = formAt(version === SDK ? OLDEST : version)
  if (form === formAt(real.head)) return plain
  return form === formAt(OLDEST) ? today : null
}
