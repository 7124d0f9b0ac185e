// One delivery to the receiver of `cartwright listen`: the very headers and body that the service gave, as it would have sent them itself.

import { isLoopbackName, parseUrl } from '../../lib/url.ts'
import { reasonOf, sendRequest } from '../client/request.ts'
import { UsageError } from '../help.ts'

/** What the service gives to be forwarded. */
export type Pulled = {
  readonly delivery: string
  readonly attempt: number
  readonly event: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came of it, as the service wants it told. */
export type Answer = {
  readonly attempt: number
  readonly status: number | null
  readonly ms: number
  readonly error: string | null
  readonly answer?: string
}

const PATIENCE_MS = 15_000
const MOST_READ = 64 * 1_024
const MOST_KEPT = 2_048
const MOST_SAID = 500

export async function forward(target: URL, { attempt, headers, body }: Pulled): Promise<Answer> {
  const begun = performance.now()
  const ms = () => Math.round(performance.now() - begun)
  try {
    const { status, text } = await sendRequest({
      method: 'POST',
      url: target,
      headers,
      body,
      timeoutMs: PATIENCE_MS,
      mostBytes: MOST_READ,
      isAlone: true,
      // Receivers on one's own machine have certificates that one has made oneself.
      acceptsAnyCertificate: isLoopbackName(target.hostname),
    })
    return { attempt, status, ms: ms(), error: null, answer: text.slice(0, MOST_KEPT) }
  } catch (error) {
    return { attempt, status: null, ms: ms(), error: reasonOf(error).slice(0, MOST_SAID) }
  }
}

/** `localhost:3000/hooks` and `3000` are what people type. */
export function targetFrom(text: string | undefined): URL {
  const complaint =
    'listen needs --forward-to and the address of your receiver, such as http://localhost:3000/webhooks.'
  if (text === undefined) throw new UsageError(complaint)
  const named = /^\d{1,5}$/.test(text) ? `localhost:${text}` : text
  const url = parseUrl(/^[a-z]+:\/\//i.test(named) ? named : `http://${named}`)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError(complaint)
  return url
}
