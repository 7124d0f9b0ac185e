// Prices thousands of carts and looks at each with every invariant; the tests then ask for one invariant each.
// The table of the invariants is in design order; P4 stands in examples.test.ts, the others that are missing are not about prices.

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { price } from '../../src/pricing/price.ts'
import { size } from '../support/proof.ts'
import { type Cart, carts } from './carts.ts'
import { type Invariant, type InvariantName, invariants } from './invariants.ts'

// Half of them include tax. Each run makes other carts.
const CASES = Number(process.env.PRICING_CASES ?? size(4_000, 100_000)) / 2
const SLOWEST_MS = 5

const all: readonly [string, Invariant][] = Object.entries(invariants)

export function describeEveryCart(isIncluded: boolean): void {
  const anyCart = carts(isIncluded)
  const seed = (Math.random() * 2 ** 31) | 0
  // Under each name that was broken, which cart was the first to break it.
  const broken = new Map<string, number>()
  let seen = 0
  const asked: string[] = []

  const look = (cart: Cart) => {
    const totals = price(cart.input)
    for (const [name, invariant] of all) {
      try {
        if (!broken.has(name)) invariant(cart, totals)
      } catch {
        broken.set(name, seen)
      }
    }
    seen++
  }

  const kept = (name: InvariantName) => {
    asked.push(name)
    const first = broken.get(name)
    if (first === undefined) return
    // Once more for this one alone: it begins at the same cart and looks for a smaller one.
    const alone = fc.property(anyCart, (cart) => invariants[name](cart, price(cart.input)))
    fc.assert(alone, { seed, path: String(first), numRuns: CASES })
    expect.fail(`a cart broke ${name}, and did not break it again: seed ${seed}, path ${first}`)
  }

  describe(`${CASES} carts whose prices ${isIncluded ? 'include' : 'exclude'} tax`, () => {
    beforeAll(() => fc.assert(fc.property(anyCart, look), { seed, numRuns: CASES }), 60_000 + CASES * SLOWEST_MS)

    test('P1: every amount is a whole number of minor units, and only adjustments go below zero', () => kept('P1'))
    test('P2: raw is the exact decimal, and formatted has the decimals of the currency', () => kept('P2'))
    test('P3: every form of an amount shows the same digits', () => kept('P3'))
    test('P5: the order in which lines come changes no figure', () => kept('P5'))
    test('P6: what is due is the total with tax less the gift card', () => kept('P6'))
    test('P7: a line is quantity times price and options', () => kept('P7'))
    test('P8: the subtotal is the sum of the lines', () => kept('P8'))
    test('P9: the shares of a discount add up to it, and none is more than its line', () => kept('P9'))
    test('P10: shares go by largest remainder, and of equal lines the older comes first', () => kept('P10'))
    test('P11: a percentage does not drift when quantities grow', () => kept('P11'))
    test('P12: 100 % off, or more than everything, leaves nothing, never less', () => kept('P12'))
    test('P13: tax is rounded half up once per line and rate, and all of it adds up', () => kept('P13'))
    test('P14: total and tax are the total with tax, whether tax is added or included', () => kept('P14'))
    test('P15: from prices without tax to prices with tax and back is at most one unit per line', () => kept('P15'))
    test('P16: exempt lines have no tax and no part in what is taxed', () => kept('P16'))
    test('P18: a gift card pays no more than it holds and no more than is to be paid', () => kept('P18'))
    test('P20: a chosen amount is at least the minimum, and is shared out whole', () => kept('P20'))
    test('P22: a cart counts its quantities and its lines, and each line has its figures', () => kept('P22'))
    test('P23: adding a line changes no other, and removing it again restores every figure', () => kept('P23'))
    test('A1: adjustments take no more than there is, and lines carry their shares of them', () => kept('A1'))

    test('every invariant has its test', () => {
      expect(asked).toEqual(all.map(([name]) => name))
    })
  })
}
