// Reads JSON from payment providers. Any field may be missing or have another type. The functions then return null or an
// empty value, and the caller decides if that is an error.

export type JsonRecord = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An empty object if the value is not an object. So reads can be nested: `objectOrEmpty(objectOrEmpty(body).error).code`. */
export const objectOrEmpty = (value: unknown): JsonRecord => (isObject(value) ? value : {})

/** Null if the value is not a string, or is an empty one. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Null if the value is not a safe integer. */
export const integerOf = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null)

/** A code that may be logged: letters, digits and underscores. Null for other text, which could contain personal data. */
export function readLogCode(value: unknown): string | null {
  const text = textOf(value)
  return text !== null && /^\w{1,60}$/.test(text) ? text : null
}

export const arrayOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The strings of a list; other items are dropped. */
export const textsOf = (value: unknown): string[] => arrayOrEmpty(value).filter((item) => typeof item === 'string')

/** Reads all items. Null if any cannot be read, because the caller could be looking for that one. */
export function readAllOrNull<T>(list: readonly unknown[], read: (item: unknown) => T | null): T[] | null {
  const values: T[] = []
  for (const item of list) {
    const value = read(item)
    if (value === null) return null
    values.push(value)
  }
  return values
}

/** Undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses the body of a message. An empty object if the body is not a JSON object. */
export const parseObject = (body: Buffer): JsonRecord => objectOrEmpty(tryParseJson(body.toString('utf8')))
