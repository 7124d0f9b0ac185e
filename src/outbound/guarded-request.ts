// Sends an HTTP request to a URL that somebody else chose, such as that of a picture or webhook.
// It looks up the name once, checks the addresses, and connects to one of them. A second lookup could return 127.0.0.1
// instead of a public address.

import { type IncomingMessage, type OutgoingHttpHeaders, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { isPublicAddress } from '../lib/addresses.ts'
import { parseUrl } from '../lib/url.ts'
import { nameServerLookup, systemLookup } from './name-lookup.ts'

/** The host is a private address, or its name resolves to one. The message has no details, as clients may see it. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError'
  constructor() {
    super('The address is not on the public internet.')
  }
}

export type GuardOptions = {
  /** Operator's setting ALLOW_PRIVATE_ADDRESSES. */
  allowPrivateAddresses: boolean
  /** Replaces the system's lookup in tests. */
  lookup?: LookupFunction
  /** Replaces the name servers in tests. Without `lookup`, they are used if private addresses are forbidden. */
  nameServers?: readonly string[]
  /** Lets tests treat a loopback address as public, because tests can reach no other address. */
  isPublic?: (address: string) => boolean
}

type GuardedRequest = {
  method: 'GET' | 'POST'
  headers?: OutgoingHttpHeaders
  body?: string | Uint8Array
  /** Aborts everything: lookup, connection and reading the reply. */
  signal: AbortSignal
  /** Maximum time for the lookup and the connection. */
  connectMs: number
}

/** Parses an http or https URL. Null if it is malformed or has credentials. Does not look up the host. */
export function parseHttpUrl(text: string): URL | null {
  const url = text.length > MAX_URL_LENGTH ? null : parseUrl(text)
  if (url === null) return null
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  // In `http://shop.example@10.0.0.1/` the part before the @ deceives a reader.
  if (url.username !== '' || url.password !== '' || url.hostname === '' || url.port === '0') return null
  return url
}

const MAX_URL_LENGTH = 4_096

/** Error message if the connection takes longer than `connectMs`. */
export const CONNECT_TIMEOUT_MESSAGE = 'Connecting took too long.'

/**
 * Sends a request and returns the reply as soon as its headers arrive. The caller must read or destroy the reply.
 * Redirects are not followed. Any port is allowed: on the public internet a port says nothing about the server.
 */
export function guardedRequests(options: GuardOptions) {
  const { allowPrivateAddresses, isPublic = isPublicAddress } = options
  // A name that only this machine knows cannot be public. Operators who allow private addresses rely on such names.
  const usesSystemLookup = allowPrivateAddresses || options.lookup !== undefined
  const unrestrictedLookup = usesSystemLookup ? systemLookup(options.lookup) : nameServerLookup(options.nameServers)
  const lookup = allowPrivateAddresses ? unrestrictedLookup : publicOnly(unrestrictedLookup, isPublic)

  return async function send(url: URL, request: GuardedRequest): Promise<IncomingMessage> {
    // Node does not call `lookup` for an IP address, so check it here. The URL parser has already normalised decimal,
    // octal, hexadecimal and short notations.
    const literal = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
    if (!allowPrivateAddresses && isIP(literal) !== 0 && !isPublic(literal)) throw new PrivateAddressError()
    return sendOnce(url, request, lookup)
  }
}

function sendOnce(url: URL, request: GuardedRequest, lookup: LookupFunction): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest
    const outgoing = send(url, {
      method: request.method,
      headers: request.headers,
      signal: request.signal,
      lookup,
      // Open a separate connection. A pooled one could have been opened under other rules, or through a proxy.
      agent: false,
      maxHeaderSize: 16_384,
    })
    const connectTimer = setTimeout(() => outgoing.destroy(new Error(CONNECT_TIMEOUT_MESSAGE)), request.connectMs)
    outgoing.once('socket', (socket) =>
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(connectTimer)),
    )
    outgoing.once('close', () => {
      clearTimeout(connectTimer)
      // A reply that switches protocols emits no `response` or `error`. Without this, the promise would stay pending.
      reject(new Error('The connection was closed without a reply.'))
    })
    // Keep this handler after the reply. A connection that breaks later emits an error, which would end the process
    // without a handler.
    outgoing.on('error', reject)
    outgoing.once('response', (incoming) => {
      // Without the signal, a reply that ends when the connection closes would seem complete after a timeout.
      resolve(addAbortSignal(request.signal, incoming))
    })
    outgoing.end(request.body)
  })
}

/** Refuses a name with any private address. A name with public and private addresses is an attack. */
function publicOnly(lookup: LookupFunction, isPublic: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, result, family) => {
      if (error) return callback(error, '', 0)
      const addresses = typeof result === 'string' ? [result] : result.map(({ address }) => address)
      if (addresses.length === 0 || !addresses.every(isPublic)) return callback(new PrivateAddressError(), '', 0)
      callback(null, result, family)
    })
}
