// @unit
// Of every answer of the API, in every version: ageing it alters nothing that it is given, fails on nothing that the schemas allow,
// and shows every amount of money that the newest version shows. Bodies are made from the schemas, so that a new field is tried too.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../src/versions/change.ts'
import { versions } from '../../src/versions/index.ts'
import { endpoints, kinds, real } from './real.ts'
import { frozen, told } from './support.ts'

type Schema = Readonly<Record<string, unknown>>
const isSchema = (value: unknown): value is Schema => isJsonObject(value)
const listOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : [])

/**
 * What an older version does not show because it says it elsewhere: the lines of a token stand in it twice, the price of a line is
 * that of its variant, and of the transactions those that are complete are the payments and refunds.
 */
const SAID_ELSEWHERE: Record<string, Record<string, Json>> = {
  checkout_token: { products: [] },
  line_item: { variant: null },
  transaction: { type: 'charge', status: 'pending' },
}

const DEEPEST = 9

function bodiesOf(schema: Schema, depth = 0): fc.Arbitrary<Json> {
  if (schema.$ref !== undefined) return bodiesOf(referred(schema), depth + 1)
  const union = [...listOf(schema.anyOf), ...listOf(schema.oneOf)]
  if (union.length > 0) return fc.oneof(...union.map((each) => bodiesOf(each, depth)))
  if ('const' in schema) return fc.constant(schema.const as Json)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as Json[]))
  const types = [schema.type ?? 'null'].flat() as string[]
  return fc.oneof(...types.map((type) => ofType(type, schema, depth)))
}

function referred({ $ref, $defs }: Schema): Schema {
  const name = String($ref).replace(/#$/, '')
  const found = (isSchema($defs) ? $defs[name] : undefined) ?? kinds[name]
  if (!isSchema(found)) throw new Error(`No schema is called ${name}.`)
  return found.$ref === undefined ? found : referred(found)
}

function ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<Json> {
  switch (type) {
    case 'object':
      return objectsOf(schema, depth)
    case 'array':
      if (schema.maxItems === 0 || depth > DEEPEST || !isSchema(schema.items)) return fc.constant([])
      return fc.array(bodiesOf(schema.items, depth + 1), { maxLength: Math.min(2, Number(schema.maxItems ?? 2)) })
    case 'string':
      return fc.constantFrom('', 'a', 'dwnld_1', 'collected_')
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.integer({ min: 0, max: 999 })
  }
}

function objectsOf(schema: Schema, depth: number): fc.Arbitrary<Json> {
  const properties = isSchema(schema.properties) ? schema.properties : {}
  const fixed = SAID_ELSEWHERE[String(schema.$id)] ?? {}
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const fields = Object.entries(properties)
    // What may be left out ends a circle of kinds that hold one another.
    .filter(([name]) => depth <= DEEPEST || required.includes(name))
    .map(([name, each]) => [
      name,
      fixed[name] === undefined ? bodiesOf(each as Schema, depth + 1) : fc.constant(fixed[name]),
    ])
  return fc.record<JsonObject>(Object.fromEntries(fields), {
    requiredKeys: required.filter((name) => name in properties),
  })
}

const isPrice = (value: JsonObject) => 'raw' in value && 'formatted_with_code' in value

/** Gives every price an amount of its own, in cents, far above all other numbers; and tells how many there are. */
function withAmounts(body: Json): { head: Json; count: number } {
  let count = 0
  const visit = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(visit)
    if (!isJsonObject(value)) return value
    if (isPrice(value)) return { ...value, raw: amountOf(count++) }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visit(inner)]))
  }
  return { head: visit(body), count }
}

const amountOf = (index: number) => (100_000_001 + index) / 100

function numbersIn(value: Json, found = new Set<number>()): Set<number> {
  if (typeof value === 'number') found.add(value)
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) numbersIn(inner, found)
  return found
}

/** The dates before which something changed: all others age a body as their neighbour does. */
const dates = versions.slice(1).flatMap(({ date }, index) => (versions[index]?.changes.length === 0 ? [] : date))
const oldest = dates.at(-1) ?? ''

const answering = endpoints.flatMap(({ operation, status, returns }) =>
  returns && real.planFor(oldest, operation)?.age ? [{ operation, status, schema: returns as unknown as Schema }] : [],
)

describe('an answer in an older version', () => {
  it('is made of what was given without altering it, whatever the schema allows, and loses no amount', () => {
    const withMoney = new Set<string>()
    for (const { operation, status, schema } of answering)
      fc.assert(
        fc.property(bodiesOf(schema), (body) => {
          const { head, count } = withAmounts(body)
          frozen(head)
          if (count > 0) withMoney.add(operation)
          const amounts = Array.from({ length: count }, (_, index) => amountOf(index))
          const losses = dates.flatMap((date) => {
            const shown = numbersIn(real.planFor(date, operation)?.age?.({ status, body: head }, told).body ?? head)
            const lost = amounts.filter((amount) => !shown.has(amount))
            return lost.length === 0 ? [] : [{ date, lost }]
          })
          expect({ operation, losses }).toEqual({ operation, losses: [] })
        }),
        { numRuns: 30 },
      )
    // Else the bodies would have no money in them, and nothing would have been tried.
    const expected = [
      'products.get',
      'carts.add',
      'checkouts.get',
      'checkouts.capture',
      'orders.refund',
      'giftcards.get',
    ]
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
        { numRuns: 30 },
      )
  })
})
