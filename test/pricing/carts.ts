// Makes carts of every sort for the invariants: small ones mostly, long ones and very dear ones now and then.

import fc from 'fast-check'
import { MAX_AMOUNT, type Minor } from '../../src/lib/money.ts'
import type { DiscountInput, LineInput, PriceInput } from '../../src/pricing/price.ts'
import { chosenMinimum } from './exact.ts'

export type Cart = {
  input: PriceInput
  currency: string
  /** By how much P11 multiplies the quantities. */
  factor: number
  /** The line that P23 adds and removes again. */
  extra: LineInput
}

type Choice<T> = [weight: number, arbitrary: fc.Arbitrary<T>]
const oneOf = <T>(...choices: Choice<T>[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
const from = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max })
const orNull = <T>(nothing: number, something: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  oneOf<T | null>([nothing, fc.constant(null)], [something, arbitrary])

const amount = oneOf([3, from(0, 100)], [5, from(0, 20_000)], [2, from(0, 1_000_000_000)])
const delta = oneOf([4, from(-500, 500)], [1, from(-1_000_000_000, 1_000_000_000)])
const quantity = oneOf([7, from(1, 9)], [2, from(1, 10_000)])
const noDeltas: fc.Arbitrary<Minor[]> = fc.constant([])
const deltas = oneOf([2, noDeltas], [1, fc.array(delta, { minLength: 1, maxLength: 6 })])

// One in eight may be paid at will, a quarter is exempt, half is digital.
const line = fc
  .tuple(from(0, 7), quantity, amount, deltas, from(0, 63))
  .map(([product, quantity, unitPrice, optionDeltas, bits]) => ({
    id: '',
    productId: `prod_${product}`,
    quantity,
    unitPrice,
    optionDeltas,
    isPayWhatYouWant: bits % 8 === 7,
    isTaxExempt: (bits >> 3) % 4 === 3,
    isDigital: bits >= 32,
  }))

// Equal lines are what ties are made of, so some carts hold one line many times.
const fewLines = fc.array(line, { minLength: 1, maxLength: 8, size: 'max' })
const manyLines = fc.array(line, { minLength: 1, maxLength: 40, size: 'max' })
const sameLines = fc.tuple(line, from(2, 12)).map(([one, times]) => Array.from({ length: times }, () => ({ ...one })))
const lines = oneOf([12, fewLines], [3, manyLines], [1, sameLines])

const scope = oneOf(
  [2, fc.constant<string[]>([])],
  [1, fc.uniqueArray(from(0, 9), { minLength: 1, maxLength: 4 }).map((ids) => ids.map((id) => `prod_${id}`))],
)
const percentage = oneOf(
  [3, from(0, 1_000_000)],
  [2, from(0, 100).map((whole) => whole * 10_000)],
  [1, fc.constant(1_000_000)],
)
const discount = oneOf<DiscountInput>(
  [2, fc.record({ type: fc.constant('percentage'), value: percentage, productIds: scope })],
  [1, fc.record({ type: fc.constant('fixed'), value: amount, productIds: scope })],
)

const rate = oneOf([3, from(0, 400_000)], [1, fc.constantFrom(200_000, 72_500, 60_000, 102_500, 7_500, 0)])
const rates = fc
  .array(fc.tuple(fc.constantFrom('state', 'county', 'city'), rate, orNull(2, 1, rate)), { maxLength: 3, size: 'max' })
  .map((sent) => sent.map(([type, rate, digitalRate]) => ({ type, rate, digitalRate })))

const adjustments = oneOf<NonNullable<PriceInput['adjustments']>>(
  [3, fc.constant([])],
  [
    1,
    fc.array(fc.record({ amount: oneOf([1, delta], [2, from(-20_000, 20_000)]), isTaxable: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
  ],
)

const part = fc.record({ type: fc.constantFrom('state', 'Tax'), rate, amount: from(0, 5_000) })
const external = fc.uniqueArray(fc.tuple(from(0, 9), fc.array(part, { maxLength: 2 })), {
  selector: ([line]) => line,
  maxLength: 6,
})

export function carts(isIncluded: boolean): fc.Arbitrary<Cart> {
  return fc
    .tuple(
      lines,
      orNull(1, 2, discount),
      oneOf([1, fc.constant(0)], [3, from(0, 10_000_000)]),
      orNull(isIncluded ? 0 : 1, 7, fc.tuple(rates, fc.boolean())),
      orNull(11, 1, external),
      adjustments,
      orNull(2, 1, oneOf([1, from(0, 50_000)], [1, from(0, MAX_AMOUNT)])),
      orNull(1, 2, oneOf([4, from(0, 20_000)], [1, from(0, MAX_AMOUNT)])),
      fc.tuple(fc.constantFrom('JPY', 'KRW', 'USD', 'EUR', 'KWD', 'BHD', 'CLF', 'UYW'), from(2, 9), line, from(0, 1e9)),
    )
    .map(
      ([
        sent,
        discount,
        shipping,
        tax,
        external,
        adjustments,
        giftCardBalance,
        more,
        [currency, factor, extra, seed],
      ]) => {
        const lines = shuffled(
          sent.map((one, index) => ({ ...one, id: idOf(index) })),
          seed,
        )
        const input: PriceInput = {
          lines,
          discount,
          shipping,
          tax: tax && { rates: tax[0], isIncluded, isOnShipping: tax[1] },
          externalTax: external?.map(([line, breakdown]) => ({ lineId: idOf(line), breakdown })),
          adjustments,
          giftCardBalance,
          customerSetPrice: chosen(lines, more),
        }
        freeze(input)
        return { input, currency, factor, extra: { ...extra, id: idOf(99) } }
      },
    )
}

const idOf = (index: number): string => `item_${String(index).padStart(2, '0')}`

/** So that a change to what price() was given throws. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) freeze(part)
}

/** The minimum and something more, where that is an amount one may name. */
function chosen(lines: readonly LineInput[], more: Minor | null): Minor | null {
  const minimum = chosenMinimum(lines)
  if (minimum === null || more === null || minimum + more > MAX_AMOUNT) return null
  return minimum + more
}

/** From the seed alone, so that a failing cart can be made again. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const rest = [...items]
  const result: T[] = []
  for (let state = seed; rest.length > 0; state = (state * 48_271 + 11) % 2_147_483_647)
    result.push(...rest.splice(state % rest.length, 1))
  return result
}
