// Reads JSON from others. Every field may be missing or have another type; it then reads as null or empty. The caller decides if that is an
// error.

export type JsonRecord = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Empty if it is not an object, so that reads can be chained: `objectOf(objectOf(body).error).code`. */
export const objectOf = (value: unknown): JsonRecord => (isObject(value) ? value : {})

/** Null if it is not text or is empty. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

export const integerOf = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null)

/** Value for a log: only text that looks like a code. */
export function readLogCode(value: unknown): string | null {
  const text = textOf(value)
  return text !== null && /^\w{1,60}$/.test(text) ? text : null
}

export const arrayOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textsOf = (value: unknown): string[] => arrayOrEmpty(value).filter((item) => typeof item === 'string')

/** Null if any item cannot be read: it could be the wanted one. */
export function readAllOrNull<T>(list: readonly unknown[], read: (item: unknown) => T | null): T[] | null {
  const values: T[] = []
  for (const item of list) {
    const value = read(item)
    if (value === null) return null
    values.push(value)
  }
  return values
}

/** Undefined if it is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses the bytes of a message. Empty if they are not an object. */
export const parseObject = (body: Buffer): JsonRecord => objectOf(tryParseJson(body.toString('utf8')))
