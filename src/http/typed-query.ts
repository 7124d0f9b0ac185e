// Gives the text of a query the types its schema names: a URL has no numbers, booleans, lists or objects of its own.
// What does not read as the wanted type is left as it is, for validation to refuse.

import type { TObject } from 'typebox'
import { refuseForbiddenText } from '../lib/json.ts'
import { IGNORED_NAMES, MAX_DEPTH, type Query, type QueryValue, tooDeep } from './query.ts'

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

const INTEGER = /^-?\d+$/
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** As much of a JSON schema as matters here. `type` may be a list: that is how a nullable parameter is written. */
type Schema = {
  readonly type?: string | readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
}

/** Where a value stands: its name as the client would write it, and how many levels may still be inside it. */
type Place = { readonly name: string; readonly levels: number }

export function typedQuery(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const typed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    // Unknown parameters are ignored, as unknown fields of a body are.
    if (property) typed[name] = typedValue(property as Schema, value, { name, levels: MAX_DEPTH })
  }
  // The query itself was looked through when it was read; an escape inside JSON text shows only now.
  refuseForbiddenText(typed)
  return typed
}

function typedValue(schema: Schema | undefined, value: unknown, place: Place): unknown {
  if (schema === undefined) return value
  const wants = typesOf(schema)
  const given = typeof value === 'string' ? fromText(wants, value, place) : value
  if (Array.isArray(given)) return wants.includes('array') ? typedEntries(schema, given, place) : given
  if (typeof given === 'object' && given !== null)
    return wants.includes('object') ? typedMembers(schema, given, place) : given
  return typeof given === 'string' ? typedLeaf(schema, wants, given, place) : given
}

const typesOf = ({ type }: Schema): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []))

function typedLeaf(schema: Schema, wants: readonly string[], text: string, place: Place): unknown {
  // Where text will do, it stays what was written.
  if (wants.includes('string')) return text
  if (wants.includes('array')) return typedEntries(schema, [text], place)
  const isNumber = (wants.includes('number') && NUMBER.test(text)) || (wants.includes('integer') && INTEGER.test(text))
  if (isNumber && Number.isFinite(Number(text))) return Number(text)
  return (wants.includes('boolean') ? BOOLEANS.get(text) : undefined) ?? text
}

const typedEntries = ({ items }: Schema, entries: readonly unknown[], { name, levels }: Place): unknown[] =>
  entries.map((entry, index) => typedValue(items, entry, { name: `${name}[${index}]`, levels: levels - 1 }))

function typedMembers(schema: Schema, object: object, { name, levels }: Place): Record<string, unknown> {
  const { properties = {}, additionalProperties: others } = schema
  const typed: Record<string, unknown> = Object.create(null)
  for (const [key, member] of Object.entries(object)) {
    const other = typeof others === 'object' ? others : undefined
    const known = Object.hasOwn(properties, key) ? properties[key] : other
    typed[key] = typedValue(known, member, { name: `${name}[${key}]`, levels: levels - 1 })
  }
  return typed
}

/** A list or an object written as JSON, where one is wanted. Text that starts like JSON but is not JSON stays text. */
function fromText(wants: readonly string[], text: string, place: Place): QueryValue {
  const isWanted =
    (text.startsWith('[') && wants.includes('array')) || (text.startsWith('{') && wants.includes('object'))
  if (!isWanted) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  return fromJson(value, place.name, place.levels) ?? text
}

/**
 * JSON in the shape that brackets would give: numbers and booleans become the text they would be there, and nulls are left out.
 * Undefined stands for null.
 */
function fromJson(value: unknown, name: string, levels: number): QueryValue | undefined {
  if (value === null) return undefined
  if (typeof value !== 'object') return String(value).trim()
  if (levels <= 0) throw tooDeep(name)
  const inside = (member: unknown) => fromJson(member, name, levels - 1)
  if (Array.isArray(value)) return value.map(inside).filter((entry) => entry !== undefined)
  const object: Query = Object.create(null)
  for (const [key, member] of Object.entries(value)) {
    const given = IGNORED_NAMES.has(key) ? undefined : inside(member)
    if (given !== undefined) object[key] = given
  }
  return object
}
