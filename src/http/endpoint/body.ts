// Reads request bodies: JSON in UTF-8 and nothing else; and how fields that storefronts fill in are read before they are checked.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, unsupportedMediaType } from '../../lib/errors.ts'
import { parseJson, refuseForbiddenText, refuseInfinity } from '../../lib/json.ts'
import type { Endpoint } from './endpoint.ts'
import { readingOf } from './schema.ts'

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i
const OTHER_CHARSET = /charset\s*=(?!\s*"?utf-?8\b)/i
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Clients send `null`, with a JSON content type, where they have nothing to send: on GET and DELETE, whose bodies nobody reads, and on
 * POST and PUT, where it stands for an empty object.
 */
export const bodyOrEmpty = (body: unknown): unknown => body ?? {}

/** Fastify never reads a body on GET; this makes DELETE the same, whatever the body says. */
export function ignoreBodiesOfDelete(server: FastifyInstance) {
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true })
}

export function readJsonBodies(server: FastifyInstance) {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, readBody(request, body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

export function readBody(request: FastifyRequest, body: Buffer): unknown {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding !== 'identity' || OTHER_CHARSET.test(type)) throw unsupportedMediaType()
  if (body.length === 0) return undefined
  const text = decode(body)
  const value = parseJson(text)
  refuseForbiddenText(value, text)
  refuseInfinity(value, text)
  return value
}

function decode(body: Buffer): string {
  try {
    return decoder.decode(body)
  } catch {
    throw badRequest('The request body is not valid UTF-8.')
  }
}

// What storefronts send is read generously where the schema says so (`trimmed`, `idMap`, `quantity` and `digitText` of schema.ts): text fields of forms,
// ids that were copied, lists where PHP meant an empty map, numbers where a page reads digits. What cannot be read stays as it is, for validation to refuse.

type Shape = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: boolean | Shape
}

/** `undefined`: as if it had not been sent. */
type Reader = (value: unknown) => unknown

/** Null where the schema marks nothing: then nothing is to be done for a request. */
export function readerOf(schema: object): Reader | null {
  const how = readingOf(schema)
  const { type = [], properties = {}, additionalProperties: others } = schema as Shape
  if (how === 'id') return (value) => readId(value, [type].flat().includes('null'))
  if (how === 'id_map') return readIdMap
  if (how === 'id_keys') return (value) => (isObject(value) ? readEntries(value, (entry) => entry) : value)
  if (how === 'quantity') return readQuantity
  if (how === 'digits') return readDigits
  const readers = new Map<string, Reader>()
  for (const [name, property] of Object.entries(properties)) {
    const reader = readerOf(property)
    if (reader !== null) readers.set(name, reader)
  }
  const readOthers = typeof others === 'object' ? readerOf(others) : null
  if (readOthers !== null) return (value) => (isObject(value) ? readEntries(value, readOthers) : value)
  return readers.size === 0 ? null : (value) => (isObject(value) ? readFields(value, readers) : value)
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A copy only where something is read otherwise than it was sent. */
function readFields(sent: Fields, readers: ReadonlyMap<string, Reader>): Fields {
  let read: Record<string, unknown> | null = null
  for (const [name, reader] of readers) {
    if (!Object.hasOwn(sent, name)) continue
    const value = reader(sent[name])
    if (value === sent[name]) continue
    read ??= { ...sent }
    if (value === undefined) delete read[name]
    else read[name] = value
  }
  return read ?? sent
}

/** Keys are ids too. */
function readEntries(sent: Fields, reader: Reader): Fields {
  const read = Object.entries(sent).map(([key, value]) => [key.trim(), reader(value)] as const)
  const isSame = read.every(([key, value]) => Object.hasOwn(sent, key) && sent[key] === value)
  return isSame ? sent : Object.fromEntries(read)
}

function readId(value: unknown, mayBeNull: boolean): unknown {
  if (typeof value !== 'string') return value
  const id = value.trim()
  return id === '' && mayBeNull ? null : id
}

const trim = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value)

function readIdMap(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(trim)
  return isObject(value) ? readEntries(value, trim) : value
}

const NUMBER = /^[+-]?\d{1,15}(?:\.\d{1,15})?$/

function readQuantity(value: unknown): unknown {
  if (value === null) return undefined
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (text === '') return undefined
  return NUMBER.test(text) ? Number(text) : value
}

/** A larger number is not the one that was sent: JSON rounds it, and another card's number could result. */
const readDigits = (value: unknown): unknown =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : value

/** Everybody has a public key, and reading a body holds all others up: where it is enough, bodies are small. */
export const bodyLimitOf = ({ access, bodyLimit }: Endpoint, strangerBodyBytes: number): { bodyLimit?: number } => {
  if (bodyLimit !== undefined) return { bodyLimit }
  return access === 'secret' || access === 'session' ? {} : { bodyLimit: strangerBodyBytes }
}
