// Serialises replies with functions compiled from their schemas. Each is compiled on first use and only with the kinds it refers to.
// Compiling all at the start, each with every kind, took longer than the rest of the start.
//
// Values with a schema marked as `shared` are serialised once and then copied. An answer with three hundred lines repeats the choices of
// products three hundred times, and that twice.

import { build, type Schema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'
import { type Kind, sharedMark } from './endpoint/schema.ts'
import { compileCopier, NOT_PLAIN } from './plain-data.ts'
import { nameIn, rewriteUnions } from './unions.ts'

/** Writes a value as JSON text, or as the plain data of that text. */
type Writer = {
  text(value: unknown, seen: Parts): string
  data(value: unknown, seen: Parts): unknown
}

/** Parts of one reply already written, by the mark of the schema and by the value. */
type Parts = { readonly texts: Map<symbol, Map<unknown, string>>; readonly data: Map<symbol, Map<unknown, unknown>> }

export type ReplySerializer = {
  (value: unknown): string
  /** The data of the JSON text. Shared values stay one object, however often they appear. */
  plain(value: unknown): unknown
}

export function serializerCompiler(kinds: readonly Kind[]): FastifySerializerCompiler<object> {
  const byId = new Map(kinds.map((kind) => [kind.$id, kind]))
  return ({ schema }) => replySerializer(schema, byId)
}

export function replySerializer(schema: object, byId: ReadonlyMap<string, Kind>): ReplySerializer {
  let writer: Writer | undefined
  const serializer = () => {
    writer ??= writerOf(schema, byId)
    return writer
  }
  return Object.assign((value: unknown) => serializer().text(value, newParts()), {
    plain: (value: unknown) => serializer().data(value, newParts()),
  })
}

const newParts = (): Parts => ({ texts: new Map(), data: new Map() })

type JsonSchema = {
  readonly $id?: string
  readonly $ref?: string
  readonly type?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** Parts of an object or a list. Only the compiler knows how to write other schemas, such as nullable ones. */
function partsOf({ type, items, properties }: JsonSchema): readonly JsonSchema[] {
  if (type === 'array' && items !== undefined) return [items]
  return type === 'object' && properties !== undefined ? Object.values(properties) : []
}

function writerOf(source: JsonSchema, byId: ReadonlyMap<string, Kind>): Writer {
  const mark = sharedMark(source)
  const schema = kindOf(source, byId)
  const writer = bareWriter(schema, byId)
  return mark === undefined ? writer : memoizingWriter(mark, writer)
}

/** Splits only objects and lists that contain shared parts. The compiler writes everything else, because it is faster. */
function bareWriter(schema: JsonSchema, byId: ReadonlyMap<string, Kind>): Writer {
  if (schema.anyOf?.every(({ $ref }) => $ref !== undefined)) return choiceWriter(schema.anyOf, byId)
  if (!holdsShared(schema, byId)) return compileWriter(schema, byId)
  return schema.type === 'array' && schema.items ? listWriter(writerOf(schema.items, byId)) : objectWriter(schema, byId)
}

/** Compiled writers by schema text. Many replies have the same form: each change of a cart, for example, replies with the cart. */
const writers = new Map<string, Writer>()

function compileWriter(source: JsonSchema, byId: ReadonlyMap<string, Kind>): Writer {
  const rewritten = rewriteUnions(source, byId)
  const text = JSON.stringify(rewritten)
  const cachedWriter = writers.get(text)
  if (cachedWriter !== undefined) return cachedWriter
  const { schema, kinds } = rewritten
  const write = build(schema as Schema, { schema: kinds as Record<string, Schema> })
  const copy = compileCopier(source, byId)
  const writer: Writer = {
    text: write,
    data(value) {
      const data = copy === null ? NOT_PLAIN : copy(value)
      return data === NOT_PLAIN ? JSON.parse(write(value)) : data
    },
  }
  writers.set(text, writer)
  return writer
}

/** Chooses between kinds: the first one with all its required fields present. */
function choiceWriter(references: readonly JsonSchema[], byId: ReadonlyMap<string, Kind>): Writer {
  const choices = references.map((reference) => {
    const { required = [] } = kindOf(reference, byId)
    return { required, writer: writerOf(reference, byId) }
  })
  const writerFor = (value: unknown): Writer => {
    const choice = choices.find(({ required }) => required.every((name) => (value as Fields)[name] !== undefined))
    if (choice === undefined) throw new Error('The reply matches none of its schemas.')
    return choice.writer
  }
  return {
    text: (value, seen) => writerFor(value).text(value, seen),
    data: (value, seen) => writerFor(value).data(value, seen),
  }
}

function memoizingWriter(mark: symbol, { text, data }: Writer): Writer {
  return {
    text: (value, seen) => writeOnce(seen.texts, mark, value, () => text(value, seen)),
    data: (value, seen) => writeOnce(seen.data, mark, value, () => data(value, seen)),
  }
}

function writeOnce<Written>(
  all: Map<symbol, Map<unknown, Written>>,
  mark: symbol,
  value: unknown,
  make: () => Written,
): Written {
  let values = all.get(mark)
  if (values === undefined) {
    values = new Map()
    all.set(mark, values)
  }
  const cachedPart = values.get(value)
  if (cachedPart !== undefined) return cachedPart
  const part = make()
  values.set(value, part)
  return part
}

const listWriter = (entry: Writer): Writer => ({
  text(value, seen) {
    let json = ''
    for (const each of value as unknown[]) json += json === '' ? entry.text(each, seen) : `,${entry.text(each, seen)}`
    return `[${json}]`
  },
  data: (value, seen) => (value as unknown[]).map((each) => entry.data(each, seen)),
})

type Fields = Readonly<Record<string, unknown>>

/** Writes neighbouring fields without shared parts together. Like the compiler, writes required fields first. */
function objectWriter({ properties = {}, required = [] }: JsonSchema, byId: ReadonlyMap<string, Kind>): Writer {
  const names = Object.keys(properties)
  const ordered = [
    ...names.filter((name) => required.includes(name)),
    ...names.filter((name) => !required.includes(name)),
  ]
  const parts: Writer[] = []
  let plain: string[] = []
  const closeRun = () => {
    if (plain.length > 0) parts.push(runWriter(plain, properties, required, byId))
    plain = []
  }
  for (const name of ordered) {
    const field = properties[name] as JsonSchema
    if (sharedMark(field) === undefined && !holdsShared(kindOf(field, byId), byId)) {
      plain.push(name)
      continue
    }
    closeRun()
    parts.push(fieldWriter(name, writerOf(field, byId), required.includes(name)))
  }
  closeRun()
  return {
    text(value, seen) {
      let json = ''
      for (const part of parts) {
        const text = part.text(value, seen)
        if (text !== '') json += json === '' ? text : `,${text}`
      }
      return `{${json}}`
    },
    data: (value, seen) => Object.assign({}, ...parts.map((part) => part.data(value, seen))),
  }
}

/** Fields without their braces. */
function runWriter(
  names: readonly string[],
  properties: NonNullable<JsonSchema['properties']>,
  required: readonly string[],
  byId: ReadonlyMap<string, Kind>,
): Writer {
  const { text, data } = compileWriter(
    {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, properties[name] as JsonSchema])),
      required: required.filter((name) => names.includes(name)),
    },
    byId,
  )
  return { text: (value, seen) => text(value, seen).slice(1, -1), data }
}

function fieldWriter(name: string, { text, data }: Writer, isRequired: boolean): Writer {
  const label = `${JSON.stringify(name)}:`
  const isPresent = (value: unknown): boolean => {
    if ((value as Fields)[name] !== undefined) return true
    if (isRequired) throw new Error(`${JSON.stringify(name)} is required!`)
    return false
  }
  return {
    text: (value, seen) => (isPresent(value) ? label + text((value as Fields)[name], seen) : ''),
    data: (value, seen) => (isPresent(value) ? { [name]: data((value as Fields)[name], seen) } : {}),
  }
}

const kindOf = (schema: JsonSchema, byId: ReadonlyMap<string, Kind>): JsonSchema =>
  schema.$ref === undefined ? schema : ((byId.get(nameIn(schema.$ref)) as JsonSchema | undefined) ?? schema)

/** True if a part of the schema is marked as shared. */
function holdsShared(schema: JsonSchema, byId: ReadonlyMap<string, Kind>, within: readonly JsonSchema[] = []): boolean {
  if (within.includes(schema)) return false
  return partsOf(schema).some(
    (inner) => sharedMark(inner) !== undefined || holdsShared(kindOf(inner, byId), byId, [...within, schema]),
  )
}

const REFERENCE = /"\$ref":"([^"#]+)#"/g

/** All kinds that a schema refers to, directly or indirectly, by id. */
export function findKinds(schema: object, byId: ReadonlyMap<string, Kind>): Record<string, Kind> {
  const kinds = new Map<string, Kind>()
  const collectKinds = (text: string) => {
    for (const [, id = ''] of text.matchAll(REFERENCE)) {
      const kind = byId.get(id)
      if (kind === undefined || kinds.has(id) || kind === schema) continue
      kinds.set(id, kind)
      collectKinds(JSON.stringify(kind))
    }
  }
  collectKinds(JSON.stringify(schema))
  return Object.fromEntries(kinds)
}
