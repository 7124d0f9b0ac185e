// Copies of a reply what its schema shows, for whoever changes it before it is written: the same data as its JSON read back, without writing
// and reading it. Where a schema or a value is anything but plain, it says so, and the long way is taken.

import type { Kind } from './endpoint/schema.ts'

type Schema = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, unknown>>

/** What the text would say is not plainly what the value is. */
export const NOT_PLAIN = Symbol('not plain')

/** The copy, or `NOT_PLAIN`. */
type Copier = (value: unknown) => unknown

/** What the compiler does beyond writing what is there. */
const UNPLAIN = ['oneOf', 'allOf', 'if', 'default', 'patternProperties', 'format']

/** Free JSON stays as it is: nobody alters what is shown. */
const asIs: Copier = (value) => (value === undefined ? NOT_PLAIN : value)

const LEAVES: Readonly<Record<string, Copier>> = {
  null: (value) => (value === null ? null : NOT_PLAIN),
  string: (value) => (typeof value === 'string' ? value : NOT_PLAIN),
  boolean: (value) => (typeof value === 'boolean' ? value : NOT_PLAIN),
  integer: (value) => (Number.isSafeInteger(value) ? value : NOT_PLAIN),
  number: (value) => (Number.isFinite(value) ? value : NOT_PLAIN),
}

/** Null for a schema that is not plain itself; then nothing of it is. */
export function copierOf(schema: object, byId: ReadonlyMap<string, Kind>): Copier | null {
  const known = new Map<object, Copier | null>()
  const resolve = (source: Schema): Schema | undefined =>
    typeof source.$ref === 'string' ? (byId.get(source.$ref.replace(/#$/, '')) as Schema | undefined) : source

  function find(source: Schema): Copier | null {
    const found = resolve(source)
    if (found === undefined) return null
    const made = known.get(found)
    if (made !== undefined) return made
    // A kind that holds itself is left to the compiler.
    known.set(found, null)
    const copier = make(found)
    known.set(found, copier)
    return copier
  }

  function make(shape: Schema): Copier | null {
    if (UNPLAIN.some((keyword) => shape[keyword] !== undefined)) return null
    if (shape.anyOf !== undefined) return byType((shape.anyOf as Schema[]).flatMap(alternativesOf))
    if (shape.type === undefined) return shape.enum === undefined && Object.keys(shape).length > 0 ? null : asIs
    return byType(alternativesOf(shape))
  }

  /** Each type that the schema allows, with what copies a value of it. */
  function alternativesOf(source: Schema): [type: string, copier: Copier | null][] {
    const shape = resolve(source)
    if (shape === undefined || shape.type === undefined) return [['?', null]]
    if (shape !== source) return [[String(shape.type), find(shape)]]
    return [shape.type].flat().map((type) => [String(type), ofType(String(type), shape)])
  }

  function ofType(type: string, shape: Schema): Copier | null {
    if (type === 'array') return ofArray(shape.items)
    return type === 'object' ? ofObject(shape) : (LEAVES[type] ?? null)
  }

  function ofArray(items: unknown): Copier | null {
    const copier = isSchema(items) ? find(items) : null
    if (copier === null) return null
    return (value) => {
      if (!Array.isArray(value)) return NOT_PLAIN
      const copy = new Array<unknown>(value.length)
      for (let index = 0; index < value.length; index++) {
        const entry = copier(value[index])
        if (entry === NOT_PLAIN) return NOT_PLAIN
        copy[index] = entry
      }
      return copy
    }
  }

  function ofRecord(entries: unknown): Copier | null {
    if (entries === true) return (value) => (isFields(value) ? value : NOT_PLAIN)
    const copier = isSchema(entries) ? find(entries) : null
    if (copier === null) return null
    return (value) => {
      if (!isFields(value)) return NOT_PLAIN
      const copy: Record<string, unknown> = {}
      for (const name of Object.keys(value)) {
        const entry = copier(value[name])
        if (entry === NOT_PLAIN || name === '__proto__') return NOT_PLAIN
        copy[name] = entry
      }
      return copy
    }
  }

  function ofObject({ properties, required = [], additionalProperties }: Schema): Copier | null {
    if (!isSchema(properties) || Object.keys(properties).length === 0) return ofRecord(additionalProperties)
    if (isSchema(additionalProperties) || additionalProperties === true) return null
    const names = Object.keys(properties)
    const isRequired = (name: string) => (required as string[]).includes(name)
    // The order is the compiler's.
    const ordered = [...names.filter(isRequired), ...names.filter((name) => !isRequired(name))]
    const fields: { readonly name: string; readonly copier: Copier; readonly isNeeded: boolean }[] = []
    for (const name of ordered) {
      const copier = find(properties[name] as Schema)
      if (copier === null) return null
      fields.push({ name, copier, isNeeded: isRequired(name) })
    }
    return (value) => {
      if (!isFields(value)) return NOT_PLAIN
      const copy: Record<string, unknown> = {}
      for (const { name, copier, isNeeded } of fields) {
        const content = value[name]
        if (content === undefined && !isNeeded) continue
        const field = copier(content)
        if (field === NOT_PLAIN) return NOT_PLAIN
        copy[name] = field
      }
      return copy
    }
  }

  return find(schema as Schema)
}

/** What copies a value is told by its type; null where two could. */
function byType(alternatives: readonly (readonly [type: string, copier: Copier | null])[]): Copier | null {
  const copiers = new Map<string, Copier>()
  for (const [type, copier] of alternatives) {
    const kind = type === 'integer' ? 'number' : type
    if (copier === null || copiers.has(kind)) return null
    copiers.set(kind, copier)
  }
  const [only] = copiers.values()
  if (only !== undefined && copiers.size === 1) return only
  return (value) => copiers.get(typeOf(value))?.(value) ?? (value === null && copiers.has('null') ? null : NOT_PLAIN)
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value)

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
