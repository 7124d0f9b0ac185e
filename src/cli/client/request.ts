// Sends one HTTP request for a command, with Node's own client. It adds only the headers that the protocol needs and follows
// no redirect. Time and size of the response are limited.

import { type IncomingMessage, request as overHttp, type RequestOptions } from 'node:http'
import { request as overHttps } from 'node:https'

export type CommandRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Time limit from the start to the last byte of the response. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Maximum bytes of the response to read. The rest is ignored. */
  readonly maxBytes?: number
  /** Accepts a certificate of any issuer. For addresses of this machine only. */
  readonly acceptsAnyCertificate?: boolean
  /** Uses a new connection. A pooled one may belong to a server that has stopped meanwhile. */
  readonly usesNewConnection?: boolean
}

export type CommandResponse = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** The response did not arrive within the time limit. */
export class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout'
  readonly code = 'ETIMEDOUT'
}

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024

export function sendRequest(outgoing: CommandRequest): Promise<CommandResponse> {
  const { method, url, headers, body, timeoutMs, signal, maxBytes = DEFAULT_MAX_BYTES } = outgoing
  return new Promise((resolve, reject) => {
    const options: RequestOptions & { rejectUnauthorized?: boolean } = {
      method,
      headers: addContentLength(headers, body),
      ...(signal === undefined ? {} : { signal }),
      ...(outgoing.usesNewConnection ? { agent: false } : {}),
      ...(outgoing.acceptsAnyCertificate ? { rejectUnauthorized: false } : {}),
    }
    const request = (url.protocol === 'https:' ? overHttps : overHttp)(url, options)
    const timeout = setTimeout(
      () => request.destroy(new CommandTimeout(`no answer within ${timeoutMs / 1_000} s`)),
      timeoutMs,
    )
    const end = (settle: () => void) => {
      clearTimeout(timeout)
      settle()
    }
    request.once('error', (error) => end(() => reject(error)))
    request.once('response', (response) => {
      const { statusCode: status = 0 } = response
      readText(response, maxBytes)
        .then((text) => end(() => resolve({ status, headers: response.headers, text })))
        .catch((error) => end(() => reject(error)))
    })
    request.end(body)
  })
}

function addContentLength(headers: CommandRequest['headers'], body: string | undefined): Record<string, string> {
  const hasLength = Object.keys(headers).some((name) => name.toLowerCase() === 'content-length')
  if (body === undefined || hasLength) return { ...headers }
  return { ...headers, 'content-length': String(Buffer.byteLength(body)) }
}

async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part)
    bytes += part.length
    // Leaving the loop closes the connection.
    if (bytes >= maxBytes) break
  }
  return Buffer.concat(parts).subarray(0, maxBytes).toString('utf8')
}

/** Short reason of a failure: ECONNREFUSED, for example, or the message if there is no code. */
export function shortFailureReason(error: unknown): string {
  if (error instanceof CommandTimeout) return error.message
  // For a host with several addresses, Node reports all failures together.
  if (error instanceof AggregateError && error.errors.length > 0) return shortFailureReason(error.errors[0])
  if (error instanceof Error && 'code' in error) return String(error.code)
  return error instanceof Error ? error.message : String(error)
}
