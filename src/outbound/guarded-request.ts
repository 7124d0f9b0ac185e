// Makes one HTTP request to an address that somebody else has chosen: a picture to fetch, a webhook to call.
// The address is checked at the moment of connecting, and the connection goes to the very address that was checked; a name that
// is looked up twice may answer with a public address first and with 127.0.0.1 the second time.

import { type IncomingMessage, type OutgoingHttpHeaders, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { isPublicAddress } from '../lib/addresses.ts'
import { parseUrl } from '../lib/url.ts'
import { nameServerLookup, systemLookup } from './name-lookup.ts'

/** The address leads, or would lead, somewhere that is not public. It says no more, as what it says may reach a client. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError'
  constructor() {
    super('The address is not on the public internet.')
  }
}

export type GuardOptions = {
  /** The operator's ALLOW_PRIVATE_ADDRESSES. */
  allowPrivateAddresses: boolean
  /** Tests answer for the system's look-up, */
  lookup?: LookupFunction
  /** or for the name servers, which are asked where private addresses are not allowed, */
  nameServers?: readonly string[]
  /** and declare an address of loopback public, as they reach no other. */
  isPublic?: (address: string) => boolean
}

type GuardedRequest = {
  method: 'GET' | 'POST'
  headers?: OutgoingHttpHeaders
  body?: string | Uint8Array
  /** Ends everything: the look-up, the connection, the reply that is being read. */
  signal: AbortSignal
  /** How long finding the address and connecting may take. */
  connectMs: number
}

/** A well-formed http or https address without credentials, or null. It has not been looked up yet. */
export function parseHttpUrl(text: string): URL | null {
  const url = text.length > LONGEST_URL ? null : parseUrl(text)
  if (url === null) return null
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  // In `http://shop.example@10.0.0.1/` the part before the @ is there to deceive a reader.
  if (url.username !== '' || url.password !== '' || url.hostname === '' || url.port === '0') return null
  return url
}

const LONGEST_URL = 4_096

/** What an error says when nobody took the connection within `connectMs`. */
export const TOO_SLOW = 'Connecting took too long.'

/**
 * Sends a request and gives the reply once its headers are there; whoever gets it reads it or destroys it. Redirects are not followed.
 * Any port is allowed: on the public internet the port says nothing about who is asked.
 */
export function guardedRequests(options: GuardOptions) {
  const { allowPrivateAddresses, isPublic = isPublicAddress } = options
  // A name that only this machine knows leads nowhere public. Where private addresses are allowed it is what operators use.
  const isSystems = allowPrivateAddresses || options.lookup !== undefined
  const anyAddress = isSystems ? systemLookup(options.lookup) : nameServerLookup(options.nameServers)
  const lookup = allowPrivateAddresses ? anyAddress : publicOnly(anyAddress, isPublic)

  return async function send(url: URL, request: GuardedRequest): Promise<IncomingMessage> {
    // Node does not look up an address that is given as one, so `lookup` would never see it. Every way to write an address
    // (decimal, octal, hexadecimal, shortened) has been brought into one form by the URL parser.
    const literal = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
    if (!allowPrivateAddresses && isIP(literal) !== 0 && !isPublic(literal)) throw new PrivateAddressError()
    return reply(url, request, lookup)
  }
}

function reply(url: URL, request: GuardedRequest, lookup: LookupFunction): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest
    const outgoing = send(url, {
      method: request.method,
      headers: request.headers,
      signal: request.signal,
      lookup,
      // A connection of its own: a pooled one could have been opened under other rules, or through a proxy.
      agent: false,
      maxHeaderSize: 16_384,
    })
    const impatience = setTimeout(() => outgoing.destroy(new Error(TOO_SLOW)), request.connectMs)
    outgoing.once('socket', (socket) =>
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(impatience)),
    )
    outgoing.once('close', () => {
      clearTimeout(impatience)
      // A reply that switches protocols ends in silence, and this promise would never end.
      reject(new Error('The connection was closed without a reply.'))
    })
    // Stays after the reply has come: a connection that breaks later speaks up once more, and unheard it would end the process.
    outgoing.on('error', reject)
    outgoing.once('response', (incoming) => {
      // Without it, a reply whose end is the end of the connection would pass for complete when time runs out.
      resolve(addAbortSignal(request.signal, incoming))
    })
    outgoing.end(request.body)
  })
}

/** One address that is not public is reason enough: a name that mixes them is not meant well. */
function publicOnly(lookup: LookupFunction, isPublic: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      if (error) return callback(error, '', 0)
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      if (addresses.length === 0 || !addresses.every(isPublic)) return callback(new PrivateAddressError(), '', 0)
      callback(null, found, family)
    })
}
