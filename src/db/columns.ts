// Writes the columns that a store selects, inserts and sets only once. Also limits the size of lists that are read as one JSON column.

/** Each `Name` is a column and the parameter with its value. */
export type Columns<Name extends string> = {
  /** `name, meta` */
  readonly names: string
  /** `:name, :meta` */
  readonly parameters: string
  /** `name = :name, meta = :meta` */
  readonly assignments: string
  /** Parameter values of a row, with JSON columns as text. */
  values(row: Readonly<Record<Name, unknown>>): Record<Name, unknown>
}

/**
 * `json` names the columns that hold JSON. Without it, the client would send a text unquoted and a list as a PostgreSQL array. Null becomes
 * SQL's null, not JSON's.
 */
export function columns<Name extends string>(all: readonly Name[], json: readonly Name[] = []): Columns<Name> {
  return {
    names: all.join(', '),
    parameters: all.map((name) => `:${name}`).join(', '),
    assignments: all.map((name) => `${name} = :${name}`).join(', '),
    values: (row) =>
      Object.fromEntries(
        all.map((name) => [name, json.includes(name) ? toJsonColumn(row[name]) : row[name]]),
      ) as Record<Name, unknown>,
  }
}

/** Text for a JSON column; null stays SQL's null. A list is never null and may use JSON.stringify. */
export const toJsonColumn = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value)

// Lists as one JSON value, limited to `:most_bytes`: the reader accepts no more.

/** SQL: size of the JSON in bytes. */
export const jsonSizeSql = (json: string) => `octet_length(${json}::text)`

/** SQL: the list, or an empty one if it is larger than `:most_bytes`. */
export const limitJsonSizeSql = (json: string) =>
  `case when ${jsonSizeSql(json)} <= :most_bytes::bigint then ${json} else '[]' end`
