// Reads request bodies, which must be JSON in UTF-8. Also normalises fields that storefronts fill in, before they are validated.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, unsupportedMediaType } from '../../lib/errors.ts'
import { parseRequestJson, refuseForbiddenText, refuseInfinity } from '../../lib/json.ts'
import type { Endpoint } from './endpoint.ts'
import { readingOf } from './schema.ts'

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i
const OTHER_CHARSET = /charset\s*=(?!\s*"?utf-?8\b)/i
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Treats `null` as an empty object. Clients send it with a JSON content type if they have nothing to send. GET and DELETE ignore bodies
 * anyway.
 */
export const bodyOrEmpty = (body: unknown): unknown => body ?? {}

/** Fastify never reads a body on GET. This makes DELETE behave the same, whatever the body is. */
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
  const value = parseRequestJson(text)
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

// Reads input of storefronts leniently where the schema allows it (`trimmed`, `idMap`, `quantity` and `digitText` of schema.ts). Examples
// are text fields of forms, copied ids, PHP's empty list for an empty map, and numbers for digits. Unreadable values stay as they are, for
// validation to refuse.

type Shape = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: boolean | Shape
}

/** Returning `undefined` removes the value, as if it had not been sent. */
type Reader = (value: unknown) => unknown

/** Reader for a schema; null if the schema marks nothing, so that requests need no work. */
export function createFieldReader(schema: object): Reader | null {
  const mark = readingOf(schema)
  const { type = [], properties = {}, additionalProperties: others } = schema as Shape
  if (mark === 'id') return (value) => readId(value, [type].flat().includes('null'))
  if (mark === 'id_map') return readIdMap
  if (mark === 'id_keys') return (value) => (isObject(value) ? readEntries(value, (entry) => entry) : value)
  if (mark === 'quantity') return readQuantity
  if (mark === 'digits') return readDigits
  const readers = new Map<string, Reader>()
  for (const [name, property] of Object.entries(properties)) {
    const reader = createFieldReader(property)
    if (reader !== null) readers.set(name, reader)
  }
  const readOthers = typeof others === 'object' ? createFieldReader(others) : null
  if (readOthers !== null) return (value) => (isObject(value) ? readEntries(value, readOthers) : value)
  return readers.size === 0 ? null : (value) => (isObject(value) ? readFields(value, readers) : value)
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Copies the object only if a value changes. */
function readFields(source: Fields, readers: ReadonlyMap<string, Reader>): Fields {
  let changed: Record<string, unknown> | null = null
  for (const [name, reader] of readers) {
    if (!Object.hasOwn(source, name)) continue
    const value = reader(source[name])
    if (value === source[name]) continue
    changed ??= { ...source }
    if (value === undefined) delete changed[name]
    else changed[name] = value
  }
  return changed ?? source
}

/** Keys are ids too, so they are trimmed. */
function readEntries(source: Fields, reader: Reader): Fields {
  const entries = Object.entries(source).map(([key, value]) => [key.trim(), reader(value)] as const)
  const isSame = entries.every(([key, value]) => Object.hasOwn(source, key) && source[key] === value)
  return isSame ? source : Object.fromEntries(entries)
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

/** Larger numbers are left alone: JSON has rounded them, and the result could be another card's number. */
const readDigits = (value: unknown): unknown =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : value

/** Everybody has a public key, and reading a body delays all other requests. So bodies are small unless the endpoint needs a secret key. */
export const bodyLimitOf = ({ access, bodyLimit }: Endpoint, strangerBodyBytes: number): { bodyLimit?: number } => {
  if (bodyLimit !== undefined) return { bodyLimit }
  return access === 'secret' || access === 'session' ? {} : { bodyLimit: strangerBodyBytes }
}
