// @unit
// Plans: the steps that a request and its response pass in a version. No step runs if no change applies.

import { describe, expect, it } from 'vitest'
import { NO_BEHAVIOURS } from '../../src/versions/apply.ts'
import { type ApiChange, assignField, isJsonObject, renameField } from '../../src/versions/change.ts'
import { compile, dates, frozen, told } from './support.ts'

const [newest, middle, oldest] = dates
const notFound = frozen({ status: 404, body: { error: { type: 'not_found', message: 'No.' }, status_code: 404 } })

const wrapCart: ApiChange = {
  summary: 'Adding an item answers the bare cart.',
  operations: {
    'carts.addItem': {
      down: (reply, { facts }) => ({
        status: 200,
        body: { success: true, line_item_id: facts.id ?? null, cart: reply.body },
      }),
    },
  },
}
const mark = (name: string): ApiChange => ({
  summary: name,
  operations: {
    'carts.addItem': {
      up: (request) => ({ ...request, query: { seen: `${request.query.seen ?? ''}${name}` } }),
      down: ({ status, body }) => ({ status, body: { [name]: body } }),
    },
  },
})

describe('a plan', () => {
  it('is null at the newest version, whatever the operation', () => {
    const versions = compile([wrapCart])
    expect(versions.planFor(newest, 'carts.addItem')).toBeNull()
    expect(versions.planFor(newest, null)).toBeNull()
  })

  it('has no functions for an operation that nothing changed', () => {
    const versions = compile([wrapCart, { summary: 'Links.', kinds: { asset: renameField('url', 'link') } }])
    const nothing = { behaviours: new Set(), upgrade: null, age: null, ageError: null }
    expect(versions.planFor(middle, 'assets.delete')).toEqual(nothing)
    expect(versions.planFor(middle, null)).toEqual(nothing)
    expect(versions.planFor(middle, 'carts.get')?.age).toBeTypeOf('function')
  })

  it('has no functions for changes that the version knows already', () => {
    const plan = compile([], [wrapCart]).planFor(middle, 'carts.addItem')
    expect(plan).toEqual({ behaviours: new Set(), upgrade: null, age: null, ageError: null })
  })

  it('is made once for each version and operation', () => {
    const versions = compile([wrapCart])
    expect(versions.planFor(middle, 'carts.get')).toBe(versions.planFor(middle, 'carts.get'))
    expect(versions.planFor(middle, 'carts.get')).not.toBe(versions.planFor(oldest, 'carts.get'))
  })

  it('is refused for a version or an operation that does not exist', () => {
    expect(() => compile([]).planFor('2019-01-01', 'carts.get')).toThrow('There is no API version "2019-01-01".')
    expect(() => compile([]).planFor(middle, 'carts.gte')).toThrow('There is no operation "carts.gte".')
  })
})

describe('behaviours', () => {
  it('apply before the version that ended them', () => {
    const versions = compile([{ summary: 'a', behaviours: ['a', 'b'] }], [{ summary: 'c', behaviours: ['c'] }])
    const at = (date: string) => [...(versions.planFor(date, 'carts.get')?.behaviours ?? NO_BEHAVIOURS)]
    expect([at(newest), at(middle), at(oldest)]).toEqual([[], ['a', 'b'], ['a', 'b', 'c']])
    expect(versions.behaviours).toEqual(new Set(['a', 'b', 'c']))
  })
})

describe('a request', () => {
  const request = frozen({ params: { cart_id: 'cart_1' }, query: {}, body: { variant: 'v' } })

  it('is upgraded oldest change first', () => {
    const versions = compile([mark('3'), mark('2')], [mark('1')])
    expect(versions.planFor(oldest, 'carts.addItem')?.upgrade?.(request, told).query).toEqual({ seen: '123' })
    expect(versions.planFor(middle, 'carts.addItem')?.upgrade?.(request, told).query).toEqual({ seen: '23' })
  })
})

describe('a success', () => {
  it('is aged by kinds first and then by the operation, newest change first', () => {
    const links: ApiChange = { summary: 'Links.', kinds: { cart: renameField('id', 'key') } }
    const plan = compile([mark('3'), mark('2')], [mark('1'), links]).planFor(oldest, 'carts.addItem')
    const body = frozen({ id: 'cart_1' })
    const aged = plan?.age?.({ status: 201, body }, told)
    expect(aged).toEqual({ status: 201, body: { '1': { '2': { '3': { key: 'cart_1' } } } } })
  })

  it('that was an error in an older version is not wrapped as a success by the versions before it', () => {
    const refuse: ApiChange = { summary: 'Allowed.', operations: { 'carts.addItem': { down: () => notFound } } }
    const age = compile([refuse], [wrapCart]).planFor(oldest, 'carts.addItem')?.age
    expect(age?.({ status: 200, body: {} }, told)).toBe(notFound)
  })
})

describe('an error', () => {
  const inArray: ApiChange = {
    summary: 'Errors are objects.',
    operations: {
      'carts.get': {
        downError: ({ body }) => ({ status: 422, body: { ...(isJsonObject(body) ? body : {}), old: true } }),
      },
    },
  }
  const wordy: ApiChange = { summary: 'Words.', kinds: { error: renameField('message', 'text') } }

  it('never goes through the changes of successes', () => {
    const versions = compile([wrapCart, { summary: 'All.', kinds: { cart: assignField('success', true) } }])
    const plan = versions.planFor(oldest, 'carts.addItem')
    expect(plan?.ageError).toBeNull()
    expect(plan?.age?.(notFound, told)).toBe(notFound)
  })

  it('is aged as the kind `error`, in every operation and where no route matched', () => {
    const versions = compile([wordy])
    for (const operation of ['carts.get', 'assets.delete', null])
      expect(versions.planFor(oldest, operation)?.ageError?.(notFound, told)).toEqual({
        status: 404,
        body: { error: { type: 'not_found', text: 'No.' }, status_code: 404 },
      })
    expect(versions.planFor(oldest, 'carts.get')?.age).toBeNull()
  })

  it('is aged by the operation after the kind, and its status_code follows its status', () => {
    const plan = compile([inArray], [wordy]).planFor(oldest, 'carts.get')
    expect(plan?.ageError?.(notFound, told)).toEqual({
      status: 422,
      body: { error: { type: 'not_found', text: 'No.' }, status_code: 422, old: true },
    })
    expect(notFound.body.status_code).toBe(404)
  })

  it('gets no status_code where the old body had none', () => {
    const bare: ApiChange = {
      summary: 'Bare.',
      operations: { 'carts.get': { downError: () => ({ status: 400, body: 'no' }) } },
    }
    const aged = compile([bare]).planFor(oldest, 'carts.get')?.ageError?.(notFound, told)
    expect(aged).toEqual({ status: 400, body: 'no' })
  })

  it('that an older version answered as a success is left alone by the versions before it', () => {
    const lenient: ApiChange = {
      summary: 'No.',
      operations: { 'carts.get': { downError: () => ({ status: 200, body: {} }) } },
    }
    const ageError = compile([lenient], [inArray]).planFor(oldest, 'carts.get')?.ageError
    expect(ageError?.(notFound, told)).toEqual({ status: 200, body: {} })
  })

  it('is the only thing that errors are aged with: a success passes', () => {
    const success = { status: 200, body: { error: { message: 'a field of that name' } } }
    expect(compile([wordy]).planFor(oldest, 'carts.get')?.ageError?.(success, told)).toBe(success)
  })

  it('may be described by a schema of its own', () => {
    const kinds = { error: { properties: { param: { $ref: 'field' } } }, field: {} }
    const change: ApiChange = { summary: 'Names.', kinds: { field: renameField('name', 'key') } }
    const plan = compile([change], [], { kinds, operations: [] }).planFor(oldest, null)
    const reply = { status: 422, body: { error: { param: { name: 'x' } }, status_code: 422 } }
    expect(plan?.ageError?.(reply, told).body).toEqual({ error: { param: { key: 'x' } }, status_code: 422 })
  })
})
