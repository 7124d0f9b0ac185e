// Reads JSON that comes from outside, and finds the text, the numbers and the sizes that cannot be kept; digests of JSON, and the fields of
// a partial update.
// No message repeats any of the text: a body may carry a card number.

import { createHmac } from 'node:crypto'
import { parse } from 'secure-json-parse'
import { cardNumberErrors } from './credentials/card-numbers.ts'
import { badRequest, type FieldErrors, unprocessable } from './errors.ts'

/** Objects and lists inside one another. */
export const MAX_DEPTH = 20

/** Throws a 400. A byte order mark is ignored, as RFC 8259 allows; of a key that is written twice, the last one counts. */
export function parseJson(text: string): unknown {
  if (text.length === 0) throw badRequest('The request body is empty. Send a JSON object.')
  if (isTooDeep(text)) throw badRequest(`The request body is nested deeper than the ${MAX_DEPTH} levels accepted here.`)
  try {
    return parse(text, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    throw badRequest(explain(error))
  }
}

const POSITION = /at position (\d+)(?: \(line \d+ column \d+\))?$/

function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (message === 'Object contains forbidden prototype property')
    return 'The request body uses a key that is not accepted: __proto__, or prototype inside constructor.'
  // The engine's own message quotes the body; its position is all that may pass.
  const position = POSITION.exec(message)?.[1]
  return position === undefined
    ? 'The request body is not valid JSON.'
    : `The request body is not valid JSON: look at character ${Number(position) + 1}.`
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Counts brackets in the text itself, before anything is built: a few kilobytes of `[` would overflow the stack of whatever
 * walks the result. Text that is not JSON may pass; the parser refuses it then.
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
      if (++depth > MAX_DEPTH) return true
    } else if ((code | 0x20) === 0x7d) depth--
  }
  return false
}

/** Where the string that opens at `start` closes, or -1. It leaps from quote to quote, as an uploaded file is one long string. */
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
 * The dotted path of the first string, or key, that holds U+0000 or half of a surrogate pair; null when there is none.
 * PostgreSQL refuses both, which would be a 500. `text` is the JSON that `value` was read from: when it shows nothing suspect,
 * which is nearly always, the value is not walked.
 */
export function findForbiddenText(value: unknown, text?: string): string | null {
  if (text !== undefined && isWellFormed(text) && !SUSPECT_ESCAPE.test(text)) return null
  return find(isForbidden, value)
}

/** Throws a 422 that names the place. */
export function refuseForbiddenText(value: unknown, text?: string) {
  const path = findForbiddenText(value, text)
  if (path !== null)
    throw unprocessable({ [path]: [`${path} must not contain the character U+0000 or half of a surrogate pair.`] })
}

// Only an exponent, or 309 digits in a row, can pass 1.8e308. The look behind keeps the time in proportion to the text.
const SUSPECT_NUMBER = /\d[eE]\+?\d|(?<!\d)\d{309}/

/**
 * Throws a 422 that names the first number which is too large for a number of JavaScript. `1e400` is read as Infinity, which
 * JSON cannot write: what was sent as a number would be stored and answered as null.
 */
export function refuseInfinity(value: unknown, text: string) {
  if (!SUSPECT_NUMBER.test(text)) return
  const path = find(isInfinite, value)
  if (path !== null) throw unprocessable({ [path]: [`${path} must be a number between -1.7e308 and 1.7e308.`] })
}

/** The most that a meta may be which shoppers send: of a cart, a checkout, a capture, a customer. Every read carries it, and with a public key anybody makes many carts. */
const MAX_META_BYTES = 16_384

/** Thirteen digits, as the shortest card number has, whatever is between them. */
const MAY_HOLD_CARD = /(?:\d[^\d]*){13}/

/** The problems of a meta, by its fields: too large, or the number of a card in it. Null when there is none. */
export function metaErrors(meta: unknown, field = 'meta'): FieldErrors | null {
  const text = JSON.stringify(meta ?? null)
  if (Buffer.byteLength(text) > MAX_META_BYTES)
    return { [field]: [`${field} must be at most 16 KB (${MAX_META_BYTES} bytes) as JSON text.`] }
  return MAY_HOLD_CARD.test(text) ? cardNumberErrors(meta, field) : null
}

/** The path of the first leaf, or key, that is `wrong`. */
function find(wrong: (leaf: unknown) => boolean, value: unknown): string | null {
  const path = search(wrong, value, '')
  return path === null ? null : shortPath(path)
}

function search(wrong: (leaf: unknown) => boolean, value: unknown, path: string): string | null {
  if (typeof value !== 'object' || value === null) return wrong(value) ? path || 'body' : null
  const prefix = path === '' ? '' : `${path}.`
  for (const [key, member] of Object.entries(value)) {
    if (wrong(key)) return prefix + key
    const found = search(wrong, member, prefix + key)
    if (found !== null) return found
  }
  return null
}

const isInfinite = (leaf: unknown): boolean => leaf === Number.POSITIVE_INFINITY || leaf === Number.NEGATIVE_INFINITY

const isForbidden = (leaf: unknown): boolean => typeof leaf === 'string' && (leaf.includes('\0') || !isWellFormed(leaf))

// Every Node we run on has it; the ES2023 library that we compile against does not list it yet.
const isWellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed()

const LONGEST_PATH = 200

/** A path as a reply may carry it: free of what was just refused, and not as long as a body may be. */
export const shortPath = (path: string): string => path.slice(0, LONGEST_PATH).replace(/\0|\p{Surrogate}/gu, '\uFFFD')

// A digest that is the same for equal JSON, whatever the order of its fields.

/** Keyed, because by a plain digest what is short, such as a card number, could be found by trying. `value` was read from JSON. */
export const jsonDigest = (secret: Uint8Array, value: unknown): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify(withSortedFields(value)) ?? '')
    .digest()

/** A copy, because a function that JSON.stringify asks for every field takes twice the time, and anybody may send many fields. */
function withSortedFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withSortedFields)
  const fields = value as Readonly<Record<string, unknown>>
  // Without a prototype, `__proto__` is a field like any other.
  const sorted: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(fields).sort()) sorted[name] = withSortedFields(fields[name])
  return sorted
}

// How a partial update reads its fields: what is sent counts, null included, and what is left out stays.

export const sentOr = <T>(sent: T | undefined, current: T): T => (sent === undefined ? current : sent)

/** The text, unless it is missing or blank, as a field is that nobody has filled in. */
export const textOrNull = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === '' ? null : text

/** True for an object with at least one of these fields and no other. */
export const hasOnly = <Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Record<Name, unknown> => {
  const sent = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  return sent.length > 0 && sent.every((name) => (names as readonly string[]).includes(name))
}
