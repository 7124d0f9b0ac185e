// By which scheme and host a request reaches us, and which of them may be written into what outlives the request. The Host header is
// anybody's to choose: in a row, an event or a mail it would be a stranger's address in the name of the shop.

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { type ApiError, badRequest } from '../../lib/errors.ts'
import { type Host, hostText, isLoopbackName, parseUrl, readHost } from '../../lib/url.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Scheme and host that addresses in the reply begin with. */
    origin: string
    /** The same for what outlives the request: PUBLIC_URL, a host that PUBLIC_HOSTS names, or this machine. Else '': bare paths. */
    lastingOrigin: string
  }
}

export type OurNames = {
  /** Scheme and host that clients reach us by, where that is not the request's own. */
  publicUrl?: string | undefined
  /** Further hosts that are ours, with or without a port. */
  publicHosts?: readonly string[]
}

type RequestOrigins = Pick<FastifyRequest, 'origin' | 'lastingOrigin'>

export type Origins = {
  /** The error is to be answered: what the request names us by is no host. */
  read(request: FastifyRequest): RequestOrigins | ApiError
  /** Whether a browser's `Origin` is a page of our own. */
  isOurs(origin: string, request: FastifyRequest): boolean
  /** Whether it is a page of the very host that was asked, or of PUBLIC_URL, which a proxy in front may know us by alone. */
  isSame(origin: string, request: FastifyRequest): boolean
}

/** Says once, when something is changed under a host that nobody has vouched for, what that costs: the operator may not know of it. */
export function unknownHostTeller(log: FastifyBaseLogger): (request: FastifyRequest) => void {
  let isLogged = false
  return ({ origin, lastingOrigin }) => {
    if (lastingOrigin !== '' || isLogged) return
    isLogged = true
    log.warn(
      { origin },
      'Requests name this service by a host that neither PUBLIC_URL nor PUBLIC_HOSTS names: events hold paths without it, and mails no links.',
    )
  }
}

export function knownOrigins({ publicUrl, publicHosts = [] }: OurNames): Origins {
  const listed = publicHosts.flatMap((text) => readHost(text) ?? [])
  const isListed = (scheme: string, host: Host) =>
    listed.some(({ name, port }) => name === host.name && portOf(scheme, port) === portOf(scheme, host.port))

  return {
    read(request) {
      const host = hostOf(request)
      if (host instanceof Error) return host
      if (publicUrl !== undefined) return { origin: publicUrl, lastingOrigin: publicUrl }
      const scheme = schemeOf(request)
      const origin = `${scheme}://${hostText(host)}`
      return { origin, lastingOrigin: isLoopbackName(host.name) || isListed(scheme, host) ? origin : '' }
    },
    isOurs(text, request) {
      const page = parseUrl(text)
      const host = page && readHost(page.host)
      if (page === null || host === null) return false
      return isAt(page, request) || isListed(page.protocol.slice(0, -1), host)
    },
    isSame(text, request) {
      const page = parseUrl(text)
      // As browsers write it: what only reads like our origin was made up.
      return page !== null && page.origin === text && isAt(page, request)
    },
  }

  /** By the host that was asked for, also where PUBLIC_URL is another: a page of ours may be opened by either. */
  function isAt({ origin }: URL, request: FastifyRequest): boolean {
    const requested = hostOf(request)
    const own = requested instanceof Error ? null : `${schemeOf(request)}://${hostText(requested)}`
    return [own, publicUrl].some((address) => address != null && new URL(address).origin === origin)
  }
}

const portOf = (scheme: string, port: number | null): number => port ?? (scheme === 'https' ? 443 : 80)

/** A proxy may hand on whatever its own client has sent as X-Forwarded-Proto. */
const schemeOf = ({ protocol }: FastifyRequest): 'http' | 'https' => (protocol === 'https' ? 'https' : 'http')

/** What the Host header names, or, behind a trusted proxy, X-Forwarded-Host, of which Fastify gives the last entry as `host`. */
function hostOf({ host, headers, raw, socket }: FastifyRequest): Host | ApiError {
  const sent = headers.host
  if (sent === undefined && raw.httpVersion === '1.1') return badRequest('Send a Host header; HTTP/1.1 requires one.')
  // Node keeps the first of several, and a proxy in front may have gone by the last.
  if (countOf('host', raw.rawHeaders) > 1) return badRequest('Send one Host header, not several.')
  const named = sent === undefined ? null : readHost(sent)
  if (sent !== undefined && named === null) return notAHost('Host')
  if (named !== null && host === sent) return named
  // HTTP/1.0 may leave the host out.
  if (sent === undefined && host === '') return { name: 'localhost', port: socket.localPort ?? null }
  return readHost(host) ?? notAHost('X-Forwarded-Host')
}

/** `rawHeaders`: names and values in turn. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]
    if (header?.length === name.length && header.toLowerCase() === name) count += 1
  }
  return count
}

const notAHost = (header: string) =>
  badRequest(
    `The ${header} header must be a host name or an IP address, with or without a port, such as api.shop.example or 127.0.0.1:4000.`,
  )
