// Scheme and host of a request, and if they may be written into data that outlives it. Anybody can choose the Host header. In a row, an
// event or a mail, a stranger's address would appear in the shop's name.

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { type ApiError, badRequest } from '../../lib/errors.ts'
import { type Host, hostText, isLoopbackName, parseUrl, readHost } from '../../lib/url.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Scheme and host at the start of URLs in the reply. */
    origin: string
    /**
     * Start of URLs in data that outlives the request: PUBLIC_URL, a host in PUBLIC_HOSTS, or this machine. Otherwise '' for bare paths.
     */
    lastingOrigin: string
  }
}

export type OurNames = {
  /** Public scheme and host, if they differ from the request's. */
  publicUrl?: string | undefined
  /** Further hosts of ours, with or without a port. */
  publicHosts?: readonly string[]
}

type RequestOrigins = Pick<FastifyRequest, 'origin' | 'lastingOrigin'>

export type Origins = {
  /** Returns an error to send if the request's host is not valid. */
  read(request: FastifyRequest): RequestOrigins | ApiError
  /** True if a browser's `Origin` is one of our own pages. */
  isOurs(origin: string, request: FastifyRequest): boolean
  /** True for a page of exactly the requested host, or of PUBLIC_URL: a proxy may pass on another host name. */
  isSame(origin: string, request: FastifyRequest): boolean
}

/** Warns once about a change under an unverified host: the operator may not know the consequences. */
export function createUnknownHostWarner(log: FastifyBaseLogger): (request: FastifyRequest) => void {
  let isLogged = false
  return ({ origin, lastingOrigin }) => {
    if (lastingOrigin !== '' || isLogged) return
    isLogged = true
    log.warn(
      { origin },
      'Requests use a host name that is not in PUBLIC_URL or PUBLIC_HOSTS. Add it: until then, events contain paths without a host, and mails contain no links.',
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
      return isOriginOf(page, request) || isListed(page.protocol.slice(0, -1), host)
    },
    isSame(text, request) {
      const page = parseUrl(text)
      // Browsers write origins in one form; any other text was made up.
      return page !== null && page.origin === text && isOriginOf(page, request)
    },
  }

  /** Compares with the requested host, and with PUBLIC_URL: our pages may be opened by either. */
  function isOriginOf({ origin }: URL, request: FastifyRequest): boolean {
    const requested = hostOf(request)
    const own = requested instanceof Error ? null : `${schemeOf(request)}://${hostText(requested)}`
    return [own, publicUrl].some((address) => address != null && new URL(address).origin === origin)
  }
}

const portOf = (scheme: string, port: number | null): number => port ?? (scheme === 'https' ? 443 : 80)

/** A proxy may pass on any X-Forwarded-Proto of its own client. */
const schemeOf = ({ protocol }: FastifyRequest): 'http' | 'https' => (protocol === 'https' ? 'https' : 'http')

/** Host of the Host header, or behind a trusted proxy of X-Forwarded-Host. Fastify returns the last entry of that as `host`. */
function hostOf({ host, headers, raw, socket }: FastifyRequest): Host | ApiError {
  const header = headers.host
  if (header === undefined && raw.httpVersion === '1.1') return badRequest('Send a Host header; HTTP/1.1 requires one.')
  // Node keeps the first of several, but a proxy in front may have used the last.
  if (countHeader('host', raw.rawHeaders) > 1) return badRequest('Send one Host header, not several.')
  const readable = header === undefined ? null : readHost(header)
  if (header !== undefined && readable === null) return invalidHost('Host')
  if (readable !== null && host === header) return readable
  // HTTP/1.0 may omit the host.
  if (header === undefined && host === '') return { name: 'localhost', port: socket.localPort ?? null }
  return readHost(host) ?? invalidHost('X-Forwarded-Host')
}

/** `rawHeaders` holds names and values in turn. */
function countHeader(name: string, rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]
    if (header?.length === name.length && header.toLowerCase() === name) count += 1
  }
  return count
}

const invalidHost = (header: string) =>
  badRequest(
    `The ${header} header must be a host name or an IP address, with or without a port, such as api.shop.example or 127.0.0.1:4000.`,
  )
