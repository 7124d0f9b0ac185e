// The superset by its definition: translate to every version, and merge one after another. This slow and simple form checks the single pass
// of src/versions/superset.ts. The file also generates random bodies of a schema for both.

import { isJsonObject, type JsonData, type JsonObject } from '../../src/versions/change.ts'

/** The newer value wins if both have a name. Entries of lists are matched by id, otherwise by position. */
export function mergeBeside(newer: JsonData, older: JsonData): JsonData {
  if (isJsonObject(newer) && isJsonObject(older)) {
    const merged = new Map<string, JsonData>(Object.entries(newer))
    for (const [field, content] of Object.entries(older)) {
      const own = merged.get(field)
      merged.set(field, own === undefined ? content : mergeBeside(own, content))
    }
    return Object.fromEntries(merged)
  }
  if (Array.isArray(newer) && Array.isArray(older)) {
    const merged: JsonData[] = [...newer]
    older.forEach((entry: JsonData, index) => {
      const isSame = (own: JsonData | undefined) => own !== undefined && idOf(own) !== null && idOf(own) === idOf(entry)
      const found = newer.findLastIndex(isSame)
      const place = found === -1 || isSame(newer[index]) ? index : found
      if (place < merged.length) merged[place] = mergeBeside(merged[place] as JsonData, entry)
    })
    return merged
  }
  return newer
}

const idOf = (value: JsonData): string | null => (isJsonObject(value) && typeof value.id === 'string' ? value.id : null)

/** Takes the forms newest first. */
export const supersetByDefinition = ([newest = null, ...older]: readonly JsonData[]): JsonData =>
  older.reduce<JsonData>((merged, form) => mergeBeside(merged, form), newest)

type Schema = Readonly<Record<string, unknown>>

/** A random generator that repeats its numbers for the same seed. */
export function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const DEEPEST = 5

/**
 * Generates a value of a schema: lists of up to three entries, optional fields now and then, repeated ids. `fixed`: fixed fields per kind.
 */
export function someValue(
  source: unknown,
  kinds: Readonly<Record<string, object>>,
  roll: (sides: number) => number,
  fixed: Readonly<Record<string, Record<string, JsonData>>> = {},
  depth = 0,
): JsonData {
  const schema = (typeof source === 'object' && source !== null ? source : {}) as Schema
  const inner = (each: unknown) => someValue(each, kinds, roll, fixed, depth + 1)
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)] as T
  if (typeof schema.$ref === 'string') return inner(kinds[schema.$ref.replace(/#$/, '')])
  const alternatives = schema.anyOf ?? schema.oneOf
  if (Array.isArray(alternatives)) return inner(pick(alternatives))
  if ('const' in schema) return schema.const as JsonData
  if (Array.isArray(schema.enum)) return pick(schema.enum) as JsonData
  switch (pick([schema.type ?? 'string'].flat())) {
    case 'object':
      return { ...someObject(schema, inner, roll), ...fixed[String(schema.$id)] }
    case 'array': {
      const most = depth < DEEPEST ? Math.min(3, Number(schema.maxItems ?? 3)) : 0
      return Array.from({ length: roll(most + 1) }, () => inner(schema.items))
    }
    case 'null':
      return null
    case 'boolean':
      return roll(2) === 0
    case 'integer':
    case 'number':
      return roll(1_000)
    default:
      return `${pick(['dwnld_', 'ful_', 'item_'])}${roll(4)}`
  }
}

function someObject(schema: Schema, inner: (each: unknown) => JsonData, roll: (sides: number) => number): JsonObject {
  const properties = Object.entries((schema.properties ?? {}) as Schema)
  const required = Array.isArray(schema.required) ? schema.required : []
  const fixed = properties.filter(([name]) => required.includes(name) || roll(3) > 0)
  const rest = isJsonObject(schema.additionalProperties) ? [schema.additionalProperties] : []
  return Object.fromEntries([
    ...rest.flatMap((each) => ['x', '__proto__', 'y'].slice(0, roll(4)).map((name) => [name, inner(each)] as const)),
    ...fixed.map(([name, each]) => [name, inner(each)] as const),
  ])
}
