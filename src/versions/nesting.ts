// Derives from the JSON schemas where kinds nest. A schema becomes a Shape, and a nested kind a link to the Shape of that kind. This runs
// once at start and independently of versions, so no change has to list where its kind occurs.

import { isJsonObject, type JsonData } from './change.ts'

/** A plain JSON schema, as TypeBox makes it. */
export type JsonSchema = object

/** Places inside a value, according to its schema. Links may form circles: category → children → category. */
export type Shape = {
  /** The kind that this shape defines. */
  readonly kind: string | null
  readonly properties: Map<string, Shape>
  readonly patterns: { pattern: RegExp; shape: Shape }[]
  /** additionalProperties */
  rest: Shape | null
  /** Shapes of the first elements of a tuple, then the shape of all others. */
  readonly leading: Shape[]
  elements: Shape | null
  /** Shapes of the same value, from $ref and allOf. */
  readonly all: Shape[]
  /** One list of alternatives for each anyOf and oneOf. */
  readonly unions: Shape[][]
  /** Enough of the schema to tell alternatives of a union apart. */
  types: readonly string[] | null
  values: readonly unknown[] | null
  required: readonly string[]
}

type Nesting = {
  readonly kinds: ReadonlyMap<string, Shape>
  readonly returns: ReadonlyMap<string, Shape | null>
}

type Schema = Readonly<Record<string, unknown>>
/** Context of a reference: the schema that `#` means, the local definitions, and a name for error messages. */
type Scope = { root: Schema; defs: ReadonlyMap<string, Schema>; where: string }

const isSchema = (value: unknown): value is Schema => isJsonObject(value)
const schemasOf = (value: unknown): [string, Schema][] =>
  isSchema(value) ? Object.entries(value).flatMap(([name, each]) => (isSchema(each) ? [[name, each]] : [])) : []
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export function blankShape(kind: string | null = null, all: Shape[] = []): Shape {
  const inside = { properties: new Map(), patterns: [], rest: null, leading: [], elements: null }
  return { kind, ...inside, all, unions: [], types: null, values: null, required: [] }
}

export function deriveNesting(
  kinds: Readonly<Record<string, JsonSchema>>,
  operations: readonly { operation: string; returns: JsonSchema | null }[],
): Nesting {
  const kindShapes = new Map(Object.keys(kinds).map((kind) => [kind, blankShape(kind)]))
  // Shapes of all other referenced schemas. A schema that refers to itself then becomes a circle, not endless copies.
  const localShapes = new Map<Schema, Shape>()
  const definitions = new Map(Object.entries(kinds).map(([kind, schema]) => [definitionOf(schema), kind]))

  function refer(reference: unknown, scope: Scope): Shape {
    const name = String(reference)
    const kind = kindShapes.get(name.replace(/#$/, ''))
    if (kind) return kind
    const target = name === '#' ? scope.root : scope.defs.get(name.replace(/^#\/\$defs\//, ''))
    // Without this check, a reference to nowhere would mean that some kind is silently not aged.
    if (!target)
      throw new Error(
        `${scope.where} refers to ${JSON.stringify(name)}, which is neither a kind nor a local definition.`,
      )
    const kindShape = kindShapes.get(definitions.get(target) ?? '')
    if (kindShape) return kindShape
    const localShape = localShapes.get(target)
    if (localShape) return localShape
    const shape = blankShape()
    localShapes.set(target, shape)
    fill(shape, target, scope)
    return shape
  }

  function build(schema: unknown, scope: Scope): Shape {
    // `true` and `false` are schemas too, with nothing inside.
    if (!isSchema(schema)) return blankShape()
    const kind = typeof schema.$id === 'string' ? kindShapes.get(schema.$id) : undefined
    if (kind) return kind
    const shape = blankShape()
    fill(shape, schema, scope)
    return shape
  }

  function fill(shape: Shape, schema: Schema, outer: Scope): void {
    const scope: Scope = {
      ...outer,
      root: typeof schema.$id === 'string' ? schema : outer.root,
      defs: '$defs' in schema ? new Map([...outer.defs, ...schemasOf(schema.$defs)]) : outer.defs,
    }
    for (const [name, each] of schemasOf(schema.properties)) shape.properties.set(name, build(each, scope))
    for (const [pattern, each] of schemasOf(schema.patternProperties))
      shape.patterns.push({ pattern: new RegExp(pattern, 'u'), shape: build(each, scope) })
    if (isSchema(schema.additionalProperties)) shape.rest = build(schema.additionalProperties, scope)
    // A tuple is `items: […]` in draft 7 and `prefixItems` since.
    const tuple = Array.isArray(schema.items) ? schema.items : listOf(schema.prefixItems)
    shape.leading.push(...tuple.map((each) => build(each, scope)))
    const elements = Array.isArray(schema.items) ? schema.additionalItems : schema.items
    if (isSchema(elements)) shape.elements = build(elements, scope)
    if (schema.$ref !== undefined) shape.all.push(refer(schema.$ref, scope))
    shape.all.push(...listOf(schema.allOf).map((each) => build(each, scope)))
    for (const union of [schema.anyOf, schema.oneOf])
      if (Array.isArray(union)) shape.unions.push(union.map((each) => build(each, scope)))
    if (schema.type !== undefined) shape.types = [schema.type].flat().map(String)
    if ('const' in schema) shape.values = [schema.const]
    else if (Array.isArray(schema.enum)) shape.values = schema.enum
    shape.required = listOf(schema.required).map(String)
  }

  for (const [kind, shape] of kindShapes) {
    const schema = kinds[kind] ?? {}
    const definition = definitionOf(schema)
    const defs = isSchema(schema) ? new Map(schemasOf(schema.$defs)) : new Map()
    fill(shape, definition, { root: definition, defs, where: `The schema of kind "${kind}"` })
  }
  const returns = new Map<string, Shape | null>()
  for (const { operation, returns: schema } of operations) {
    const root = isSchema(schema) ? schema : {}
    const scope = { root, defs: new Map(), where: `The schema of what "${operation}" returns` }
    returns.set(operation, schema === null ? null : build(schema, scope))
  }
  return { kinds: kindShapes, returns }
}

/** TypeBox writes a recursive type as `{$defs: {category: …}, $ref: 'category'}`. Its definition is the inner one. */
function definitionOf(schema: JsonSchema): Schema {
  if (!isSchema(schema)) return {}
  const inner = isSchema(schema.$defs) ? schema.$defs[String(schema.$ref)] : undefined
  return isSchema(inner) ? inner : schema
}

/** All shapes one step away, at this value or inside it. */
export const linksOf = (shape: Shape): Shape[] => [
  ...shape.properties.values(),
  ...shape.patterns.map((each) => each.shape),
  ...shape.leading,
  ...[shape.rest, shape.elements].filter((each) => each !== null),
  ...shape.all,
  ...shape.unions.flat(),
]

/** True if a value of this shape may be of that type. */
export const canBeType = (shape: Shape, type: 'object' | 'array'): boolean =>
  (shape.types === null || shape.types.includes(type)) &&
  shape.values === null &&
  shape.all.every((each) => canBeType(each, type)) &&
  shape.unions.every((union) => union.some((each) => canBeType(each, type)))

/** True if a value matches this shape, down to its own fields. That is enough to choose an alternative of a union. */
export function matchesShape(shape: Shape, value: JsonData | undefined, withFields = true): boolean {
  if (value === undefined) return true
  if (shape.types !== null && !typesOf(value).some((type) => shape.types?.includes(type))) return false
  if (shape.values !== null && !shape.values.includes(value)) return false
  if (isJsonObject(value)) {
    if (shape.required.some((field) => value[field] === undefined)) return false
    if (withFields && ![...shape.properties].every(([field, each]) => matchesShape(each, value[field], false)))
      return false
  }
  return (
    shape.all.every((each) => matchesShape(each, value, withFields)) &&
    shape.unions.every((union) => union.some((each) => matchesShape(each, value, withFields)))
  )
}

function typesOf(value: JsonData): string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value]
}
