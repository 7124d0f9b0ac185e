// Parses a raw query string in every bracket notation that clients of this API use. The parser trims values and converts nothing, because
// only the schema knows a parameter's type. `typedQuery` then converts types and reads JSON text. `queryReader` first reads input of
// storefronts leniently.

import type { TObject } from 'typebox'
import { badRequest } from '../../lib/errors.ts'
import { refuseForbiddenText } from '../../lib/json.ts'
import { createFieldReader } from './body.ts'
import { readingOf } from './schema.ts'

type QueryValue = string | QueryValue[] | { [key: string]: QueryValue }
type Query = Record<string, QueryValue>

const MAX_PARAMETERS = 100
/** Limit for brackets, and for levels of JSON text. */
const MAX_DEPTH = 5

// No parameter of ours has such a name, and unknown parameters are ignored. Our objects have no prototype to pollute. This protects code
// that copies values into an object with one.
const IGNORED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Lists: `key=a&key=b`, `key[]=a`, `key[0]=a`. A number in brackets only orders; gaps close up and cost nothing. Objects: `key[b]=c`, in
 * any mix with lists.
 */
export function parseQuery(raw: string): Query {
  const query: Query = Object.create(null)
  if (raw === '') return query
  const parts = raw.split('&', MAX_PARAMETERS + 1)
  if (parts.length > MAX_PARAMETERS) throw badRequest(`The query has more than ${MAX_PARAMETERS} parameters.`)

  const root = newNode()
  for (const part of parts) if (part !== '') addParameter(root, part)
  for (const [name, node] of root.members) query[name] = toValue(node, name)

  refuseForbiddenText(query)
  return query
}

/** Content of one place so far: values without a name, and members with one (numbers included). */
type Node = { items: (QueryValue | Node)[]; members: Map<string, Node>; isList: boolean; readonly isNode: true }

const newNode = (): Node => ({ items: [], members: new Map(), isList: false, isNode: true })

function addParameter(root: Node, part: string) {
  const equals = part.indexOf('=')
  const rawName = equals === -1 ? part : part.slice(0, equals)
  const rawValue = equals === -1 ? '' : part.slice(equals + 1)
  const name = decode(rawName, rawName)
  const path = pathOf(name)
  if (path.length - 1 > MAX_DEPTH) throw tooDeep(name)
  if (path[0] === '' || path.some((step) => IGNORED_NAMES.has(step))) return

  let node = root
  for (const [index, step] of path.entries()) {
    if (step === '') {
      node.isList = true
      // At the end of the name, the value is the entry. Before the end, the entry is something with members.
      if (index === path.length - 1) break
      const entry = newNode()
      node.items.push(entry)
      node = entry
    } else {
      const member = node.members.get(step) ?? newNode()
      node.members.set(step, member)
      node = member
    }
  }
  node.items.push(decode(rawValue, rawName).trim())
}

/** `a[b][]` becomes a, b, ''. A name with unbalanced brackets is one plain name. */
function pathOf(name: string): string[] {
  const open = name.indexOf('[')
  if (open < 1 || !name.endsWith(']')) return [name]
  const steps = name.slice(open + 1, -1).split('][')
  return steps.some((step) => step.includes('[') || step.includes(']')) ? [name] : [name.slice(0, open), ...steps]
}

function decode(text: string, rawName: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw badRequest(`The query parameter ${printable(rawName)} holds a % that does not begin a UTF-8 character.`)
  }
}

const POSITION = /^\d+$/

function toValue(node: Node, path: string): QueryValue {
  const entries = node.items.map((item) => (isNode(item) ? toValue(item, path) : item))
  const [single] = entries
  if (node.members.size === 0) return entries.length === 1 && single !== undefined && !node.isList ? single : entries

  const members = [...node.members]
  if (members.every(([name]) => POSITION.test(name))) {
    members.sort(([one], [other]) => Number(one) - Number(other))
    return [...entries, ...members.map(([name, member]) => toValue(member, `${path}[${name}]`))]
  }
  if (entries.length > 0)
    throw badRequest(
      `The query parameter ${printable(path)} is given both as a value and as an object. Send one of the two.`,
    )
  const object: Query = Object.create(null)
  for (const [name, member] of members) object[name] = toValue(member, `${path}[${name}]`)
  return object
}

const isNode = (item: QueryValue | Node): item is Node =>
  typeof item === 'object' && 'isNode' in item && item.isNode === true

const tooDeep = (name: string) =>
  badRequest(`The query parameter ${printable(name)} is nested deeper than the ${MAX_DEPTH} levels accepted here.`)

/** A name for error messages: short, and without characters that a reply cannot carry. */
const printable = (name: string): string => name.slice(0, 60).replace(/[\p{Cc}\p{Surrogate}]/gu, '\uFFFD')

// Converts query text to the types of the schema: a URL has no numbers, booleans, lists or objects. Text that does not fit the type stays
// as it is, for validation to refuse.

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

const INTEGER = /^-?\d+$/
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The parts of a JSON schema that matter here. `type` may be a list, as for nullable parameters. */
type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
}

/** Place of a value: its name as the client would write it, and the levels that it may still contain. */
type Place = { readonly name: string; readonly levels: number }

export function typedQuery(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const typed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    // Ignore unknown parameters, like unknown fields of a body.
    if (property) typed[name] = typedValue(property as Schema, value, { name, levels: MAX_DEPTH })
  }
  // The query was checked when it was parsed, but escapes inside JSON text show only now.
  refuseForbiddenText(typed)
  return typed
}

function typedValue(schema: Schema | undefined, value: unknown, place: Place): unknown {
  if (schema === undefined) return value
  const types = typesOf(schema)
  const typed = typeof value === 'string' ? fromText(types, value, place) : value
  if (Array.isArray(typed)) return types.includes('array') ? typedEntries(schema, typed, place) : typed
  if (typeof typed === 'object' && typed !== null)
    return types.includes('object') ? typedMembers(schema, typed, place) : typed
  return typeof typed === 'string' ? typedLeaf(schema, types, typed, place) : typed
}

const typesOf = ({ type }: Schema): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []))

function typedLeaf(schema: Schema, types: readonly string[], text: string, place: Place): unknown {
  // If text is allowed, keep it as written.
  if (types.includes('string')) return text
  if (types.includes('array')) return typedEntries(schema, [text], place)
  const isNumber = (types.includes('number') && NUMBER.test(text)) || (types.includes('integer') && INTEGER.test(text))
  if (isNumber && Number.isFinite(Number(text))) return Number(text)
  return (types.includes('boolean') ? BOOLEANS.get(text) : undefined) ?? text
}

const typedEntries = ({ items }: Schema, entries: readonly unknown[], { name, levels }: Place): unknown[] =>
  entries.map((entry, index) => typedValue(items, entry, { name: `${name}[${index}]`, levels: levels - 1 }))

function typedMembers(schema: Schema, object: object, { name, levels }: Place): Record<string, unknown> {
  const { properties = {}, additionalProperties: others } = schema
  const typed: Record<string, unknown> = Object.create(null)
  for (const [key, member] of Object.entries(object)) {
    const other = typeof others === 'object' ? others : undefined
    const memberSchema = Object.hasOwn(properties, key) ? properties[key] : other
    typed[key] = typedValue(memberSchema, member, { name: `${name}[${key}]`, levels: levels - 1 })
  }
  return typed
}

/** Reads a list or object written as JSON, if the type allows one. Other text stays text. */
function fromText(types: readonly string[], text: string, place: Place): QueryValue {
  const isWanted =
    (text.startsWith('[') && types.includes('array')) || (text.startsWith('{') && types.includes('object'))
  if (!isWanted) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  return fromJson(value, place.name, place.levels) ?? text
}

/** Converts JSON to the form of brackets: numbers and booleans become text, nulls are dropped. Undefined stands for null. */
function fromJson(value: unknown, name: string, levels: number): QueryValue | undefined {
  if (value === null) return undefined
  if (typeof value !== 'object') return String(value).trim()
  if (levels <= 0) throw tooDeep(name)
  const convertMember = (member: unknown) => fromJson(member, name, levels - 1)
  if (Array.isArray(value)) return value.map(convertMember).filter((entry) => entry !== undefined)
  const object: Query = Object.create(null)
  for (const [key, member] of Object.entries(value)) {
    const content = IGNORED_NAMES.has(key) ? undefined : convertMember(member)
    if (content !== undefined) object[key] = content
  }
  return object
}

/** Trims blanks around copied ids. Runs first: limits and Idempotency-Keys must see the same ids as the rules. */
export function trimParameters(params: Record<string, string>) {
  for (const name in params) params[name] = params[name]?.trim() ?? ''
}

// Published storefronts send `sortBy=created_at`, `sortDirection=DESC`, `limit=0` and empty filters, and show nothing after a 422. So
// without the secret key, list queries are read leniently: a shopper sees the page, not its programmer. An unreadable parameter that shapes
// the list (`lenient` of schema.ts) counts as not sent. A filter is read in every unambiguous form, and an empty one counts as not sent. A
// filter without a meaning is still refused: ignoring it would show unrequested results.

type RawQuery = Readonly<Record<string, unknown>>

/** Converts a query to values of its schema's types. */
export function queryReader(schema: TObject): (query: RawQuery, isSecret: boolean) => Record<string, unknown> {
  const lenientReader = createLenientReader(schema)
  const readMarked = createFieldReader(schema)
  return (query, isSecret) => {
    const typed = typedQuery(schema, isSecret || lenientReader === null ? query : lenientReader(query))
    return readMarked === null ? typed : (readMarked(typed) as typeof typed)
  }
}

/** Null for a query without `lenient` parameters. */
function createLenientReader(schema: TObject): ((query: RawQuery) => RawQuery) | null {
  const properties = Object.entries(schema.properties as Record<string, Schema>)
  if (!properties.some(([, property]) => readingOf(property) === 'lenient')) return null
  return (query) => {
    const lenientQuery: Record<string, unknown> = { ...query }
    for (const [name, property] of properties) {
      const value =
        readingOf(property) === 'lenient' ? readShaping(query, name, property) : readFilter(property, query[name])
      if (value === undefined) delete lenientQuery[name]
      else lenientQuery[name] = value
    }
    return lenientQuery
  }
}

/** The SDK's published documentation once calls `sortDirection` `sortOrder`. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  sortBy: ['sort_by', 'sortby'],
  sortDirection: ['sortOrder', 'sort_order', 'sort_direction', 'sortorder', 'sortdirection'],
}

/** First readable value under any name of the parameter. */
const readShaping = (query: RawQuery, name: string, property: Schema): unknown =>
  [name, ...(OTHER_NAMES[name] ?? [])]
    .map((each) => lastText(query[each]))
    .map((text) => (typesOf(property).includes('integer') ? readInteger(property, text) : readChoice(property, text)))
    .find((value) => value !== undefined)

/** The last of several values counts, as in the languages of old servers. */
const lastText = (value: unknown): string => {
  const last = Array.isArray(value) ? value.at(-1) : value
  return typeof last === 'string' ? last : ''
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/

function readInteger({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema, text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined
  const value = Math.trunc(Number(text))
  return value < minimum ? undefined : Math.min(value, maximum)
}

const SAME_CHOICE: ReadonlyMap<string, string> = new Map([
  ['createdat', 'created'],
  ['ascending', 'asc'],
  ['descending', 'desc'],
])

/** A choice without its spelling: `created_at`, `createdAt` and `created` are the same. */
const meaningOf = (text: string): string => {
  const letters = text.toLowerCase().replace(/[\s_-]/g, '')
  return SAME_CHOICE.get(letters) ?? letters
}

const readChoice = ({ enum: choices = [] }: Schema, text: string): string | undefined =>
  choices.find((choice) => meaningOf(choice) === meaningOf(text))

const BOOLEAN_WORDS: ReadonlyMap<string, string> = new Map([
  ['yes', 'true'],
  ['on', 'true'],
  ['no', 'false'],
  ['off', 'false'],
])

function readFilter(property: Schema, value: unknown): unknown {
  const types = typesOf(property)
  if (types.includes('array') || types.includes('object')) return withoutEmpty(value)
  const last = Array.isArray(value) ? value.at(-1) : value
  if (typeof last !== 'string') return last
  if (property.enum !== undefined) return last === '' ? undefined : (readChoice(property, last) ?? last)
  if (types.includes('string')) return last
  if (last === '') return undefined
  if (!types.includes('boolean')) return last
  const word = last.toLowerCase()
  return BOOLEAN_WORDS.get(word) ?? word
}

/** A menu without a selection sends an empty text. */
function withoutEmpty(value: unknown): unknown {
  if (value === '') return undefined
  if (Array.isArray(value)) {
    const entries = value.filter((entry) => entry !== '')
    return entries.length === 0 ? undefined : entries
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== ''))
}
