// The interface to PostgreSQL: named statements, one handle, transactions. pool.ts implements it; nothing outside src/db imports the client
// library.

/** Shop and mode of the rows that a statement reads or writes. Rows shared by both modes need only the shop. */
export type Scope = { readonly merchant_id: number; readonly is_sandbox: boolean }

/** Owner of rows that both modes share. */
export type Shop = Pick<Scope, 'merchant_id'>

/** Values of a statement by parameter name. May hold other values too. */
export type Values = Readonly<Record<string, unknown>>

/**
 * SQL with the name it is prepared under; `Row` is a row of its result. The name says who sends it, such as `attributes.find`. Parameters
 * are written `:merchant_id` and numbered here, once. `parameters` lists their names in that order.
 */
export type Statement<Row> = {
  readonly name: string
  readonly text: string
  readonly parameters: readonly string[]
  readonly row?: Row
  /** Statements it may share a round trip with; see `lookup` and `sharedWrite`. Default: it has its own round trip. */
  readonly shares?: RoundTripGroup
}

export type RoundTripGroup = 'reads' | 'writes'

/** PostgreSQL silently cuts longer names. Two statements with the same beginning would then become one. */
const LONGEST_NAME_BYTES = 63

export const statement = <Row = never>(name: string, text: string): Statement<Row> => namedStatement(name, text)

function namedStatement(name: string, text: string): Statement<never> {
  if (Buffer.byteLength(name) > LONGEST_NAME_BYTES)
    throw new Error(`The statement name ${name} is longer than ${LONGEST_NAME_BYTES} bytes.`)
  return { name, ...compileParameters(name, text) }
}

/** A statement that only looks up a few rows by key. Lookups of several requests share a round trip. */
export const lookup = <Row>(name: string, text: string): Statement<Row> => {
  if (!/^select\b/.test(text) || /\bfor (update|no key update|share|key share)\b/.test(text))
    throw new Error(`The statement ${name} must be a select without row locks.`)
  return { ...namedStatement(name, text), shares: 'reads' }
}

/** Exempts `on conflict … do update`: the row it meets is committed, or a request for the same thing is inserting it. */
const CHANGES_ROWS = /(?<!\b(?:do|for|key) )\bupdate \w|\bdelete from\b/

/**
 * A write that touches only rows of its own request. Writes of several requests share a transaction and the cost of its commit. None may
 * wait for a long-held lock, or all of them would. So it skips locked rows, and its result shows if it has written.
 */
export const sharedWrite = <Row>(name: string, text: string): Statement<Row> => {
  if (!/^(with|insert|update|delete)\b/.test(text)) throw new Error(`The statement ${name} does not write.`)
  if (CHANGES_ROWS.test(text) && !/\bskip locked\b/.test(text))
    throw new Error(
      `The statement ${name} must skip locked rows: it would block all statements of its shared transaction.`,
    )
  return { ...namedStatement(name, text), shares: 'writes' }
}

/** One of several statements of the same form. Its name is built from their parts, so the same name must always mean the same text. */
export const statementOfFamily = <Row = never>(name: string, text: string): Statement<Row> => ({
  name,
  ...compileParameters(name, text),
})

/** A family of statements built on demand, each once. PostgreSQL then knows each by its name. */
export function statementFamily<Row>(): (name: string, text: string) => Statement<Row> {
  const statements = new Map<string, Statement<Row>>()
  return (name, text) => {
    const statement = statements.get(name) ?? statementOfFamily<Row>(name, text)
    statements.set(name, statement)
    return statement
  }
}

/** Matches `:name`, but not the cast `::type`. */
const PARAMETER = /(?<!:):([a-z][a-z0-9_]*)/g

function compileParameters(name: string, source: string): Pick<Statement<never>, 'text' | 'parameters'> {
  if (/\$\d/.test(source))
    throw new Error(`The statement ${name} has a numbered parameter. Give it a name, such as :id.`)
  const parameters: string[] = []
  const text = source.replaceAll(PARAMETER, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter)
    return `$${parameters.indexOf(parameter) + 1}`
  })
  return { text, parameters }
}

/** Values in the order of the parameter numbers. */
export const orderedValues = ({ name, parameters }: Statement<unknown>, values: Values): unknown[] =>
  parameters.map((parameter) => {
    const value = values[parameter]
    // The client would send undefined as null, so a misspelt name would write nothing where a value was meant.
    if (value === undefined) throw new Error(`The statement ${name} was given no value for :${parameter}.`)
    return value
  })

/** Interface for stores, the same on the pool and inside a transaction. */
export interface Db {
  many<Row>(statement: Statement<Row>, values: Values): Promise<Row[]>
  maybe<Row>(statement: Statement<Row>, values: Values): Promise<Row | null>
  one<Row>(statement: Statement<Row>, values: Values): Promise<Row>
  /** Returns the number of changed rows. */
  run(statement: Statement<never>, values: Values): Promise<number>
  /**
   * Sends several statements in one round trip and, outside a transaction, as one: `db.together((all) => [find(all, scope, id), list(all,
   * scope)])`.
   * It sends all statements that `requests` makes before it returns, in that order. A later one is an error. If one statement fails, all
   * are rolled back and its error is thrown. Deadlocks are retried. Rows are checked only after the commit, so use `one` only for rows that
   * certainly exist.
   */
  together<T extends readonly unknown[]>(requests: StatementRequests<T>): Promise<T>
}

/** Requests several results at once, from a `Db` that waits until all have been requested. */
export type StatementRequests<T extends readonly unknown[]> = (
  all: Db,
) => readonly [...{ [Index in keyof T]: Promise<T[Index]> }]

/** A `Db` with statements that commit or roll back together. Functions that must run inside a transaction take this type. */
export interface Tx extends Db {
  readonly inTransaction: true
  /** Id of the request that it works for; null without one, as in a job. */
  readonly requestId: string | null
  /** The person at the dashboard that it works for; otherwise null. */
  readonly actor: string | null
  /**
   * Sends a statement with the commit, after all others. Use it for rows that many transactions change, so that locks are short. All
   * transactions send them in one order, so that they cannot deadlock.
   */
  beforeCommit(statement: Statement<never>, values: Values): void
  /**
   * Sends a statement with the commit, before those of `beforeCommit`. Use it for a last write without a needed result. If it fails, the
   * transaction fails too.
   */
  withCommit(statement: Statement<never>, values: Values): void
}

/** Decides if the work may go on, such as an `AbortSignal`. Carries the request id and the person behind the request, if any. */
export type RequestSignal = { throwIfAborted(): void; readonly requestId?: string; readonly actor?: string | null }

export interface Database extends Db {
  /**
   * Runs `work` in one transaction. A deadlock or serialization failure runs it again, so it must change nothing but the database. After
   * `signal` is aborted, it sends and commits nothing more, rolls back and throws the signal's reason.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, signal?: RequestSignal): Promise<T>
  /**
   * Like `transaction`, but `first` runs before it, commits by itself, and runs again on a retry. Both use one connection. If the server
   * dies in between and loses what `first` did, the connection dies too. So `work` never commits with a lost value.
   */
  transactionAfter<F, T>(
    first: (db: Db) => Promise<F>,
    work: (tx: Tx, value: F) => Promise<T>,
    signal?: RequestSignal,
  ): Promise<T>
  /** Makes every connection plan its statements anew when it next sends them. */
  forgetPlans(): void
  close(): Promise<void>
  readonly usage: { readonly total: number; readonly idle: number; readonly waiting: number }
}

/** The same database until `signal` is aborted. After that it sends and commits nothing more and throws the signal's reason. */
export function withRequestSignal(db: Database, signal: RequestSignal): Database {
  const bothSignals = (other?: RequestSignal): RequestSignal => ({
    ...(signal.requestId !== undefined && { requestId: signal.requestId }),
    ...(signal.actor !== undefined && { actor: signal.actor }),
    throwIfAborted() {
      signal.throwIfAborted()
      other?.throwIfAborted()
    },
  })
  return {
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
    async together(requests) {
      signal.throwIfAborted()
      return db.together(requests)
    },
    transaction: (work, other) => db.transaction(work, bothSignals(other)),
    transactionAfter: (first, work, other) => db.transactionAfter(first, work, bothSignals(other)),
    forgetPlans: () => db.forgetPlans(),
    close: () => db.close(),
    get usage() {
      return db.usage
    },
  }
}

/** A database that runs every transaction inside `tx`. Functions that open their own transaction then commit or roll back with it. */
export const databaseOf = (tx: Tx): Database => ({
  many: (statement, values) => tx.many(statement, values),
  maybe: (statement, values) => tx.maybe(statement, values),
  one: (statement, values) => tx.one(statement, values),
  run: (statement, values) => tx.run(statement, values),
  together: (requests) => tx.together(requests),
  async transaction(work, signal) {
    signal?.throwIfAborted()
    return work(tx)
  },
  async transactionAfter() {
    throw new Error('A transaction cannot contain another that commits on its own.')
  },
  forgetPlans() {
    throw new Error('Plans cannot be discarded inside a transaction.')
  },
  async close() {
    throw new Error('A transaction cannot close its database.')
  },
  usage: { total: 1, idle: 0, waiting: 0 },
})

/** True when `error` is PostgreSQL's refusal by the named unique or foreign key constraint. */
export const violatesConstraint = (error: unknown, constraint: string): boolean =>
  error instanceof Error && (('constraint' in error && error.constraint === constraint) || isOfShard(error, constraint))

/** Citus reports the refusal of a node only by its message, where the constraint's name ends with the number of the shard. */
const isOfShard = (error: Error, constraint: string): boolean =>
  'code' in error && /^23/.test(String(error.code)) && new RegExp(`"${constraint}_\\d+"`).test(error.message)
