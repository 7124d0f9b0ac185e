// @unit @sampled: the proof tries more bodies.
// For every API response, in every version: translating it to that version does not mutate its input. It fails on nothing that the schemas
// allow. It keeps every amount of money of the newest version. Bodies are generated from the schemas, so new fields are covered too.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type JsonData, type JsonObject } from '../../src/versions/change.ts'
import { versions } from '../../src/versions/index.ts'
import { size } from '../support/proof.ts'
import { dice, someValue } from './oracle.ts'
import { endpoints, kinds, real } from './real.ts'
import { frozen, told } from './support.ts'

/**
 * Fields whose money an older version shows elsewhere. The lines of a token appear twice in it. The price of a line is that of its variant.
 * Payments and refunds are the completed transactions.
 */
const SAID_ELSEWHERE: Record<string, Record<string, JsonData>> = {
  checkout_token: { products: [] },
  line_item: { variant: null },
  transaction: { type: 'charge', status: 'pending' },
}

const isPrice = (value: JsonObject) => 'raw' in value && 'formatted_with_code' in value

/** Gives every price a unique amount, in cents, far above all other numbers; also returns their count. */
function withAmounts(body: JsonData): { head: JsonData; count: number } {
  let count = 0
  const visit = (value: JsonData): JsonData => {
    if (Array.isArray(value)) return value.map(visit)
    if (!isJsonObject(value)) return value
    if (isPrice(value)) return { ...value, raw: amountOf(count++) }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visit(inner)]))
  }
  return { head: visit(body), count }
}

const amountOf = (index: number) => (100_000_001 + index) / 100

function numbersIn(value: JsonData, found = new Set<number>()): Set<number> {
  if (typeof value === 'number') found.add(value)
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) numbersIn(inner, found)
  return found
}

/** The versions just before a change: all others translate a body like their neighbour. */
const dates = versions.slice(1).flatMap(({ date }, index) => (versions[index]?.changes.length === 0 ? [] : date))
const oldest = dates.at(-1) ?? ''

const answering = endpoints.flatMap(({ operation, status, returns }) =>
  returns && real.planFor(oldest, operation)?.age ? [{ operation, status, returns }] : [],
)

describe('an answer in an older version', () => {
  it('is made of what was given without altering it, whatever the schema allows, and loses no amount', () => {
    const withMoney = new Set<string>()
    for (const { operation, status, returns } of answering)
      for (let seed = 1; seed <= 30; seed++) {
        const { head, count } = withAmounts(someValue(returns, kinds, dice(seed * 104_729), SAID_ELSEWHERE))
        frozen(head)
        if (count > 0) withMoney.add(operation)
        const amounts = Array.from({ length: count }, (_, index) => amountOf(index))
        const losses = dates.flatMap((date) => {
          const shown = numbersIn(real.planFor(date, operation)?.age?.({ status, body: head }, told).body ?? head)
          const lost = amounts.filter((amount) => !shown.has(amount))
          return lost.length === 0 ? [] : [{ date, lost }]
        })
        expect({ operation, seed, losses }).toEqual({ operation, seed, losses: [] })
      }
    // Otherwise the bodies contained no money, and the test proved nothing.
    const expected = 'products.get carts.add checkouts.get checkouts.capture orders.refund giftcards.get'.split(' ')
    expect([...withMoney]).toEqual(expect.arrayContaining(expected))
  })
})

describe('a request of an older version', () => {
  const object = fc.dictionary(
    fc.constantFrom('id', 'variant', 'variants', 'metadata', 'meta', 'product_id', 'type'),
    fc.jsonValue(),
  )

  it('is brought forward without altering it, whatever it holds', () => {
    const sent = fc.record({
      params: fc.dictionary(fc.constantFrom('id', 'package_id'), fc.string()),
      query: object,
      body: object,
    })
    const upgrades = endpoints.flatMap(({ operation }) => real.planFor(oldest, operation)?.upgrade ?? [])
    expect(upgrades.length).toBeGreaterThan(5)
    for (const upgrade of upgrades)
      fc.assert(
        fc.property(sent, (request) => {
          expect(upgrade(frozen(request as never), told)).toMatchObject({
            params: expect.anything(),
            query: expect.anything(),
          })
        }),
        { numRuns: size(10, 30) },
      )
  })
})
