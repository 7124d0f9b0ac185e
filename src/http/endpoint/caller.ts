// Who a request comes from: the client that limits count, be it the sender or the shopper whom a server with the secret key names; the
// refusal of a live secret key that a browser sends; and what a caller may not do.

import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { networksOf, plainAddress } from '../../lib/addresses.ts'
import type { Clock } from '../../lib/clock.ts'
import { badRequest, forbidden, unauthorized } from '../../lib/errors.ts'
import { allowAnyOrigin } from '../server/cors.ts'
import type { Origins } from '../server/origins.ts'
import type { Caller, Endpoint } from './endpoint.ts'

/** The key → its caller, at once when it is known already. Throws `unauthorized`. */
export type Authenticate = (key: string | undefined) => Caller | Promise<Caller>

/** The bearer token of a customer → the caller. Throws `unauthorized`. */
export type AuthenticateCustomer = (token: string) => Promise<Caller>

/** Where a customer may call, a bearer token decides alone: browsers send `X-Authorization: undefined` beside it. */
export function whoCalls(
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
 * `sentFrom`: as the last proxy that is trusted tells, which may be anything that it was sent itself. `socketAddress`: of who is connected;
 * it stands for what is no address, and only the limits still tell the two apart. `header`: what was sent as `Shopper-Address`. Only a
 * secret key is believed: whoever names an address with a public key would choose whom limits count against. It is refused and not passed
 * over, so that nobody relies on it in vain.
 */
export function clientOf(
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
  // A zone, as in fe80::1%eth0, names a link of one machine and says nothing on another.
  if (isIP(address) === 0 || address.includes('%'))
    throw badRequest(
      `The header ${SHOPPER_ADDRESS} must be one IPv4 or IPv6 address, such as 203.0.113.7 or 2001:db8::7, without a port or brackets.`,
    )
  return { clientAddress: address, clientNetworks: networksOf(address) }
}

/** What follows `Bearer`, be it a token or not; null where another kind of credentials was sent, or none. */
function bearerToken(header: string | undefined): string | null {
  const found = header === undefined ? null : /^bearer\b(.*)$/is.exec(header)
  return found === null ? null : (found[1] ?? '').trim()
}

// A live secret key that a page of somebody else sends: it is in a browser, where everybody can read it. Browsers name the page in `Origin`,
// and servers send none.

/** Throws `unauthorized`. */
export type RefuseKeyInBrowser = (request: FastifyRequest, reply: FastifyReply, caller: Caller) => void

/** Whoever has the key could otherwise fill the disk with these lines. */
const LOG_EVERY_MS = 60_000
/** Enough for an origin; what a header can hold is not. */
const LONGEST_ORIGIN = 200

export function browserKeyRefuser(clock: Clock, isOurs: Origins['isOurs']): RefuseKeyInBrowser {
  // At most one entry for each live secret key that is in a browser.
  const loggedAt = new Map<string, number>()
  return (request, reply, { isSecret, isSandbox, keyId, merchantId, account }) => {
    const { origin } = request.headers
    // A session is a browser's, and its page was looked at already.
    if (origin === undefined || !isSecret || isSandbox || account !== undefined || isOurs(origin, request)) return
    const now = clock.now().getTime()
    const key = keyId ?? ''
    if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) >= LOG_EVERY_MS) {
      loggedAt.set(key, now)
      request.log.warn(
        { key, merchant_id: merchantId, origin: origin.slice(0, LONGEST_ORIGIN) },
        'a live secret key was sent by a browser and refused; revoke it: whoever opens that page can read it',
      )
    }
    // On secret routes too: the page that holds the key is to show why it is refused.
    allowAnyOrigin(reply)
    throw unauthorized(
      'This secret key was sent by a browser, where everybody can read it. Revoke it, and use the public key there; secret keys are for servers.',
    )
  }
}

/**
 * True for callers who may change what live shoppers see, and where live money goes. Keys of the sandbox lie on laptops and in test runs, and
 * work without HTTPS. Only for operations that need a secret key.
 */
export const canWriteLive = ({ isSandbox, account }: Pick<Caller, 'isSandbox' | 'account'>): boolean =>
  account === undefined ? !isSandbox : account.canWriteLive

/** True for callers who may log in as a customer in their mode, and so may see links that do. Only for operations that need a secret key. */
export const canIssueTokens = ({ account }: Pick<Caller, 'account'>): boolean => account?.canIssueTokens ?? true

/**
 * Sandbox and live share the catalogue and the terms. An empty shop is filled with a key of the sandbox, over plain HTTP; a shop that sells is
 * not changed by one.
 */
export function refuseSharedWrite({ shared }: Pick<Endpoint, 'shared'>, caller: Caller, body: unknown) {
  if (shared === undefined || caller.sellsLive === false || canWriteLive(caller)) return
  if (shared !== true && shared(body)) return
  const reason = 'This shop sells live, and sandbox and live share this'
  throw forbidden(
    caller.account === undefined
      ? `${reason}: change it with a live secret key (sk_…).`
      : `${reason}: as ${caller.account.role} you may not change it. An owner or manager may.`,
  )
}

/** Refuses callers who may not do this at all. */
export function refuseAccess({ access }: Endpoint, { isSecret, session, account }: Caller, params: unknown) {
  if (access === 'session' && account === undefined)
    throw forbidden('No key may do this: whoever had one could make others. Log in to the dashboard and do it there.')
  if (access === 'public' || isSecret) return
  if (access === 'secret') throw forbidden('A public key may not do this; use the secret key, from a server.')
  if (session === null)
    throw forbidden(
      "A public key may not do this; send the customer's token as Authorization: Bearer, or the secret key.",
    )
  // Before anything is looked up: whether another customer exists is nobody else's business.
  const { customer_id: named } = params as { customer_id?: string }
  if (named !== session.customerId) throw forbidden('This token is that of another customer.')
}
