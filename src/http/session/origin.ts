// Checks dashboard requests before their session: they must come from our own page, over HTTPS or on this machine.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { networkOf, plainAddress } from '../../lib/addresses.ts'
import { forbidden, unsupportedMediaType } from '../../lib/errors.ts'
import { isLoopbackName, readHost } from '../../lib/url.ts'

/** Headers that proxies add and browsers never send. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']

/** True for `::1` and `127.0.0.1`, also in the form of a dual-stack socket. */
const isThisMachine = (address: string | undefined): boolean =>
  address !== undefined && (plainAddress(address) === '::1' || /^127\.\d+\.\d+\.\d+$/.test(networkOf(address)))

const NO_HTTP_MESSAGE =
  'The dashboard needs HTTPS, because others could read passwords sent over plain HTTP. Set TLS_CERT and TLS_KEY, or put an HTTPS proxy in front and name it in TRUST_PROXY. On the machine of the service itself, http://localhost works.'

const untrustedProxyMessage = (peer: string) =>
  `A proxy says that this request came over HTTPS, but it is not a trusted proxy. Set TRUST_PROXY to its address, ${peer}, and restart.`

/**
 * Null if the dashboard may answer, else a sentence that names the missing setting: a login loop would explain nothing. Peer and host must
 * both be this machine. A foreign page can point its name here, and a local proxy serves everybody.
 */
export function plainHttpProblem(request: FastifyRequest): string | null {
  if (request.protocol === 'https') return null
  const { headers, raw } = request
  const peer = request.socket.remoteAddress
  const isProxied = PROXY_HEADERS.some((name) => headers[name] !== undefined)
  const isTrusted = (request.ips?.length ?? 0) > 1
  if (isProxied && !isTrusted && saysHttps(headers)) return untrustedProxyMessage(peer ?? 'unknown')
  const host = readHost(request.host)
  const isLocal = isThisMachine(peer) && isThisMachine(request.ip) && host !== null && isLoopbackName(host.name)
  // Browsers do not use HTTP/1.0, but some proxies do by default.
  return isLocal && (!isProxied || isTrusted) && raw.httpVersion !== '1.0' ? null : NO_HTTP_MESSAGE
}

const saysHttps = ({ 'x-forwarded-proto': scheme, forwarded }: IncomingHttpHeaders): boolean =>
  /^https\b/i.test(String(scheme ?? '')) || /proto="?https\b/i.test(forwarded ?? '')

export function refusePlainHttp(request: FastifyRequest) {
  const problem = plainHttpProblem(request)
  if (problem !== null) throw forbidden(problem)
}

/**
 * Refuses requests of other pages. Browsers name the page in `Origin` and its relation in `Sec-Fetch-Site`; scripts can change neither.
 * `isSame` tests if the origin is exactly the requested one.
 */
export function refuseOtherPages(request: FastifyRequest, isSame: (origin: string) => boolean, isWrite: boolean) {
  const { origin, 'sec-fetch-site': site, 'content-type': type } = request.headers
  if (!isWrite) {
    // Refuse reads of other pages too, although those pages could not see the answer.
    if (site === undefined || site === 'same-origin' || site === 'none') return
    throw foreignPageError()
  }
  if (origin === undefined || !isSame(origin) || site !== 'same-origin') throw foreignPageError()
  if (type !== undefined && !/^application\/json\b/i.test(type)) throw unsupportedMediaType()
}

const foreignPageError = () =>
  forbidden(
    'This request did not come from a page of this dashboard. Use the page at /dashboard. If you did, update your browser: it must send Origin and Sec-Fetch-Site.',
  )
