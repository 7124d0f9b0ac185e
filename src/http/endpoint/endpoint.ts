// An endpoint is data: its operation, path, access, schemas and one function. Slices list endpoints; serve.ts turns each into a route.

import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Database, Scope, Tx } from '../../db/db.ts'
import type { FileServices } from '../../files/files.ts'
import type { PaymentGateways } from '../../gateways/gateway.ts'
import type { Geo } from '../../geo/locate.ts'
import type { Credentials } from '../../keys/credentials.ts'
import type { SessionKeys } from '../../keys/session-keys.ts'
import type { SigningSecrets } from '../../keys/signing.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ApiError, Quota } from '../../lib/errors.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { Versions } from '../../versions/apply.ts'
import type { PieceKind, Pieces, WrittenReply } from './pieces.ts'

/** The caller, from an API key, a customer's token, or a dashboard session. */
export type Caller = Scope & {
  /** Null for a customer and for a dashboard session. */
  readonly keyId: string | null
  /** The customer's session if a customer's token was sent; null with an API key. */
  readonly session: Session | null
  /** The person behind a dashboard session. It may do what the secret key may, within the role. */
  readonly account?: DashboardAccount
  readonly isSecret: boolean
  readonly currency: string
  readonly apiVersion: string
  readonly isDisabled: boolean
  /** Quotas that the shop's sandbox has reached. Only known for API keys. */
  readonly fullSandbox?: readonly Quota[]
  /**
   * True if the shop sells live: only callers with live access may then write data that both modes share. Known for keys and dashboard
   * sessions.
   */
  readonly sellsLive?: boolean
}

/** A member of the shop's team. */
export type DashboardAccount = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  /** True if the role may do this operation in live mode, whatever the session's current mode. */
  readonly canWriteLive: boolean
  /** True if the role may log in as a customer in the session's mode. */
  readonly canIssueTokens: boolean
}

/** dashboard/roles.ts defines the rights of each role. */
export type Role = 'owner' | 'manager' | 'packer' | 'developer'

/**
 * Each operation needs one permission of a member of the shop's team. `see`: products, orders and customers, as needed to pack. `read`:
 * revenue, settings and integrations. `build`: webhooks, events and logs. Endpoints of API keys limit `manage_keys` further.
 * dashboard/roles.ts says which roles have each permission.
 */
export type Permission = 'see' | 'pack' | 'read' | 'write' | 'build' | 'set_up_payments' | 'manage_keys' | 'manage_team'

/** A logged-in customer. */
type Session = { readonly customerId: string; readonly begunAt: Date }

/** Services for handlers and jobs; built once by app.ts. */
export type Services = {
  readonly db: Database
  readonly clock: Clock
  readonly files: FileServices
  readonly signingSecret: SigningSecrets
  /** Location lookup for IP addresses. */
  readonly geo: Geo
  /** Keys that sign customers' sessions. */
  readonly sessionKeys: SessionKeys
  /** Sends mails, or stores them without a mail server. Slow: use it in jobs, never in requests. */
  readonly mailer: Mailer
  /** Access to payment gateways. */
  readonly payments: PaymentGateways
  /** Settings for calls to webhooks. */
  readonly webhooks: Webhooks
  /** The operator's public URL, for texts written outside a request; null if not set. */
  readonly publicUrl: string | null
  /** Tells if the disk is nearly full. */
  readonly disk: Disk
  readonly retention: Retention
}

export type Webhooks = {
  /** Encrypts and decrypts signing secrets. */
  readonly credentials: Credentials
  /** Converts the object of an event to an older version. */
  readonly ageKind: Versions['ageKind']
  /** User agent of deliveries. */
  readonly userAgent: string
  /** True if the version exists. */
  readonly hasVersion: Versions['has']
  /** The operator's ALLOW_PRIVATE_ADDRESSES. */
  readonly allowsPrivateAddresses: boolean
}

export type Disk = {
  /** True below the operator's limit. */
  isShort(): boolean
}

/** Limits on how long and how much is kept of what strangers can create. 0: no limit. */
export type Retention = {
  readonly sandboxDays: number
  /** Maximum of each `Quota` in a shop's sandbox. */
  readonly sandboxQuota: number
  /** Carts and tokens of a shop above which abandoned ones are deleted. */
  readonly liveCarts: number
  /** Days that events and their deliveries are kept; at least one. */
  readonly eventDays: number
  /** Whole days of the request log besides today; always limited. */
  readonly requestLogDays: number
  /** Requests kept in the log: all; changes and refusals; refusals; none. */
  readonly requestLog: 'all' | 'writes' | 'errors' | 'off'
}

/**
 * `public`: any key of the merchant. `secret`: only the secret key. `customer`: the secret key, or the token of the customer in the path's
 * `customer_id`. `session`: only a dashboard session, no key.
 */
type Access = 'public' | 'secret' | 'customer' | 'session'

/** A handler gets the services of the process, the request, and functions that tell more about the reply than its body. */
export type Context<Params = unknown, Query = unknown, Body = unknown> = Services &
  RequestFacts &
  ReplyControls & {
    readonly params: Params
    readonly query: Query
    readonly body: Body
  }

/** Facts about the sender of the request, its headers and its connection. */
type RequestFacts = {
  readonly caller: Caller
  /** Scheme and host by which the client reached us; URLs in the reply start with it. */
  readonly origin: string
  /**
   * Start of URLs in data that outlives the request: rows, events, jobs, mails. It is '' if the request's host is not known to be ours;
   * URLs are then bare paths.
   */
  readonly lastingOrigin: string
  /** Absolute URL of this request, for the links of a list. */
  readonly url: string
  /**
   * The shopper's address, if known. It comes from the connection, from a trusted proxy, or from `Shopper-Address` of a server with the
   * secret key.
   */
  readonly clientAddress: string
  /**
   * Networks that rate limits count: `networksOf(clientAddress)`, narrowest first. Empty if a server with the secret key does not name its
   * shopper: one shopper could otherwise block all others.
   */
  readonly clientNetworks: readonly string[]
  /** Names of older behaviours that this request's version still has; empty for the newest version. */
  readonly behaviours: ReadonlySet<string>
  /** API version of the request, a date. */
  readonly version: string
  /** Aborted when the request has timed out and its 503 is sent. From then on `db` commits nothing, except under GET. */
  readonly signal: AbortSignal
  /** False if the client has left or the service is stopping. For handlers that only wait for an event. */
  readonly isClientWaiting: () => boolean
  /**
   * The `Idempotency-Key` sent with a POST. The server stores its answer (idempotency.ts); a handler reads the key only to store more than
   * that.
   */
  readonly idempotencyKey: string | null
  /**
   * For a PUT with `If-Match`: throws if the object is no longer the one that was read. Every rule behind a PUT calls it in its
   * transaction, after it has locked the object and before any change.
   */
  readonly refuseIfChanged: ((tx: Tx) => Promise<void>) | null
}

/** Functions by which a handler tells more about the reply than its body. */
type ReplyControls = {
  /** Marks the answer as temporary: a repeated Idempotency-Key then runs the request anew. */
  markNotFinal(): void
  /**
   * Reports the number of lines read, which decide the cost for the client. `resultId` is the id of the result, which will cost as much to
   * read.
   */
  reportLinesRead(lines: number, resultId?: string): void
  /** Cached pieces, for endpoints that declare `pieces`. */
  readonly pieces: Pieces
  /** Passes facts that only the envelope of an older version shows. */
  addFacts(facts: Record<string, unknown>): void
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Endpoint = {
  readonly operation: string
  readonly summary: string
  readonly method: Method
  readonly path: `/v1/${string}`
  readonly access: Access
  readonly permission: Permission
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TObject
  /** Size limit in bytes, if the usual limit of its access does not fit. */
  readonly bodyLimit?: number
  /** Forbids caching: with a cached GET that creates something, two shoppers could get the same object. */
  readonly noStore?: true
  /** It may answer 429 with a time to retry. */
  readonly limited?: true
  /** A GET that saves something, for old APIs only. */
  readonly writes?: true
  /**
   * True for writes to what both modes share: once the shop sells live, only callers with live access may do them. A function returns true
   * for bodies that change only data of the caller's mode, such as stock.
   */
  readonly shared?: true | ((body: unknown) => boolean)
  /** Quota of what it creates. */
  readonly makes?: Quota
  /**
   * Every endpoint without a secret key has a cost: a client has a budget per second and then gets a 429. Marked endpoints use the budget
   * of carts and checkouts and cost by the number of lines. Others use the budget for reading. `long`: it may wait for others, such as a
   * gateway.
   */
  readonly metered?: 'short' | 'long'
  readonly status: 200 | 201 | 202 | 204
  /** Schema of a success; none with 204, or if it is not JSON. */
  readonly returns?: TSchema
  /** Content type of a success that is not JSON. Its handler returns a `StreamedReply`, which is the same in all versions. */
  readonly media?: 'text/csv'
  /** Time limit including the answer, if the usual one is too short. */
  readonly deadlineMs?: number
  /** Kind of cached pieces that a handler may answer with (`Context.pieces`). */
  readonly pieces?: PieceKind
  /** Address of the object that a PUT changes, if it differs. `If-Match` holds that object's ETag. */
  readonly object?: `/v1/${string}`
  /** Extra fields that the body of a 409 may have. */
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

/** Infers the handler's types from its schemas, then drops them so that all endpoints fit in one list. */
export const defineEndpoint = <
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TProperties = TProperties,
  R extends TSchema = TSchema,
>(
  definition: TypedEndpoint<P, Q, B, R>,
): Endpoint => definition as unknown as Endpoint

/** Marks all of these endpoints as metered. */
export const asMeteredEndpoints = (
  endpoints: readonly Endpoint[],
  how: Endpoint['metered'] = 'short',
): readonly Endpoint[] => endpoints.map((each) => ({ ...each, metered: how }))

/** Marks the writes among these endpoints as `shared`, unless they already say more. */
export const asModeSharedEndpoints = (endpoints: readonly Endpoint[]): readonly Endpoint[] =>
  endpoints.map((each) => (each.method === 'GET' ? each : { ...each, shared: each.shared ?? true }))

/** Special treatment of existing clients beyond the contract. The server only calls it; `compat/` knows the clients. */
export type Compat = {
  /** Other name of the header `Service-Version`, in requests and answers, in its usual spelling. */
  readonly versionHeader: string
  /** Rewrites the target of a request line for the router. */
  rewriteTarget(target: string): string
  /** True for clients written for older versions, many of which name no version. Called with each request. */
  isOldClient(headers: IncomingHttpHeaders): boolean
  /** Called once per endpoint and for each error. Null if only the contract applies. */
  formsOf(operation: string): ClientForms | null
}

/** Other forms in which existing clients send and read an operation. */
export type ClientForms = {
  /** Converts a body to the form that the endpoint's `body` describes. Runs in every version, before validation. */
  rewriteBody?(body: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** Does the same for the query, before its values have types. */
  rewriteQuery?(query: Record<string, unknown>): Record<string, unknown>
  rewriteError?(error: ApiError, headers: IncomingHttpHeaders): ApiError
  /** Changes a success of an older version after its ageing. */
  rewriteAged?(body: unknown, headers: IncomingHttpHeaders): unknown
  /** JSON sent instead of `text`, or null. `facts` come from the handler (`Context.addFacts`). */
  rewriteNewest?(
    text: () => string,
    facts: Readonly<Record<string, unknown>>,
    headers: IncomingHttpHeaders,
  ): string | null
}

// Common fields of a resource's endpoints, by what they do.

/** For any key of the shop. */
export const READS = { method: 'GET', access: 'public', status: 200 } as const
export const CREATES = { method: 'POST', access: 'secret', status: 201 } as const
export const UPDATES = { method: 'PUT', access: 'secret', status: 200 } as const
export const DELETES = { method: 'DELETE', access: 'secret', status: 204 } as const
