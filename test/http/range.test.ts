// @unit
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRange } from '../../src/http/files/files.ts'

describe('a range of bytes', () => {
  test.each<[string | undefined, ReturnType<typeof readRange>]>([
    [undefined, null],
    ['', null],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=0-', { start: 0, end: 99 }],
    ['bytes=-1', { start: 99, end: 99 }],
    [' bytes=1-2 ', { start: 1, end: 2 }],
    ['bytes=100-', 'none'],
    ['bytes=-0', 'none'],
    ['bytes=2-1', null],
    ['bytes=1-2,4-5', null],
    ['bytes=1 - 2', null],
    ['bytes=0x1-2', null],
  ])('%j of 100 bytes', (header, expected) => {
    expect(readRange(header, 100)).toEqual(expected)
  })

  test('lies inside the file, whatever is asked for', () => {
    const number = fc.oneof(fc.constant(''), fc.nat(300).map(String), fc.bigInt({ min: 0n }).map(String))
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 200 }), (first, last, size) => {
        const range = readRange(`bytes=${first}-${last}`, size)
        if (range === null || range === 'none') return
        expect(range.start).toBeGreaterThanOrEqual(0)
        expect(range.end).toBeGreaterThanOrEqual(range.start)
        expect(range.end).toBeLessThan(size)
      }),
      { numRuns: 2_000 },
    )
  })
})
