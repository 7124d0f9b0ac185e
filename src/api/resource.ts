// The five routes of a resource (list, get, create, update, delete), with the defaults that nearly all of them share. What it gives are
// plain endpoints: a slice leaves some out, puts others beside them, or says more of one, such as its summary or who may call it.

import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { Listed } from '../db/records.ts'
import type { Caller, Context, Endpoint } from '../http/endpoint/endpoint.ts'
import { type Kind, listOf, pageQuery } from '../http/endpoint/schema.ts'
import { notFound } from '../lib/errors.ts'
import { type Page, pageOf, readPage } from '../lib/page.ts'

const DEFAULT_LIMIT = 15

/** How each route is asked for and answered. */
const FORMS = {
  list: { method: 'GET', status: 200 },
  get: { method: 'GET', status: 200 },
  create: { method: 'POST', status: 201 },
  update: { method: 'PUT', status: 200 },
  delete: { method: 'DELETE', status: 204 },
} as const satisfies Readonly<Record<string, Pick<Endpoint, 'method' | 'status'>>>

export type Verb = keyof typeof FORMS

/** What is made of the rest of the definition, and cannot be said otherwise. */
type Derived = 'operation' | 'method' | 'path' | 'params' | 'query' | 'body' | 'returns' | 'handle'

/** What a route may say of itself, instead of the defaults or beside them. */
type Extras = Partial<Omit<Endpoint, Derived>>

type Resource<
  K extends Kind,
  Row,
  P extends TProperties,
  Q extends TProperties,
  C extends TProperties,
  U extends TProperties,
> = {
  /** What operations begin with, `tax_zones` of `tax_zones.list`; or the whole name of each. */
  readonly operation: string | ((verb: Verb) => string)
  /** The address of the list. That of one is a step further down, at its id. */
  readonly path: Endpoint['path']
  /** As sentences name it: `a tax zone`, and several: `tax zones`. */
  readonly one: `${'a' | 'an'} ${string}`
  readonly many: string
  /** The id in the path: what it begins with, and the parameter's name unless that is `id`. */
  readonly id: { readonly prefix: string; readonly name?: string }
  /** What else the path names: whom the things belong to. */
  readonly parents?: TObject<P>
  /** `secret` unless given. */
  readonly access?: Endpoint['access']
  readonly kind: K
  readonly list?: Extras & {
    /** Entries per page where the query does not say. */
    readonly limit?: number
    /** Parameters of the query beside those of paging. */
    readonly filters?: Q
    read(context: Context<Static<TObject<P>>, Static<TObject<Q>>>, page: Page): Promise<Listed<Row>>
  }
  /** Null where there is none: then the answer is a 404. */
  readonly get?: Extras & { read(context: Context<Static<TObject<P>>>, id: string): Promise<Row | null> }
  readonly create?: Extras & {
    readonly body: TObject<C>
    run(context: Context<Static<TObject<P>>>, body: Static<TObject<C>>): Promise<Static<K>>
  }
  readonly update?: Extras & {
    readonly body: TObject<U>
    run(context: Context<Static<TObject<P>>>, id: string, body: Static<TObject<U>>): Promise<Static<K>>
  }
  readonly delete?: Extras & { run(context: Context<Static<TObject<P>>>, id: string): Promise<void> }
  /** Last, as its row is what the functions above it read. */
  view(row: Row, caller: Caller): Static<K>
}

type Nothing = Record<never, TSchema>

/** Infers the types of the functions from the schemas beside them, as `endpoint` does. */
export const resource = <
  K extends Kind,
  Row,
  P extends TProperties = Nothing,
  Q extends TProperties = Nothing,
  C extends TProperties = TProperties,
  U extends TProperties = TProperties,
>(
  definition: Resource<K, Row, P, Q, C, U>,
): readonly Endpoint[] => routesOf(definition as unknown as Untyped)

type Untyped = Resource<Kind, unknown, Nothing, Nothing, Nothing, Nothing>

function routesOf(definition: Untyped): Endpoint[] {
  const { list, get, create, update, delete: remove } = definition
  return [
    ...(list ? [listRoute(definition, list)] : []),
    ...(get ? [getRoute(definition, get)] : []),
    ...(create ? [createRoute(definition, create)] : []),
    ...(update ? [updateRoute(definition, update)] : []),
    ...(remove ? [deleteRoute(definition, remove)] : []),
  ]
}

type Route<V extends Verb> = NonNullable<Untyped[V]>

const listRoute = (
  all: Untyped,
  { limit = DEFAULT_LIMIT, filters = {}, read, ...extras }: Route<'list'>,
): Endpoint => ({
  ...placeOf(all, 'list'),
  summary: `Lists ${all.many}, oldest first.`,
  query: Type.Object({ ...pageQuery(limit), ...filters }),
  returns: listOf(all.kind),
  ...extras,
  handle: async (context) => {
    const page = readPage(context.query as Partial<Page>, limit)
    const { rows, total } = await read(context as Context<object, object>, page)
    const entries = rows.map((row) => all.view(row, context.caller))
    return pageOf(entries, total, page, context.url)
  },
})

const getRoute = (all: Untyped, { read, ...extras }: Route<'get'>): Endpoint => ({
  ...placeOf(all, 'get'),
  summary: `Gives one ${nounOf(all)}.`,
  returns: all.kind,
  ...extras,
  handle: async (context) => {
    const row = await read(context as Context<object>, idOf(all, context))
    if (row === null) throw notFound(nounOf(all))
    return all.view(row, context.caller)
  },
})

const createRoute = (all: Untyped, { run, ...extras }: Route<'create'>): Endpoint => ({
  ...placeOf(all, 'create'),
  summary: `Creates ${all.one}.`,
  returns: all.kind,
  ...extras,
  handle: (context) => run(context as Context<object>, context.body as object),
})

const updateRoute = (all: Untyped, { run, ...extras }: Route<'update'>): Endpoint => ({
  ...placeOf(all, 'update'),
  summary: `Changes the fields of ${all.one} that are sent.`,
  returns: all.kind,
  ...extras,
  handle: (context) => run(context as Context<object>, idOf(all, context), context.body as object),
})

const deleteRoute = (all: Untyped, { run, ...extras }: Route<'delete'>): Endpoint => ({
  ...placeOf(all, 'delete'),
  summary: `Deletes ${all.one}.`,
  ...extras,
  handle: async (context) => {
    await run(context as Context<object>, idOf(all, context))
    return undefined
  },
})

/** The operation, its address and its form. */
function placeOf({ operation, path, one, id, parents, access = 'secret' }: Untyped, verb: Verb) {
  const isOfOne = verb !== 'list' && verb !== 'create'
  const name = id.name ?? 'id'
  const own = isOfOne ? { [name]: Type.String({ description: `The id of ${one}: ${id.prefix}_…` }) } : {}
  return {
    operation: typeof operation === 'string' ? `${operation}.${verb}` : operation(verb),
    ...FORMS[verb],
    path: isOfOne ? (`${path}/:${name}` as const) : path,
    access,
    ...(isOfOne || parents ? { params: Type.Object({ ...parents?.properties, ...own }) } : {}),
  }
}

const nounOf = ({ one }: Untyped) => one.replace(/^an? /, '')

const idOf = ({ id }: Untyped, { params }: Context) =>
  (params as Readonly<Record<string, string>>)[id.name ?? 'id'] ?? ''
