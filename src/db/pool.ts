// The connection pool behind the `Db` interface: prepared statements, transactions with retries,
// and the translation of an unreachable or overloaded database into a 503.

import pg from 'pg'
import { type ApiError, overloaded, unavailable } from '../lib/errors.ts'
import { type Database, type Db, orderedValues, type Statement, type Tx, type Values } from './db.ts'

export type ConnectionSettings =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string; ssl?: false }

export type PoolOptions = {
  /** Connections per process. Few are fastest on few cores: more only queue inside PostgreSQL instead of here. */
  size?: number
  /** How long a request waits for a connection before it is answered 503. */
  waitMs?: number
  /** How long one statement may run. */
  statementTimeoutMs?: number
  onError?: (error: Error) => void
}

/** Connections per process unless told otherwise; `connectionsFor` in open.ts counts with it. */
export const POOL_SIZE = 4
const INT8 = 20
/**
 * A plan is made once and kept, often on tables that are still empty, so it must not hang on how full they are. What the planner thinks a shop
 * has, two rows of everything, is never true: so each row is looked up for itself, by an index and by as much of its key as is known, and
 * looking at a row costs far more than finding it. Nothing is planned anew for each value, and no code compiled that runs for a millisecond.
 */
export const PLANNING = Object.entries({
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
  random_page_cost: 1,
  cpu_tuple_cost: 1,
  cpu_index_tuple_cost: 1,
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')
/** How often a transaction is tried that others get in the way of. */
const MOST_TRIES = 5
/** PostgreSQL itself ends a statement at its time-out; one that is still unanswered this much later has lost its server. */
const SILENCE_MS = 1_000

export function openPool(connection: ConnectionSettings, options: PoolOptions = {}): Database {
  const { statementTimeoutMs = 15_000 } = options
  const pool = new pg.Pool({
    ...connection,
    max: options.size ?? POOL_SIZE,
    connectionTimeoutMillis: options.waitMs ?? 2_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    // A host that dies says nothing; without this, its connections would be waited on until TCP gives up, a quarter of an hour.
    query_timeout: statementTimeoutMs + SILENCE_MS,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'cartwright',
    options: PLANNING,
    types: {
      // Counts come back as bigint; every count we keep fits a JavaScript number.
      getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  })
  // An idle connection that breaks (the server restarted) reports here; without a listener it would end the process.
  pool.on('error', (error) => options.onError?.(error))
  // One that breaks in the very moment in which it is handed to a transaction reports to nobody: the pool has stopped listening and the
  // transaction has not begun to. That, too, would end the process; the first statement fails in any case, and says why.
  pool.on('connect', (client) => void client.on('error', () => undefined))

  return {
    ...handle(pool),
    transaction: (work, signal) => transaction(pool, async () => undefined, work, signal),
    transactionAfter: (first, work, signal) => transaction(pool, first, work, signal),
    close: () => pool.end(),
    get usage() {
      return { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }
    },
  }
}

function handle(client: pg.Pool | pg.PoolClient, signal?: AbortSignal): Db {
  const query = async <Row>(statement: Statement<Row>, values: Values) => {
    signal?.throwIfAborted()
    const { name, text } = statement
    const ordered = orderedValues(statement, values)
    try {
      return await client.query<pg.QueryResultRow>({ name, text, values: ordered })
    } catch (error) {
      throw translated(error)
    }
  }
  return {
    many: async <Row>(statement: Statement<Row>, values: Values) => (await query(statement, values)).rows as Row[],
    maybe: async <Row>(statement: Statement<Row>, values: Values) =>
      ((await query(statement, values)).rows[0] as Row | undefined) ?? null,
    one: async <Row>(statement: Statement<Row>, values: Values) => {
      const { rows } = await query(statement, values)
      if (rows.length !== 1) throw new Error(`${statement.name} returned ${rows.length} rows where one was certain`)
      return rows[0] as Row
    },
    run: async (statement, values) => (await query(statement, values)).rowCount ?? 0,
  }
}

async function transaction<F, T>(
  pool: pg.Pool,
  first: (db: Db) => Promise<F>,
  work: (tx: Tx, value: F) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await runTransaction(pool, first, work, signal)
    } catch (error) {
      if (!isRetryable(error)) throw error
      if (tries === MOST_TRIES) throw unavailableBecause(error, 'Too many requests are changing the same data at once.')
      // Jitter keeps two transactions that deadlocked from meeting again in step.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tries))
    }
  }
}

async function runTransaction<F, T>(
  pool: pg.Pool,
  first: (db: Db) => Promise<F>,
  work: (tx: Tx, value: F) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted()
  const client = await pool.connect().catch((error) => {
    throw translated(error)
  })
  let broken: Error | undefined
  // Between two statements nobody awaits the client, so a connection lost there would otherwise be an uncaught error.
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    const value = await first(handle(client, signal))
    await client.query('begin').catch((error) => {
      throw translated(error)
    })
    const result = await work({ ...handle(client, signal), inTransaction: true }, value)
    // In the same turn as the commit is sent: whoever gave it up before has said that nothing more is changed.
    signal?.throwIfAborted()
    const { command } = await client.query('commit').catch((error) => {
      throw translated(error)
    })
    // After a failed statement PostgreSQL answers `commit` with a rollback and no error; `work` that swallowed the failure
    // would take that for success.
    if (command !== 'COMMIT')
      throw new Error('The transaction was rolled back, because one of its statements had failed.')
    return result
  } catch (error) {
    if (isSilence(error)) broken = error
    else
      await client.query('rollback').catch((rollbackError: Error) => {
        broken = rollbackError
      })
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** A connection that did not answer a statement would not answer the rollback either. */
const isSilence = (error: unknown): error is Error =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === 'Query read timeout'

const isRetryable = (error: unknown) => ['40001', '40P01'].includes(codeOf(error))

/**
 * Lost connections (08), a server that stops (57P0) or has no room (53), and one that lets nobody in for now: the database is
 * missing (3D000), closed (55000), or our user or password is being changed (28000, 28P01).
 */
const UNREACHABLE =
  /^(08|57P0|53)|^(3D000|55000|28000|28P01|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/
const UNREACHABLE_MESSAGES = /Query read timeout|Connection terminated|encountered a connection error/
/** The pool's own words for a wait that was too long. */
const NONE_FREE = 'timeout exceeded when trying to connect'
const QUERY_CANCELED = '57014'

/** An outage is the caller's cue to try again later; everything else keeps PostgreSQL's own error for the store to read. */
function translated(error: unknown): unknown {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : ''
  if (message === NONE_FREE) return because(error, overloaded('All connections to the database are in use.'))
  if (UNREACHABLE.test(code) || UNREACHABLE_MESSAGES.test(message))
    return unavailableBecause(error, 'The database cannot be reached at the moment.')
  if (code === QUERY_CANCELED) return unavailableBecause(error, 'The database took too long to answer.')
  return error
}

const because = (cause: unknown, error: ApiError) => Object.assign(error, { cause })
const unavailableBecause = (cause: unknown, message: string) => because(cause, unavailable(message))
