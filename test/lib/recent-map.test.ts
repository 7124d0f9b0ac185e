// @unit
// A map of bounded size: what is in use stays, the rest is forgotten.

import { describe, expect, test } from 'vitest'
import { RecentMap } from '../../src/lib/memory.ts'

describe('a map of what was lately used', () => {
  test('gives back what was set, until it is deleted', () => {
    const map = new RecentMap<number>(10)
    map.set('a', 1)
    map.set('a', 2)
    expect(map.get('a')).toBe(2)
    map.delete('a')
    expect([map.get('a'), map.size]).toEqual([undefined, 0])
  })

  test('never holds more than it may, whatever is put in', () => {
    const map = new RecentMap<number>(1_000)
    let largest = 0
    for (let n = 0; n < 100_000; n++) {
      map.set(`key ${n}`, n)
      largest = Math.max(largest, map.size)
    }
    expect(largest).toBe(1_000)
  })

  test('keeps what is asked for again and again, and the latest half of the rest', () => {
    const map = new RecentMap<number>(100)
    map.set('in use', -1)
    for (let n = 0; n < 10_000; n++) {
      map.set(`key ${n}`, n)
      if (n % 40 === 0) expect(map.get('in use')).toBe(-1)
    }
    for (let n = 9_960; n < 10_000; n++) expect(map.get(`key ${n}`)).toBe(n)
    expect(map.get('key 0')).toBeUndefined()
  })

  test('forgets the old value of a key that is set anew after it has grown old', () => {
    const map = new RecentMap<number>(4)
    for (const [index, key] of ['a', 'b', 'c'].entries()) map.set(key, index)
    map.set('a', 7)
    map.delete('a')
    expect(map.get('a')).toBeUndefined()
  })
})
