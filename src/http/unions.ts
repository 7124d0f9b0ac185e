// The schema of a reply in the form that is written without trying: what may be a kind or null, or a kind or a list, becomes one schema with
// several types. Of a union the compiler of serializers knows no better than to validate a value against each part of it, with a validator
// that it first has to compile, and so would read most of every order twice.

import type { Kind } from './endpoint/schema.ts'

type Fields = Readonly<Record<string, unknown>>

export type Rewritten = { readonly schema: object; readonly kinds: Readonly<Record<string, object>> }

/** By which the compiler would validate too, or refer to what it does not know. */
const UNKNOWN = ['oneOf', 'allOf', 'not', 'if', 'patternProperties', 'definitions', '$defs']

/** With every kind that it then refers to, also through another, by its id. Descriptions are left out: to the compiler they make of one kind many. */
export function withoutUnions(source: object, byId: ReadonlyMap<string, Kind>): Rewritten {
  const kinds: Record<string, object> = {}

  function refer(id: string, types: readonly string[] = [], more: Fields = {}): Fields {
    const kind = byId.get(id)
    if (kind === undefined) throw new Error(`No kind is called ${id}.`)
    const name = [id, ...types].join('-or-')
    if (kinds[name] === undefined) {
      // Before its parts: it may be one of them.
      kinds[name] = {}
      const { type, ...rest } = rewrite(kind) as Fields
      const isList = types.includes('array')
      // A list of types would have the compiler write its parts out wherever it stands; `nullable` has not.
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
    const unknown = UNKNOWN.filter((keyword) => keyword in schema)
    if (unknown.length > 0) throw new Error(`A reply cannot be written by ${unknown.join(', ')}.`)
    const { description: _, anyOf, $ref, properties, items, additionalProperties, ...rest } = schema as Fields
    if (Array.isArray(anyOf)) return inOne(anyOf as Fields[])
    if (typeof $ref === 'string') return refer(nameIn($ref))
    return {
      ...rest,
      ...(isFields(properties) ? { properties: mapped(properties) } : {}),
      ...(isFields(items) ? { items: rewrite(items) } : {}),
      ...(additionalProperties === undefined
        ? {}
        : {
            additionalProperties: isFields(additionalProperties) ? rewrite(additionalProperties) : additionalProperties,
          }),
    }
  }

  const mapped = (properties: Fields): Fields =>
    Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, rewrite(part as object)]))

  /** One kind, and types that tell themselves from it. */
  function inOne(parts: readonly Fields[]): Fields {
    const reference = parts.find(({ $ref }) => $ref !== undefined)
    const others = parts.filter((part) => part !== reference)
    const types = others.map(({ type }) => type)
    const isToldApart = types.every((type) => type === 'null' || type === 'array')
    if (typeof reference?.$ref !== 'string' || !isToldApart)
      throw new Error(`What is written as one of ${JSON.stringify(parts)} does not tell which by its type.`)
    const { items } = others.find(({ type }) => type === 'array') ?? {}
    return refer(nameIn(reference.$ref), types as string[], items === undefined ? {} : { items })
  }

  return { schema: rewrite(source), kinds }
}

export const nameIn = (reference: string): string => reference.replace(/#$/, '')

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
