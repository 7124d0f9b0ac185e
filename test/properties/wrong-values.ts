// Derives invalid values from a body's schema: a wrong type, an unknown choice, a value out of bounds, a missing field, at any depth.

import type { TSchema } from 'typebox'
import { asAccepted, readingOf } from '../../src/http/endpoint/schema.ts'

type Shape = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly additionalProperties?: boolean | Shape
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** `value`: undefined if the field is missing. */
export type Wrong = { readonly path: readonly string[]; readonly value: unknown; readonly why: string }

const MISSING = { value: undefined, why: 'is left out' }

/** One value of each JSON type. A fraction is a number but no integer. */
const TYPED: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['number', 1.5],
  ['string', 'text'],
  ['object', { is: 'an object' }],
  ['array', [['a list']]],
  ['boolean', true],
]

/** Two show that the type is checked. All of them would take twice as long. */
const WRONG_TYPES = 2

/** Key of an entry in a map. */
const ENTRY = 'entry'

export function* wrongBodies(body: TSchema): Generator<Wrong> {
  yield* wrongFields(body as Shape, [])
}

/** Invalid values for amounts of money and rates, which may also be sent as text. */
export function* wrongAmounts(body: TSchema): Generator<Wrong> {
  for (const [path, shape] of fieldsWithin(body as Shape, []))
    if (['number', 'string'].every((type) => typesOf(shape).includes(type)) && shape.maxLength === 40)
      for (const value of ['abc', '1,5', 'Infinity', 0.123456789, 1e20])
        yield { path, value, why: `is ${JSON.stringify(value)}` }
}

/** Sets a value in a copy of `body`, and creates its parents as their schema requires. */
export function withValue(body: Record<string, unknown>, schema: TSchema, { path, value }: Omit<Wrong, 'why'>) {
  return placed(body, schema as Shape, path, value) as Record<string, unknown>
}

const typesOf = ({ type = [] }: Shape): readonly string[] => [type].flat() as readonly string[]

function* fieldsWithin(shape: Shape, path: readonly string[]): Generator<readonly [readonly string[], Shape]> {
  for (const [name, part] of partsOf(shape)) {
    yield [[...path, name], part]
    yield* fieldsWithin(part, [...path, name])
  }
}

const partsOf = ({ properties = {}, items, additionalProperties: others }: Shape): (readonly [string, Shape])[] => [
  ...Object.entries(properties),
  ...(items ? [['0', items] as const] : []),
  ...(typeof others === 'object' ? [[ENTRY, others] as const] : []),
]

function* wrongFields(shape: Shape, path: readonly string[]): Generator<Wrong> {
  for (const [name, part] of partsOf(shape)) {
    const here = [...path, name]
    if (shape.required?.includes(name)) yield { path: here, ...MISSING }
    for (const [why, value] of wrongValues(part)) yield { path: here, value, why }
    yield* wrongFields(part, here)
  }
}

function* wrongValues(shape: Shape): Generator<readonly [string, unknown]> {
  const types = typesOf(asAccepted(shape))
  const wrongTypes = TYPED.filter(([type]) => types.length > 0 && !types.includes(type)).slice(0, WRONG_TYPES)
  yield* wrongTypes.map(([type, value]) => [`is of type ${type}`, value] as const)
  if (shape.enum) yield ['is an unknown choice', 'nonsense']
  // An empty id in a nullable field is read as null.
  const isReadAsNull = readingOf(shape) === 'id' && types.includes('null')
  if (shape.minLength && !isReadAsNull) yield ['is too short', 'x'.repeat(shape.minLength - 1)]
  if (shape.maxLength) yield ['is too long', 'x'.repeat(shape.maxLength + 1)]
  if (shape.minItems) yield ['has too few entries', []]
  if (shape.maxItems) yield ['has too many entries', Array(shape.maxItems + 1).fill(sampleOf(shape.items ?? {}))]
  if (shape.maxProperties) yield ['has too many entries', entries(shape.maxProperties + 1, shape)]
  if (shape.minimum !== undefined) yield ['is too small', shape.minimum - (types.includes('integer') ? 1 : 0.5)]
  if (shape.maximum !== undefined) yield ['is too large', shape.maximum + 1]
}

const entries = (count: number, { additionalProperties: others }: Shape) => {
  const sample = typeof others === 'object' ? sampleOf(others) : 'x'
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${ENTRY}${index}`, sample]))
}

/** Returns the smallest value that a schema accepts. */
function sampleOf(shape: Shape): unknown {
  if (shape.enum) return shape.enum[0]
  const [type] = typesOf(shape)
  if (type === 'object') return placed({}, shape, [], undefined)
  if (type === 'array') return shape.minItems ? [sampleOf(shape.items ?? {})] : []
  if (type === 'integer' || type === 'number') return shape.minimum ?? 1
  if (type === 'boolean') return true
  return 'x'.repeat(shape.minLength ?? 1)
}

function placed(holder: unknown, shape: Shape, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  const { properties = {}, required = [] } = shape
  const isFilled = typeof holder === 'object' && holder !== null
  const known = isFilled ? holder : {}
  if (name === '0' && shape.items) {
    const [first, ...others] = Array.isArray(holder) ? holder : []
    return [rest.length === 0 ? value : placed(first, shape.items, rest, value), ...others]
  }
  const filled: Record<string, unknown> = { ...known }
  for (const each of required) if (!(each in filled) && properties[each]) filled[each] = sampleOf(properties[each])
  if (name === undefined) return filled
  const part = properties[name] ?? (shape.additionalProperties as Shape)
  if (rest.length > 0) filled[name] = placed(filled[name], part, rest, value)
  else if (value === undefined) delete filled[name]
  else filled[name] = value
  return filled
}
