// The columns that a store selects, inserts and sets alike, written once; and lists as one column.

/** `Name` is a column, and the parameter that brings its value. */
type Columns<Name extends string> = {
  /** `name, meta` */
  readonly names: string
  /** `:name, :meta` */
  readonly parameters: string
  /** `name = :name, meta = :meta` */
  readonly assignments: string
  /** The values of the parameters; those of JSON columns as text. */
  values(row: Readonly<Record<Name, unknown>>): Record<Name, unknown>
}

/**
 * `json`: those of the columns that hold JSON. Left to itself the client would send a text unquoted and a list as a PostgreSQL array; null
 * is no value, not JSON's.
 */
export function columns<Name extends string>(all: readonly Name[], json: readonly Name[] = []): Columns<Name> {
  return {
    names: all.join(', '),
    parameters: all.map((name) => `:${name}`).join(', '),
    assignments: all.map((name) => `${name} = :${name}`).join(', '),
    values: (row) =>
      Object.fromEntries(all.map((name) => [name, json.includes(name) ? jsonText(row[name]) : row[name]])) as Record<
        Name,
        unknown
      >,
  }
}

/** The text of a JSON column; null stays SQL's null. A list, which is never null, may use JSON.stringify. */
export const jsonText = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value)

// A list as one JSON value, of which no more is sent than its reader takes: `:most_bytes`.

/** SQL: how many bytes the JSON has. */
export const bytesOf = (json: string) => `octet_length(${json}::text)`

/** SQL: the list, or an empty one where it has more. */
export const withinBytes = (json: string) =>
  `case when ${bytesOf(json)} <= :most_bytes::bigint then ${json} else '[]' end`
