// A database of its own for each test file: a clone of the template that global-setup.ts migrated once.

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { Database } from '../../src/db/db.ts'
import { openPool, type PoolOptions } from '../../src/db/pool.ts'
import { copyDatabase, dropDatabase, type Node } from './citus.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number; user: string; database: string; template: string }
    /** The nodes of a Citus cluster beside the coordinator; none on a plain PostgreSQL. */
    nodes: Node[]
    /** Gone after the run. Files find there what others have made (test/cli/support.ts). */
    sharedFolder: string
  }
}

/**
 * Whether the tests run on Citus. There a test that looks at a plan of the coordinator says nothing: it tells the node that is asked, which
 * plans by itself. Whether each statement goes to one node is asked in test/citus.
 */
export const isOnCitus = () => inject('nodes').length > 0

/**
 * An upper limit of how long something may take, in milliseconds or seconds: four times of what it takes at most on a machine that has
 * nothing else to do. Others are slower, and pause. What is in time is not kept waiting by it.
 */
export const patient = (limit: number) => 4 * limit

/**
 * A time that a service under test is given, and that passes: it settles a payment after so long, say. The servers of a cluster share the
 * cores of one machine with it.
 */
export const lengthened = (time: number) => (isOnCitus() ? 4 * time : time)

/** For pools of which no test asks how long somebody waits: a hundred requests at once wait for their turn, and a machine may pause. */
export const PATIENT_POOL = { waitMs: 90_000, statementTimeoutMs: 90_000 }

/**
 * Calls `ending` when the test file has ended (each-file.ts). Vitest's afterAll does nothing inside a test or a hook; this
 * works there too. An app that nobody closes polls its dropped database until the run ends.
 */
export function atFileEnd(ending: () => unknown) {
  const worker = globalThis as { cartwrightEndings?: (() => unknown)[] }
  worker.cartwrightEndings ??= []
  worker.cartwrightEndings.push(ending)
}

type ServerConnection = { host: string; port: number; user: string; database: string }

/** The connection to a fresh migrated database, dropped when the file ends. */
export async function cloneDatabase(): Promise<ServerConnection> {
  const connection = await copyTemplate()
  atFileEnd(() => dropDatabase(allNodes(), connection.database))
  return connection
}

/** The connection to a fresh migrated database, which lives as long as the run's PostgreSQL. */
export async function copyTemplate(): Promise<ServerConnection> {
  const { template, ...server } = inject('postgres')
  const database = `test_${randomBytes(8).toString('hex')}`
  await copyDatabase(allNodes(), template, database)
  return { ...server, database }
}

function allNodes() {
  const { template: _, ...server } = inject('postgres')
  return [server, ...inject('nodes')]
}

/** An open pool on a fresh migrated database. */
export async function testDatabase(options: PoolOptions = {}): Promise<Database> {
  const db = openPool(await cloneDatabase(), { ...PATIENT_POOL, ...options })
  atFileEnd(() => db.close())
  return db
}

/** `postgres://` form of a connection, as an operator would set DATABASE_URL. */
export const urlOf = ({ host, port, user, database }: ServerConnection) =>
  `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`

export async function administer(server: ServerConnection, sql: string) {
  const client = new pg.Client(server)
  // Where its server dies, whoever waits for the statement hears of it; nobody else has to.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}
