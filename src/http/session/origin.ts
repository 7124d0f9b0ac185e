// What a request of the dashboard must be like before anybody asks whose it is: sent by a page of ours and no other, over HTTPS or on this very
// machine.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { networkOf, plainAddress } from '../../lib/addresses.ts'
import { forbidden, unsupportedMediaType } from '../../lib/errors.ts'
import { isLoopbackName, readHost } from '../../lib/url.ts'

/** What proxies add, and no browser sends. */
const BY_PROXIES = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']

/** `::1` and `127.0.0.1`, also as a socket for both families names it. */
const isThisMachine = (address: string | undefined): boolean =>
  address !== undefined && (plainAddress(address) === '::1' || /^127\.\d+\.\d+\.\d+$/.test(networkOf(address)))

const NO_HTTP =
  'The dashboard is not served over plain HTTP, where everybody on the way could read passwords. Open it by HTTPS: set TLS_CERT and TLS_KEY, or put a proxy that speaks HTTPS in front and name it in TRUST_PROXY. On the machine of the service itself http://localhost works.'

const NOT_TRUSTED = (peer: string) =>
  `A proxy says that this came by HTTPS, and it is not known as one of yours: set TRUST_PROXY to its address, ${peer}, and restart.`

/**
 * Null where the dashboard may answer. Else the sentence that says which setting is missing: a login that only went round in circles would tell nobody.
 * Peer and host must both be this machine: a page of elsewhere can have its name lead here, and a proxy here speaks for everybody.
 */
export function plainHttpProblem(request: FastifyRequest): string | null {
  if (request.protocol === 'https') return null
  const { headers, raw } = request
  const peer = request.socket.remoteAddress
  const isProxied = BY_PROXIES.some((name) => headers[name] !== undefined)
  const isTrusted = (request.ips?.length ?? 0) > 1
  if (isProxied && !isTrusted && saysHttps(headers)) return NOT_TRUSTED(peer ?? 'unknown')
  const host = readHost(request.host)
  const isHere = isThisMachine(peer) && isThisMachine(request.ip) && host !== null && isLoopbackName(host.name)
  // No browser speaks HTTP/1.0, and some proxies do unless they are told otherwise.
  return isHere && (!isProxied || isTrusted) && raw.httpVersion !== '1.0' ? null : NO_HTTP
}

const saysHttps = ({ 'x-forwarded-proto': scheme, forwarded }: IncomingHttpHeaders): boolean =>
  /^https\b/i.test(String(scheme ?? '')) || /proto="?https\b/i.test(forwarded ?? '')

export function refusePlainHttp(request: FastifyRequest) {
  const problem = plainHttpProblem(request)
  if (problem !== null) throw forbidden(problem)
}

/**
 * Refuses whatever another page has sent. Browsers name the page in `Origin` and tell in `Sec-Fetch-Site` whose it is; no script can change either.
 * `isSame` says whether the origin is the very one that was asked.
 */
export function refuseOtherPages(request: FastifyRequest, isSame: (origin: string) => boolean, isWrite: boolean) {
  const { origin, 'sec-fetch-site': site, 'content-type': type } = request.headers
  if (!isWrite) {
    // A read that another page has asked for: nobody but we would see the answer, and it is not given all the same.
    if (site === undefined || site === 'same-origin' || site === 'none') return
    throw notOurs()
  }
  if (origin === undefined || !isSame(origin) || site !== 'same-origin') throw notOurs()
  if (type !== undefined && !/^application\/json\b/i.test(type)) throw unsupportedMediaType()
}

const notOurs = () =>
  forbidden(
    'This request did not come from a page of this dashboard. Open /dashboard and do it there; if you did, your browser is too old to tell (it must send Origin and Sec-Fetch-Site).',
  )
