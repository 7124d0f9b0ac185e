// @unit
// The maker of a resource's five routes: the types of its functions follow from the schemas beside them, and a route that is left out does
// not exist. test/properties proves the routes, and test/http/openapi their addresses, summaries and schemas.

import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { resource } from '../../src/api/resource.ts'
import { kind } from '../../src/http/endpoint/schema.ts'

const Spoon = kind('spoon', { id: Type.String(), size: Type.Integer() })
const CreateSpoon = Type.Object({ size: Type.Integer() })

type SpoonRow = { id: string; millimetres: number }

const SPOONS = { name: 'spoons', kind: Spoon, one: 'a spoon', idPrefix: 'spn' } as const

describe('a resource', () => {
  it('has no route that it does not name', () => {
    const listed = resource({ ...SPOONS, access: 'public' }, { get: { read: async () => null }, view: () => never() })
    expect(listed.map(({ operation, access }) => [operation, access])).toEqual([['spoons.get', 'public']])
  })

  it('is typed by the schemas beside them', () => {
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
