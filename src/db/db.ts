// What the rest of the code knows of PostgreSQL: named statements, one handle, transactions.
// pool.ts implements it; nothing outside src/db imports the client library.

/** SQL text with the name it is prepared under; `Row` is what it returns. The name says who sends it: `attributes.find`. */
export type Statement<Row> = { readonly name: string; readonly text: string; readonly row?: Row }

/** PostgreSQL cuts longer names without a word, and two that begin alike would then be one. */
const LONGEST_NAME_BYTES = 63

export const statement = <Row = never>(name: string, text: string): Statement<Row> => {
  if (Buffer.byteLength(name) > LONGEST_NAME_BYTES)
    throw new Error(`The statement name ${name} is longer than ${LONGEST_NAME_BYTES} bytes.`)
  return { name, text }
}

/** One of several statements of the same form, whose name is put together of their parts. Same name, same text, always. */
export const statementOfFamily = <Row = never>(name: string, text: string): Statement<Row> => ({ name, text })

/** What a store needs: the same shape on the pool and inside a transaction. */
export interface Db {
  many<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>
  maybe<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row | null>
  one<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row>
  /** The number of rows changed. */
  run(statement: Statement<never>, values: readonly unknown[]): Promise<number>
}

/** A `Db` whose statements commit or vanish together. Functions that must not run outside a transaction ask for this type. */
export interface Tx extends Db {
  readonly inTransaction: true
}

export interface Database extends Db {
  /**
   * Runs `work` in one transaction. A deadlock or serialization failure runs it again, so it must change nothing but the database.
   * Once `signal` is aborted nothing more is asked and nothing committed: it rolls back and throws the signal's reason.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, signal?: AbortSignal): Promise<T>
  close(): Promise<void>
  readonly usage: { readonly total: number; readonly idle: number; readonly waiting: number }
}

/** The same database for as long as `signal` lets it: after that nothing is asked and nothing committed, and its reason is thrown. */
export const until = (db: Database, signal: AbortSignal): Database => ({
  async many(statement, values) {
    signal.throwIfAborted()
    return db.many(statement, values)
  },
  async maybe(statement, values) {
    signal.throwIfAborted()
    return db.maybe(statement, values)
  },
  async one(statement, values) {
    signal.throwIfAborted()
    return db.one(statement, values)
  },
  async run(statement, values) {
    signal.throwIfAborted()
    return db.run(statement, values)
  },
  transaction: (work, other) => db.transaction(work, other ? AbortSignal.any([signal, other]) : signal),
  close: () => db.close(),
  get usage() {
    return db.usage
  },
})

/** True when `error` is PostgreSQL's refusal by the named unique or foreign key constraint. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === constraint
