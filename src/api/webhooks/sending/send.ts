// Sends one attempt of a delivery to a merchant's URL. It refuses private networks, follows no redirects, and limits the
// time and the bytes of the response.

import type { IncomingMessage } from 'node:http'
import {
  CONNECT_TIMEOUT_MESSAGE,
  type GuardOptions,
  guardedRequests,
  PrivateAddressError,
  parseHttpUrl,
} from '../../../outbound/guarded-request.ts'
import { LONGEST_RETRY_AFTER_MS } from './outcome.ts'
import type { SignedDelivery } from './sign.ts'

/** The result of an attempt. `status` is null if there was no response; `error` then says why. */
export type DeliveryResponse = {
  readonly status: number | null
  readonly error: string | null
  /** Start of the response body. */
  readonly responseText: string | null
  /** Wait that the receiver requested, with status 429 or 503. */
  readonly retryAfterMs: number | null
  /** Duration of the attempt. */
  readonly ms: number
}

export type Send = (url: string, signed: SignedDelivery, signal: AbortSignal) => Promise<DeliveryResponse>

/** Maximum time for the lookup of the host and the connection. */
const CONNECT_MS = 5_000
/** Maximum time for the whole attempt. */
const TOTAL_MS = 15_000
/** Maximum bytes of a response body that are read. A longer body is cut off by closing the connection. */
const MAX_READ_BYTES = 65_536
/** Bytes of a response body that are stored. */
const MAX_STORED_BYTES = 2_048
/** Maximum wait for the body after the status has arrived. */
const BODY_MS = 1_000

export const isSuccess = ({ status }: Pick<DeliveryResponse, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

export function createSender(options: GuardOptions): Send {
  const request = guardedRequests(options)
  return async (url, { headers, body }, signal) => {
    const startedAt = performance.now()
    const elapsedMs = () => Math.round(performance.now() - startedAt)
    const noResponse = (error: string): DeliveryResponse => ({
      status: null,
      error,
      responseText: null,
      retryAfterMs: null,
      ms: elapsedMs(),
    })
    const address = parseHttpUrl(url)
    if (address === null) return noResponse('The address must begin with http:// or https://.')
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)])
    try {
      const response = await request(address, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        body,
        signal: limit,
        connectMs: CONNECT_MS,
      })
      const responseText = await readStart(response)
      const status = response.statusCode ?? 0
      const retryAfterMs = RETRY_LATER.includes(status) ? parseRetryAfter(response.headers['retry-after']) : null
      return { status, error: statusError(status), responseText, retryAfterMs, ms: elapsedMs() }
    } catch (error) {
      return noResponse(
        limit.aborted ? `There was no answer within ${TOTAL_MS / 1_000} seconds.` : connectionError(error),
      )
    }
  }
}

/** Statuses with a meaningful Retry-After header. */
const RETRY_LATER: readonly number[] = [429, 503]

/** Parses seconds or a date. Null for invalid values and for the past. */
function parseRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : null
}

/** Error message for a status. Null for a success. */
function statusError(status: number): string | null {
  if (isSuccess({ status })) return null
  if (status >= 300 && status < 400) return `The receiver answered ${status}; redirects are not followed.`
  return `The receiver answered ${status}.`
}

/** Reads the start of the body, within the limits. A body that breaks off or never ends does not fail the attempt: its status counts. */
function readStart(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const end = () => {
      clearTimeout(bodyTimeout)
      response.destroy()
      resolve(decodeText(Buffer.concat(chunks).subarray(0, MAX_STORED_BYTES)))
    }
    const bodyTimeout = setTimeout(end, BODY_MS)
    response.on('data', (chunk: Buffer) => {
      if (bytes < MAX_STORED_BYTES) chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= MAX_READ_BYTES) end()
    })
    response.once('end', end)
    response.once('error', end)
    response.once('close', end)
  })
}

/** Decodes UTF-8 and replaces NUL, which PostgreSQL refuses. A character cut at the end becomes a replacement character. */
const decodeText = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD')

/** Error messages by the error codes of Node. */
const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed without an answer.',
  ENOTFOUND: 'The name of the host is not known.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'Connecting took too long.',
  CERT_HAS_EXPIRED: 'The certificate of the receiver has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the receiver is self-signed.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the receiver is for another name.',
  HPE_INVALID_CONSTANT: 'The answer is not HTTP.',
}

/** Error message for a request without a response. It is general, because details would tell the creator of a webhook about our network. */
function connectionError(error: unknown): string {
  if (error instanceof PrivateAddressError) return 'The address does not lead to a server on the public internet.'
  if (error instanceof Error && error.message === CONNECT_TIMEOUT_MESSAGE) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return CONNECTION_ERRORS[code] ?? 'The connection failed.'
}
