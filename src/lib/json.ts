// Parses JSON from outside, and finds text, numbers and sizes that we cannot store. Also digests of JSON, and the fields of a partial
// update.
// No message repeats any of the text: a body may contain a card number.

import { createHmac } from 'node:crypto'
import { parse } from 'secure-json-parse'
import { cardNumberErrors } from './credentials/card-numbers.ts'
import { badRequest, type FieldErrors, unprocessable } from './errors.ts'

/** Maximum nesting of objects and lists. */
export const MAX_JSON_DEPTH = 20

/** Throws a 400. A byte order mark is ignored, as RFC 8259 allows. If a key is repeated, the last one counts. */
export function parseRequestJson(text: string): unknown {
  if (text.length === 0) throw badRequest('The request body is empty. Send a JSON object.')
  if (isTooDeep(text))
    throw badRequest(`The request body is nested deeper than the ${MAX_JSON_DEPTH} levels accepted here.`)
  try {
    return parse(text, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    throw badRequest(parseErrorMessage(error))
  }
}

const POSITION = /at position (\d+)(?: \(line \d+ column \d+\))?$/

function parseErrorMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (message === 'Object contains forbidden prototype property')
    return 'The request body uses a key that is not accepted: __proto__, or prototype inside constructor.'
  // The engine's own message quotes the body, so only its position is passed on.
  const position = POSITION.exec(message)?.[1]
  return position === undefined
    ? 'The request body is not valid JSON.'
    : `The request body is not valid JSON: look at character ${Number(position) + 1}.`
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Counts brackets in the text before parsing. A few kilobytes of `[` would otherwise overflow the stack of code that walks the result.
 * Invalid JSON may pass here; the parser refuses it later.
 */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      if (at === -1) return false
    }
    // `|` folds `[` onto `{` and `]` onto `}`.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > MAX_JSON_DEPTH) return true
    } else if ((code | 0x20) === 0x7d) depth--
  }
  return false
}

/**
 * Position where the string that opens at `start` closes, or -1. It jumps from quote to quote, because an uploaded file is one long string.
 */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    // An even number of backslashes escape one another and leave the quote alone.
    if ((end - before) % 2 === 1) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
}

const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/

/**
 * Dotted path of the first string or key with U+0000 or half of a surrogate pair; null if there is none. PostgreSQL refuses both, which
 * would become a 500.
 * `text` is the JSON source of `value`. If it contains nothing suspicious, which is nearly always, the value is not walked.
 */
export function findForbiddenText(value: unknown, text?: string): string | null {
  if (text !== undefined && isWellFormed(text) && !SUSPECT_ESCAPE.test(text)) return null
  return findPath(isForbidden, value)
}

/** Throws a 422 that names the path. */
export function refuseForbiddenText(value: unknown, text?: string) {
  const path = findForbiddenText(value, text)
  if (path !== null)
    throw unprocessable({ [path]: [`${path} must not contain the character U+0000 or half of a surrogate pair.`] })
}

// Only an exponent, or 309 digits in a row, can pass 1.8e308. The lookbehind keeps the time proportional to the text.
const SUSPECT_NUMBER = /\d[eE]\+?\d|(?<!\d)\d{309}/

/**
 * Throws a 422 that names the first number above JavaScript's range. `1e400` is read as Infinity, which JSON cannot write. The number would
 * be stored and returned as null.
 */
export function refuseInfinity(value: unknown, text: string) {
  if (!SUSPECT_NUMBER.test(text)) return
  const path = findPath(isInfinite, value)
  if (path !== null) throw unprocessable({ [path]: [`${path} must be a number between -1.7e308 and 1.7e308.`] })
}

/**
 * Maximum size of a meta from shoppers, on a cart, a checkout, a capture or a customer.
 * Every read returns it, and with a public key anybody can create many carts.
 */
const MAX_META_BYTES = 16_384

/** Thirteen digits, the length of the shortest card number, with anything between them. */
const MAY_HOLD_CARD = /(?:\d[^\d]*){13}/

/** Problems of a meta by field: too large, or contains a card number. Null if there is none. */
export function metaErrors(meta: unknown, field = 'meta'): FieldErrors | null {
  const text = JSON.stringify(meta ?? null)
  if (Buffer.byteLength(text) > MAX_META_BYTES)
    return { [field]: [`${field} must be at most 16 KB (${MAX_META_BYTES} bytes) as JSON text.`] }
  return MAY_HOLD_CARD.test(text) ? cardNumberErrors(meta, field) : null
}

/** Path of the first leaf or key that is `wrong`. */
function findPath(isWrong: (leaf: unknown) => boolean, value: unknown): string | null {
  const path = searchPath(isWrong, value, '')
  return path === null ? null : shortPath(path)
}

function searchPath(isWrong: (leaf: unknown) => boolean, value: unknown, path: string): string | null {
  if (typeof value !== 'object' || value === null) return isWrong(value) ? path || 'body' : null
  const prefix = path === '' ? '' : `${path}.`
  for (const [key, member] of Object.entries(value)) {
    if (isWrong(key)) return prefix + key
    const badPath = searchPath(isWrong, member, prefix + key)
    if (badPath !== null) return badPath
  }
  return null
}

const isInfinite = (leaf: unknown): boolean => leaf === Number.POSITIVE_INFINITY || leaf === Number.NEGATIVE_INFINITY

const isForbidden = (leaf: unknown): boolean => typeof leaf === 'string' && (leaf.includes('\0') || !isWellFormed(leaf))

// Every Node that we support has it, but the ES2023 library that we compile against does not list it yet.
const isWellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed()

const MAX_PATH_LENGTH = 200

/** A path for a reply: without the characters that were just refused, and limited in length. */
export const shortPath = (path: string): string =>
  path.slice(0, MAX_PATH_LENGTH).replace(/\0|\p{Surrogate}/gu, '\uFFFD')

// A digest that is the same for equal JSON, whatever the order of its fields.

/** Keyed, because short content such as a card number could be guessed from a plain digest. `value` comes from JSON. */
export const jsonDigest = (secret: Uint8Array, value: unknown): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify(withSortedFields(value)) ?? '')
    .digest()

/** Returns a copy. A replacer function for JSON.stringify takes twice the time, and anybody may send many fields. */
function withSortedFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withSortedFields)
  const fields = value as Readonly<Record<string, unknown>>
  // Without a prototype, `__proto__` is a normal field.
  const sorted: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(fields).sort()) sorted[name] = withSortedFields(fields[name])
  return sorted
}

// Fields of a partial update: a sent field counts, also null, and a missing field keeps its value.

export const newOrCurrent = <T>(newValue: T | undefined, current: T): T => (newValue === undefined ? current : newValue)

/** Returns the text, or null if it is missing or blank like an empty form field. */
export const textOrNull = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === '' ? null : text

/** True for an object with at least one of these fields and no other. */
export const hasOnly = <Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Record<Name, unknown> => {
  const sentNames = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  return sentNames.length > 0 && sentNames.every((name) => (names as readonly string[]).includes(name))
}
