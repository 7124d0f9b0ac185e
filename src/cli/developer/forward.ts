// Sends one delivery to the receiver of `cartwright listen`. Headers and body are exactly those that the service would send.

import { isLoopbackName, parseUrl } from '../../lib/url.ts'
import { sendRequest, shortFailureReason } from '../client/request.ts'
import { UsageError } from '../help.ts'

/** A delivery to forward, as the service returns it. */
export type DeliveryToForward = {
  readonly delivery: string
  readonly attempt: number
  readonly event: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Result of a delivery, in the form that the service expects. */
export type ForwardResult = {
  readonly attempt: number
  readonly status: number | null
  readonly ms: number
  readonly error: string | null
  readonly answer?: string
}

const TIMEOUT_MS = 15_000
const MAX_READ_BYTES = 64 * 1_024
const MAX_ANSWER_LENGTH = 2_048
const MAX_ERROR_LENGTH = 500

export async function forwardDelivery(
  target: URL,
  { attempt, headers, body }: DeliveryToForward,
): Promise<ForwardResult> {
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  try {
    const { status, text } = await sendRequest({
      method: 'POST',
      url: target,
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_READ_BYTES,
      usesNewConnection: true,
      // Receivers on one's own machine use self-signed certificates.
      acceptsAnyCertificate: isLoopbackName(target.hostname),
    })
    return { attempt, status, ms: ms(), error: null, answer: text.slice(0, MAX_ANSWER_LENGTH) }
  } catch (error) {
    return { attempt, status: null, ms: ms(), error: shortFailureReason(error).slice(0, MAX_ERROR_LENGTH) }
  }
}

/** Also accepts `localhost:3000/hooks` and `3000`, because people type them. */
export function parseForwardTarget(text: string | undefined): URL {
  const complaint =
    'listen needs --forward-to and the address of your receiver, such as http://localhost:3000/webhooks.'
  if (text === undefined) throw new UsageError(complaint)
  const address = /^\d{1,5}$/.test(text) ? `localhost:${text}` : text
  const url = parseUrl(/^[a-z]+:\/\//i.test(address) ? address : `http://${address}`)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError(complaint)
  return url
}
