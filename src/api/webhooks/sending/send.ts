// One attempt over the wire, to an address that a merchant has chosen: guarded, no redirect followed, bounded in time and in what is read.

import type { IncomingMessage } from 'node:http'
import {
  type GuardOptions,
  guardedRequests,
  PrivateAddressError,
  parseHttpUrl,
  TOO_SLOW,
} from '../../../outbound/guarded-request.ts'
import { LONGEST_RETRY_AFTER_MS } from './outcome.ts'
import type { SignedDelivery } from './sign.ts'

/** What came of an attempt. `status`: null where there was no answer; then `error` says why. */
export type Answer = {
  readonly status: number | null
  readonly error: string | null
  /** The beginning of the body, as text. */
  readonly answer: string | null
  readonly retryAfterMs: number | null
  readonly ms: number
}

export type Send = (url: string, signed: SignedDelivery, signal: AbortSignal) => Promise<Answer>

const CONNECT_MS = 5_000
const TOTAL_MS = 15_000
/** Of an answer so much is read, so that a receiver which means well can use the connection; and so much is kept. */
const READ_BYTES = 65_536
const KEPT_BYTES = 2_048
/** How long the body of an answer is waited for once its status is known. */
const BODY_MS = 1_000

export const isSuccess = ({ status }: Pick<Answer, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

export function sender(options: GuardOptions): Send {
  const request = guardedRequests(options)
  return async (url, { headers, body }, signal) => {
    const begun = performance.now()
    const since = () => Math.round(performance.now() - begun)
    const nobody = (error: string): Answer => ({ status: null, error, answer: null, retryAfterMs: null, ms: since() })
    const address = parseHttpUrl(url)
    if (address === null) return nobody('The address is not one of http or https.')
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)])
    try {
      const reply = await request(address, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        body,
        signal: limit,
        connectMs: CONNECT_MS,
      })
      const answer = await beginningOf(reply)
      const status = reply.statusCode ?? 0
      const retryAfterMs = RETRY_LATER.includes(status) ? retryAfter(reply.headers['retry-after']) : null
      return { status, error: refusalBy(status), answer, retryAfterMs, ms: since() }
    } catch (error) {
      return nobody(limit.aborted ? `There was no answer within ${TOTAL_MS / 1_000} seconds.` : reasonOf(error))
    }
  }
}

const RETRY_LATER: readonly number[] = [429, 503]

/** In seconds, or a date. Null for anything else, and for what has passed. */
function retryAfter(header: string | undefined): number | null {
  if (header === undefined) return null
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : null
}

function refusalBy(status: number): string | null {
  if (isSuccess({ status })) return null
  if (status >= 300 && status < 400) return `The receiver answered ${status}; redirects are not followed.`
  return `The receiver answered ${status}.`
}

/** What has come of it within the limits. A body that breaks off, or never ends, takes nothing away from its status. */
function beginningOf(reply: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const end = () => {
      clearTimeout(impatience)
      reply.destroy()
      resolve(textOf(Buffer.concat(chunks).subarray(0, KEPT_BYTES)))
    }
    const impatience = setTimeout(end, BODY_MS)
    reply.on('data', (chunk: Buffer) => {
      if (bytes < KEPT_BYTES) chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= READ_BYTES) end()
    })
    reply.once('end', end)
    reply.once('error', end)
    reply.once('close', end)
  })
}

/** As UTF-8, without what PostgreSQL refuses; a character that was cut through becomes a mark. */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD')

const SENTENCES: Readonly<Record<string, string>> = {
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

/** One of a few sentences: finer ones would tell whoever sets a webhook about the network that we stand in. */
function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddressError) return 'The address does not lead to a server on the public internet.'
  if (error instanceof Error && error.message === TOO_SLOW) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return SENTENCES[code] ?? 'The connection failed.'
}
