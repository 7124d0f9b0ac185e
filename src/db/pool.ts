// The connection pool behind the `Db` interface: prepared statements, and transactions with retries. Reports an unreachable or overloaded
// database as a 503.

import pg from 'pg'
import { type ApiError, overloaded, unavailable } from '../lib/errors.ts'
import type { Database, Db, RequestSignal, Tx } from './db.ts'
import { bindStatement, createDb, gatherStatements, type SendStatements } from './round-trips/asking.ts'
import { type BoundStatement, type StatementResult, sendRound } from './round-trips/round.ts'
import { commonRoundTripGroup, compareByWrittenKey, shareRoundTrips } from './round-trips/sharing.ts'

export type ConnectionSettings =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string; ssl?: false }

export type PoolOptions = {
  /** Connections per process. Few are fastest on few cores: more would only queue inside PostgreSQL instead of here. */
  size?: number
  /** Time that a request waits for a connection before it gets a 503. */
  waitMs?: number
  /** Time limit of one statement. */
  statementTimeoutMs?: number
  onError?: (error: Error) => void
}

/** Default number of connections per process; `connectionsFor` in open.ts counts them. */
export const POOL_SIZE = 4
/** For the request log only, so that no request waits for it. Opened with the first row. */
export const LOG_CONNECTIONS = 1
/**
 * Planner settings. A plan is made once, often on empty tables, so it must not depend on how full they are. The planner assumes two rows of
 * everything per shop, which is never true. So these settings make it look up each row by an index, with as much of the key as possible.
 * They make reading a row far more expensive than finding it. Plans are generic, and nothing is compiled for queries of a millisecond.
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
  // Starting helpers costs a hundred times a lookup. The planner wants them as soon as a table was analysed.
  max_parallel_workers_per_gather: 0,
  jit: 'off',
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')
/** On Citus a plan names the node, which depends on the merchant. Citus refuses most statements under one generic plan. */
const PLANNING_ON_CITUS = `select set_config('plan_cache_mode', 'auto', false) from pg_extension where extname = 'citus'`
/** Maximum number of tries for a transaction that conflicts with others. */
const MAX_TRIES = 5
/** PostgreSQL ends a statement at its time-out. If there is no answer this much later, the server is lost. */
const SILENCE_MS = 1_000

export function openPool(connection: ConnectionSettings, options: PoolOptions = {}): Database {
  const { statementTimeoutMs = 15_000, size = POOL_SIZE, waitMs = 2_000 } = options
  const pool = new pg.Pool({
    ...connection,
    Client: PlanningClient,
    max: size,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + SILENCE_MS,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'cartwright',
    onConnect: async (client) => void (await client.query(PLANNING_ON_CITUS)),
  })
  // An idle connection that breaks (the server restarted) reports here; without a listener it would end the process. Ignore it after the
  // pool was closed: the server may stop before it has read that a connection is done.
  let isClosed = false
  pool.on('error', (error) => void (isClosed || options.onError?.(error)))
  // A connection that breaks while it is handed over reports to nobody. The pool has stopped listening and the new holder has not begun to.
  // An unheard error would end the process. The first statement fails in any case and gives the reason.
  pool.on('connect', (client) => void client.on('error', () => undefined))

  const plans: Plans = { generation: 0, of: new WeakMap() }
  pool.on('connect', (client) => void plans.of.set(client, plans.generation))
  const borrow = <T>(use: (session: Session) => Promise<T>) => borrowSession(pool, plans, statementTimeoutMs, use)
  const limits = { most: size, waitMs, tooLate: poolExhausted }
  const inTransaction: SendStatements = (batch) => borrow((session) => sendAsTransaction(session, batch))
  const shared = {
    // Lookups commit nothing, so they may always be sent again.
    reads: shareRoundTrips((batch) => borrow((session) => session.send(batch)), { ...limits, isOfOne: isNodeOutage }),
    writes: shareRoundTrips(inTransaction, { ...limits, order: compareByWrittenKey }),
  }
  const sendAlone: SendStatements = (batch) => {
    const shares = commonRoundTripGroup(batch)
    return shares === undefined ? inTransaction(batch) : shared[shares](batch)
  }
  return {
    ...createDb(sendAlone),
    together: (asks) => gatherStatements(asks, (batch) => retry(() => sendAlone(batch))),
    transaction: (work, signal) => retry(() => runTransaction(borrow, async () => undefined, work, signal)),
    transactionAfter: (first, work, signal) => retry(() => runTransaction(borrow, first, work, signal)),
    forgetPlans() {
      plans.generation += 1
    },
    close() {
      isClosed = true
      return pool.end()
    },
    get usage() {
      return { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }
    },
  }
}

/**
 * Adds to the `options` of DATABASE_URL or PGOPTIONS instead of being replaced by them. Theirs come later and win for the same settings.
 */
class PlanningClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const { connectionParameters } = this as unknown as { connectionParameters: { options?: string } }
    connectionParameters.options = [PLANNING, connectionParameters.options].filter(Boolean).join(' ')
  }
}

/** A connection in use by one holder. */
type Session = {
  /** Makes one round trip. */
  send(statements: readonly BoundStatement[]): Promise<StatementResult[]>
  /** Ends a failed transaction, unless the connection is broken anyway. */
  rollBack(): Promise<void>
}

/** Counts how often plans were dropped in all, and the count that each connection has reached. */
type Plans = { generation: number; readonly of: WeakMap<object, number> }

type Borrow = <T>(use: (session: Session) => Promise<T>) => Promise<T>

async function borrowSession<T>(
  pool: pg.Pool,
  plans: Plans,
  statementTimeoutMs: number,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error) => {
    throw translateError(error)
  })
  let broken: Error | undefined
  // Between two statements nobody awaits the client. A connection lost then would be an uncaught error.
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  const { generation } = plans
  try {
    if (plans.of.get(client) !== generation) {
      plans.of.set(client, generation)
      // Not awaited: the connection works in sequence. If it is lost, the next statement fails too.
      client.query('discard plans').catch(onError)
    }
    return await use({
      async send(statements) {
        try {
          // PostgreSQL ends each statement at its time-out. A dead host says nothing: without a limit we would wait a quarter of an hour,
          // until TCP gives up.
          return await sendRound(client, statements, statements.length * statementTimeoutMs + SILENCE_MS)
        } catch (error) {
          if (!isOnlyRefusal(error)) broken = error as Error
          // A stack that leads to the socket helps nobody. This one leads to the caller.
          if (error instanceof Error) Error.captureStackTrace(error)
          throw translateError(error)
        }
      },
      async rollBack() {
        if (broken) return
        await client.query('rollback').catch((error: Error) => {
          broken = error
        })
      },
    })
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

async function retry<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isRetryable(error)) throw error
      if (tries === MAX_TRIES) throw unavailableBecause(error, 'Too many requests are changing the same data at once.')
      // Jitter keeps two deadlocked transactions from colliding again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tries))
    }
  }
}

const BEGIN: BoundStatement = { name: 'begin', text: 'begin', values: [] }
const COMMIT: BoundStatement = { name: 'commit', text: 'commit', values: [] }

/**
 * Begin and commit are explicit, although one Sync already makes one transaction of a round trip. On a database spread over several
 * servers, such as Citus, it does not.
 */
async function sendAsTransaction(session: Session, all: readonly BoundStatement[]): Promise<StatementResult[]> {
  if (all.length === 1) return session.send(all)
  try {
    return (await session.send([BEGIN, ...all, COMMIT])).slice(1, -1)
  } catch (error) {
    await session.rollBack()
    throw error
  }
}

function runTransaction<F, T>(
  borrow: Borrow,
  first: (db: Db) => Promise<F>,
  work: (tx: Tx, value: F) => Promise<T>,
  signal?: RequestSignal,
): Promise<T> {
  signal?.throwIfAborted()
  return borrow(async (session) => {
    let hasBegun = false
    /** Sends `begin` together with the first statement. */
    const sendInside: SendStatements = async (statements) => {
      signal?.throwIfAborted()
      if (hasBegun) return session.send(statements)
      hasBegun = true
      return (await session.send([BEGIN, ...statements])).slice(1)
    }
    const sendOutside: SendStatements = async (statements) => {
      signal?.throwIfAborted()
      return sendAsTransaction(session, statements)
    }
    const value = await first(createDb(sendOutside))
    const lastWrites: BoundStatement[] = []
    const sharedWrites: BoundStatement[] = []
    const tx: Tx = {
      ...createDb(sendInside),
      inTransaction: true,
      requestId: signal?.requestId ?? null,
      actor: signal?.actor ?? null,
      withCommit: (statement, values) => void lastWrites.push(bindStatement(statement, values)),
      beforeCommit: (statement, values) => void sharedWrites.push(bindStatement(statement, values)),
    }
    try {
      const result = await work(tx, value)
      // Check the signal in the same turn as the commit is sent: once it is aborted, nothing more may change.
      const answer = (await sendInside([...lastWrites, ...sharedWrites.toSorted(compareByKey), COMMIT])).at(-1)
      // After a failed statement PostgreSQL answers `commit` with a rollback and no error. If `work` ignored the failure, that would look
      // like success.
      if (answer?.command !== 'COMMIT')
        throw new Error('The transaction was rolled back, because one of its statements had failed.')
      return result
    } catch (error) {
      if (hasBegun) await session.rollBack()
      throw error
    }
  })
}

const compareByKey = (one: BoundStatement, other: BoundStatement) => (orderKey(one) < orderKey(other) ? -1 : 1)
const orderKey = ({ name, values }: BoundStatement) => JSON.stringify([name, values])

const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/**
 * True if PostgreSQL refused a statement and continues with the next. After any other error the connection is not reused. Nor is it if its
 * prepared statements are not ours (26000, 42P05) or a migration has changed them (0A000).
 */
const isOnlyRefusal = (error: unknown) =>
  error instanceof pg.DatabaseError &&
  (!UNREACHABLE.test(errorCode(error)) || isNodeLoss(error)) &&
  !/^(25P0[34]|26000|42P05|0A000)$/.test(errorCode(error))

/**
 * True if our server is well but reports that it lost a server behind it, such as a node of a cluster. Data on the other nodes can still be
 * read.
 */
const isNodeLoss = (error: unknown) =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && errorCode(error).startsWith('08')

/** Like `isNodeLoss`, for the outage that `translateError` made of such an error. */
const isNodeOutage = (error: unknown) => error instanceof Error && isNodeLoss(error.cause)

const isRetryable = (error: unknown) => ['40001', '40P01'].includes(errorCode(error))

/**
 * Lost connections (08), and a server that stops (57P0) or has no resources (53). Also a server that refuses us for now: the database is
 * missing (3D000) or closed (55000), or our user or password is changing (28000, 28P01).
 */
const UNREACHABLE =
  /^(08|57P0|53)|^(3D000|55000|28000|28P01|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/
const UNREACHABLE_MESSAGES = /Query read timeout|Connection terminated|encountered a connection error/
/** The pool's message for a wait that was too long. */
const POOL_TIMEOUT_MESSAGE = 'timeout exceeded when trying to connect'
const QUERY_CANCELED = '57014'

/** An outage tells the caller to retry later. Any other error stays PostgreSQL's own, for the store to read. */
function translateError(error: unknown): unknown {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message : ''
  if (message === POOL_TIMEOUT_MESSAGE) return withCause(error, poolExhausted())
  if (UNREACHABLE.test(code) || UNREACHABLE_MESSAGES.test(message))
    return unavailableBecause(error, 'The database cannot be reached at the moment.')
  if (code === QUERY_CANCELED) return unavailableBecause(error, 'The database took too long to answer.')
  return error
}

const poolExhausted = () => overloaded('All connections to the database are in use.')
const withCause = (cause: unknown, error: ApiError) => Object.assign(error, { cause })
const unavailableBecause = (cause: unknown, message: string) => withCause(cause, unavailable(message))
