// Writes replies with serializers compiled from their schemas, each when it is first needed and from the kinds it refers to. All of them
// at the start, each with every kind, took longer than all the rest of a start.
//
// What a schema marks as `shared` is written once for each value and then copied: an answer of three hundred lines says three hundred
// times, and that twice, what can be chosen.

import { build, type Schema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'
import { type Kind, sharedMark } from './endpoint/schema.ts'
import { copierOf, NOT_PLAIN } from './plain-data.ts'
import { nameIn, withoutUnions } from './unions.ts'

/** The same value both ways: as JSON text, and as the plain data that the text stands for. */
type Writer = {
  text(value: unknown, seen: Parts): string
  data(value: unknown, seen: Parts): unknown
}

/** What has been written of one reply, by the mark of the schema and by the value. */
type Parts = { readonly texts: Map<symbol, Map<unknown, string>>; readonly data: Map<symbol, Map<unknown, unknown>> }

export type ReplySerializer = {
  (value: unknown): string
  /** What the text stands for. Values that were shared still are: one object, however often it is shown. */
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

/** What an object or a list consists of. Of anything else, such as what may be null, the compiler alone knows how it is written. */
function partsOf({ type, items, properties }: JsonSchema): readonly JsonSchema[] {
  if (type === 'array' && items !== undefined) return [items]
  return type === 'object' && properties !== undefined ? Object.values(properties) : []
}

function writerOf(source: JsonSchema, byId: ReadonlyMap<string, Kind>): Writer {
  const mark = sharedMark(source)
  const schema = kindOf(source, byId)
  const writer = bareWriter(schema, byId)
  return mark === undefined ? writer : writtenOnce(mark, writer)
}

/** Only objects and lists that hold something shared are taken apart; all else is the compiler's, which is faster. */
function bareWriter(schema: JsonSchema, byId: ReadonlyMap<string, Kind>): Writer {
  if (schema.anyOf?.every(({ $ref }) => $ref !== undefined)) return choiceWriter(schema.anyOf, byId)
  if (!holdsShared(schema, byId)) return compiled(schema, byId)
  return schema.type === 'array' && schema.items ? listWriter(writerOf(schema.items, byId)) : objectWriter(schema, byId)
}

/** By all that they are made of. Many replies are written alike: a cart, say, is what each change of it replies. */
const known = new Map<string, Writer>()

function compiled(source: JsonSchema, byId: ReadonlyMap<string, Kind>): Writer {
  const rewritten = withoutUnions(source, byId)
  const text = JSON.stringify(rewritten)
  const found = known.get(text)
  if (found !== undefined) return found
  const { schema, kinds } = rewritten
  const write = build(schema as Schema, { schema: kinds as Record<string, Schema> })
  const copy = copierOf(source, byId)
  const writer: Writer = {
    text: write,
    data(value) {
      const data = copy === null ? NOT_PLAIN : copy(value)
      return data === NOT_PLAIN ? JSON.parse(write(value)) : data
    },
  }
  known.set(text, writer)
  return writer
}

/** One of several kinds: the first whose required fields are all there. */
function choiceWriter(references: readonly JsonSchema[], byId: ReadonlyMap<string, Kind>): Writer {
  const choices = references.map((reference) => {
    const { required = [] } = kindOf(reference, byId)
    return { required, writer: writerOf(reference, byId) }
  })
  const writerFor = (value: unknown): Writer => {
    const choice = choices.find(({ required }) => required.every((name) => (value as Fields)[name] !== undefined))
    if (choice === undefined) throw new Error('The reply is none of the kinds that it may be.')
    return choice.writer
  }
  return {
    text: (value, seen) => writerFor(value).text(value, seen),
    data: (value, seen) => writerFor(value).data(value, seen),
  }
}

function writtenOnce(mark: symbol, { text, data }: Writer): Writer {
  return {
    text: (value, seen) => remembered(seen.texts, mark, value, () => text(value, seen)),
    data: (value, seen) => remembered(seen.data, mark, value, () => data(value, seen)),
  }
}

function remembered<Written>(
  all: Map<symbol, Map<unknown, Written>>,
  mark: symbol,
  value: unknown,
  make: () => Written,
): Written {
  let known = all.get(mark)
  if (known === undefined) {
    known = new Map()
    all.set(mark, known)
  }
  const found = known.get(value)
  if (found !== undefined) return found
  const written = make()
  known.set(value, written)
  return written
}

const listWriter = (entry: Writer): Writer => ({
  text(value, seen) {
    let written = ''
    for (const each of value as unknown[])
      written += written === '' ? entry.text(each, seen) : `,${entry.text(each, seen)}`
    return `[${written}]`
  },
  data: (value, seen) => (value as unknown[]).map((each) => entry.data(each, seen)),
})

type Fields = Readonly<Record<string, unknown>>

/** Neighbours that share nothing are written together. The order is the compiler's: required fields first. */
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
      let written = ''
      for (const part of parts) {
        const text = part.text(value, seen)
        if (text !== '') written += written === '' ? text : `,${text}`
      }
      return `{${written}}`
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
  const { text, data } = compiled(
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
  const isThere = (value: unknown): boolean => {
    if ((value as Fields)[name] !== undefined) return true
    if (isRequired) throw new Error(`${JSON.stringify(name)} is required!`)
    return false
  }
  return {
    text: (value, seen) => (isThere(value) ? label + text((value as Fields)[name], seen) : ''),
    data: (value, seen) => (isThere(value) ? { [name]: data((value as Fields)[name], seen) } : {}),
  }
}

const kindOf = (schema: JsonSchema, byId: ReadonlyMap<string, Kind>): JsonSchema =>
  schema.$ref === undefined ? schema : ((byId.get(nameIn(schema.$ref)) as JsonSchema | undefined) ?? schema)

/** Whether something inside is marked. */
function holdsShared(schema: JsonSchema, byId: ReadonlyMap<string, Kind>, within: readonly JsonSchema[] = []): boolean {
  if (within.includes(schema)) return false
  return partsOf(schema).some(
    (inner) => sharedMark(inner) !== undefined || holdsShared(kindOf(inner, byId), byId, [...within, schema]),
  )
}

const REFERENCE = /"\$ref":"([^"#]+)#"/g

/** Every kind that a schema refers to, also through another, by its id. */
export function kindsIn(schema: object, byId: ReadonlyMap<string, Kind>): Record<string, Kind> {
  const found = new Map<string, Kind>()
  const look = (text: string) => {
    for (const [, id = ''] of text.matchAll(REFERENCE)) {
      const kind = byId.get(id)
      if (kind === undefined || found.has(id) || kind === schema) continue
      found.set(id, kind)
      look(JSON.stringify(kind))
    }
  }
  look(JSON.stringify(schema))
  return Object.fromEntries(found)
}
