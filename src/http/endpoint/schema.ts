// Common schema forms of all resources. A kind is a named schema: API versions age it wherever it appears, and OpenAPI shows it as a
// component.

import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import { MAX_LIMIT, MAX_PAGE, Pagination } from '../../lib/page.ts'

export type Kind = TSchema & { readonly $id: string }

export const kind = <Properties extends TProperties>(name: string, properties: Properties) =>
  Type.Object(properties, { $id: name }) as TObject<Properties> & { readonly $id: string }

/** A kind inside another schema. It is a reference, so that the schemas show where kinds nest. */
export const nested = <K extends Kind>(of: K): TUnsafe<Static<K>> => Type.Unsafe<Static<K>>({ $ref: `${of.$id}#` })

/** A kind or null. It is a union, so that OpenAPI shows it too. */
export const nestedOrNull = <K extends Kind>(of: K): TUnsafe<Static<K> | null> =>
  Type.Unsafe<Static<K> | null>({ anyOf: [{ $ref: `${of.$id}#` }, { type: 'null' }] })

/** Marks a field with a password, key, card or token: its value is kept out of all logs. */
export const SECRET = { 'x-secret': true } as const

const SHARED = Symbol('shared')

/**
 * Marks a large part that several objects of one reply share as the same value: it is serialised once and copied. Spreading a marked schema
 * keeps the mark.
 */
export const sharedPart = <T extends TSchema>(schema: T): T => ({ ...schema, [SHARED]: Symbol('mark') })

/** Undefined if the schema is not marked. */
export const sharedMark = (schema: object): symbol | undefined => (schema as { [SHARED]?: symbol })[SHARED]

const READ_AS = Symbol('read as')

/** How a value is read before validation. body.ts implements it, and query.ts for `lenient`. */
export type ReadAs = 'id' | 'id_keys' | 'id_map' | 'quantity' | 'digits' | 'lenient'

/** Copies the schema with TypeBox's hidden properties, such as the mark of an optional field. */
const readAs = <T extends TSchema>(mark: ReadAs, schema: T): T =>
  Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(schema),
      [READ_AS]: { value: mark, enumerable: true },
    },
  ) as T

/** Undefined if the schema is not marked. */
export const readingOf = (schema: object): ReadAs | undefined => (schema as { [READ_AS]?: ReadAs })[READ_AS]

/** Ids and codes that people copy and type: surrounding blanks are ignored. An empty one becomes null if null is allowed. */
export const trimmed = <T extends TSchema>(schema: T): T => readAs('id', schema)

/** A map from ids to ids: blanks around keys and values are ignored, and an empty list counts as absent. */
export const idMap = <T extends TSchema>(schema: T): T => readAs('id_map', schema)

/** A map from ids to people's input: blanks around the ids are ignored. */
export const keyedByIds = <T extends TSchema>(schema: T): T => readAs('id_keys', schema)

/** A quantity: numeric text becomes a number; null or an empty text counts as not sent. */
export const quantity = (minimum: number, maximum: number, description: string) =>
  Type.Optional(readAs('quantity', Type.Integer({ minimum, maximum, description })))

/**
 * Text that people type as digits: a whole number becomes text. Numbers above 2^53 are refused, because JSON has lost their last digits.
 */
export const digitText = <T extends TSchema>(schema: T): T => readAs('digits', schema)

/** A parameter that shapes a list: without the secret key, an unreadable value counts as not sent. Only for integers and choices. */
export const lenient = <T extends TSchema>(schema: T): T => readAs('lenient', schema)

const ALSO_ACCEPTED = {
  quantity: [['string', 'null'], 'Also as text, such as "2"; null or an empty text counts as not sent.'],
  id_map: [['array'], 'An empty list names none.'],
  digits: [['integer'], `Also as a whole number, up to ${Number.MAX_SAFE_INTEGER}.`],
} as const

/** Shows OpenAPI readers what a marked schema also accepts. Validation only sees the value after it was read. */
export function asAccepted<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(asAccepted) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const inside = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, asAccepted(part)]))
  const mark = readingOf(schema)
  if (mark === undefined) return inside as T
  const { type, description = '' } = schema as { type?: string | string[]; description?: string }
  if (mark === 'id' || mark === 'id_keys' || mark === 'lenient') return inside as T
  const [extraTypes, note] = ALSO_ACCEPTED[mark]
  const types = [...new Set([...[type ?? []].flat(), ...extraTypes])]
  return { ...inside, type: types, description: `${description} ${note}`.trim() } as T
}

type Options = { description?: string; minLength?: number; maxLength?: number; minimum?: number; maximum?: number }

/** `string | null` as one type list, so that a wrong value gives one message instead of one per alternative. */
export const nullable = <T extends TSchema>(schema: T, options: Options = {}): TUnsafe<Static<T> | null> => {
  const { type, ...rest } = schema as unknown as { type: string }
  return Type.Unsafe<Static<T> | null>({ ...rest, ...options, type: [type, 'null'] })
}

export const oneOf = <const Values extends readonly string[]>(values: Values, options: Options = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })

/** Free JSON of the merchant. The parser limits its depth, the body limit its size. */
export const Meta = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description: 'Data of your own; kept as JSON numbers and text allow.',
})

/** An amount of money in replies; lib/money.ts creates it. */
export const Price = kind('price', {
  raw: Type.Number({ description: 'The decimal amount.' }),
  formatted: Type.String(),
  formatted_with_symbol: Type.String(),
  formatted_with_code: Type.String(),
})

export type Price = Static<typeof Price>

/** An amount of money in requests. `parseAmount` knows the currency and reports errors. */
export const Amount = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  maxLength: 40,
  description: "A number or a decimal string, with no more decimals than the merchant's currency has.",
})

export const Timestamp = Type.Integer({ description: 'Unix timestamp in seconds.' })

export const listOf = <K extends Kind>(of: K) =>
  Type.Object({ data: Type.Array(nested(of)), meta: Type.Object({ pagination: Pagination }) })

/** Paging parameters of a list. A `limit` above MAX_LIMIT is reduced to it, and `per_page` shows that. */
export const pageQuery = (defaultLimit: number) => ({
  limit: lenient(
    Type.Integer({
      minimum: 1,
      default: defaultLimit,
      description: `Entries per page; at most ${MAX_LIMIT} are given.`,
    }),
  ),
  page: lenient(Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 1 })),
})

/** Default number of entries per page of a list by key. */
const KEY_LIMIT = 20

/** Query of a list by key: the next page starts after the last key, so the cost does not grow with the list. */
export const keyQuery = <Filters extends TProperties>(filters: Filters) =>
  Type.Object({
    limit: Type.Integer({
      minimum: 1,
      default: KEY_LIMIT,
      description: `Entries per page; at most ${MAX_LIMIT} are given.`,
    }),
    after: Type.Optional(Type.String({ maxLength: 100, description: 'The `next` of the page before.' })),
    ...filters,
  })

export const keyPageOf = <K extends Kind>(of: K) =>
  Type.Object({
    data: Type.Array(nested(of)),
    next: nullable(Type.String(), {
      description:
        'Goes into `after` for the next page; null at the end. Where a filter finds little, a page may be short, or empty, and there is still a next one.',
    }),
  })
