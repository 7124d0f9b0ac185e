// @unit
// A change of a kind reaches every occurrence of the kind, found through the schemas, and nothing else.

import { describe, expect, it } from 'vitest'
import { type ApiChange, assignField, type JsonData, type JsonObject, renameField } from '../../src/versions/change.ts'
import { ageBody, compile, dates, frozen, kinds, text, told } from './support.ts'

const link = { asset: renameField('url', 'link') }
const asset = { $ref: 'asset#' }
const head = frozen({ id: 'ast_1', url: '/a' })
const old = { id: 'ast_1', link: '/a' }

describe('a changed kind is aged', () => {
  it.each([
    ['in a kind that holds it', { $ref: 'line' }, { id: 'l', image: head }, { id: 'l', image: old }],
    ['in a oneOf', { oneOf: [{ type: 'null' }, asset] }, head, old],
    ['in a union with an empty list', { anyOf: [asset, { type: 'array', maxItems: 0 }] }, head, old],
    ['in a union of one and many', { anyOf: [asset, { type: 'array', items: asset }] }, [head], [old]],
    ['in a record by pattern', { patternProperties: { '^a': asset } }, { a: head, b: head }, { a: old, b: head }],
    [
      'among the other fields of an object, but not in the declared ones',
      { properties: { own: {} }, patternProperties: { '^x': {} }, additionalProperties: asset },
      { own: head, x1: head, more: head },
      { own: head, x1: head, more: old },
    ],
    ['in a tuple with more', { prefixItems: [{}, text], items: asset }, [head, 'b', head], [head, 'b', old]],
    ['once where two parts name it', { allOf: [asset, asset] }, head, old],
    [
      'once where two parts describe the same field',
      { allOf: [{ properties: { one: asset } }, { properties: { one: asset } }] },
      { one: head },
      { one: old },
    ],
    ['behind a local definition', { $defs: { wrapped: asset }, $ref: '#/$defs/wrapped' }, head, old],
    [
      'in a schema that refers to itself',
      { properties: { image: asset, next: { $ref: '#' } } },
      { image: head, next: { image: head, next: { image: head } } },
      { image: old, next: { image: old, next: { image: old } } },
    ],
  ])('%s', (_, returns, body, expected) => {
    const before = JSON.stringify(body)
    expect(ageBody(link, returns, frozen(body))).toEqual(expected)
    expect(JSON.stringify(body)).toBe(before)
  })

  it('at every depth of a recursive kind, with the kinds inside it', () => {
    const body = { id: 'a', assets: [head], children: [{ id: 'b', children: [{ id: 'c', assets: [head] }] }] }
    const changes = { ...link, category: renameField('id', 'key') }
    expect(ageBody(changes, { $ref: 'category' }, frozen(body))).toEqual({
      key: 'a',
      assets: [old],
      children: [{ key: 'b', children: [{ key: 'c', assets: [old] }] }],
    })
  })

  it('at every depth of a kind that refers to itself as `#`', () => {
    const api = { kinds: { node: { type: 'object', properties: { next: { $ref: '#' } } } } }
    const body = { id: 1, next: { id: 2, next: { id: 3 } } }
    const aged = ageBody({ node: renameField('id', 'key') }, { $ref: 'node' }, frozen(body), api)
    expect(aged).toEqual({ key: 1, next: { key: 2, next: { key: 3 } } })
  })

  it('after what is inside it, also when its own schema is a union', () => {
    const api = { kinds: { ...kinds, either: { anyOf: [{ properties: { image: asset } }, { type: 'null' }] } } }
    const changes = { ...link, either: renameField('image', 'picture') }
    expect(ageBody(changes, { $ref: 'either' }, frozen({ image: head }), api)).toEqual({ picture: old })
  })

  it('each time it stands in the body, also when the view used one object twice', () => {
    const wrap = { asset: (value: JsonObject) => ({ data: value }) }
    expect(ageBody(wrap, { type: 'array', items: asset }, [head, head])).toEqual([{ data: head }, { data: head }])
  })
})

describe('a union of several objects', () => {
  const api = {
    kinds: {
      card: { type: 'object', required: ['kind', 'id'], properties: { kind: { const: 'card' }, id: text } },
      cash: { type: 'object', required: ['kind', 'id'], properties: { kind: { enum: ['cash', 'coin'] }, id: text } },
      note: { type: 'object', required: ['text'], properties: { text } },
      sheet: { type: 'object', required: ['text'], properties: { text: { type: 'array' } } },
    },
  }
  const returns = { type: 'array', items: { anyOf: Object.keys(api.kinds).map((kind) => ({ $ref: kind })) } }

  it('is told apart by constants, required fields and the types of fields', () => {
    const mark = Object.fromEntries(Object.keys(api.kinds).map((kind) => [kind, assignField('was', kind)]))
    const body: JsonData = [
      { kind: 'card', id: 'a' },
      { kind: 'coin', id: 'b' },
      { text: 'c' },
      { text: [] },
      { text: 4 },
    ]
    expect(ageBody(mark, returns, frozen(body), api)).toEqual([
      { kind: 'card', id: 'a', was: 'card' },
      { kind: 'coin', id: 'b', was: 'cash' },
      { text: 'c', was: 'note' },
      { text: [], was: 'sheet' },
      { text: 4 },
    ])
  })

  it('needs no look at the value where only one alternative can be an object: a body that strays is aged', () => {
    const others = [
      { const: 'none' },
      { allOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'null' }, { type: 'number' }] },
    ]
    const straying = { words: 'the required field is missing' }
    const aged = ageBody({ note: assignField('was', 'note') }, { anyOf: [...others, { $ref: 'note' }] }, straying, api)
    expect(aged).toEqual({ ...straying, was: 'note' })
  })

  it('leaves the unchanged ones alone', () => {
    const body: JsonData = [{ kind: 'card', id: 'a' }, { text: 'c' }]
    const aged = ageBody({ note: renameField('text', 'words') }, returns, frozen(body), api)
    expect(aged).toEqual([{ kind: 'card', id: 'a' }, { words: 'c' }])
  })
})

describe('ageing a kind', () => {
  it('ages children before parents', () => {
    const changes: ApiChange['kinds'] = { ...link, line: (line) => ({ saw: line.image ?? null }) }
    expect(ageBody(changes, { $ref: 'line' }, { id: 'l', image: head })).toEqual({ saw: old })
  })

  it('runs the newest change first', () => {
    const versions = compile(
      [{ summary: 'b → c', kinds: { asset: renameField('c', 'b') } }],
      [{ summary: 'a → b', kinds: { asset: renameField('b', 'a') } }],
    )
    const aged = (date: string) => versions.ageKind(date, 'asset', { c: 1 }, told)
    expect(dates.map(aged)).toEqual([{ c: 1 }, { b: 1 }, { a: 1 }])
  })

  it('passes on what is no object', () => {
    const line = { id: 'l', image: null }
    expect(ageBody(link, { $ref: 'line' }, line)).toEqual(line)
    expect(ageBody(link, asset, 'text')).toBe('text')
    expect(ageBody(link, { additionalProperties: asset }, { a: null, b: [1] })).toEqual({ a: null, b: [1] })
  })

  it('may make something else of an object, and older changes then leave it alone', () => {
    const versions = compile(
      [{ summary: 'It was null or a string.', kinds: { asset: ({ url = null }) => url } }],
      [{ summary: 'Older.', kinds: { asset: renameField('url', 'link') } }],
    )
    expect(versions.ageKind(dates[2], 'line', { image: { url: null } }, told)).toEqual({ image: null })
    expect(versions.ageKind(dates[2], 'line', { image: { url: '/a' } }, told)).toEqual({ image: '/a' })
    const age = { asset: () => null }
    expect(ageBody(age, { additionalProperties: asset }, { a: head })).toEqual({ a: null })
  })

  it('does not enter what holds no changed kind', () => {
    const untouchable = new Proxy({}, { get: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse, has: refuse })
    const body = { id: 'cart_1', line_items: [{ id: 'l', image: head }], meta: untouchable }
    const aged = compile([{ summary: 'A change.', kinds: link }]).ageKind(dates[1], 'cart', body, told)
    expect((aged as typeof body).meta).toBe(untouchable)
    expect((aged as typeof body).line_items).toEqual([{ id: 'l', image: old }])
  })

  it('lets a change that throws throw', () => {
    const fail = () => {
      throw new Error('a bug')
    }
    expect(() => ageBody({ asset: fail }, asset, head)).toThrow('a bug')
  })
})

function refuse(): never {
  throw new Error('a subtree without a changed kind was entered')
}
