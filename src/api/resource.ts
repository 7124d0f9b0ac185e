// Builds the five routes of a resource (list, get, create, update, delete) with common defaults. The result is plain endpoints. A slice may
// omit routes, add others, or override parts of one, such as its summary or its access.

import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { RowPage } from '../db/records.ts'
import type { Caller, Context, Endpoint, Permission } from '../http/endpoint/endpoint.ts'
import { type Kind, listOf, pageQuery } from '../http/endpoint/schema.ts'
import { notFound } from '../lib/errors.ts'
import { type PageQuery, paginate, parsePageQuery } from '../lib/page.ts'

const DEFAULT_LIMIT = 15

/** Method and status of each route. */
const FORMS = {
  list: { method: 'GET', status: 200 },
  get: { method: 'GET', status: 200 },
  create: { method: 'POST', status: 201 },
  update: { method: 'PUT', status: 200 },
  delete: { method: 'DELETE', status: 204 },
} as const satisfies Readonly<Record<string, Pick<Endpoint, 'method' | 'status'>>>

export type Verb = keyof typeof FORMS

/** Fields that are derived from the definition and cannot be overridden. */
type DerivedField = 'operation' | 'permission' | 'method' | 'path' | 'params' | 'query' | 'body' | 'returns' | 'handle'

/** Fields of an endpoint that a route may add or override. */
type Extras = Partial<Omit<Endpoint, DerivedField>>

/** The resource's names, kind and ids. */
type Resource<K extends Kind, P extends TProperties> = {
  /** Start of operations and paths: `tax_zones` gives `tax_zones.list` and `/v1/tax_zones`. */
  readonly name: string
  /** Overrides for other operations or another path. `path` is that of the list; a single item's path appends its id. */
  readonly operation?: (verb: Verb) => string
  readonly path?: Endpoint['path']
  readonly kind: K
  /** Names in sentences: `a tax zone`, and the plural `tax zones`, if an appended s is wrong. */
  readonly one: `${'a' | 'an'} ${string}`
  readonly many?: string
  /** Prefix of ids, such as `taxz`, and the path parameter's name, if it is not `id`. */
  readonly idPrefix: string
  readonly idName?: string
  /** Further path parameters: the owner of the items. */
  readonly parents?: TObject<P>
  /** Defaults to `secret`. */
  readonly access?: Endpoint['access']
  readonly permissions: { readonly read: Permission; readonly write: Permission }
}

/** The operations of the resource. An omitted route does not exist. */
type Routes<
  K extends Kind,
  P extends TProperties,
  Row,
  Q extends TProperties,
  C extends TProperties,
  U extends TProperties,
> = {
  readonly list?: Extras & {
    /** Default number of entries per page. */
    readonly limit?: number
    /** Query parameters in addition to those for paging. */
    readonly filters?: Q
    read(context: Context<Static<TObject<P>>, Static<TObject<Q>>>, page: PageQuery): Promise<RowPage<Row>>
  }
  /** Null gives a 404. */
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
  /** Converts the rows of `list` and `get` for the reply. */
  view(row: Row, caller: Caller): Static<K>
}

type NoFields = Record<never, TSchema>

/** Infers the types of the functions from their schemas, as `endpoint` does. */
export const resourceEndpoints = <
  K extends Kind,
  Row,
  P extends TProperties = NoFields,
  Q extends TProperties = NoFields,
  C extends TProperties = NoFields,
  U extends TProperties = NoFields,
>(
  definition: Resource<K, P>,
  routes: Routes<K, P, Row, Q, C, U>,
): readonly Endpoint[] => endpointsOf(definition as unknown as AnyResource, routes as unknown as AnyRoutes)

type AnyResource = Resource<Kind, NoFields>
type AnyRoutes = Routes<Kind, NoFields, unknown, NoFields, NoFields, NoFields>
type Route<V extends Verb> = NonNullable<AnyRoutes[V]>

const endpointsOf = (
  definition: AnyResource,
  { list, get, create, update, delete: remove, view }: AnyRoutes,
): Endpoint[] => [
  ...(list ? [listRoute(definition, list, view)] : []),
  ...(get ? [getRoute(definition, get, view)] : []),
  ...(create ? [createRoute(definition, create)] : []),
  ...(update ? [updateRoute(definition, update)] : []),
  ...(remove ? [deleteRoute(definition, remove)] : []),
]

const listRoute = (
  definition: AnyResource,
  { limit = DEFAULT_LIMIT, filters = {}, read, ...extras }: Route<'list'>,
  view: AnyRoutes['view'],
): Endpoint => ({
  ...routeBase(definition, 'list'),
  summary: `Lists ${definition.many ?? `${nounOf(definition)}s`}, oldest first.`,
  query: Type.Object({ ...pageQuery(limit), ...filters }),
  returns: listOf(definition.kind),
  ...extras,
  handle: async (context) => {
    const page = parsePageQuery(context.query as Partial<PageQuery>, limit)
    const { rows, total } = await read(context as Context<object, object>, page)
    const entries = rows.map((row) => view(row, context.caller))
    return paginate(entries, total, page, context.url)
  },
})

const getRoute = (definition: AnyResource, { read, ...extras }: Route<'get'>, view: AnyRoutes['view']): Endpoint => ({
  ...routeBase(definition, 'get'),
  summary: `Gives one ${nounOf(definition)}.`,
  returns: definition.kind,
  ...extras,
  handle: async (context) => {
    const row = await read(context as Context<object>, idOf(definition, context))
    if (row === null) throw notFound(nounOf(definition))
    return view(row, context.caller)
  },
})

const createRoute = (definition: AnyResource, { run, ...extras }: Route<'create'>): Endpoint => ({
  ...routeBase(definition, 'create'),
  summary: `Creates ${definition.one}.`,
  returns: definition.kind,
  ...extras,
  handle: (context) => run(context as Context<object>, context.body as object),
})

const updateRoute = (definition: AnyResource, { run, ...extras }: Route<'update'>): Endpoint => ({
  ...routeBase(definition, 'update'),
  summary: `Changes the fields of ${definition.one} that are sent.`,
  returns: definition.kind,
  ...extras,
  handle: (context) => run(context as Context<object>, idOf(definition, context), context.body as object),
})

const deleteRoute = (definition: AnyResource, { run, ...extras }: Route<'delete'>): Endpoint => ({
  ...routeBase(definition, 'delete'),
  summary: `Deletes ${definition.one}.`,
  ...extras,
  handle: async (context) => {
    await run(context as Context<object>, idOf(definition, context))
    return undefined
  },
})

/** Operation, path, method, status and permission of a route. */
function routeBase(
  { name, operation, path, one, idPrefix, idName = 'id', parents, access, permissions }: AnyResource,
  verb: Verb,
) {
  const isOfOne = verb !== 'list' && verb !== 'create'
  const listPath: Endpoint['path'] = path ?? `/v1/${name}`
  const idParam = isOfOne ? { [idName]: Type.String({ description: `The id of ${one}: ${idPrefix}_…` }) } : {}
  return {
    operation: operation ? operation(verb) : `${name}.${verb}`,
    ...FORMS[verb],
    path: isOfOne ? (`${listPath}/:${idName}` as const) : listPath,
    access: access ?? 'secret',
    permission: verb === 'list' || verb === 'get' ? permissions.read : permissions.write,
    ...(isOfOne || parents ? { params: Type.Object({ ...parents?.properties, ...idParam }) } : {}),
  }
}

const nounOf = ({ one }: AnyResource) => one.replace(/^an? /, '')

const idOf = ({ idName = 'id' }: AnyResource, { params }: Context) =>
  (params as Readonly<Record<string, string>>)[idName] ?? ''
