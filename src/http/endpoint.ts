// An endpoint is data: its operation, address, who may call it, its schemas and one function.
// Slices list endpoints; serve-endpoint.ts turns each into a route.

import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Database } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'

/** Who is calling, as read from the API key. */
export type Caller = {
  readonly merchantId: number
  readonly keyId: string
  readonly isSecret: boolean
  readonly isSandbox: boolean
  readonly currency: string
  readonly apiVersion: string
  readonly isDisabled: boolean
}

/** What handlers may use; built once by app.ts. */
export type Services = { readonly db: Database; readonly clock: Clock }

/** `public`: any key of the merchant. `secret`: the secret key alone. */
export type Access = 'public' | 'secret'

export type Context<Params = unknown, Query = unknown, Body = unknown> = Services & {
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The absolute address of this request, for the links of a list. */
  readonly url: string
  /** Older behaviours that still apply to this request's version, by name; empty at the newest. */
  readonly behaviours: ReadonlySet<string>
  /** Aborted when the request has taken too long: a 503 has been answered, and what is not committed yet should not be. */
  readonly signal: AbortSignal
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
  readonly bodyLimit?: number
  readonly status: 200 | 201 | 204
  /** The schema of a success; none with 204. */
  readonly returns?: TSchema
  readonly handle: (context: Context) => Promise<unknown>
}

type Typed<P extends TProperties, Q extends TProperties, B extends TProperties, R extends TSchema> = Omit<
  Endpoint,
  'params' | 'query' | 'body' | 'returns' | 'handle'
> & {
  params?: TObject<P>
  query?: TObject<Q>
  body?: TObject<B>
  returns?: R
  handle(context: Context<Static<TObject<P>>, Static<TObject<Q>>, Static<TObject<B>>>): Promise<Static<R> | undefined>
}

/** Infers the handler's types from the schemas beside it, then forgets them so that endpoints fit one list. */
export const endpoint = <
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TProperties = TProperties,
  R extends TSchema = TSchema,
>(
  definition: Typed<P, Q, B, R>,
): Endpoint => definition as unknown as Endpoint
