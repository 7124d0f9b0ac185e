// @unit
// The data of a reply, copied by its schema: always what its JSON would say, and for the largest replies without writing it.

import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { slices } from '../../src/app.ts'
import { type Kind, kind, nested, nestedOrNull } from '../../src/http/endpoint/schema.ts'
import { compileCopier, NOT_PLAIN } from '../../src/http/plain-data.ts'
import { replySerializer } from '../../src/http/serialization.ts'

const Part = kind('part', { id: Type.String(), size: Type.Optional(Type.Integer()) })
const Whole = kind('whole', {
  id: Type.String(),
  count: Type.Integer(),
  price: Type.Number(),
  is_new: Type.Boolean(),
  part: nestedOrNull(Part),
  parts: Type.Array(nested(Part)),
  prices: Type.Unsafe<unknown>({ type: 'object', additionalProperties: { type: 'number' } }),
  meta: Type.Unsafe<unknown>({ type: ['object', 'array', 'null'], additionalProperties: true, items: {} }),
  reason: Type.Unsafe<unknown>({ enum: ['gone', null] }),
  note: Type.Optional(Type.String()),
})
const byId = new Map<string, Kind>([Part, Whole].map((each) => [each.$id, each]))
const serializer = replySerializer(Whole, byId)
const copy = compileCopier(Whole, byId)
if (copy === null) throw new Error('The schema is plain.')

const plain = {
  note: 'n',
  id: 'a',
  count: 2,
  price: 1.5,
  is_new: true,
  part: { id: 'p', size: 3, secret: 'not shown' },
  parts: [{ id: 'q' }, { id: 'r', size: undefined }],
  prices: { b: 1, a: 2 },
  meta: { deep: [{ x: null }] },
  reason: null,
  secret: 'not shown',
}

describe('the data of a reply', () => {
  it('is what its JSON says, without what the schema does not list, and in the same order', () => {
    expect(copy(plain)).not.toBe(NOT_PLAIN)
    expect(JSON.stringify(serializer.plain(plain))).toBe(serializer(plain))
    for (const other of [{ part: null }, { meta: [] }, { meta: null }, { parts: [] }, { note: undefined }])
      expect(JSON.stringify(serializer.plain({ ...plain, ...other }))).toBe(serializer({ ...plain, ...other }))
  })

  it.each([
    ['text for a number', { count: '2' }],
    ['a number for text', { id: 7 }],
    ['a fraction for an integer', { count: 2.5 }],
    ['a date', { id: new Date(0) }],
    ['what is no boolean', { is_new: 1 }],
    ['a name that objects have', { prices: JSON.parse('{"__proto__": 1, "a": 2}') }],
  ])('is what its JSON says also of %s, by writing it', (_, other) => {
    const value = { ...plain, ...other }
    expect(copy(value)).toBe(NOT_PLAIN)
    expect(serializer.plain(value)).toEqual(JSON.parse(serializer(value)))
  })

  it('of carts, live totals and orders is copied', () => {
    const kinds = new Map(slices.flatMap((slice) => slice.kinds ?? []).map((each) => [each.$id, each]))
    for (const id of ['cart', 'line_item', 'live', 'order', 'asset', 'variant'])
      expect([id, compileCopier(kinds.get(id) as Kind, kinds)]).toEqual([id, expect.any(Function)])
  })
})
