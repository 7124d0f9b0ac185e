// The connection pool behind the `Db` interface: prepared statements, transactions with retries,
// and the translation of an unreachable or overloaded database into a 503.

import pg from 'pg'
import { type ApiError, overloaded, unavailable } from '../lib/errors.ts'
import type { Database, Db, Stop, Tx } from './db.ts'
import { type Ask, askedOf, dbOf, gather } from './round-trips/asking.ts'
import { type Answer, type Asked, send } from './round-trips/round.ts'
import { byKey, sharedBy, sharing } from './round-trips/sharing.ts'

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
/** For the request log alone, so that no request waits for it. Opened with the first row. */
export const LOG_CONNECTIONS = 1
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
  // Starting helpers costs a hundred times what a look-up does, and a table that has been analysed is enough for the planner to want them.
  max_parallel_workers_per_gather: 0,
  jit: 'off',
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')
/** On Citus a plan says which node is asked, and that depends on the merchant: it refuses most statements under one plan for all. */
const PLANNING_ON_CITUS = `select set_config('plan_cache_mode', 'auto', false) from pg_extension where extname = 'citus'`
/** How often a transaction is tried that others get in the way of. */
const MOST_TRIES = 5
/** PostgreSQL itself ends a statement at its time-out; one that is still unanswered this much later has lost its server. */
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
  // An idle connection that breaks (the server restarted) reports here; without a listener it would end the process.
  // Not where the pool was closed: the server may go down before it has read that a connection was done with.
  let isClosed = false
  pool.on('error', (error) => void (isClosed || options.onError?.(error)))
  // One that breaks in the very moment in which it is handed over reports to nobody: the pool has stopped listening and the new holder has
  // not begun to. That, too, would end the process; the first statement fails in any case, and says why.
  pool.on('connect', (client) => void client.on('error', () => undefined))

  const plans: Plans = { generation: 0, of: new WeakMap() }
  pool.on('connect', (client) => void plans.of.set(client, plans.generation))
  const borrow = <T>(use: (session: Session) => Promise<T>) => borrowSession(pool, plans, statementTimeoutMs, use)
  const limits = { most: size, waitMs, tooLate: allInUse }
  const inTransaction: Ask = (asked) => borrow((session) => sendAsTransaction(session, asked))
  const shared = {
    // Look-ups have nothing to commit, and may be sent again whatever has become of them.
    reads: sharing((asked) => borrow((session) => session.send(asked)), { ...limits, isOfOne: isBehindAnother }),
    writes: sharing(inTransaction, { ...limits, order: byKey }),
  }
  const sendAlone: Ask = (asked) => {
    const shares = sharedBy(asked)
    return shares === undefined ? inTransaction(asked) : shared[shares](asked)
  }
  return {
    ...dbOf(sendAlone),
    together: (asks) => gather(asks, (asked) => retry(() => sendAlone(asked))),
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

/** Adds to the `options` of DATABASE_URL or PGOPTIONS instead of giving way to them; what those say of the same settings comes later and wins. */
class PlanningClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const { connectionParameters } = this as unknown as { connectionParameters: { options?: string } }
    connectionParameters.options = [PLANNING, connectionParameters.options].filter(Boolean).join(' ')
  }
}

/** A connection in the hands of one holder. */
type Session = {
  /** One round trip. */
  send(asked: readonly Asked[]): Promise<Answer[]>
  /** Ends a transaction that failed, unless the connection has to be given up anyway. */
  rollBack(): Promise<void>
}

/** How often plans had to be forgotten, and how often each connection has done so. */
type Plans = { generation: number; readonly of: WeakMap<object, number> }

type Borrow = <T>(use: (session: Session) => Promise<T>) => Promise<T>

async function borrowSession<T>(
  pool: pg.Pool,
  plans: Plans,
  statementTimeoutMs: number,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error) => {
    throw translated(error)
  })
  let broken: Error | undefined
  // Between two statements nobody awaits the client, so a connection lost there would otherwise be an uncaught error.
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  const { generation } = plans
  try {
    if (plans.of.get(client) !== generation) {
      plans.of.set(client, generation)
      // Not waited for: the connection does one thing after the other. If it is lost, so is what comes next.
      client.query('discard plans').catch(onError)
    }
    return await use({
      async send(asked) {
        try {
          // PostgreSQL ends each statement at its time-out. A host that dies says nothing: its connections would be waited on until TCP
          // gives up, a quarter of an hour.
          return await send(client, asked, asked.length * statementTimeoutMs + SILENCE_MS)
        } catch (error) {
          if (!isRefusalAlone(error)) broken = error as Error
          // The stack that leads to the socket helps nobody; this one leads to whoever asked.
          if (error instanceof Error) Error.captureStackTrace(error)
          throw translated(error)
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
      if (tries === MOST_TRIES) throw unavailableBecause(error, 'Too many requests are changing the same data at once.')
      // Jitter keeps two transactions that deadlocked from meeting again in step.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tries))
    }
  }
}

const BEGIN: Asked = { name: 'begin', text: 'begin', values: [] }
const COMMIT: Asked = { name: 'commit', text: 'commit', values: [] }

/**
 * Begin and commit are said even though one Sync makes one transaction of a round trip: on a database that is spread over several servers,
 * such as Citus, it would not be one.
 */
async function sendAsTransaction(session: Session, all: readonly Asked[]): Promise<Answer[]> {
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
  signal?: Stop,
): Promise<T> {
  signal?.throwIfAborted()
  return borrow(async (session) => {
    let isBegun = false
    /** `begin` goes with whatever comes first. */
    const sendInside: Ask = async (asked) => {
      signal?.throwIfAborted()
      if (isBegun) return session.send(asked)
      isBegun = true
      return (await session.send([BEGIN, ...asked])).slice(1)
    }
    const sendOutside: Ask = async (asked) => {
      signal?.throwIfAborted()
      return sendAsTransaction(session, asked)
    }
    const value = await first(dbOf(sendOutside))
    const last: Asked[] = []
    const shared: Asked[] = []
    const tx: Tx = {
      ...dbOf(sendInside),
      inTransaction: true,
      requestId: signal?.requestId ?? null,
      actor: signal?.actor ?? null,
      withCommit: (statement, values) => void last.push(askedOf(statement, values)),
      beforeCommit: (statement, values) => void shared.push(askedOf(statement, values)),
    }
    try {
      const result = await work(tx, value)
      // Checks the signal in the same turn as the commit is sent: whoever gave it up before has said that nothing more is changed.
      const answer = (await sendInside([...last, ...shared.toSorted(inOneOrder), COMMIT])).at(-1)
      // After a failed statement PostgreSQL answers `commit` with a rollback and no error; `work` that swallowed the failure
      // would take that for success.
      if (answer?.command !== 'COMMIT')
        throw new Error('The transaction was rolled back, because one of its statements had failed.')
      return result
    } catch (error) {
      if (isBegun) await session.rollBack()
      throw error
    }
  })
}

const inOneOrder = (one: Asked, other: Asked) => (orderKey(one) < orderKey(other) ? -1 : 1)
const orderKey = ({ name, values }: Asked) => JSON.stringify([name, values])

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/**
 * PostgreSQL has refused a statement and goes on with the next; after anything else the connection is not used again. Nor is it where the
 * statements prepared on it are not what we think (26000, 42P05) or were overtaken by a migration (0A000).
 */
const isRefusalAlone = (error: unknown) =>
  error instanceof pg.DatabaseError &&
  (!UNREACHABLE.test(codeOf(error)) || isOfServerBehind(error)) &&
  !/^(25P0[34]|26000|42P05|0A000)$/.test(codeOf(error))

/**
 * The server that we are connected to is well, and tells that it has lost one behind it, as a cluster does of one of its nodes. What lies on
 * the others can be read as before.
 */
const isOfServerBehind = (error: unknown) =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && codeOf(error).startsWith('08')

/** The same, as `translated` has made an outage of it for whoever asked for what lies there. */
const isBehindAnother = (error: unknown) => error instanceof Error && isOfServerBehind(error.cause)

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
  if (message === NONE_FREE) return because(error, allInUse())
  if (UNREACHABLE.test(code) || UNREACHABLE_MESSAGES.test(message))
    return unavailableBecause(error, 'The database cannot be reached at the moment.')
  if (code === QUERY_CANCELED) return unavailableBecause(error, 'The database took too long to answer.')
  return error
}

const allInUse = () => overloaded('All connections to the database are in use.')
const because = (cause: unknown, error: ApiError) => Object.assign(error, { cause })
const unavailableBecause = (cause: unknown, message: string) => because(cause, unavailable(message))
