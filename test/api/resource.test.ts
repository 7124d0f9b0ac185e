// The maker of a resource's five routes: what it takes for granted, what a slice may say otherwise, and what its handlers do.

import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { attributes } from '../../src/api/attributes/routes.ts'
import { addressEndpoints } from '../../src/api/customers/address-routes.ts'
import { resource, type Verb } from '../../src/api/resource.ts'
import type { Context, Endpoint } from '../../src/http/endpoint/endpoint.ts'
import { kind } from '../../src/http/endpoint/schema.ts'

const Spoon = kind('spoon', { id: Type.String(), size: Type.Integer() })
const CreateSpoon = Type.Object({ size: Type.Integer() })
const UpdateSpoon = Type.Partial(CreateSpoon)

type SpoonRow = { id: string; millimetres: number }

const asked: unknown[] = []

const SPOONS = { name: 'spoons', kind: Spoon, one: 'a spoon', idPrefix: 'spn' } as const

const spoons = resource(SPOONS, {
  list: {
    filters: { least: Type.Optional(Type.Integer()) },
    read: async ({ query: { least = 0 } }, { limit, offset }) => {
      asked.push({ least, limit, offset })
      const rows: SpoonRow[] = [{ id: 'spn_1', millimetres: least + 10 }]
      return { rows, total: 7 }
    },
  },
  get: { read: async (_, id) => (id === 'spn_1' ? { id, millimetres: 10 } : null) },
  create: { body: CreateSpoon, run: async (_, { size }) => ({ id: 'spn_new', size }) },
  update: { body: UpdateSpoon, limited: true, run: async (_, id, { size = 1 }) => ({ id, size }) },
  delete: {
    summary: 'Melts a spoon.',
    access: 'public',
    run: async (_, id) => {
      asked.push(`delete ${id}`)
    },
  },
  view: ({ id, millimetres }, { currency }) => ({ id, size: currency === 'USD' ? millimetres : 0 }),
})

const route = (verb: Verb, endpoints: readonly Endpoint[] = spoons): Endpoint => {
  const found = endpoints.find(({ operation }) => operation.split(/[._]/).includes(verb))
  if (found === undefined) throw new Error(`There is no ${verb}.`)
  return found
}

const handle = (verb: Verb, context: Record<string, unknown>) =>
  route(verb).handle({ caller: { currency: 'USD' }, url: 'http://shop/v1/spoons', ...context } as unknown as Context)

/** A route without its schemas and its handler. */
const bare = ({ params: _params, query: _query, body: _body, returns: _returns, handle: _handle, ...rest }: Endpoint) =>
  rest

describe('a resource', () => {
  it('has five plain endpoints, with defaults but for what it says itself', () => {
    expect(spoons.map(bare)).toEqual([
      {
        operation: 'spoons.list',
        summary: 'Lists spoons, oldest first.',
        method: 'GET',
        path: '/v1/spoons',
        access: 'secret',
        status: 200,
      },
      {
        operation: 'spoons.get',
        summary: 'Gives one spoon.',
        method: 'GET',
        path: '/v1/spoons/:id',
        access: 'secret',
        status: 200,
      },
      {
        operation: 'spoons.create',
        summary: 'Creates a spoon.',
        method: 'POST',
        path: '/v1/spoons',
        access: 'secret',
        status: 201,
      },
      {
        operation: 'spoons.update',
        summary: 'Changes the fields of a spoon that are sent.',
        method: 'PUT',
        path: '/v1/spoons/:id',
        access: 'secret',
        status: 200,
        limited: true,
      },
      {
        operation: 'spoons.delete',
        summary: 'Melts a spoon.',
        method: 'DELETE',
        path: '/v1/spoons/:id',
        access: 'public',
        status: 204,
      },
    ])
  })

  it('has the schemas of its kind, its bodies, its filters and its id, and nothing else among its fields', () => {
    const schemas = spoons.map(({ params, query, body, returns }) => ({ params, query, body, returns }))
    expect(schemas.map(({ body }) => body)).toEqual([undefined, undefined, CreateSpoon, UpdateSpoon, undefined])
    expect(schemas.map(({ returns }) => returns === Spoon)).toEqual([false, true, true, true, false])
    expect(schemas.map(({ params }) => params?.properties)).toEqual([
      undefined,
      ...[true, false, true, true].map((isOfOne) =>
        isOfOne ? { id: { type: 'string', description: 'The id of a spoon: spn_…' } } : undefined,
      ),
    ])
    expect(Object.keys(schemas[0]?.query?.properties ?? {})).toEqual(['limit', 'page', 'least'])
    expect(route('list').query?.properties.limit).toMatchObject({ default: 15 })
    expect(new Set(spoons.flatMap((endpoint) => Object.keys(endpoint)))).not.toContain('run')
    expect(new Set(spoons.flatMap((endpoint) => Object.keys(endpoint)))).not.toContain('read')
  })

  it('has no route that it does not name', () => {
    const listed = resource({ ...SPOONS, access: 'public' }, { get: { read: async () => null }, view: () => never() })
    expect(listed.map(({ operation, access }) => [operation, access])).toEqual([['spoons.get', 'public']])
  })

  it('may belong to something else, and call its operations and its id by other names', () => {
    expect(addressEndpoints.map(({ operation, path }) => [operation, path])).toEqual([
      ['customers.list_addresses', '/v1/customers/:customer_id/addresses'],
      ['customers.get_address', '/v1/customers/:customer_id/addresses/:address_id'],
      ['customers.create_address', '/v1/customers/:customer_id/addresses'],
      ['customers.update_address', '/v1/customers/:customer_id/addresses/:address_id'],
      ['customers.delete_address', '/v1/customers/:customer_id/addresses/:address_id'],
    ])
    expect(addressEndpoints.map(({ params }) => Object.keys(params?.properties ?? {}))).toEqual([
      ['customer_id'],
      ['customer_id', 'address_id'],
      ['customer_id'],
      ['customer_id', 'address_id'],
      ['customer_id', 'address_id'],
    ])
  })

  it('says "an" where its name begins so', () => {
    expect(attributes.endpoints.map(({ summary }) => summary)).toEqual([
      'Lists attributes, oldest first.',
      'Gives one attribute.',
      'Creates an attribute.',
      'Changes the fields of an attribute that are sent.',
      'Deletes an attribute.',
    ])
  })
})

describe('its handlers', () => {
  it('give a page of what was read, each row as it is shown to the caller', async () => {
    asked.length = 0
    expect(await handle('list', { query: { limit: 2, page: 3, least: 5 } })).toEqual({
      data: [{ id: 'spn_1', size: 15 }],
      meta: {
        pagination: {
          total: 7,
          count: 1,
          per_page: 2,
          current_page: 3,
          total_pages: 4,
          links: { previous: 'http://shop/v1/spoons?page=2', next: 'http://shop/v1/spoons?page=4' },
        },
      },
    })
    expect(asked).toEqual([{ least: 5, limit: 2, offset: 4 }])
  })

  it('show one, and say that there is none', async () => {
    expect(await handle('get', { params: { id: 'spn_1' } })).toEqual({ id: 'spn_1', size: 10 })
    await expect(handle('get', { params: { id: 'spn_2' } })).rejects.toMatchObject({
      status: 404,
      message: 'There is no spoon with that id.',
    })
  })

  it('hand the id and the body to the rules, and answer a deletion with nothing', async () => {
    asked.length = 0
    expect(await handle('create', { body: { size: 3 } })).toEqual({ id: 'spn_new', size: 3 })
    expect(await handle('update', { params: { id: 'spn_1' }, body: { size: 4 } })).toEqual({ id: 'spn_1', size: 4 })
    expect(await handle('delete', { params: { id: 'spn_1' } })).toBeUndefined()
    expect(asked).toEqual(['delete spn_1'])
  })

  it('are typed by the schemas beside them', () => {
    resource(SPOONS, {
      // @ts-expect-error: a size is a number.
      create: { body: CreateSpoon, run: async (_, { size }) => ({ id: size, size }) },
      view: () => never(),
    })
    resource(SPOONS, {
      get: { read: async (): Promise<SpoonRow | null> => null },
      // @ts-expect-error: a row has no inches.
      view: ({ id, inches }) => ({ id, size: inches }),
    })
    resource(SPOONS, {
      // @ts-expect-error: there is no such filter.
      list: { filters: {}, read: async ({ query: { least } }) => ({ rows: [least], total: 0 }) },
      view: () => never(),
    })
  })
})

function never(): never {
  throw new Error('Nothing is to be shown.')
}
