// @unit
import { describe, expect, test } from 'vitest'
import { ID_PREFIXES, type IdKind, isId, newId } from '../../src/lib/ids.ts'

const kinds = Object.keys(ID_PREFIXES) as IdKind[]
const at = (iso: string) => new Date(iso)
const noon = at('2026-01-01T12:00:00Z')

describe('prefixes', () => {
  test('no two kinds share a prefix', () => {
    expect(new Set(Object.values(ID_PREFIXES)).size).toBe(kinds.length)
  })

  test('every prefix is lower-case letters and one underscore', () => {
    for (const prefix of Object.values(ID_PREFIXES)) expect(prefix).toMatch(/^[a-z]{2,8}_$/)
  })

  test('every prefix of the specification, the decisions and the public facts is there', () => {
    const documented =
      'ast_ attr_ atop_ cart_ item_ prod_ cat_ chkt_ ord_ cstmr_ vrnt_ optn_ extr_ ship_ pymnt_ ful_ dwnld_ ' +
      'vgrp_ code_ gift_ zone_ rate_ taxz_ gway_ trns_ adrs_ shpmnt_ wbhk_ evt_ job_ key_ req_'
    expect(Object.values(ID_PREFIXES)).toEqual(expect.arrayContaining(documented.split(' ')))
  })
})

describe('newId', () => {
  test('is the prefix and 26 letters and digits, for every kind', () => {
    for (const kind of kinds) {
      const id = newId(kind, noon)
      expect(id.startsWith(ID_PREFIXES[kind])).toBe(true)
      expect(id.slice(ID_PREFIXES[kind].length)).toMatch(/^[0-9A-Za-z]{26}$/)
    }
  })

  test('a later id is bytewise greater, from 1970 to the last moment of a Date', () => {
    const moments = [0, 1, 61, 62, 3843, 3844, 1e9, noon.getTime(), noon.getTime() + 1, 2 ** 48 - 1, 2 ** 48, 8.64e15]
    const ids = moments.map((moment) => Buffer.from(newId('order', new Date(moment))))
    expect([...ids].sort(Buffer.compare)).toEqual(ids)
  })

  test('a hundred thousand ids of one millisecond are all different', () => {
    const ids = new Set(Array.from({ length: 100_000 }, () => newId('cart', noon)))
    expect(ids.size).toBe(100_000)
  })

  test('every random position uses every character about equally often', () => {
    const count = 62_000
    const seen = Array.from({ length: 17 }, () => new Map<string, number>())
    for (let made = 0; made < count; made++) {
      const random = newId('cart', noon).slice(-17)
      for (const [position, counts] of seen.entries()) {
        const character = random.charAt(position)
        counts.set(character, (counts.get(character) ?? 0) + 1)
      }
    }
    for (const counts of seen) {
      expect(counts.size).toBe(62)
      // 1000 expected, deviation 31: ten deviations never happen by chance, a folded alphabet (2000) always shows.
      for (const times of counts.values()) expect(Math.abs(times - 1000)).toBeLessThan(310)
    }
  })

  test('a moment before 1970 and an invalid one are refused', () => {
    expect(() => newId('cart', new Date(-1))).toThrow(RangeError)
    expect(() => newId('cart', new Date(Number.NaN))).toThrow(RangeError)
  })
})

describe('isId', () => {
  test('accepts what newId makes, of the same kind only', () => {
    for (const kind of kinds)
      for (const other of kinds) expect(isId(other, newId(kind, noon)), `${kind} as ${other}`).toBe(kind === other)
  })

  test('refuses other lengths and characters', () => {
    const id = newId('cart', noon)
    const cut = id.slice(0, -1)
    const hostile = ['cart_', cut, `${id}0`, ` ${id}`, `${cut}\0`, `${cut}-`, `${cut}é`, `${cut}\n`, id.toUpperCase()]
    for (const text of hostile) expect(isId('cart', text), JSON.stringify(text.slice(0, 40))).toBe(false)
  })
})
