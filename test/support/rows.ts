// Rows as a test reads and changes them past the API: what no endpoint shows, and states that it cannot wait for.

import { createHash } from 'node:crypto'
import { type Db, type Statement, statement, type Values } from '../../src/db/db.ts'

/** A statement that is named by its text. */
const named = <Row>(text: string): Statement<Row> =>
  statement(`test.${createHash('sha256').update(text).digest('hex').slice(0, 40)}`, text)

/** sql<{ id: string }>`select id from jobs where merchant_id = :merchant_id` */
export const sql = <Row = never>(parts: TemplateStringsArray, ...values: readonly string[]): Statement<Row> =>
  named(parts.reduce((text, part, index) => `${text}${values[index - 1]}${part}`).trim())

/** Ends the statement with its conditions: each column of `where` has the value there. */
function compile<Row>(start: string, where: Values, end = ''): Statement<Row> {
  const conditions = Object.keys(where).map((column) => `${column} = :${column}`)
  return named(`${start} where ${conditions.join(' and ')} ${end}`)
}

/** `selectRows(db, 'id, state from jobs', { merchant_id }, 'order by id')` */
export const selectRows = <Row>(db: Db, columnsFrom: string, where: Values, end?: string): Promise<Row[]> =>
  db.many(compile<Row>(`select ${columnsFrom}`, where, end), where)

/** Selects the only row. */
export const selectRow = <Row>(db: Db, columnsFrom: string, where: Values, end?: string): Promise<Row> =>
  db.one(compile<Row>(`select ${columnsFrom}`, where, end), where)

/** Selects one column of the only row. */
export const selectValue = async <Value>(db: Db, column: string, table: string, where: Values): Promise<Value> =>
  (await selectRow<{ value: Value }>(db, `${column} as value from ${table}`, where)).value

export const countRows = async (db: Db, table: string, where: Values, end?: string): Promise<number> =>
  (await selectRow<{ count: number }>(db, `count(*) from ${table}`, where, end)).count

/** Locks the rows until the end of the transaction. */
export const lockRows = (tx: Db, table: string, where: Values) => selectRows(tx, `1 from ${table}`, where, 'for update')

/** Every row of a merchant in these tables, as PostgreSQL's own text: equal texts mean that no byte was changed. */
export async function rowTexts(db: Db, merchant_id: number, ...tables: string[]): Promise<string[]> {
  const texts = tables.map((table) =>
    selectRows<{ text: string }>(db, `t::text as text from ${table} t`, { merchant_id }),
  )
  return (await Promise.all(texts)).flatMap((rows) => rows.map(({ text }) => text).sort())
}

/**
 * `changeRows(db, 'update jobs set kind = :kind', { merchant_id }, { kind })`, or `delete from`. Gives the number of changed rows.
 */
export const changeRows = (db: Db, change: string, where: Values, values: Values = {}): Promise<number> =>
  db.run(compile<never>(change, where), { ...where, ...values })

/** Says that this was attempted so often already, for what is limited. Gives the number of changed counters. */
export const setAttempts = (db: Db, merchant_id: number, subject: string, count: number): Promise<number> =>
  changeRows(db, 'update attempts set count = :count', { merchant_id, subject }, { count })
