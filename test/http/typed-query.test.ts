// @unit
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { parseQuery, typedQuery } from '../../src/http/endpoint/query.ts'
import { nullable } from '../../src/http/endpoint/schema.ts'
import { ApiError } from '../../src/lib/errors.ts'

const Deep = Type.Array(Type.Array(Type.Array(Type.Array(Type.Array(Type.Array(Type.String()))))))
const Schema = Type.Object({
  text: Type.String(),
  count: Type.Integer(),
  ratio: Type.Number(),
  active: Type.Boolean(),
  list: Type.Array(Type.String()),
  counts: Type.Array(Type.Integer()),
  maybe: nullable(Type.Integer()),
  maybeText: nullable(Type.String()),
  maybeList: nullable(Type.Array(Type.Boolean())),
  object: Type.Object({ a: Type.String(), n: Type.Integer(), list: Type.Array(Type.Number()), inner: Type.Object({}) }),
  objects: Type.Array(Type.Object({ n: Type.Integer() })),
  variants: Type.Record(Type.String(), Type.String()),
  amounts: Type.Object({}, { additionalProperties: Type.Integer() }),
  free: Type.Object({}),
  deep: Deep,
  holder: Type.Object({ deep: Type.Object({ deep: Deep }) }),
  anything: Type.Unknown(),
  either: Type.Unsafe<string | string[]>({ type: ['string', 'array'], items: { type: 'string' } }),
})

const read = (raw: string) => typedQuery(Schema, parseQuery(raw))
/** Objects without a prototype compare unequal to plain ones; JSON shows both alike. */
const plain = (raw: string): unknown => JSON.parse(JSON.stringify(read(raw)))

function refusal(raw: string) {
  try {
    read(raw)
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, message: error.message, errors: error.errors }
    throw error
  }
  return null
}

describe('leaves', () => {
  test.each([
    ['count=3&ratio=1.5&active=true', { count: 3, ratio: 1.5, active: true }],
    ['ratio=-2&count=-2', { ratio: -2, count: -2 }],
    ['ratio=1e3&count=1e3', { ratio: 1000, count: '1e3' }],
    ['ratio=1e400&count=1.5', { ratio: '1e400', count: '1.5' }],
    ['ratio=&count=&active=', { ratio: '', count: '', active: '' }],
    [`count=${'9'.repeat(400)}`, { count: '9'.repeat(400) }],
    ['maybe=7&maybeText=7', { maybe: 7, maybeText: '7' }],
    ['anything=7', { anything: '7' }],
    ['unknown=7', {}],
  ])('a value gets the type of its schema: %s', (raw, value) => {
    expect(plain(raw)).toEqual(value)
  })
})

describe('lists and objects', () => {
  test.each([
    ['list=a', { list: ['a'] }],
    ['list=["x","y"]', { list: ['x', 'y'] }],
    ['list=[]', { list: [] }],
    ['list=', { list: [''] }],
    ['counts=3', { counts: [3] }],
    ['counts=[1,2]', { counts: [1, 2] }],
    ['counts[]=1&counts[]=x', { counts: [1, 'x'] }],
    ['maybeList=true', { maybeList: [true] }],
    ['maybeList=[0,1]', { maybeList: [false, true] }],
    ['either=a', { either: 'a' }],
    ['either=["a"]', { either: ['a'] }],
    ['object[n]=3&object[list][]=1.5&object[b]=4', { object: { n: 3, list: [1.5], b: '4' } }],
    ['object={"a":"x","n":3,"list":["2"]}', { object: { a: 'x', n: 3, list: [2] } }],
    ['object[inner]={"b":"c"}', { object: { inner: { b: 'c' } } }],
    ['objects={"n":1}', { objects: [{ n: 1 }] }],
    ['objects=[{"n":1},{"n":"2"}]', { objects: [{ n: 1 }, { n: 2 }] }],
    ['objects[0][n]=1&objects[1][n]=2', { objects: [{ n: 1 }, { n: 2 }] }],
    ['variants=%7B%22vgrp_1%22:%22optn_1%22%7D', { variants: { vgrp_1: 'optn_1' } }],
    ['amounts[a]=1&amounts[b]=x', { amounts: { a: 1, b: 'x' } }],
    ['free={"a":{"b":["c"]}}', { free: { a: { b: ['c'] } } }],
    ['free=+%7B%22a%22:%22+b+%22%7D+', { free: { a: 'b' } }],
    ['free[a]={"b":"c"}', { free: { a: '{"b":"c"}' } }],
  ])('a list or an object is read in every form: %s', (raw, value) => {
    expect(plain(raw)).toEqual(value)
  })

  test('inside JSON text, leaves are read as in brackets and nulls are left out', () => {
    expect(plain('free={"a":1,"b":true,"c":null,"d":[1.5,null,false]}')).toEqual({
      free: { a: '1', b: 'true', d: ['1.5', 'false'] },
    })
  })

  test('JSON text is read only where a list or an object is wanted', () => {
    for (const text of ['[1]', '{"a":1}', '[]', '{}'])
      for (const name of ['text', 'maybeText', 'anything', 'count', 'maybe'])
        expect(plain(`${name}=${encodeURIComponent(text)}`)).toEqual({ [name]: text })
    expect(plain('object=[1]&variants[a]=[1]')).toEqual({ object: '[1]', variants: { a: '[1]' } })
    expect(plain('list={"a":1}&list=[1]')).toEqual({ list: ['{"a":1}', '[1]'] })
  })

  test('text that only starts like JSON stays text', () => {
    for (const text of ['[sale] shirts', '[', '[1', '[x]', '[1]]'])
      expect(plain(`list=${encodeURIComponent(text)}`)).toEqual({ list: [text] })
    for (const text of ['{', '{a}', "{'a':1}", '{"a":1}}'])
      expect(plain(`free=${encodeURIComponent(text)}`)).toEqual({ free: text })
  })
})

describe('hostile JSON text', () => {
  test('X18: reaches no prototype', () => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      for (const raw of [`free={"${name}":{"x":1}}`, `objects=[{"${name}":{"x":1}}]`]) {
        const query = read(raw)
        expect(JSON.stringify(query)).not.toContain(name)
        expect(({} as Record<string, unknown>).x).toBeUndefined()
      }
    }
    const { free } = read('free={"d":{"e":1}}') as { free: { d: object } }
    for (const object of [free, free.d]) expect(Object.getPrototypeOf(object)).toBeNull()
  })

  test('U+0000 and half surrogates in escapes are a 422 that names the field', () => {
    for (const [raw, field] of [
      ['free={"b":"\\u0000"}', 'free.b'],
      ['list=["\\ud800"]', 'list.0'],
      ['objects=[{"n":"\\u0000"}]', 'objects.0.n'],
    ] as const)
      expect(refusal(raw), raw).toMatchObject({
        status: 422,
        errors: { [field]: [`${field} must not contain the character U+0000 or half of a surrogate pair.`] },
      })
  })

  test('five levels are read and the sixth is refused by name, in JSON text and together with brackets', () => {
    for (const raw of ['deep=[[[[[1]]]]]', 'holder[deep][deep]=[[[1]]]', 'free={"a":{"a":{"a":{"a":{}}}}}'])
      expect(refusal(raw), raw).toBeNull()
    for (const [raw, name] of [
      ['deep=[[[[[[1]]]]]]', 'deep'],
      ['free={"a":{"a":{"a":{"a":{"a":{}}}}}}', 'free'],
      ['holder[deep][deep]=[[[[1]]]]', 'holder[deep][deep]'],
      [`deep=${'['.repeat(5_000)}${']'.repeat(5_000)}`, 'deep'],
    ] as const)
      expect(refusal(raw), raw.slice(0, 40)).toEqual({
        status: 400,
        message: `The query parameter ${name} is nested deeper than the 5 levels accepted here.`,
        errors: undefined,
      })
  })
})
