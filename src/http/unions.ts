// Rewrites the schema of a reply so that it is written without trial and error. A kind or null, or a kind or a list, becomes one schema
// with several types. For a union, the compiler would validate a value against each part, with validators that it must compile first. So it
// would read most of every order twice.

import type { Kind } from './endpoint/schema.ts'

type Fields = Readonly<Record<string, unknown>>

export type RewrittenSchema = { readonly schema: object; readonly kinds: Readonly<Record<string, object>> }

/** Keywords that would make the compiler validate too, or refer to unknown schemas. */
const UNSUPPORTED = ['oneOf', 'allOf', 'not', 'if', 'patternProperties', 'definitions', '$defs']

/**
 * Returns the schema with all kinds that it refers to, directly or indirectly, by id. Drops descriptions: they would make the compiler
 * treat one kind as many.
 */
export function rewriteUnions(source: object, byId: ReadonlyMap<string, Kind>): RewrittenSchema {
  const kinds: Record<string, object> = {}

  function refer(id: string, types: readonly string[] = [], more: Fields = {}): Fields {
    const kind = byId.get(id)
    if (kind === undefined) throw new Error(`There is no schema ${id}.`)
    const name = [id, ...types].join('-or-')
    if (kinds[name] === undefined) {
      // Set it before its parts, because one of them may refer to it.
      kinds[name] = {}
      const { type, ...rest } = rewrite(kind) as Fields
      const isList = types.includes('array')
      // With a list of types the compiler would inline the parts everywhere; with `nullable` it does not.
      const isNullable = types.includes('null')
      kinds[name] = {
        ...rest,
        ...more,
        $id: name,
        type: isList ? [type, 'array'] : type,
        ...(isNullable ? { nullable: true } : {}),
      }
    }
    return { $ref: `${name}#` }
  }

  function rewrite(schema: object): object {
    const unsupported = UNSUPPORTED.filter((keyword) => keyword in schema)
    if (unsupported.length > 0) throw new Error(`The schema of a reply cannot use ${unsupported.join(', ')}.`)
    const { description: _, anyOf, $ref, properties, items, additionalProperties, ...rest } = schema as Fields
    if (Array.isArray(anyOf)) return mergeParts(anyOf as Fields[])
    if (typeof $ref === 'string') return refer(nameIn($ref))
    return {
      ...rest,
      ...(isFields(properties) ? { properties: rewriteAll(properties) } : {}),
      ...(isFields(items) ? { items: rewrite(items) } : {}),
      ...(additionalProperties === undefined
        ? {}
        : {
            additionalProperties: isFields(additionalProperties) ? rewrite(additionalProperties) : additionalProperties,
          }),
    }
  }

  const rewriteAll = (properties: Fields): Fields =>
    Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, rewrite(part as object)]))

  /** Merges one kind with types that differ from it. */
  function mergeParts(parts: readonly Fields[]): Fields {
    const reference = parts.find(({ $ref }) => $ref !== undefined)
    const others = parts.filter((part) => part !== reference)
    const types = others.map(({ type }) => type)
    const isUnambiguous = types.every((type) => type === 'null' || type === 'array')
    if (typeof reference?.$ref !== 'string' || !isUnambiguous)
      throw new Error(`The types of a value do not tell which of ${JSON.stringify(parts)} it is.`)
    const { items } = others.find(({ type }) => type === 'array') ?? {}
    return refer(nameIn(reference.$ref), types as string[], items === undefined ? {} : { items })
  }

  return { schema: rewrite(source), kinds }
}

export const nameIn = (reference: string): string => reference.replace(/#$/, '')

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
