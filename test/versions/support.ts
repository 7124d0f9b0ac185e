// Shared by the tests of the version engine: a small made-up API, and helpers that compile changes against it.

import { compileVersions, type VersionedApi } from '../../src/versions/apply.ts'
import type { ApiChange, ChangeContext, JsonData } from '../../src/versions/change.ts'

export const told: ChangeContext = { merchant_id: 7, params: { cart_id: 'cart_1' }, facts: {} }

export const text = { type: 'string' }

/** asset is nested in category, category in itself; a cart has lines, and a line may have an asset. */
export const kinds = {
  asset: { $id: 'asset', type: 'object', properties: { id: text, url: text } },
  category: {
    $id: 'category',
    type: 'object',
    properties: {
      id: text,
      assets: { type: 'array', items: { $ref: 'asset#' } },
      children: { type: 'array', items: { $ref: 'category' } },
    },
  },
  line: { type: 'object', properties: { id: text, image: { anyOf: [{ $ref: 'asset' }, { type: 'null' }] } } },
  cart: { type: 'object', properties: { id: text, line_items: { type: 'array', items: { $ref: 'line#' } }, meta: {} } },
}

const list = (kind: string) => ({
  type: 'object',
  properties: { data: { type: 'array', items: { $ref: `${kind}#` } }, meta: { type: 'object' } },
})

export const operations = [
  { operation: 'assets.get', returns: { $ref: 'asset#' } },
  { operation: 'assets.list', returns: list('asset') },
  { operation: 'assets.delete', returns: null },
  { operation: 'categories.get', returns: { $ref: 'category#' } },
  { operation: 'carts.get', returns: kinds.cart },
  { operation: 'carts.addItem', returns: { $ref: 'cart#' } },
]

/** Newest first; the oldest can have no changes. */
export const dates = ['2022-03-03', '2022-02-02', '2022-01-01'] as const

/** Compiles changes of the newest version, and of the one before it. */
export const compile = (
  newest: readonly ApiChange[],
  middle: readonly ApiChange[] = [],
  api: Partial<VersionedApi> = {},
) =>
  compileVersions({
    versions: [
      { date: dates[0], changes: newest },
      { date: dates[1], changes: middle },
      { date: dates[2], changes: [] },
    ],
    operations,
    kinds,
    ...api,
  })

/** Translates one body of a schema to the oldest version, through an operation that returns it. */
export function ageBody(
  changedKinds: ApiChange['kinds'],
  returns: object,
  body: JsonData,
  api: Partial<VersionedApi> = {},
): JsonData {
  const versions = compile([{ summary: 'A change.', kinds: changedKinds }], [], {
    operations: [{ operation: 'test', returns }],
    ...api,
  })
  const age = versions.planFor(dates[2], 'test')?.age
  return age ? age({ status: 200, body }, told).body : body
}

/** Freezes a value deeply, so that code that mutates it fails the test. */
export function frozen<T extends JsonData>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}
