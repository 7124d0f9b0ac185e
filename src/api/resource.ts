// The five routes of a resource (list, get, create, update, delete), with the defaults that nearly all of them share. What it gives are
// plain endpoints: a slice leaves some out, puts others beside them, or says more of one, such as its summary or who may call it.

import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { RowPage } from '../db/records.ts'
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
type DerivedField = 'operation' | 'method' | 'path' | 'params' | 'query' | 'body' | 'returns' | 'handle'

/** What a route may say of itself, instead of the defaults or beside them. */
type Extras = Partial<Omit<Endpoint, DerivedField>>

/** What the resource is. */
type Resource<K extends Kind, P extends TProperties> = {
  /** What operations and addresses begin with: `tax_zones` of `tax_zones.list` and `/v1/tax_zones`. */
  readonly name: string
  /** Where operations or addresses are called otherwise. The address is that of the list; one thing is a step further down, at its id. */
  readonly operation?: (verb: Verb) => string
  readonly path?: Endpoint['path']
  readonly kind: K
  /** As sentences name it: `a tax zone`, and several: `tax zones`, unless an s will do. */
  readonly one: `${'a' | 'an'} ${string}`
  readonly many?: string
  /** What an id begins with: `taxz`; and the parameter of the path, unless that is `id`. */
  readonly idPrefix: string
  readonly idName?: string
  /** What else the path names: whom the things belong to. */
  readonly parents?: TObject<P>
  /** `secret` unless given. */
  readonly access?: Endpoint['access']
}

/** What can be done with it. A route that is left out does not exist. */
type Routes<
  K extends Kind,
  P extends TProperties,
  Row,
  Q extends TProperties,
  C extends TProperties,
  U extends TProperties,
> = {
  readonly list?: Extras & {
    /** Entries per page where the query does not say. */
    readonly limit?: number
    /** Parameters of the query beside those of paging. */
    readonly filters?: Q
    read(context: Context<Static<TObject<P>>, Static<TObject<Q>>>, page: Page): Promise<RowPage<Row>>
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
  /** Behind `list` and `get`: its row is what they read. */
  view(row: Row, caller: Caller): Static<K>
}

type NoFields = Record<never, TSchema>

/** Infers the types of the functions from the schemas beside them, as `endpoint` does. */
export const resource = <
  K extends Kind,
  Row,
  P extends TProperties = NoFields,
  Q extends TProperties = NoFields,
  C extends TProperties = NoFields,
  U extends TProperties = NoFields,
>(
  what: Resource<K, P>,
  routes: Routes<K, P, Row, Q, C, U>,
): readonly Endpoint[] => endpointsOf(what as unknown as AnyResource, routes as unknown as AnyRoutes)

type AnyResource = Resource<Kind, NoFields>
type AnyRoutes = Routes<Kind, NoFields, unknown, NoFields, NoFields, NoFields>
type Route<V extends Verb> = NonNullable<AnyRoutes[V]>

const endpointsOf = (what: AnyResource, { list, get, create, update, delete: remove, view }: AnyRoutes): Endpoint[] => [
  ...(list ? [listRoute(what, list, view)] : []),
  ...(get ? [getRoute(what, get, view)] : []),
  ...(create ? [createRoute(what, create)] : []),
  ...(update ? [updateRoute(what, update)] : []),
  ...(remove ? [deleteRoute(what, remove)] : []),
]

const listRoute = (
  what: AnyResource,
  { limit = DEFAULT_LIMIT, filters = {}, read, ...extras }: Route<'list'>,
  view: AnyRoutes['view'],
): Endpoint => ({
  ...placeOf(what, 'list'),
  summary: `Lists ${what.many ?? `${nounOf(what)}s`}, oldest first.`,
  query: Type.Object({ ...pageQuery(limit), ...filters }),
  returns: listOf(what.kind),
  ...extras,
  handle: async (context) => {
    const page = readPage(context.query as Partial<Page>, limit)
    const { rows, total } = await read(context as Context<object, object>, page)
    const entries = rows.map((row) => view(row, context.caller))
    return pageOf(entries, total, page, context.url)
  },
})

const getRoute = (what: AnyResource, { read, ...extras }: Route<'get'>, view: AnyRoutes['view']): Endpoint => ({
  ...placeOf(what, 'get'),
  summary: `Gives one ${nounOf(what)}.`,
  returns: what.kind,
  ...extras,
  handle: async (context) => {
    const row = await read(context as Context<object>, idOf(what, context))
    if (row === null) throw notFound(nounOf(what))
    return view(row, context.caller)
  },
})

const createRoute = (what: AnyResource, { run, ...extras }: Route<'create'>): Endpoint => ({
  ...placeOf(what, 'create'),
  summary: `Creates ${what.one}.`,
  returns: what.kind,
  ...extras,
  handle: (context) => run(context as Context<object>, context.body as object),
})

const updateRoute = (what: AnyResource, { run, ...extras }: Route<'update'>): Endpoint => ({
  ...placeOf(what, 'update'),
  summary: `Changes the fields of ${what.one} that are sent.`,
  returns: what.kind,
  ...extras,
  handle: (context) => run(context as Context<object>, idOf(what, context), context.body as object),
})

const deleteRoute = (what: AnyResource, { run, ...extras }: Route<'delete'>): Endpoint => ({
  ...placeOf(what, 'delete'),
  summary: `Deletes ${what.one}.`,
  ...extras,
  handle: async (context) => {
    await run(context as Context<object>, idOf(what, context))
    return undefined
  },
})

/** The operation, its address and its form. */
function placeOf({ name, operation, path, one, idPrefix, idName = 'id', parents, access }: AnyResource, verb: Verb) {
  const isOfOne = verb !== 'list' && verb !== 'create'
  const ofAll: Endpoint['path'] = path ?? `/v1/${name}`
  const own = isOfOne ? { [idName]: Type.String({ description: `The id of ${one}: ${idPrefix}_…` }) } : {}
  return {
    operation: operation ? operation(verb) : `${name}.${verb}`,
    ...FORMS[verb],
    path: isOfOne ? (`${ofAll}/:${idName}` as const) : ofAll,
    access: access ?? 'secret',
    ...(isOfOne || parents ? { params: Type.Object({ ...parents?.properties, ...own }) } : {}),
  }
}

const nounOf = ({ one }: AnyResource) => one.replace(/^an? /, '')

const idOf = ({ idName = 'id' }: AnyResource, { params }: Context) =>
  (params as Readonly<Record<string, string>>)[idName] ?? ''
