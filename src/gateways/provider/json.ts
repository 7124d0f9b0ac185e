// Reading JSON that others have written. Nothing of it is believed to be there: whatever is missing, or of another type, is null or empty, and
// what follows from that is for the reader to say.

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Empty where it is none, so that one can ask on: `objectOf(objectOf(body).error).code`. */
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {})

/** Null where it is none, or empty. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

export const integerOf = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null)

/** What goes into a log: only what looks like a code. */
export function codeOf(value: unknown): string | null {
  const text = textOf(value)
  return text !== null && /^\w{1,60}$/.test(text) ? text : null
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textsOf = (value: unknown): string[] => listOf(value).filter((item) => typeof item === 'string')

/** Null where one of them cannot be read: it could be the one that is sought. */
export function readAll<T>(list: readonly unknown[], read: (item: unknown) => T | null): T[] | null {
  const values: T[] = []
  for (const item of list) {
    const value = read(item)
    if (value === null) return null
    values.push(value)
  }
  return values
}

/** Undefined where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Of the bytes of a message; empty where they are no object. */
export const parseObject = (body: Buffer): Json => objectOf(parseJson(body.toString('utf8')))
