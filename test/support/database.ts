// A separate database for each test file: a clone of the template that global-setup.ts migrated once.

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type CreatedMerchant, createMerchant } from '../../src/api/merchants/merchant.ts'
import type { Database } from '../../src/db/db.ts'
import { type ConnectionSettings, openPool, type PoolOptions } from '../../src/db/pool.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { copyDatabase, dropDatabase, type Node } from './citus.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number; user: string; database: string; template: string }
    /** Nodes of a Citus cluster besides the coordinator; empty on a plain PostgreSQL. */
    nodes: Node[]
    /** Folder deleted after the run, in which files share expensive results (test/cli/support.ts). */
    sharedFolder: string
  }
}

/**
 * True if the tests run on Citus. Tests of query plans are useless there: the coordinator only names the node, which plans by itself.
 * test/citus checks that each statement goes to one node.
 */
export const isOnCitus = () => inject('nodes').length > 0

/**
 * An upper time limit, in milliseconds or seconds: four times the longest time measured on an idle machine. Other machines are slower, and
 * pause. A test that finishes earlier does not wait.
 */
export const patient = (limit: number) => 4 * limit

/**
 * A duration configured in the service under test that really elapses, such as the delay before a payment settles. It is longer on a
 * cluster, because all its servers share the cores of one machine.
 */
export const lengthened = (time: number) => (isOnCitus() ? 4 * time : time)

/** For pools whose waiting time is not under test: a hundred requests may queue, and a machine may pause. */
export const PATIENT_POOL = { waitMs: 90_000, statementTimeoutMs: 90_000 }

/**
 * Calls `ending` when the test file has ended (each-file.ts). Vitest's afterAll does nothing inside a test or a hook; this works there too.
 * An unclosed app would poll its dropped database until the run ends.
 */
export function atFileEnd(ending: () => unknown) {
  const worker = globalThis as { cartwrightEndings?: (() => unknown)[] }
  worker.cartwrightEndings ??= []
  worker.cartwrightEndings.push(ending)
}

type ServerConnection = { host: string; port: number; user: string; database: string }

/** Returns the connection to a fresh migrated database, which is dropped when the file ends. */
export async function cloneDatabase(): Promise<ServerConnection> {
  const connection = await copyTemplate()
  atFileEnd(() => dropDatabase(allNodes(), connection.database))
  return connection
}

/** Returns the connection to a fresh migrated database, which lives as long as the run's PostgreSQL. */
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

/** Opens a pool on a fresh migrated database. */
export async function testDatabase(options: PoolOptions = {}): Promise<Database> {
  const db = openPool(await cloneDatabase(), { ...PATIENT_POOL, ...options })
  atFileEnd(() => db.close())
  return db
}

/** Creates a merchant with its four keys, without an app. */
export const openMerchant = (
  db: Database,
  draft = { name: 'Shop', email: 'shop@example.com' },
): Promise<CreatedMerchant> => db.transaction((tx) => createMerchant(tx, systemClock, draft))

/** A connection as a `postgres://` URL, as an operator would set DATABASE_URL. */
export const urlOf = ({ host, port, user, database }: ServerConnection) =>
  `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`

export async function administer(server: ConnectionSettings, sql: string) {
  const client = new pg.Client(server)
  // If the server dies, the pending query rejects. Without a listener the event would crash the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}
