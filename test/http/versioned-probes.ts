// A made-up API with a history, for the tests of versions over HTTP: things that hold parts, and changes of every form.

import { Type } from 'typebox'
import { kind, listOf, nested } from '../../src/http/endpoint/schema.ts'
import { notFound, notValid } from '../../src/lib/errors.ts'
import {
  assignField,
  chainEdits,
  dropFields,
  isJsonObject,
  type JsonObject,
  renameField,
  renameRequestField,
  type Version,
} from '../../src/versions/change.ts'
import { probe, slice } from './harness.ts'

export const [HEAD, MIDDLE, QUIET, OLD] = ['2022-07-21', '2021-10-06', '2021-09-29', '2020-02-01'] as const
export const DATES = [HEAD, MIDDLE, QUIET, OLD]

const Part = kind('part', { id: Type.String(), size: Type.Integer() })
const Thing = kind('thing', { id: Type.String(), updated: Type.Integer(), parts: Type.Array(nested(Part)) })
const Plain = kind('plain', { id: Type.String() })

const thing = (id: string) => ({ id, updated: 5, parts: [{ id: `${id}.1`, size: 3, internal: 'x' }], internal: 'x' })
/** The thing as the newest version shows it, and as the oldest did. */
export const fresh = (id: string) => ({ id, updated: 5, parts: [{ id: `${id}.1`, size: 3 }] })
export const aged = (id: string) => ({
  id,
  last_updated: 5,
  parts: [{ id: `${id}.1`, size: 'large' }],
  object: 'thing',
})

const Id = Type.Object({ id: Type.String() })
export const pagination = { total: 2, count: 2, per_page: 15, current_page: 1, total_pages: 1, links: {} }
/** What each call of a handler was given. */
export const given: Record<string, unknown>[] = []
/** How often any function of any change ran. */
export const ran = { times: 0 }
const counted = <F extends (...args: never[]) => unknown>(run: F): F =>
  ((...args: Parameters<F>) => {
    ran.times++
    return run(...args)
  }) as F

const endpoints = [
  probe({
    operation: 'things.get',
    path: '/v1/things/:id',
    params: Id,
    returns: Thing,
    handle: async ({ params }) => {
      const { id } = params as { id: string }
      if (id === 'none') throw notFound('thing')
      return thing(id)
    },
  }),
  probe({
    operation: 'things.list',
    path: '/v1/things',
    query: Type.Object({ sort: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer()) }),
    returns: listOf(Thing),
    handle: async ({ query }) => {
      given.push({ query })
      return { data: [thing('a'), thing('b')], meta: { pagination } }
    },
  }),
  probe({
    operation: 'things.create',
    method: 'POST',
    path: '/v1/things',
    status: 201,
    body: Type.Object({ name: Type.String(), count: Type.Optional(Type.Integer()) }),
    returns: Thing,
    handle: async ({ body }) => {
      given.push({ body })
      if ((body as { name: string }).name === 'taken') throw notValid({ name: ['name is taken.'] })
      return thing('new')
    },
  }),
  probe({ operation: 'things.delete', method: 'DELETE', path: '/v1/things/:id', status: 204 }),
  probe({
    operation: 'plains.get',
    path: '/v1/plains/:id',
    params: Id,
    returns: Plain,
    handle: async () => ({ id: 'p', internal: 'x' }),
  }),
  probe({ operation: 'plains.gone', method: 'DELETE', path: '/v1/plains/:id', status: 204 }),
  probe({ operation: 'broken.up', path: '/v1/broken/up' }),
  probe({ operation: 'broken.down', path: '/v1/broken/down' }),
  probe({
    operation: 'broken.error',
    path: '/v1/broken/error',
    handle: async () => {
      throw notFound('thing')
    },
  }),
]

const isObject = (value: unknown) => (isJsonObject(value) ? value : {})
const fail = (): never => {
  throw new Error('a mistake in a change')
}

const versions: Version[] = [
  {
    date: HEAD,
    changes: [
      {
        summary: 'Deletes answer 204, creations answer the bare thing.',
        operations: {
          'things.delete': {
            down: counted(({ body }, { params }) => ({
              status: 200,
              body: { ...isObject(body), deleted: true, id: params.id ?? '' },
            })),
          },
          'things.create': {
            up: counted(renameRequestField('title', 'name')),
            down: counted(({ body }) => ({ status: 200, body: { success: true, thing: body } })),
          },
          'things.list': { up: counted(renameRequestField('order_by', 'sort', 'query')) },
          'broken.up': { up: counted(fail) },
          'broken.down': { down: counted(fail) },
          'broken.error': { downError: counted(fail) },
        },
      },
    ],
  },
  {
    date: MIDDLE,
    changes: [
      {
        summary: 'Things are updated, parts have a size in numbers, errors have no code.',
        kinds: {
          thing: counted(chainEdits(renameField('updated', 'last_updated'), assignField('object', 'thing'))),
          part: counted(assignField('size', 'large')),
          error: counted(assignField('code', ({ type }: JsonObject) => `E_${type}`)),
        },
      },
    ],
  },
  {
    date: QUIET,
    changes: [{ summary: 'Nothing that is asked for here.', kinds: { error: counted(dropFields('nothing')) } }],
  },
  { date: OLD, changes: [] },
]

export const versioned = { slices: [slice(endpoints, [Part, Thing, Plain])], versions }
