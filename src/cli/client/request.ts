// One HTTP request of a command, with Node's own client: nothing is added to the headers that are given but what the protocol needs, no
// redirect is followed, and there is an end to how long it takes and to how much is read.

import { type IncomingMessage, request as overHttp, type RequestOptions } from 'node:http'
import { request as overHttps } from 'node:https'

export type Outgoing = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** For all of it, the answer's last byte included. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** What comes after is not read. */
  readonly mostBytes?: number
  /** Whoever made the certificate: for an address of this machine. */
  readonly acceptsAnyCertificate?: boolean
  /** A connection of its own: one that was kept may be that of a server which has gone. */
  readonly isAlone?: boolean
}

export type Incoming = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string }

/** The other side took longer than it was given. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong'
  readonly code = 'ETIMEDOUT'
}

const ALL = 64 * 1024 * 1024

export function sendRequest(outgoing: Outgoing): Promise<Incoming> {
  const { method, url, headers, body, timeoutMs, signal, mostBytes = ALL } = outgoing
  return new Promise((resolve, reject) => {
    const options: RequestOptions & { rejectUnauthorized?: boolean } = {
      method,
      headers: withLength(headers, body),
      ...(signal === undefined ? {} : { signal }),
      ...(outgoing.isAlone ? { agent: false } : {}),
      ...(outgoing.acceptsAnyCertificate ? { rejectUnauthorized: false } : {}),
    }
    const sent = (url.protocol === 'https:' ? overHttps : overHttp)(url, options)
    const patience = setTimeout(
      () => sent.destroy(new TookTooLong(`no answer within ${timeoutMs / 1_000} s`)),
      timeoutMs,
    )
    const end = (settle: () => void) => {
      clearTimeout(patience)
      settle()
    }
    sent.once('error', (error) => end(() => reject(error)))
    sent.once('response', (answer) => {
      const { statusCode: status = 0 } = answer
      readText(answer, mostBytes)
        .then((text) => end(() => resolve({ status, headers: answer.headers, text })))
        .catch((error) => end(() => reject(error)))
    })
    sent.end(body)
  })
}

function withLength(headers: Outgoing['headers'], body: string | undefined): Record<string, string> {
  const hasLength = Object.keys(headers).some((name) => name.toLowerCase() === 'content-length')
  if (body === undefined || hasLength) return { ...headers }
  return { ...headers, 'content-length': String(Buffer.byteLength(body)) }
}

async function readText(answer: IncomingMessage, mostBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part)
    bytes += part.length
    // Leaving the loop ends the connection.
    if (bytes >= mostBytes) break
  }
  return Buffer.concat(parts).subarray(0, mostBytes).toString('utf8')
}

/** What went wrong on the way, short: ECONNREFUSED, or the sentence where there is no code. */
export function reasonOf(error: unknown): string {
  if (error instanceof TookTooLong) return error.message
  // Of a name with several addresses Node gives all failures at once.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (error instanceof Error && 'code' in error) return String(error.code)
  return error instanceof Error ? error.message : String(error)
}
