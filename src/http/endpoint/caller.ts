// Identifies the sender of a request: the client for rate limits, and the caller. The client is the sender, or the shopper named by a
// server with the secret key. Also refuses live secret keys from browsers, and actions that a caller may not do.

import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { networksOf, plainAddress } from '../../lib/addresses.ts'
import type { Clock } from '../../lib/clock.ts'
import { badRequest, forbidden, unauthorized } from '../../lib/errors.ts'
import { allowAnyOrigin } from '../server/cors.ts'
import type { Origins } from '../server/origins.ts'
import type { Caller, Endpoint } from './endpoint.ts'

/** Resolves a key to its caller, synchronously if it is cached. Throws `unauthorized`. */
export type Authenticate = (key: string | undefined) => Caller | Promise<Caller>

/** Resolves a customer's bearer token to the caller. Throws `unauthorized`. */
export type AuthenticateCustomer = (token: string) => Promise<Caller>

/** On endpoints for customers, a bearer token overrides the key: browsers send `X-Authorization: undefined` beside it. */
export function authenticateCaller(
  request: FastifyRequest,
  endpoint: Endpoint,
  { authenticate, authenticateCustomer }: { authenticate: Authenticate; authenticateCustomer: AuthenticateCustomer },
) {
  const token = endpoint.access === 'customer' ? bearerToken(request.headers.authorization) : null
  if (token !== null) return authenticateCustomer(token)
  const key = request.headers['x-authorization']
  return authenticate(typeof key === 'string' ? key.trim() : undefined)
}

export const SHOPPER_ADDRESS = 'Shopper-Address'

export type Client = { readonly clientAddress: string; readonly clientNetworks: readonly string[] }

/**
 * Address and networks of the client. `sentFrom` comes from the last trusted proxy and may be any text. `socketAddress` is the connected
 * peer, used if `sentFrom` is no address; only the limits then still tell clients apart.
 * `header` is `Shopper-Address`, which only a secret key may send. With a public key, a client could choose whose limit it uses up. It is
 * refused, not ignored, so that nobody relies on it in vain.
 */
export function identifyClient(
  { sentFrom, socketAddress }: { readonly sentFrom: string; readonly socketAddress: string },
  header: string | string[] | undefined,
  { isSecret }: Pick<Caller, 'isSecret'>,
): Client {
  if (header === undefined)
    return {
      clientAddress: plainAddress(sentFrom) ?? socketAddress,
      clientNetworks: isSecret ? [] : networksOf(sentFrom),
    }
  if (!isSecret)
    throw forbidden(
      `The header ${SHOPPER_ADDRESS} is accepted with the secret key only, from a server; leave it out with a public key or a customer's token.`,
    )
  const address = String(header).trim()
  // A zone, as in fe80::1%eth0, names a link of one machine and means nothing on another.
  if (isIP(address) === 0 || address.includes('%'))
    throw badRequest(
      `The header ${SHOPPER_ADDRESS} must be one IPv4 or IPv6 address, such as 203.0.113.7 or 2001:db8::7, without a port or brackets.`,
    )
  return { clientAddress: address, clientNetworks: networksOf(address) }
}

/** Text after `Bearer`, valid or not; null for other credentials or none. */
function bearerToken(header: string | undefined): string | null {
  const match = header === undefined ? null : /^bearer\b(.*)$/is.exec(header)
  return match === null ? null : (match[1] ?? '').trim()
}

// Refuses a live secret key sent by a foreign page: in a browser everybody can read it. Browsers send the page's origin in `Origin`, and
// servers send none.

/** Throws `unauthorized`. */
export type RefuseKeyInBrowser = (request: FastifyRequest, reply: FastifyReply, caller: Caller) => void

/** Limits the log: anybody who has the key could otherwise fill the disk with these lines. */
const LOG_EVERY_MS = 60_000
/** Enough for an origin, but less than a header can hold. */
const LONGEST_ORIGIN = 200

export function createBrowserKeyRefuser(clock: Clock, isOurs: Origins['isOurs']): RefuseKeyInBrowser {
  // At most one entry for each live secret key used in a browser.
  const loggedAt = new Map<string, number>()
  return (request, reply, { isSecret, is_sandbox, keyId, merchant_id, account }) => {
    const { origin } = request.headers
    // A session belongs to a browser, and its page was checked already.
    if (origin === undefined || !isSecret || is_sandbox || account !== undefined || isOurs(origin, request)) return
    const now = clock.now().getTime()
    const key = keyId ?? ''
    if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) >= LOG_EVERY_MS) {
      loggedAt.set(key, now)
      request.log.warn(
        { key, merchant_id, origin: origin.slice(0, LONGEST_ORIGIN) },
        'a live secret key was sent by a browser and refused; revoke it: every visitor of that page can read it',
      )
    }
    // On secret routes too, so that the page that sent the key can show the error.
    allowAnyOrigin(reply)
    throw unauthorized(
      'This secret key was sent by a browser, where everybody can read it. Revoke it, and use the public key there; secret keys are for servers.',
    )
  }
}

/**
 * True for callers who may change what live shoppers see and where live money goes. Sandbox keys may not: they lie on laptops and in test
 * runs, and work without HTTPS. Use it only for operations that need a secret key.
 */
export const canWriteLive = ({ is_sandbox, account }: Pick<Caller, 'is_sandbox' | 'account'>): boolean =>
  account === undefined ? !is_sandbox : account.canWriteLive

/**
 * True for callers who may log in as a customer in their mode, and so may see login links. Use it only for operations that need a secret
 * key.
 */
export const canIssueTokens = ({ account }: Pick<Caller, 'account'>): boolean => account?.canIssueTokens ?? true

/**
 * Refuses writes of sandbox keys to what both modes share, once the shop sells live. A new shop may be set up with a sandbox key over plain
 * HTTP.
 */
export function refuseSharedWrite({ shared }: Pick<Endpoint, 'shared'>, caller: Caller, body: unknown) {
  if (shared === undefined || caller.sellsLive === false || canWriteLive(caller)) return
  if (shared !== true && shared(body)) return
  const reason = 'This is shared by sandbox and live, and this shop sells live'
  throw forbidden(
    caller.account === undefined
      ? `${reason}: change it with a live secret key (sk_…).`
      : `${reason}: as ${caller.account.role} you may not change it. An owner or manager may.`,
  )
}

/** Refuses callers who may not use this endpoint at all. */
export function refuseAccess({ access }: Endpoint, { isSecret, session, account }: Caller, params: unknown) {
  if (access === 'session' && account === undefined)
    throw forbidden('No key may do this: whoever had one could make others. Log in to the dashboard and do it there.')
  if (access === 'public' || isSecret) return
  if (access === 'secret') throw forbidden('A public key may not do this; use the secret key, from a server.')
  if (session === null)
    throw forbidden(
      "A public key may not do this; send the customer's token as Authorization: Bearer, or the secret key.",
    )
  // Before any lookup: it must not reveal if another customer exists.
  const { customer_id: customerId } = params as { customer_id?: string }
  if (customerId !== session.customerId) throw forbidden('This token is that of another customer.')
}
