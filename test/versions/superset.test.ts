// @unit @sampled: the proof tries more bodies.
// The body for an old client that names no version: the newest body, with every field of older versions added. The single pass must give
// the same as translating to every version and merging.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileVersions } from '../../src/versions/apply.ts'
import { type ApiChange, assignField, type JsonData, renameField } from '../../src/versions/change.ts'
import { versions } from '../../src/versions/index.ts'
import { merge } from '../../src/versions/superset.ts'
import { size } from '../support/proof.ts'
import { alike } from './golden/compare.ts'
import { readStored } from './golden/files.ts'
import { dice, someValue, supersetByDefinition } from './oracle.ts'
import { endpoints, kinds } from './real.ts'
import { compile, dates, frozen, kinds as madeUp, told } from './support.ts'

/** Uses only the real changes of kinds: envelopes and statuses of older versions are not part of a body. */
const ofKinds = compileVersions({
  versions: versions.map(({ date, changes }) => ({
    date,
    changes: changes.map(({ operations: _, ...change }: ApiChange) => change),
  })),
  operations: endpoints.map(({ operation, returns = null, conflict = null }) => ({ operation, returns, conflict })),
  kinds,
})

type Compiled = ReturnType<typeof compileVersions>

/** Consecutive versions without a difference in any golden body count as one. */
const TOLD_APART = new Set(alike(versions).map(([date]) => date))

/** Returns the newest version as old clients receive it, then each older one. */
function formsOf(registry: Compiled, operation: string, body: JsonData): JsonData[] {
  const named = registry.oldClientPlanFor(operation, true)
  const older = registry.dates.slice(1).filter((date) => registry !== ofKinds || TOLD_APART.has(date))
  const plans = [named, ...older.map((date) => registry.planFor(date, operation))]
  return plans.map((plan) => plan?.age?.({ status: 200, body }, told).body ?? body)
}

function expectByDefinition(registry: Compiled, operation: string, body: JsonData) {
  const shown =
    registry.oldClientPlanFor(operation, false)?.age?.({ status: 200, body: frozen(body) }, told).body ?? body
  expect(shown).toEqual(supersetByDefinition(formsOf(registry, operation, body)))
  return shown
}

describe('one walk gives what ageing to every version and merging gives', () => {
  it('for every success of the golden run', () => {
    let changed = 0
    for (const [file, text] of readStored()) {
      if (file.includes('@')) continue
      const operation = file.replace('.json', '').replace('/', '.').split('.').slice(0, 2).join('.')
      const { status, body } = JSON.parse(text) as { status: number; body?: JsonData }
      if (status >= 300 || body === undefined) continue
      if (expectByDefinition(ofKinds, operation, body) !== body) changed++
    }
    expect(changed).toBeGreaterThan(40)
  })

  it.each(endpoints.filter(({ returns }) => returns).map(({ operation, returns }) => [operation, returns] as const))(
    'for random bodies of %s',
    (operation, returns) => {
      for (let seed = 0; seed < 5; seed++)
        expectByDefinition(ofKinds, operation, someValue(returns, kinds, dice(seed * 7_919 + 1)))
    },
  )

  it('for kinds in lists, records, tuples, unions and in themselves, whatever was changed of them', () => {
    const returns = {
      type: 'object',
      properties: {
        category: { $ref: 'category#' },
        cart: { $ref: 'cart#' },
        either: { anyOf: [{ $ref: 'asset#' }, { type: 'array', items: { $ref: 'line#' } }, { type: 'null' }] },
        byName: { type: 'object', additionalProperties: { $ref: 'asset#' } },
        both: { allOf: [{ $ref: 'line#' }, { properties: { more: { $ref: 'asset#' } } }] },
      },
    }
    const edits = fc.constantFrom<ApiChange['kinds']>(
      { asset: renameField('url', 'link') },
      { asset: renameField('link', 'href'), line: renameField('image', 'picture') },
      { line: ({ image = null, ...rest }) => ({ ...rest, media: image }), cart: renameField('line_items', 'items') },
      { asset: () => null },
      { asset: ({ id = '' }) => id },
      { category: assignField('count', ({ assets }) => (Array.isArray(assets) ? assets.length : 0)) },
      { category: assignField('first', ({ assets }) => (Array.isArray(assets) ? (assets[0] ?? null) : null)) },
      { cart: assignField('size', ({ line_items: lines }) => JSON.stringify(lines ?? '').length) },
      { asset: assignField('id', ({ id = null }) => `old_${id}`) },
      {
        cart: ({ line_items: lines = [], ...rest }) => ({
          ...rest,
          line_items: Array.isArray(lines) ? [...lines].reverse() : lines,
        }),
      },
    )
    fc.assert(
      fc.property(
        fc.array(edits, { maxLength: 3 }),
        fc.array(edits, { maxLength: 3 }),
        fc.nat(),
        (newer, older, seed) => {
          const asChange = (each: ApiChange['kinds']): ApiChange => ({ summary: 'A change.', kinds: each })
          const kept: ApiChange = {
            summary: 'Kept.',
            keptForOldClients: true,
            kinds: { cart: assignField('kept', true) },
          }
          const registry = compile([kept, ...newer.map(asChange)], older.map(asChange), {
            operations: [{ operation: 'test', returns }],
          })
          expectByDefinition(registry, 'test', someValue(returns, madeUp, dice(seed)))
        },
      ),
      { numRuns: size(25, 80) },
    )
  })
})

describe('the plan of an old client', () => {
  const cart = { id: 'cart_1', total: 1, line_items: [{ id: 'a', image: { id: 'ast_1', url: '/a' } }] }
  const registry = compile(
    [
      { summary: 'Kept.', keptForOldClients: true, kinds: { cart: renameField('total', 'sum') } },
      {
        summary: 'A line has an image.',
        kinds: { line: renameField('image', 'media') },
        operations: { 'carts.addItem': { up: (request) => ({ ...request, query: { seen: 'new' } }) } },
        behaviours: ['older-rule'],
      },
    ],
    [{ summary: 'Assets have a url.', kinds: { asset: renameField('url', 'link') } }],
  )
  const show = (operation: string, isNamed: boolean, status = 200) =>
    registry.oldClientPlanFor(operation, isNamed)?.age?.({ status, body: cart }, told)

  it('shows the newest version as it keeps it, and beside it what older versions had, each with what it held then', () => {
    expect(show('carts.addItem', false)).toEqual({
      status: 200,
      body: {
        id: 'cart_1',
        sum: 1,
        line_items: [{ id: 'a', image: { id: 'ast_1', url: '/a' }, media: { id: 'ast_1', url: '/a', link: '/a' } }],
      },
    })
  })

  it('shows one that names the newest version that version, but for what it keeps', () => {
    expect(show('carts.addItem', true)?.body).toEqual({ id: 'cart_1', sum: 1, line_items: cart.line_items })
    const { isForBody } = registry.oldClientPlanFor('carts.addItem', true) ?? {}
    expect([isForBody?.(cart, told), isForBody?.({ id: 'cart_2' }, told)]).toEqual([true, false])
  })

  it('reads requests as all versions did only where none is named, and asks no older behaviour', () => {
    const { upgrade, behaviours } = registry.oldClientPlanFor('carts.addItem', false) ?? {}
    expect(upgrade?.({ params: {}, query: {}, body: {} }, told).query).toEqual({ seen: 'new' })
    expect([...(behaviours ?? ['none'])]).toEqual([])
    expect(registry.oldClientPlanFor('carts.addItem', true)?.upgrade).toBeNull()
  })

  it('does nothing where nothing ever changed, and merges no error', () => {
    expect(registry.oldClientPlanFor('assets.delete', false)).toBeNull()
    expect(registry.oldClientPlanFor('assets.delete', true)).toBeNull()
    expect(show('carts.addItem', false, 422)?.body).toBe(cart)
    expect(registry.oldClientPlanFor('carts.get', false)?.ageError).toBeNull()
  })

  it('can keep only the first changes of the newest version, and only of kinds', () => {
    const kept: ApiChange = { summary: 'Kept.', keptForOldClients: true, kinds: { cart: renameField('total', 'sum') } }
    const refusal = /only the first changes of the newest version/
    expect(() => compile([], [kept])).toThrow(refusal)
    expect(() => compile([{ summary: 'First.' }, kept])).toThrow(refusal)
    expect(() => compile([{ ...kept, behaviours: ['x'] }])).toThrow(refusal)
    expect(registry.dates).toEqual([...dates])
  })
})

describe('merging', () => {
  it.each<[string, JsonData[], JsonData]>([
    ['a name that the first lacks is added', [{ a: 1 }, { b: 2 }, { b: 3, c: 4 }], { a: 1, b: 2, c: 4 }],
    [
      'the first wins, also with null',
      [
        { a: null, b: [1] },
        { a: 1, b: { c: 1 } },
      ],
      { a: null, b: [1] },
    ],
    [
      'objects meet at each depth',
      [{ a: { b: 1 } }, { a: { c: { d: 1 } } }, { a: { c: { e: 2 } } }],
      { a: { b: 1, c: { d: 1, e: 2 } } },
    ],
    [
      'entries meet by their id',
      [
        [{ id: 'a' }, { id: 'b' }],
        [
          { id: 'b', n: 1 },
          { id: 'a', n: 2 },
        ],
      ],
      [
        { id: 'a', n: 2 },
        { id: 'b', n: 1 },
      ],
    ],
    [
      'else by their place',
      [
        [{ id: 'dwnld_1' }, { x: 1 }],
        [{ id: 'ful_1', n: 1 }, { y: 2 }],
      ],
      [
        { id: 'dwnld_1', n: 1 },
        { x: 1, y: 2 },
      ],
    ],
    ['and there are never more than in the first', [[], [{ id: 'a' }]], []],
  ])('%s', (_, forms, expected) => {
    expect(merge(frozen(forms))).toEqual(expected)
    expect(supersetByDefinition(forms)).toEqual(expected)
  })
})
