// @unit
// How replies are written: as the compiler of schemas alone would write them, byte for byte, but with what is shared written once.

import { build, type Schema } from 'fast-json-stringify'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { slices } from '../../src/app.ts'
import { type Kind, kind, nested, nestedOrNull, nullable, sharedPart } from '../../src/http/endpoint/schema.ts'
import { findKinds, replySerializer } from '../../src/http/serialization.ts'
import { rewriteUnions } from '../../src/http/unions.ts'

const Choice = kind('choice', { id: Type.String(), price: Type.Number() })
const Line = kind('line', {
  id: Type.String(),
  note: Type.Optional(Type.String()),
  text: sharedPart(Type.String()),
  choices: sharedPart(Type.Array(nested(Choice))),
  picture: sharedPart(nestedOrNull(Choice)),
  after: nullable(Type.Integer()),
})
const lines = sharedPart(Type.Array(nested(Line)))
const Basket = kind('basket', {
  hint: Type.Optional(sharedPart(Type.String())),
  id: Type.String(),
  products: lines,
  line_items: { ...lines, description: 'The same.' },
  live: Type.Object({ first: nested(Line), sum: Type.Number() }),
})
const kinds = new Map([Choice, Line, Basket].map((each) => [each.$id, each] as const))
const ours = replySerializer(Basket, kinds)
const compiled = build(Basket as unknown as Schema, {
  schema: findKinds(Basket, kinds) as unknown as Record<string, Schema>,
})

/** Counts how often its fields are read by who writes it. */
function choice(id: string, reads: { count: number } = { count: 0 }) {
  return {
    get id() {
      reads.count++
      return id
    },
    price: 1.5,
    secret: 'is not in the schema',
  }
}

function basket(reads?: { count: number }) {
  const choices = [choice('a', reads), choice('b')]
  const line = (id: string, more: object = {}) => ({
    id,
    text: 'Wörds with "quotes"\n and \\ and \u2028',
    choices,
    picture: null,
    after: null,
    hidden: true,
    ...more,
  })
  const all = [line('1'), line('2', { note: 'n', after: 3 }), line('3', { picture: choices[1], choices: [] })]
  return { id: 'bskt', products: all, line_items: all, live: { first: line('4'), sum: 0.1 }, unknown: 1 }
}

describe('a reply with parts that are shared', () => {
  test.each([
    ['as it comes', basket()],
    ['with an optional field', { ...basket(), hint: 'h' }],
    ['without lines', { ...basket(), products: [], line_items: [] }],
    ['with different lists', { ...basket(), line_items: basket().products.slice(1) }],
  ])('is written as the compiler alone writes it: %s', (_, value) => {
    expect(ours(value)).toBe(compiled(value))
    expect(JSON.stringify(ours.plain(value))).toBe(compiled(value))
  })

  test('is written with each shared value once, and the next reply anew', () => {
    const reads = { count: 0 }
    const value = basket(reads)
    compiled(value)
    expect(reads.count).toBe(5)
    reads.count = 0
    ours(value)
    expect(reads.count).toBe(1)
    ours(value)
    expect(reads.count).toBe(2)
  })

  test('is plain data in which what was shared is one object still', () => {
    const { products, line_items, live } = ours.plain(basket()) as Record<string, never> & {
      products: { choices: unknown }[]
      live: { first: { choices: unknown } }
    }
    expect(products).toBe(line_items)
    expect(products[1]?.choices).toBe(products[0]?.choices)
    expect(live.first.choices).toBe(products[0]?.choices)
  })
})

describe('what may be one of several', () => {
  const Redirect = kind('redirect', { address: Type.String() })
  const Owner = kind('owner', {
    first: nestedOrNull(Choice),
    second: { ...nestedOrNull(Choice), description: 'Another.' },
    list: Type.Unsafe<unknown>({ anyOf: [nested(Choice), { type: 'array', maxItems: 0, items: {} }] }),
    owner: Type.Optional(Type.Unsafe<unknown>({ anyOf: [{ $ref: 'owner#' }, { type: 'null' }] })),
  })
  const all = new Map<string, Kind>([Choice, Line, Redirect, Owner].map((each) => [each.$id, each]))

  test('a kind, null or a list, is written as the compiler writes it, which tries one after the other', () => {
    const known = build(Owner as unknown as Schema, {
      schema: findKinds(Owner, all) as unknown as Record<string, Schema>,
    })
    const write = replySerializer(Owner, all)
    const none = { first: null, second: null, list: [] }
    const some = { first: choice('a'), second: choice('b'), list: choice('c') }
    for (const value of [none, some, { ...some, owner: { ...none, owner: null } }, { ...none, owner: some }]) {
      expect(write(value)).toBe(known(value))
      expect(JSON.stringify(write.plain(value))).toBe(known(value))
    }
    for (const wrong of [{ first: 'text' }, { list: 'text' }, { first: { price: 1 } }])
      expect(() => write({ ...none, ...wrong })).toThrow(/required|does not match/)
  })

  test('is told by its type, or cannot be written', () => {
    const union = { type: 'object', properties: { either: { anyOf: [nested(Redirect), nested(Choice)] } } }
    expect(() => rewriteUnions(union, all)).toThrow('do not tell which of')
    expect(() => rewriteUnions({ anyOf: [nested(Choice), { type: 'string' }] }, all)).toThrow('do not tell which')
    expect(() => rewriteUnions({ oneOf: [nested(Choice)] }, all)).toThrow('cannot use oneOf')
  })

  test('is so told in every reply of the service: nothing is validated while it is written', () => {
    const served = new Map(slices.flatMap((slice) => slice.kinds ?? []).map((each) => [each.$id, each]))
    const replies = slices.flatMap(({ endpoints = [] }) => endpoints.map(({ returns }) => returns)).filter(Boolean)
    expect(replies.length).toBeGreaterThan(100)
    for (const reply of replies as (object & { anyOf?: { $ref?: string }[] })[]) {
      const parts = reply.anyOf?.every(({ $ref }) => $ref !== undefined) ? reply.anyOf : [reply]
      for (const part of parts) {
        const { schema, kinds } = rewriteUnions(part, served)
        expect(JSON.stringify([schema, kinds])).not.toContain('"anyOf":')
        expect(build(schema as Schema, { schema: kinds as Record<string, Schema> })).toBeTypeOf('function')
      }
    }
  })
})
