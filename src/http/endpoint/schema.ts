// The few schema forms every resource uses. A kind is a named schema: the API's versions age it wherever it appears,
// and OpenAPI shows it as a component.

import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import { MAX_LIMIT, MAX_PAGE, Pagination } from '../../lib/page.ts'

export type Kind = TSchema & { readonly $id: string }

export const kind = <Properties extends TProperties>(name: string, properties: Properties) =>
  Type.Object(properties, { $id: name }) as TObject<Properties> & { readonly $id: string }

/** A kind inside another schema. By reference, so that the map of where kinds nest can be read off the schemas. */
export const nested = <K extends Kind>(of: K): TUnsafe<Static<K>> => Type.Unsafe<Static<K>>({ $ref: `${of.$id}#` })

/** A kind or null. A union, so that OpenAPI says so too. */
export const nestedOrNull = <K extends Kind>(of: K): TUnsafe<Static<K> | null> =>
  Type.Unsafe<Static<K> | null>({ anyOf: [{ $ref: `${of.$id}#` }, { type: 'null' }] })

/** Of a field with a password, a key, a card or a token: it stands in no log, whatever it holds. */
export const SECRET = { 'x-secret': true } as const

const SHARED = Symbol('shared')

/**
 * A part that several objects of one reply show as the very same value: it is written once, and copied. Mark what is large. Schemas
 * that are made of a marked one by spreading it say the same thing under the same mark.
 */
export const shared = <T extends TSchema>(schema: T): T => ({ ...schema, [SHARED]: Symbol('mark') })

/** Undefined where the schema is not marked. */
export const sharedMark = (schema: object): symbol | undefined => (schema as { [SHARED]?: symbol })[SHARED]

const READ_AS = Symbol('read as')

/** What the schema cannot say of how a value is read before it is checked; body.ts does it, and query.ts for `lenient`. */
export type ReadAs = 'id' | 'id_keys' | 'id_map' | 'quantity' | 'digits' | 'lenient'

/** A copy with what TypeBox keeps out of sight, such as that a field is optional. */
const readAs = <T extends TSchema>(how: ReadAs, schema: T): T =>
  Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(schema),
      [READ_AS]: { value: how, enumerable: true },
    },
  ) as T

/** Undefined where the schema is not marked. */
export const readingOf = (schema: object): ReadAs | undefined => (schema as { [READ_AS]?: ReadAs })[READ_AS]

/** Ids and codes that people copy and type: blanks around one do not count. An empty one that may be null is null. */
export const trimmed = <T extends TSchema>(schema: T): T => readAs('id', schema)

/** A map from ids to ids: blanks around keys and values do not count, and an empty list is none. */
export const idMap = <T extends TSchema>(schema: T): T => readAs('id_map', schema)

/** A map from ids to what people entered: blanks around the ids do not count. */
export const byIds = <T extends TSchema>(schema: T): T => readAs('id_keys', schema)

/** How many: text that is a number is one, and null or an empty text counts as not sent. */
export const quantity = (minimum: number, maximum: number, description: string) =>
  Type.Optional(readAs('quantity', Type.Integer({ minimum, maximum, description })))

/** Text that people type as digits: a whole number is its text. One above 2^53 is refused, because JSON has lost its last digits. */
export const digitText = <T extends TSchema>(schema: T): T => readAs('digits', schema)

/** A parameter that shapes a list: without the secret key, a value that cannot be read counts as not sent. Integers and choices only. */
export const lenient = <T extends TSchema>(schema: T): T => readAs('lenient', schema)

const ALSO_ACCEPTED = {
  quantity: [['string', 'null'], 'Also as text, such as "2"; null or an empty text counts as not sent.'],
  id_map: [['array'], 'An empty list names none.'],
  digits: [['integer'], `Also as a whole number, up to ${Number.MAX_SAFE_INTEGER}.`],
} as const

/** What a marked schema accepts besides, for readers of OpenAPI: validation sees the value after it was read. */
export function asAccepted<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(asAccepted) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const inside = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, asAccepted(part)]))
  const how = readingOf(schema)
  if (how === undefined) return inside as T
  const { type, description = '' } = schema as { type?: string | string[]; description?: string }
  if (how === 'id' || how === 'id_keys' || how === 'lenient') return inside as T
  const [also, note] = ALSO_ACCEPTED[how]
  const types = [...new Set([...[type ?? []].flat(), ...also])]
  return { ...inside, type: types, description: `${description} ${note}`.trim() } as T
}

type Options = { description?: string; minLength?: number; maxLength?: number; minimum?: number; maximum?: number }

/** `string | null` in one type list, so that a wrong value gives one sentence and not one per alternative. */
export const nullable = <T extends TSchema>(schema: T, options: Options = {}): TUnsafe<Static<T> | null> => {
  const { type, ...rest } = schema as unknown as { type: string }
  return Type.Unsafe<Static<T> | null>({ ...rest, ...options, type: [type, 'null'] })
}

export const oneOf = <const Values extends readonly string[]>(values: Values, options: Options = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })

/** Free JSON of the merchant's own. Its depth is bounded by the parser, its size by the body limit. */
export const Meta = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description: 'Data of your own; kept as JSON numbers and text allow.',
})

/** An amount of money as replies show it; lib/money.ts makes it. */
export const Price = kind('price', {
  raw: Type.Number({ description: 'The decimal amount.' }),
  formatted: Type.String(),
  formatted_with_symbol: Type.String(),
  formatted_with_code: Type.String(),
})

/** An amount of money as requests give it. The rule that reads it knows the currency and says what is wrong (`parseAmount`). */
export const Amount = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  maxLength: 40,
  description: "A number or a decimal string, with no more decimals than the merchant's currency has.",
})

export const Timestamp = Type.Integer({ description: 'Unix timestamp in seconds.' })

export const listOf = <K extends Kind>(of: K) =>
  Type.Object({ data: Type.Array(nested(of)), meta: Type.Object({ pagination: Pagination }) })

/** The paging parameters of a list. A larger `limit` than MAX_LIMIT is cut to it and `per_page` tells. */
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

/** Entries per page of a list by key where the query does not say. */
const KEY_LIMIT = 20

/** The query of a list that goes by key: what it has shown is not looked at again, however much there is. */
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
