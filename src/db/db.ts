// What the rest of the code knows of PostgreSQL: named statements, one handle, transactions.
// pool.ts implements it; nothing outside src/db imports the client library.

/** Whose rows a statement is about: a shop's, in one mode. What both modes share needs the shop alone. */
export type Scope = { readonly merchantId: number; readonly isSandbox: boolean }

/** The values of a statement, by the names of its parameters. It may hold others too. */
export type Values = Readonly<Record<string, unknown>>

/**
 * SQL with the name it is prepared under; `Row` is what it returns. The name says who sends it: `attributes.find`. Parameters are written
 * `:merchant_id` and numbered here, once; `parameters` are their names in that order.
 */
export type Statement<Row> = {
  readonly name: string
  readonly text: string
  readonly parameters: readonly string[]
  readonly row?: Row
  /** With what it may share a round trip, as `lookup` and `sharedWrite` say. Unless told, it has one of its own. */
  readonly shares?: Shares
}

export type Shares = 'reads' | 'writes'

/** PostgreSQL cuts longer names without a word, and two that begin alike would then be one. */
const LONGEST_NAME_BYTES = 63

export const statement = <Row = never>(name: string, text: string): Statement<Row> => named(name, text)

function named(name: string, text: string): Statement<never> {
  if (Buffer.byteLength(name) > LONGEST_NAME_BYTES)
    throw new Error(`The statement name ${name} is longer than ${LONGEST_NAME_BYTES} bytes.`)
  return { name, ...compiled(name, text) }
}

/** A statement that only looks up a few rows by their keys: those of several requests share a round trip. */
export const lookup = <Row>(name: string, text: string): Statement<Row> => {
  if (!/^select\b/.test(text) || /\bfor (update|no key update|share|key share)\b/.test(text))
    throw new Error(`The statement ${name} does more than look something up.`)
  return { ...named(name, text), shares: 'reads' }
}

/** But for `on conflict … do update`: what it meets was committed, or is being inserted by a request for the same thing. */
const CHANGES_ROWS = /(?<!\b(?:do|for|key) )\bupdate \w|\bdelete from\b/

/**
 * A statement that changes what belongs to its request alone: those of several requests share a transaction, and what it costs to commit. So
 * none may wait for a lock that others hold for long, or all would: it skips what is locked, and its rows tell whether it has written.
 */
export const sharedWrite = <Row>(name: string, text: string): Statement<Row> => {
  if (!/^(with|insert|update|delete)\b/.test(text)) throw new Error(`The statement ${name} does not write.`)
  if (CHANGES_ROWS.test(text) && !/\bskip locked\b/.test(text))
    throw new Error(`The statement ${name} waits for locks, and so would all that share its transaction.`)
  return { ...named(name, text), shares: 'writes' }
}

/** One of several statements of the same form, whose name is put together of their parts. Same name, same text, always. */
export const statementOfFamily = <Row = never>(name: string, text: string): Statement<Row> => ({
  name,
  ...compiled(name, text),
})

/** A family whose statements are put together as they are asked for, each once: PostgreSQL knows it by its name from then on. */
export function statementFamily<Row>(): (name: string, text: string) => Statement<Row> {
  const known = new Map<string, Statement<Row>>()
  return (name, text) => {
    const statement = known.get(name) ?? statementOfFamily<Row>(name, text)
    known.set(name, statement)
    return statement
  }
}

/** `:name`, but not the cast `::type`. */
const PARAMETER = /(?<!:):([a-z][a-z0-9_]*)/g

function compiled(name: string, source: string): Pick<Statement<never>, 'text' | 'parameters'> {
  if (/\$\d/.test(source))
    throw new Error(`The statement ${name} has a numbered parameter. Give it a name, such as :id.`)
  const parameters: string[] = []
  const text = source.replaceAll(PARAMETER, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter)
    return `$${parameters.indexOf(parameter) + 1}`
  })
  return { text, parameters }
}

/** In the order of the numbers that the parameters were given. */
export const orderedValues = ({ name, parameters }: Statement<unknown>, values: Values): unknown[] =>
  parameters.map((parameter) => {
    const value = values[parameter]
    // The client would send it as null, and a misspelt name would write nothing where something was meant.
    if (value === undefined) throw new Error(`The statement ${name} was given no value for :${parameter}.`)
    return value
  })

/** What a store needs: the same shape on the pool and inside a transaction. */
export interface Db {
  many<Row>(statement: Statement<Row>, values: Values): Promise<Row[]>
  maybe<Row>(statement: Statement<Row>, values: Values): Promise<Row | null>
  one<Row>(statement: Statement<Row>, values: Values): Promise<Row>
  /** The number of rows changed. */
  run(statement: Statement<never>, values: Values): Promise<number>
  /**
   * Several statements in one round trip and, outside of a transaction, as one: `db.together((all) => [find(all, scope, id), list(all, scope)])`.
   * Whatever `asks` asks for before it returns is sent, in that order; nothing more may be asked for afterwards. If one fails, nothing of
   * any is kept, and its error is thrown. Deadlocks run it again. Rows are looked at after the commit, so `one` is for certain ones only.
   */
  together<T extends readonly unknown[]>(asks: Asks<T>): Promise<T>
}

/** Asks for several things at once, each by a `Db` that waits until all have been asked for. */
export type Asks<T extends readonly unknown[]> = (all: Db) => readonly [...{ [Index in keyof T]: Promise<T[Index]> }]

/** A `Db` whose statements commit or vanish together. Functions that must not run outside a transaction ask for this type. */
export interface Tx extends Db {
  readonly inTransaction: true
  /** The request that it works for; null where nobody has asked, as in a job. */
  readonly requestId: string | null
  /** The person at the dashboard whom it works for; null for everybody else. */
  readonly actor: string | null
  /**
   * Sent with the commit, after everything else: for rows that many transactions change, which whoever holds them should hold for as short
   * as can be. All do so in one order, so that they do not wait for each other.
   */
  beforeCommit(statement: Statement<never>, values: Values): void
  /**
   * Sent with the commit too, before those: for the last thing that a transaction writes, of which nothing is asked. If it fails, so does the
   * transaction.
   */
  withCommit(statement: Statement<never>, values: Values): void
}

/** What is asked whether to go on, such as an `AbortSignal`, and for whom: the request, where there is one, and the person behind it. */
export type Stop = { throwIfAborted(): void; readonly requestId?: string; readonly actor?: string | null }

export interface Database extends Db {
  /**
   * Runs `work` in one transaction. A deadlock or serialization failure runs it again, so it must change nothing but the database.
   * Once `signal` is aborted nothing more is asked and nothing committed: it rolls back and throws the signal's reason.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, signal?: Stop): Promise<T>
  /**
   * The same, but `first` comes before the transaction, commits by itself, and runs again with it. Both have one connection: if the
   * server dies in between and forgets what `first` did, the connection dies too, and `work` does nothing with a value that is lost.
   */
  transactionAfter<F, T>(
    first: (db: Db) => Promise<F>,
    work: (tx: Tx, value: F) => Promise<T>,
    signal?: Stop,
  ): Promise<T>
  /** Every connection plans its statements anew, each when it is next sent. */
  forgetPlans(): void
  close(): Promise<void>
  readonly usage: { readonly total: number; readonly idle: number; readonly waiting: number }
}

/** The same database for as long as `signal` lets it: after that nothing is asked and nothing committed, and its reason is thrown. */
export function until(db: Database, signal: Stop): Database {
  const either = (other?: Stop): Stop => ({
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
    async together(asks) {
      signal.throwIfAborted()
      return db.together(asks)
    },
    transaction: (work, other) => db.transaction(work, either(other)),
    transactionAfter: (first, work, other) => db.transactionAfter(first, work, either(other)),
    forgetPlans: () => db.forgetPlans(),
    close: () => db.close(),
    get usage() {
      return db.usage
    },
  }
}

/** A database whose every transaction is part of this one: rules that open their own then commit or vanish together. */
export const databaseOf = (tx: Tx): Database => ({
  many: (statement, values) => tx.many(statement, values),
  maybe: (statement, values) => tx.maybe(statement, values),
  one: (statement, values) => tx.one(statement, values),
  run: (statement, values) => tx.run(statement, values),
  together: (asks) => tx.together(asks),
  async transaction(work, signal) {
    signal?.throwIfAborted()
    return work(tx)
  },
  async transactionAfter() {
    throw new Error('Nothing commits by itself inside a transaction.')
  },
  forgetPlans() {
    throw new Error('Plans are forgotten between transactions.')
  },
  async close() {
    throw new Error('A transaction does not close the database that it is part of.')
  },
  usage: { total: 1, idle: 0, waiting: 0 },
})

/** True when `error` is PostgreSQL's refusal by the named unique or foreign key constraint. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof Error && (('constraint' in error && error.constraint === constraint) || isOfShard(error, constraint))

/** Citus tells the refusal of a node by its sentence alone, in which the name has the number of the shard behind it. */
const isOfShard = (error: Error, constraint: string): boolean =>
  'code' in error && /^23/.test(String(error.code)) && new RegExp(`"${constraint}_\\d+"`).test(error.message)
