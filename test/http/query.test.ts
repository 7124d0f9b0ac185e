// @unit
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../src/http/endpoint/query.ts'
import { ApiError } from '../../src/lib/errors.ts'
import { expectProportional } from '../lib/proportional.ts'

/** Objects without a prototype compare unequal to plain ones; JSON shows both alike. */
const plain = (raw: string): unknown => JSON.parse(JSON.stringify(parseQuery(raw)))

function refusal(raw: string) {
  try {
    parseQuery(raw)
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, message: error.message, errors: error.errors }
    throw error
  }
  return null
}

describe('plain parameters', () => {
  test.each([
    ['', {}],
    ['a=1', { a: '1' }],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['=1', {}],
    ['&&a=1&&', { a: '1' }],
    ['limit=007&active=true&x=null', { limit: '007', active: 'true', x: 'null' }],
  ])('a value is read: %s', (raw, value) => {
    expect(plain(raw)).toEqual(value)
  })

  test('a plus is a blank, percent-codes are UTF-8, and values are trimmed', () => {
    expect(plain('q=red+shirt')).toEqual({ q: 'red shirt' })
    expect(plain('q=1%2B1')).toEqual({ q: '1+1' })
    expect(plain('q=caf%C3%A9+%F0%9F%91%8D')).toEqual({ q: 'café 👍' })
    expect(plain('q=++a+b%20%09%0A')).toEqual({ q: 'a b' })
    expect(plain('q=+')).toEqual({ q: '' })
    expect(plain('na%6De=1')).toEqual({ name: '1' })
    expect(plain('a%3Db=1%26c%3D2')).toEqual({ 'a=b': '1&c=2' })
  })

  test('what URLSearchParams writes is read back', () => {
    const word = fc
      .stringMatching(/^[^[\]{}\0]{1,10}$/u)
      .filter((text) => !/\p{Surrogate}/u.test(text) && text.trim() === text)
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(word, word), { selector: ([name]) => name, maxLength: 20 }), (pairs) => {
        const known = pairs.filter(([name]) => !['__proto__', 'constructor', 'prototype'].includes(name))
        expect(plain(new URLSearchParams(pairs).toString())).toEqual(Object.fromEntries(known))
      }),
    )
  })
})

describe('lists', () => {
  test.each([
    ['a=1&a=2', { a: ['1', '2'] }],
    ['a[]=1', { a: ['1'] }],
    ['a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a%5B%5D=1&a%5b%5d=2', { a: ['1', '2'] }],
    ['a[0]=1', { a: ['1'] }],
    ['a[2]=c&a[10]=d&a[1]=b', { a: ['b', 'c', 'd'] }],
    ['a=1&a[]=2', { a: ['1', '2'] }],
    ['a=1&a[0]=2', { a: ['1', '2'] }],
    ['a[]=', { a: [''] }],
    ['a[][b]=1&a[][b]=2', { a: [{ b: '1' }, { b: '2' }] }],
    ['a[0][b]=1&a[0][c]=2&a[1][b]=3', { a: [{ b: '1', c: '2' }, { b: '3' }] }],
    ['a[][]=1', { a: [['1']] }],
  ])('a list is read: %s', (raw, value) => {
    expect(plain(raw)).toEqual(value)
  })

  test('a huge index orders and allocates nothing', () => {
    expect(plain('a[999999999]=z&a[4294967295]=y&a[5]=x')).toEqual({ a: ['x', 'z', 'y'] })
    expect(plain(`a[${'9'.repeat(400)}]=z&a[0]=x`)).toEqual({ a: ['x', 'z'] })
  })
})

describe('objects', () => {
  test.each([
    ['v[vgrp_1]=optn_1', { v: { vgrp_1: 'optn_1' } }],
    ['v[a][b][c]=1', { v: { a: { b: { c: '1' } } } }],
    ['v[a][]=1&v[a][]=2', { v: { a: ['1', '2'] } }],
    ['v[a]=1&v[a]=2', { v: { a: ['1', '2'] } }],
    ['v[0]=1&v[b]=2', { v: { 0: '1', b: '2' } }],
    ['v[ a ]=1', { v: { ' a ': '1' } }],
  ])('an object is read: %s', (raw, value) => {
    expect(plain(raw)).toEqual(value)
  })

  test('names whose brackets do not add up are plain names', () => {
    expect(plain('a[b=1&a]=2&[c]=3&a[b]c=4&[]=5&a[[b]]=6&a[b]]=7')).toEqual({
      'a[b': '1',
      'a]': '2',
      '[c]': '3',
      'a[b]c': '4',
      '[]': '5',
      'a[[b]]': '6',
      'a[b]]': '7',
    })
  })

  test('a parameter that is both a value and an object is refused by name', () => {
    const message = 'The query parameter v is given both as a value and as an object. Send one of the two.'
    for (const raw of ['v=1&v[a]=2', 'v[a]=2&v=1', 'v[]=1&v[a]=2', 'v={"a":1}&v[b]=2'])
      expect(refusal(raw), raw).toEqual({ status: 400, message, errors: undefined })
    expect(refusal('v[x]=1&v[x][y]=2')?.message).toContain('v[x] is given both')
  })
})

describe('hostile queries', () => {
  test('X18: no query reaches a prototype', () => {
    const names = ['__proto__', 'constructor', 'prototype', '%5F_proto__']
    for (const name of names) {
      for (const raw of [`${name}=1`, `${name}[x]=1`, `a[${name}][x]=1`, `a[b][${name}][x]=1`, `${name}[]=1`]) {
        const query = parseQuery(`${raw}&ok=1`)
        expect(query.ok).toBe('1')
        for (const object of [query, parseQuery('c[d]=1').c]) expect(Object.getPrototypeOf(object)).toBeNull()
        expect(({} as Record<string, unknown>).x).toBeUndefined()
        expect(JSON.stringify(query)).not.toMatch(/"(__proto__|constructor|prototype)"/)
        const copy = Object.assign({}, query) as Record<string, unknown>
        expect(copy.x).toBeUndefined()
      }
    }
  })

  test('a malformed percent-code is a 400 that names the parameter', () => {
    for (const value of ['%', '%4', '%zz', '%ff', '%C3', '%ED%A0%80', 'ok%'])
      expect(refusal(`a=1&query=${value}`), value).toEqual({
        status: 400,
        message: 'The query parameter query holds a % that does not begin a UTF-8 character.',
        errors: undefined,
      })
    expect(refusal('na%zzme=1')?.message).toBe(
      'The query parameter na%zzme holds a % that does not begin a UTF-8 character.',
    )
  })

  test('U+0000 and half surrogates are a 422 that names the field', () => {
    for (const [raw, field] of [
      ['a=x%00', 'a'],
      ['a[b]=%00', 'a.b'],
      ['a[]=x&a[]=%00', 'a.1'],
      ['a%00=1', 'a\uFFFD'],
      ['a=\0', 'a'],
    ] as const)
      expect(refusal(raw), raw).toEqual({
        status: 422,
        message: `${field} must not contain the character U+0000 or half of a surrogate pair.`,
        errors: { [field]: [`${field} must not contain the character U+0000 or half of a surrogate pair.`] },
      })
  })

  test('a hundred parameters are read and one more is refused', () => {
    expect((parseQuery('a=1&'.repeat(99).concat('a=1')).a as string[]).length).toBe(100)
    expect(refusal('a=1&'.repeat(100).concat('a=1'))?.message).toBe('The query has more than 100 parameters.')
    expect(refusal('&'.repeat(10_000_000))?.status).toBe(400)
  })

  test('five levels are read and the sixth is refused by name', () => {
    for (const raw of ['a[b][c][d][e][f]=1', 'a[][][][][]=1']) expect(refusal(raw)).toBeNull()
    for (const raw of ['a[b][c][d][e][f][g]=1', 'a[][][][][][]=1', `a${'[b]'.repeat(100_000)}=1`])
      expect(refusal(raw)?.message, raw.slice(0, 40)).toMatch(
        /^The query parameter a\[.* is nested deeper than the 5 levels accepted here\.$/,
      )
  })

  test('a message repeats only a little of a name, and nothing it could not carry', () => {
    const message = refusal(`a\x07${'b'.repeat(100_000)}[c][c][c][c][c][c]=1`)?.message ?? ''
    expect(message.length).toBeLessThan(200)
    expect(message).not.toContain('\x07')
  })

  test('any string gives a query of strings or an ApiError', () => {
    const piece = fc.constantFrom(...'ab[]=&%{":1+\0\uD800', '[]', '[0]', '[b]', '%00', '%5B', '__proto__')
    const leavesAreStrings = (value: unknown): boolean =>
      typeof value === 'string' ||
      (typeof value === 'object' && value !== null && Object.values(value).every(leavesAreStrings))
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: piece, maxLength: 40 }), fc.string()), (raw) => {
        if (refusal(raw) === null) expect(leavesAreStrings(parseQuery(raw))).toBe(true)
      }),
      { numRuns: 5000 },
    )
  })

  test('takes time in proportion to the text', () => {
    for (const unit of ['[', ']', '][', '[]', '%20', '+', ' ', '{"a":', '=', '\\'])
      expectProportional(unit, 200_000, (size) => {
        refusal(`a${unit.repeat(size)}`)
        refusal(`a=${unit.repeat(size)}x`)
      })
  })
})
