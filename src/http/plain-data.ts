// Copies the fields of a reply that its schema shows, for code that changes the reply before it is written. The result equals its JSON read
// back, without writing and parsing it. If a schema or a value is not plain, it returns `NOT_PLAIN`, and the caller takes the long way.

import type { Kind } from './endpoint/schema.ts'

type Schema = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, unknown>>

/** The JSON text would differ from the value. */
export const NOT_PLAIN = Symbol('not plain')

/** Returns the copy, or `NOT_PLAIN`. */
type Copier = (value: unknown) => unknown

/** Keywords by which the compiler does more than write the value. */
const UNPLAIN_KEYWORDS = ['oneOf', 'allOf', 'if', 'default', 'patternProperties', 'format']

/** Free JSON is not copied: nobody changes what is shown. */
const asIs: Copier = (value) => (value === undefined ? NOT_PLAIN : value)

const LEAVES: Readonly<Record<string, Copier>> = {
  null: (value) => (value === null ? null : NOT_PLAIN),
  string: (value) => (typeof value === 'string' ? value : NOT_PLAIN),
  boolean: (value) => (typeof value === 'boolean' ? value : NOT_PLAIN),
  integer: (value) => (Number.isSafeInteger(value) ? value : NOT_PLAIN),
  number: (value) => (Number.isFinite(value) ? value : NOT_PLAIN),
}

/** Null if the schema itself is not plain; then no value of it is. */
export function compileCopier(schema: object, byId: ReadonlyMap<string, Kind>): Copier | null {
  const copiers = new Map<object, Copier | null>()
  const resolve = (source: Schema): Schema | undefined =>
    typeof source.$ref === 'string' ? (byId.get(source.$ref.replace(/#$/, '')) as Schema | undefined) : source

  function findCopier(source: Schema): Copier | null {
    const target = resolve(source)
    if (target === undefined) return null
    const cachedCopier = copiers.get(target)
    if (cachedCopier !== undefined) return cachedCopier
    // Leave recursive kinds to the compiler.
    copiers.set(target, null)
    const copier = createCopier(target)
    copiers.set(target, copier)
    return copier
  }

  function createCopier(shape: Schema): Copier | null {
    if (UNPLAIN_KEYWORDS.some((keyword) => shape[keyword] !== undefined)) return null
    if (shape.anyOf !== undefined) return byType((shape.anyOf as Schema[]).flatMap(alternativesOf))
    if (shape.type === undefined) return shape.enum === undefined && Object.keys(shape).length > 0 ? null : asIs
    return byType(alternativesOf(shape))
  }

  /** Each type that the schema allows, with the copier for its values. */
  function alternativesOf(source: Schema): [type: string, copier: Copier | null][] {
    const shape = resolve(source)
    if (shape === undefined || shape.type === undefined) return [['?', null]]
    if (shape !== source) return [[String(shape.type), findCopier(shape)]]
    return [shape.type].flat().map((type) => [String(type), copierForType(String(type), shape)])
  }

  function copierForType(type: string, shape: Schema): Copier | null {
    if (type === 'array') return arrayCopier(shape.items)
    return type === 'object' ? objectCopier(shape) : (LEAVES[type] ?? null)
  }

  function arrayCopier(items: unknown): Copier | null {
    const copier = isSchema(items) ? findCopier(items) : null
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

  function recordCopier(entries: unknown): Copier | null {
    if (entries === true) return (value) => (isFields(value) ? value : NOT_PLAIN)
    const copier = isSchema(entries) ? findCopier(entries) : null
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

  function objectCopier({ properties, required = [], additionalProperties }: Schema): Copier | null {
    if (!isSchema(properties) || Object.keys(properties).length === 0) return recordCopier(additionalProperties)
    if (isSchema(additionalProperties) || additionalProperties === true) return null
    const names = Object.keys(properties)
    const isRequired = (name: string) => (required as string[]).includes(name)
    // The compiler writes required fields first, so keep that order.
    const ordered = [...names.filter(isRequired), ...names.filter((name) => !isRequired(name))]
    const fields: { readonly name: string; readonly copier: Copier; readonly isNeeded: boolean }[] = []
    for (const name of ordered) {
      const copier = findCopier(properties[name] as Schema)
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

  return findCopier(schema as Schema)
}

/** Chooses the copier by the value's type; null if two copiers fit. */
function byType(alternatives: readonly (readonly [type: string, copier: Copier | null])[]): Copier | null {
  const copiers = new Map<string, Copier>()
  for (const [type, copier] of alternatives) {
    const kind = type === 'integer' ? 'number' : type
    if (copier === null || copiers.has(kind)) return null
    copiers.set(kind, copier)
  }
  const [single] = copiers.values()
  if (single !== undefined && copiers.size === 1) return single
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
