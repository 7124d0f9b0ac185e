// @unit @sampled: the proof tries more amounts.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allocate, MAX_AMOUNT, MAX_TOTAL, mulDivHalfUp } from '../../src/lib/money.ts'
import { size } from '../support/proof.ts'

const anyAmount = fc.integer({ min: 0, max: MAX_AMOUNT })
const RUNS = { numRuns: size(1_500, 5_000) }

describe('mulDivHalfUp', () => {
  test.each([
    [1, 1, 2, 1],
    [-1, 1, 2, -1],
    [1, 1, 3, 0],
    [2, 1, 3, 1],
    [2499, 1075, 10_000, 269],
  ])('%d × %d / %d is %d', (a, num, den, result) => {
    expect(mulDivHalfUp(a, num, den)).toBe(result)
  })

  test('is exact where floating point is not', () => {
    // 1.005 × 100 is 100.49999999999999 in floating point.
    expect(mulDivHalfUp(1005, 100, 1000)).toBe(101)
    expect(mulDivHalfUp(MAX_TOTAL, MAX_TOTAL, MAX_TOTAL)).toBe(MAX_TOTAL)
    expect(Object.is(mulDivHalfUp(-1, 1, 3), 0)).toBe(true)
  })

  test('is the nearest whole number, a half going away from zero', () => {
    const any = fc.integer({ min: -MAX_AMOUNT, max: MAX_AMOUNT })
    fc.assert(
      fc.property(
        any,
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        (a, num, den) => {
          fc.pre(Math.abs(a) * (num / den) < 1e15)
          const result = BigInt(mulDivHalfUp(a, num, den))
          const twiceOff = 2n * (result * BigInt(den) - BigInt(a) * BigInt(num))
          const distance = twiceOff < 0n ? -twiceOff : twiceOff
          expect(distance <= BigInt(den)).toBe(true)
          if (distance === BigInt(den)) expect(twiceOff > 0n).toBe(a > 0)
          expect(mulDivHalfUp(-a, num, den) + Number(result)).toBe(0)
        },
      ),
      RUNS,
    )
  })

  test('refuses a divisor that is not positive, a fraction, and a result that is no safe integer', () => {
    expect(() => mulDivHalfUp(1, 1, 0)).toThrow(RangeError)
    expect(() => mulDivHalfUp(1, 1, -1)).toThrow(RangeError)
    expect(() => mulDivHalfUp(1, 0.06, 1)).toThrow(RangeError)
    expect(() => mulDivHalfUp(MAX_TOTAL, 1000, 1)).toThrow(RangeError)
  })
})

describe('allocate', () => {
  test.each([
    [100, [1, 1, 1], [34, 33, 33]],
    [2, [1, 1, 1], [1, 1, 0]],
    [10, [0, 5, 0, 5], [0, 5, 0, 5]],
    [1, [0, 1, 1], [0, 1, 0]],
    [5, [3, 2, 2], [2, 2, 1]],
    [0, [0, 0], [0, 0]],
    [0, [], []],
    [1, [1, 2], [0, 1]],
  ])('%d over %j is %j', (total, weights, shares) => {
    expect(allocate(total, weights)).toEqual(shares)
  })

  const weightsFor = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 }), anyAmount), {
    minLength: 1,
    maxLength: 40,
  })

  test('P9: shares add up exactly, are never negative, never exceed the line, and weight zero gets zero', () => {
    fc.assert(
      fc.property(weightsFor, fc.double({ min: 0, max: 1, noNaN: true }), (weights, part) => {
        const sum = weights.reduce((before, weight) => before + weight, 0)
        fc.pre(sum > 0)
        const total = Math.floor(sum * part)
        const shares = allocate(total, weights)
        expect(shares.reduce((before, share) => before + share, 0)).toBe(total)
        for (const [index, share] of shares.entries()) {
          expect(Number.isSafeInteger(share) && share >= 0).toBe(true)
          expect(share).toBeLessThanOrEqual(weights[index] ?? 0)
        }
      }),
      RUNS,
    )
  })

  test('P10: each share is less than one unit from its quota; of equal weights the earlier never gets less', () => {
    fc.assert(
      fc.property(weightsFor, anyAmount, (weights, total) => {
        const sum = weights.reduce((before, weight) => before + BigInt(weight), 0n)
        fc.pre(sum > 0n)
        const shares = allocate(total, weights)
        for (const [index, share] of shares.entries()) {
          const off = BigInt(share) * sum - BigInt(total) * BigInt(weights[index] ?? 0)
          expect(off < sum && off > -sum).toBe(true)
          for (let later = index + 1; later < shares.length; later++)
            if (weights[later] === weights[index]) expect(share).toBeGreaterThanOrEqual(shares[later] ?? 0)
        }
      }),
      { numRuns: size(600, 2_000) },
    )
  })

  test('the whole amount over its own lines gives each line its worth', () => {
    fc.assert(
      fc.property(fc.array(anyAmount, { maxLength: 40 }), (weights) => {
        expect(
          allocate(
            weights.reduce((before, weight) => before + weight, 0),
            weights,
          ),
        ).toEqual(weights)
      }),
    )
  })

  test('refuses negative and fractional input, and an amount that nobody can carry', () => {
    for (const [total, weights] of [
      [-1, [1]],
      [1, [-1, 2]],
      [0.5, [1]],
      [1, [0.5]],
      [1, []],
      [1, [0, 0]],
      [2 ** 53, [1]],
    ] as const)
      expect(() => allocate(total, weights)).toThrow(RangeError)
  })
})
