// One HTTP request of a command, with Node's own client. It adds only the headers that the protocol needs and follows no redirect. Time and
// size of the answer are limited.

import { type IncomingMessage, request as overHttp, type RequestOptions } from 'node:http'
import { request as overHttps } from 'node:https'

export type CommandRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Time limit for everything, including the last byte of the answer. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Bytes to read; the rest is ignored. */
  readonly mostBytes?: number
  /** Accepts any issuer, for an address of this machine. */
  readonly acceptsAnyCertificate?: boolean
  /** Uses a new connection: a kept one may belong to a server that has ended. */
  readonly isAlone?: boolean
}

export type CommandResponse = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** The other side exceeded the time limit. */
export class CommandTimeout extends Error {
  override readonly name = 'TookTooLong'
  readonly code = 'ETIMEDOUT'
}

const MAX_BYTES = 64 * 1024 * 1024

export function sendRequest(outgoing: CommandRequest): Promise<CommandResponse> {
  const { method, url, headers, body, timeoutMs, signal, mostBytes = MAX_BYTES } = outgoing
  return new Promise((resolve, reject) => {
    const options: RequestOptions & { rejectUnauthorized?: boolean } = {
      method,
      headers: addContentLength(headers, body),
      ...(signal === undefined ? {} : { signal }),
      ...(outgoing.isAlone ? { agent: false } : {}),
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
    request.once('response', (answer) => {
      const { statusCode: status = 0 } = answer
      readText(answer, mostBytes)
        .then((text) => end(() => resolve({ status, headers: answer.headers, text })))
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

async function readText(answer: IncomingMessage, mostBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part)
    bytes += part.length
    // Leaving the loop closes the connection.
    if (bytes >= mostBytes) break
  }
  return Buffer.concat(parts).subarray(0, mostBytes).toString('utf8')
}

/** Short reason of a failure: ECONNREFUSED, for example, or the message if there is no code. */
export function shortFailureReason(error: unknown): string {
  if (error instanceof CommandTimeout) return error.message
  // For a host with several addresses, Node reports all failures together.
  if (error instanceof AggregateError && error.errors.length > 0) return shortFailureReason(error.errors[0])
  if (error instanceof Error && 'code' in error) return String(error.code)
  return error instanceof Error ? error.message : String(error)
}
