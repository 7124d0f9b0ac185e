// An endpoint is data: its operation, address, who may call it, its schemas and one function.
// Slices list endpoints; serve.ts turns each into a route.

import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Database, Scope, Tx } from '../../db/db.ts'
import type { Files } from '../../files/files.ts'
import type { Payments } from '../../gateways/gateway.ts'
import type { Geo } from '../../geo/locate.ts'
import type { Credentials } from '../../keys/credentials.ts'
import type { SessionKeys } from '../../keys/session-keys.ts'
import type { SigningSecrets } from '../../keys/signing.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ApiError, Quota } from '../../lib/errors.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { Versions } from '../../versions/apply.ts'
import type { PieceKind, Pieces, WrittenReply } from './pieces.ts'

/** Who is calling, as read from the API key, from a customer's own token, or from the session of somebody who is logged in to the dashboard. */
export type Caller = Scope & {
  /** null for a customer and for a session of the dashboard, who have none. */
  readonly keyId: string | null
  /** The customer who calls by a token of their own. null with an API key. */
  readonly session: Session | null
  /** Who acts, where it is a session of the dashboard: it may do what the secret key may, as far as the role goes. */
  readonly account?: Account
  readonly isSecret: boolean
  readonly currency: string
  readonly apiVersion: string
  readonly isDisabled: boolean
  /** What the shop's sandbox has reached its quota of. Known for API keys only. */
  readonly fullSandbox?: readonly Quota[]
  /** The shop sells live, so that what both modes share is written by those who may write live. Known for keys and sessions of the dashboard. */
  readonly sellsLive?: boolean
}

/** Somebody of the shop's team. */
export type Account = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  /** The role may do this operation in live mode, whichever mode the session is in now. */
  readonly canWriteLive: boolean
  /** The role may log in as a customer in the mode of the session. */
  readonly canIssueTokens: boolean
}

/** What each may do: dashboard/roles.ts. */
export type Role = 'owner' | 'manager' | 'packer' | 'developer'

/** A customer who has logged in. */
type Session = { readonly customerId: string; readonly begunAt: Date }

/** What handlers and jobs may use; built once by app.ts. */
export type Services = {
  readonly db: Database
  readonly clock: Clock
  readonly files: Files
  readonly signingSecret: SigningSecrets
  /** Where an IP address is. */
  readonly geo: Geo
  /** What a customer's session is signed with. */
  readonly sessionKeys: SessionKeys
  /** Sends mails, or keeps them where there is no mail server. Slow: for jobs, never for requests. */
  readonly mailer: Mailer
  /** How gateways take money. */
  readonly payments: Payments
  /** How webhooks are called. */
  readonly webhooks: Webhooks
  /** The address the operator has set, for what is written outside of a request; null when there is none. */
  readonly publicUrl: string | null
  /** Whether the disk has room for what strangers send. */
  readonly disk: Disk
  readonly retention: Retention
}

export type Webhooks = {
  /** What seals and opens their signing secrets. */
  readonly credentials: Credentials
  /** Shapes the object of an event for an older version. */
  readonly ageKind: Versions['ageKind']
  /** As deliveries name us to their receivers. */
  readonly userAgent: string
  /** Whether there is such a version. */
  readonly hasVersion: Versions['has']
  /** The operator's ALLOW_PRIVATE_ADDRESSES. */
  readonly allowsPrivateAddresses: boolean
}

export type Disk = {
  /** True below the operator's mark. */
  isShort(): boolean
}

/** How long and how much of what strangers can make is kept. 0: without end. */
export type Retention = {
  readonly sandboxDays: number
  /** How many of each `Quota` a shop's sandbox may hold. */
  readonly sandboxQuota: number
  /** Carts, and tokens, of a shop, above which forgotten ones go. */
  readonly liveCarts: number
  /** Events and their deliveries are kept for so many days; at least one. */
  readonly eventDays: number
  /** Whole days of the request log beside today. Never without end. */
  readonly requestLogDays: number
  /** Which requests are kept in it: all; changes and refusals; refusals; none. */
  readonly requestLog: 'all' | 'writes' | 'errors' | 'off'
}

/**
 * `public`: any key of the merchant. `secret`: the secret key alone. `customer`: the secret key, or the token of the customer whom the
 * address names as `customer_id`. `session`: a session of the dashboard alone, and no key.
 */
type Access = 'public' | 'secret' | 'customer' | 'session'

export type Context<Params = unknown, Query = unknown, Body = unknown> = Services & {
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Scheme and host clients reach us by; addresses in a reply begin with it. */
  readonly origin: string
  /**
   * What addresses begin with in all that outlives the request: rows, events, jobs, mails. '' where the request named us by a host that
   * nobody has vouched for: then they are bare paths.
   */
  readonly lastingOrigin: string
  /** The absolute address of this request, for the links of a list. */
  readonly url: string
  /**
   * The shopper's address, as far as it is known: the one the request came from, behind a trusted proxy the one that the proxy names, or the
   * one that a server with the secret key has sent as `Shopper-Address`.
   */
  readonly clientAddress: string
  /**
   * The networks that limits per client count this request under: `networksOf(clientAddress)`, the narrowest first. None where a server with
   * the secret key does not say whom it speaks for: one shopper could hold up all the others.
   */
  readonly clientNetworks: readonly string[]
  /** Older behaviours that still apply to this request's version, by name; empty at the newest. */
  readonly behaviours: ReadonlySet<string>
  /** The version of the request: a date. */
  readonly version: string
  /** Aborted when the request has taken too long: a 503 has been answered. `db` commits nothing from then on, except under GET. */
  readonly signal: AbortSignal
  /** False when the client has gone or the service is stopping: for what only waits for something to happen. */
  readonly isWaitedFor: () => boolean
  /** As it was sent with a POST. Its answer is kept by the server (idempotency.ts); who needs it has more to remember than the answer. */
  readonly idempotencyKey: string | null
  /** The answer tells of something under way: it is not given again to a repeated Idempotency-Key, whose request runs anew. */
  notFinal(): void
  /**
   * Says how many lines were read, by which the request's cost to its client is reckoned. `resultId`: the id of what came of them; asking
   * for it will cost as much.
   */
  weigh(lines: number, resultId?: string): void
  /** Of an endpoint that says what its pieces are. */
  readonly pieces: Pieces
  /**
   * Of a PUT with `If-Match`: throws where the object is no longer the one that was read. Every rule that a PUT calls asks, in its
   * transaction, once it has locked the object and before it changes anything of it.
   */
  readonly refuseIfChanged: ((tx: Tx) => Promise<void>) | null
  /** Hands over what only an older version's envelope shows. */
  tell(facts: Record<string, unknown>): void
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Endpoint = {
  readonly operation: string
  readonly summary: string
  readonly method: Method
  readonly path: `/v1/${string}`
  readonly access: Access
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TObject
  /** Bytes, where the usual limit for its kind of access does not fit. */
  readonly bodyLimit?: number
  /** No cache may keep an answer: a GET that creates would otherwise hand one thing to two shoppers. */
  readonly noStore?: true
  /** It can be asked for too often: then the answer is a 429 that says when to come again. */
  readonly limited?: true
  /** A GET that saves something, as only older APIs have them. */
  readonly writes?: true
  /**
   * It writes what both modes share: once the shop sells live, only callers who may write live do. The function says of a body that it changes
   * nothing but what belongs to the caller's mode, such as stock.
   */
  readonly shared?: true | ((body: unknown) => boolean)
  /** Makes one of what a sandbox may hold only so much of. */
  readonly makes?: Quota
  /**
   * Every endpoint that is open without a secret key has a cost: a client may spend so much a second and then gets a 429. Marked so, it is
   * paid from the share of carts and checkouts and goes by how many lines a shopper has gathered; else from that of what is only read.
   * `long`: it may wait for somebody else, such as a gateway.
   */
  readonly metered?: 'short' | 'long'
  readonly status: 200 | 201 | 202 | 204
  /** The schema of a success; none with 204, nor where it is no JSON. */
  readonly returns?: TSchema
  /** What a success is where it is no JSON: its handler gives a `StreamedReply`, which no older version has in another form. */
  readonly media?: 'text/csv'
  /** How long it may take, its answer included, where the usual time is too short. */
  readonly deadlineMs?: number
  /** A handler may answer with pieces that were written before (`Context.pieces`). */
  readonly pieces?: PieceKind
  /** The address of what a PUT changes, whose ETag its `If-Match` names; unless given, its own. */
  readonly object?: `/v1/${string}`
  /** What the body of a 409 may carry beside the error. */
  readonly conflict?: TObject
  readonly handle: (context: Context) => Promise<unknown>
}

type TypedEndpoint<P extends TProperties, Q extends TProperties, B extends TProperties, R extends TSchema> = Omit<
  Endpoint,
  'params' | 'query' | 'body' | 'returns' | 'handle'
> & {
  params?: TObject<P>
  query?: TObject<Q>
  body?: TObject<B>
  returns?: R
  handle(
    context: Context<Static<TObject<P>>, Static<TObject<Q>>, Static<TObject<B>>>,
  ): Promise<Static<R> | WrittenReply | undefined>
}

/** Infers the handler's types from the schemas beside it, then forgets them so that endpoints fit one list. */
export const endpoint = <
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TProperties = TProperties,
  R extends TSchema = TSchema,
>(
  definition: TypedEndpoint<P, Q, B, R>,
): Endpoint => definition as unknown as Endpoint

/** Endpoints of which each is metered. */
export const metered = (endpoints: readonly Endpoint[], how: Endpoint['metered'] = 'short'): readonly Endpoint[] =>
  endpoints.map((each) => ({ ...each, metered: how }))

/** Endpoints of what both modes share: each that writes is `shared`, unless it says more of itself. */
export const shared = (endpoints: readonly Endpoint[]): readonly Endpoint[] =>
  endpoints.map((each) => (each.method === 'GET' ? each : { ...each, shared: each.shared ?? true }))

/** What existing clients need beside the contract. The server only asks for it; `compat/` knows who they are. */
export type Compat = {
  /** Another name of the header `Service-Version`, in requests and in answers, as people write it. */
  readonly versionHeader: string
  /** The target of a request line, as the router is to read it. */
  rewriteTarget(target: string): string
  /** Whether it was written for versions before the newest, of which many of them name none. Asked with each request. */
  isOldClient(headers: IncomingHttpHeaders): boolean
  /** Asked once for each endpoint, and for each error. Null: the contract is all there is. */
  formsOf(operation: string): ClientForms | null
}

/** The other forms in which existing clients send and read one operation. */
export type ClientForms = {
  /** Brings a body into the form that the endpoint's `body` describes. Runs in every version, before validation. */
  rewriteBody?(body: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** The same for the query, before its values have types. */
  rewriteQuery?(query: Record<string, unknown>): Record<string, unknown>
  rewriteError?(error: ApiError, headers: IncomingHttpHeaders): ApiError
  /** A success of an older version, which has been aged. */
  rewriteAged?(body: unknown, headers: IncomingHttpHeaders): unknown
  /** JSON that is sent instead of `text`, or null. `facts`: what the handler told for older versions (`Context.tell`). */
  rewriteNewest?(
    text: () => string,
    facts: Readonly<Record<string, unknown>>,
    headers: IncomingHttpHeaders,
  ): string | null
}

// What endpoints of a resource have in common, by what they do.

/** For everybody who has a key of the shop. */
export const READS = { method: 'GET', access: 'public', status: 200 } as const
export const CREATES = { method: 'POST', access: 'secret', status: 201 } as const
export const UPDATES = { method: 'PUT', access: 'secret', status: 200 } as const
export const DELETES = { method: 'DELETE', access: 'secret', status: 204 } as const
