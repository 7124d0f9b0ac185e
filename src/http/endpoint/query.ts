// Turns a raw query string into values, in every bracket notation that clients of this API use.
// Leaves are trimmed strings; nothing is coerced here and no JSON text read, as only the schema knows what a parameter means:
// typedQuery, the second half of this file, does both. Between the two, storefronts get a generous reading: queryReader.

import type { TObject } from 'typebox'
import { badRequest } from '../../lib/errors.ts'
import { refuseForbiddenText } from '../../lib/json.ts'
import { readerOf } from './body.ts'
import { readingOf } from './schema.ts'

type QueryValue = string | QueryValue[] | { [key: string]: QueryValue }
type Query = Record<string, QueryValue>

const MAX_PARAMETERS = 100
/** Brackets, and levels of JSON text, inside one another. */
const MAX_DEPTH = 5

// No parameter of ours has such a name, and unknown parameters are ignored. The objects have no prototype to poison anyway;
// this protects whoever copies them into one that has.
const IGNORED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Lists: `key=a&key=b`, `key[]=a`, `key[0]=a` (a number in brackets only orders, so gaps close up and cost nothing).
 * Objects: `key[b]=c`, at any mix with lists.
 */
export function parseQuery(raw: string): Query {
  const query: Query = Object.create(null)
  if (raw === '') return query
  const parts = raw.split('&', MAX_PARAMETERS + 1)
  if (parts.length > MAX_PARAMETERS) throw badRequest(`The query has more than ${MAX_PARAMETERS} parameters.`)

  const root = newNode()
  for (const part of parts) if (part !== '') addParameter(root, part)
  for (const [name, node] of root.members) query[name] = finish(node, name)

  refuseForbiddenText(query)
  return query
}

/** What is known so far of one place: values given without a name, and members given with one (numbers included). */
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
      // At the end of the name the value itself is the entry; before it, the entry is something with members.
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

/** `a[b][]` → a, b, ''. A name whose brackets do not add up is one plain name. */
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

function finish(node: Node, path: string): QueryValue {
  const entries = node.items.map((item) => (isNode(item) ? finish(item, path) : item))
  const [only] = entries
  if (node.members.size === 0) return entries.length === 1 && only !== undefined && !node.isList ? only : entries

  const members = [...node.members]
  if (members.every(([name]) => POSITION.test(name))) {
    members.sort(([one], [other]) => Number(one) - Number(other))
    return [...entries, ...members.map(([name, member]) => finish(member, `${path}[${name}]`))]
  }
  if (entries.length > 0)
    throw badRequest(
      `The query parameter ${printable(path)} is given both as a value and as an object. Send one of the two.`,
    )
  const object: Query = Object.create(null)
  for (const [name, member] of members) object[name] = finish(member, `${path}[${name}]`)
  return object
}

const isNode = (item: QueryValue | Node): item is Node =>
  typeof item === 'object' && 'isNode' in item && item.isNode === true

const tooDeep = (name: string) =>
  badRequest(`The query parameter ${printable(name)} is nested deeper than the ${MAX_DEPTH} levels accepted here.`)

/** A name as an error repeats it: short, and free of what the reply could not carry. */
const printable = (name: string): string => name.slice(0, 60).replace(/[\p{Cc}\p{Surrogate}]/gu, '\uFFFD')

// Gives the text of a query the types its schema names: a URL has no numbers, booleans, lists or objects of its own.
// What does not read as the wanted type is left as it is, for validation to refuse.

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
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
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
  const typed = typeof value === 'string' ? fromText(wants, value, place) : value
  if (Array.isArray(typed)) return wants.includes('array') ? typedEntries(schema, typed, place) : typed
  if (typeof typed === 'object' && typed !== null)
    return wants.includes('object') ? typedMembers(schema, typed, place) : typed
  return typeof typed === 'string' ? typedLeaf(schema, wants, typed, place) : typed
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
    const content = IGNORED_NAMES.has(key) ? undefined : inside(member)
    if (content !== undefined) object[key] = content
  }
  return object
}

/** Ids that were copied have blanks around them. First of all: limits and Idempotency-Keys count by the same ids as the rules. */
export function trimParameters(params: Record<string, string>) {
  for (const name in params) params[name] = params[name]?.trim() ?? ''
}

// Published storefronts send `sortBy=created_at`, `sortDirection=DESC`, `limit=0` and empty filters, and show nothing after a 422. So the
// query of a list is read generously where no secret key is used: there a shopper looks at the page, not the programmer who wrote it.
// A parameter that shapes the list (`lenient` of schema.ts) is never refused: what cannot be read counts as not sent. A filter is read in
// every form that has one meaning, and an empty one counts as not sent. A filter without a meaning is still refused: left out, it would
// show what nobody asked for.

type RawQuery = Readonly<Record<string, unknown>>

/** How a query becomes values of its schema's types. */
export function queryReader(schema: TObject): (query: RawQuery, isSecret: boolean) => Record<string, unknown> {
  const generous = generousReader(schema)
  const readMarked = readerOf(schema)
  return (query, isSecret) => {
    const typed = typedQuery(schema, isSecret || generous === null ? query : generous(query))
    return readMarked === null ? typed : (readMarked(typed) as typeof typed)
  }
}

/** Null for a query that shapes no list. */
function generousReader(schema: TObject): ((query: RawQuery) => RawQuery) | null {
  const properties = Object.entries(schema.properties as Record<string, Schema>)
  if (!properties.some(([, property]) => readingOf(property) === 'lenient')) return null
  return (query) => {
    const read: Record<string, unknown> = { ...query }
    for (const [name, property] of properties) {
      const value =
        readingOf(property) === 'lenient' ? shapingIn(query, name, property) : filterIn(property, query[name])
      if (value === undefined) delete read[name]
      else read[name] = value
    }
    return read
  }
}

/** The published documentation of the SDK calls `sortDirection` `sortOrder` in one place. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  sortBy: ['sort_by', 'sortby'],
  sortDirection: ['sortOrder', 'sort_order', 'sort_direction', 'sortorder', 'sortdirection'],
}

/** The first readable value under any name of the parameter. */
const shapingIn = (query: RawQuery, name: string, property: Schema): unknown =>
  [name, ...(OTHER_NAMES[name] ?? [])]
    .map((each) => textIn(query[each]))
    .map((text) => (typesOf(property).includes('integer') ? integerIn(property, text) : choiceIn(property, text)))
    .find((value) => value !== undefined)

/** The last of several values counts, as in the languages that old servers were written in. */
const textIn = (value: unknown): string => {
  const last = Array.isArray(value) ? value.at(-1) : value
  return typeof last === 'string' ? last : ''
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/

function integerIn({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema, text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined
  const value = Math.trunc(Number(text))
  return value < minimum ? undefined : Math.min(value, maximum)
}

const SAME_CHOICE: ReadonlyMap<string, string> = new Map([
  ['createdat', 'created'],
  ['ascending', 'asc'],
  ['descending', 'desc'],
])

/** A choice without its spelling: `created_at`, `createdAt` and `created` are one. */
const meaningOf = (text: string): string => {
  const letters = text.toLowerCase().replace(/[\s_-]/g, '')
  return SAME_CHOICE.get(letters) ?? letters
}

const choiceIn = ({ enum: choices = [] }: Schema, text: string): string | undefined =>
  choices.find((choice) => meaningOf(choice) === meaningOf(text))

const BOOLEAN_WORDS: ReadonlyMap<string, string> = new Map([
  ['yes', 'true'],
  ['on', 'true'],
  ['no', 'false'],
  ['off', 'false'],
])

function filterIn(property: Schema, value: unknown): unknown {
  const wants = typesOf(property)
  if (wants.includes('array') || wants.includes('object')) return withoutEmpty(value)
  const last = Array.isArray(value) ? value.at(-1) : value
  if (typeof last !== 'string') return last
  if (property.enum !== undefined) return last === '' ? undefined : (choiceIn(property, last) ?? last)
  if (wants.includes('string')) return last
  if (last === '') return undefined
  if (!wants.includes('boolean')) return last
  const word = last.toLowerCase()
  return BOOLEAN_WORDS.get(word) ?? word
}

/** A menu of which nothing is chosen sends an empty text. */
function withoutEmpty(value: unknown): unknown {
  if (value === '') return undefined
  if (Array.isArray(value)) {
    const entries = value.filter((entry) => entry !== '')
    return entries.length === 0 ? undefined : entries
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== ''))
}
