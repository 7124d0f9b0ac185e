// @unit
// For any schema and value: a rename on a kind changes exactly the occurrences of the kind, and the inverse rename restores the value. The
// generator of the value knows the occurrences, not the code under test.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type JsonData, renameField } from '../../src/versions/change.ts'
import { ageBody, frozen } from './support.ts'

/** A compact schema, from which both the JSON schema and its values are generated. */
type Plan =
  | { is: 'leaf' }
  | { is: 'thing'; written: 'thing' | 'thing#' | 'in place' }
  | { is: 'list' | 'record' | 'nullable' | 'part'; of: Plan }
  | { is: 'object'; fields: Record<string, Plan> }
  | { is: 'tuple'; of: Plan[] }

/** The same value in the newest version and in the old one. */
type Pair = { head: JsonData; old: JsonData }

const thing = {
  $id: 'thing',
  type: 'object',
  properties: {
    fresh: {},
    inner: { anyOf: [{ $ref: 'thing#' }, { type: 'null' }] },
    many: { type: 'array', items: { $ref: 'thing' } },
  },
}

// Names that break careless code, and the renamed field itself in objects of other kinds.
const name = fc.constantFrom('a', 'b', 'fresh', 'stale', 'inner', 'data', 'constructor', 'toString')
const recordName = fc.oneof(name, fc.constant('__proto__'), fc.string())

const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    fc.record({ is: fc.constant('thing' as const), written: fc.constantFrom('thing', 'thing#', 'in place') }),
    fc.constant<Plan>({ is: 'leaf' }),
    fc.record({ is: fc.constantFrom('list', 'record', 'nullable', 'part'), of: tie('plan') }),
    fc.record({ is: fc.constant('object' as const), fields: fc.dictionary(name, tie('plan'), { maxKeys: 4 }) }),
    fc.record({ is: fc.constant('tuple' as const), of: fc.array(tie('plan'), { maxLength: 3 }) }),
  ),
}))

function schemaOf(plan: Plan): object {
  switch (plan.is) {
    case 'leaf':
      return {}
    case 'thing':
      return plan.written === 'in place' ? thing : { $ref: plan.written }
    case 'list':
      return { type: 'array', items: schemaOf(plan.of) }
    case 'record':
      return {
        type: 'object',
        patternProperties: { '^.*$': schemaOf(plan.of) },
        additionalProperties: schemaOf(plan.of),
      }
    case 'nullable':
      return { anyOf: [{ type: 'null' }, schemaOf(plan.of)] }
    case 'part':
      return { allOf: [schemaOf(plan.of), { description: 'nothing more' }] }
    case 'object':
      return { type: 'object', properties: mapFields(plan.fields, schemaOf) }
    case 'tuple':
      return { type: 'array', items: plan.of.map(schemaOf), additionalItems: false }
  }
}

const mapFields = <From, To>(fields: Record<string, From>, map: (from: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(fields).map(([field, each]) => [field, map(each)]))

const split = (pairs: Record<string, Pair>): Pair => ({
  head: mapFields(pairs, (pair) => pair.head),
  old: mapFields(pairs, (pair) => pair.old),
})

const leaf = fc.jsonValue({ maxDepth: 2 }).map((value): Pair => ({ head: value as JsonData, old: value as JsonData }))

const { aThing } = fc.letrec<{ aThing: Pair }>((tie) => ({
  aThing: fc
    .record(
      {
        id: leaf,
        fresh: leaf,
        inner: fc.option(tie('aThing'), { nil: { head: null, old: null }, maxDepth: 3 }),
        many: fc.array(tie('aThing'), { maxLength: 2, depthIdentifier: 'things' }).map(splitList),
      },
      { requiredKeys: [] },
    )
    .map((fields) => {
      const { head, old } = split(fields)
      // Renamed by hand, in the same order: the oracle must not use `rename`.
      const renamed = Object.entries(old as object).map(([field, each]) => [field === 'fresh' ? 'stale' : field, each])
      return { head, old: Object.fromEntries(renamed) }
    }),
}))

function splitList(pairs: readonly Pair[]): Pair {
  return { head: pairs.map((pair) => pair.head), old: pairs.map((pair) => pair.old) }
}

function pairsOf(plan: Plan): fc.Arbitrary<Pair> {
  switch (plan.is) {
    case 'leaf':
      return leaf
    case 'thing':
      return aThing
    case 'list':
      return fc.array(pairsOf(plan.of), { maxLength: 3 }).map(splitList)
    case 'record':
      return fc.dictionary(recordName, pairsOf(plan.of), { maxKeys: 3 }).map(split)
    case 'nullable':
      return fc.option(pairsOf(plan.of), { nil: { head: null, old: null } })
    case 'part':
      return pairsOf(plan.of)
    case 'object':
      return fc.record(mapFields(plan.fields, pairsOf)).map(split)
    case 'tuple':
      return fc.tuple(...plan.of.map(pairsOf)).map(splitList)
  }
}

it('a rename on a kind changes every occurrence and nothing else, and its inverse undoes it', () => {
  const sample = plan.chain((plan) => pairsOf(plan).map((pair) => ({ schema: schemaOf(plan), ...pair })))
  const api = { kinds: { thing } }
  fc.assert(
    fc.property(sample, ({ schema, head, old }) => {
      const aged = ageBody({ thing: renameField('fresh', 'stale') }, schema, frozen(head), api)
      // Compared as text, so that the order of fields matters.
      expect(JSON.stringify(aged)).toBe(JSON.stringify(old))
      const back = ageBody({ thing: renameField('stale', 'fresh') }, schema, frozen(aged), api)
      expect(JSON.stringify(back)).toBe(JSON.stringify(head))
    }),
    { numRuns: 200 },
  )
})
