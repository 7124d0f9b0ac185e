// Brings a database to the newest schema: plain SQL files from migrations/, in order, each in a transaction of its own,
// under an advisory lock so that processes starting together do it once.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { ROOT } from '../root.ts'
import { type Db, statement } from './db.ts'
import type { ConnectionSettings } from './pool.ts'
import { applySharded, isSharded } from './shards.ts'

export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string }

/** A state of the database that no start may go on from; the message is one sentence for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly isForOperator = true
}

const OLDEST_SERVER = 150_000

/** By `server_version_num`: 150004 is 15.4. A beta of 15 counts as 15. */
export const isSupportedServer = (versionNumber: number) => versionNumber >= OLDEST_SERVER

/** Any number, the same in every process: it names the lock. */
const LOCK = 4_201_946_112

const migrationsFolder = fileURLToPath(new URL('migrations/', ROOT))

export async function readMigrations(folder = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Applies what is missing and returns the names applied. An interrupted migration has left nothing and runs again. */
export async function migrate(
  connection: ConnectionSettings,
  migrations: readonly Migration[],
  onStep: (doing: string) => void = () => undefined,
): Promise<string[]> {
  const client = new pg.Client({ ...connection, application_name: 'cartwright migrate' })
  // A lost connection fails the statement that runs or comes next; unheard here, it would end the process as well.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await requireSupportedServer(client)
    // No migration waits for the disk: what a power cut takes away runs again, and the first change of a shop that waits brings all of them along.
    await client.query('set synchronous_commit = off')
    // A session lock, not a transaction's: it spans all the migrations, and PostgreSQL drops it if this process dies.
    await client.query('select pg_advisory_lock($1)', [LOCK])
    const missing = missingFrom(migrations, await readApplied(client))
    const applySql = (await isSharded(client)) ? applySharded : applyPlain
    for (const [index, migration] of missing.entries()) {
      onStep(`Updating the database: ${index + 1} of ${missing.length}, ${migration.name}`)
      await apply(client, migration, applySql)
    }
    return missing.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** The migrations this database lacks. Throws when it has one that is not ours. */
function missingFrom(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  const newest = migrations.at(-1)?.name ?? ''
  for (const [name, checksum] of applied) {
    // A newer version has been here. Migrations only ever add what older code can ignore (migrations/README.md), so a rolling
    // upgrade may run both versions side by side.
    if (name > newest) continue
    const known = migrations.find((migration) => migration.name === name)
    if (!known)
      throw new MigrationError(
        `The database has the migration ${name}, which this version of Cartwright does not know; start the version that was used last.`,
      )
    if (known.checksum !== checksum)
      throw new MigrationError(
        `The migration ${name} was changed after it had been applied to this database; restore the file and add a new migration instead.`,
      )
  }
  return migrations.filter(({ name }) => !applied.has(name))
}

const tableExists = statement<{ exists: boolean }>(
  'migrations.table_exists',
  `select to_regclass('schema_migrations') is not null as exists`,
)

const applied = statement<{ name: string; checksum: string }>(
  'migrations.list_applied',
  'select name, checksum from schema_migrations',
)

/** Name → checksum of what a database has; none where nothing was ever applied. */
async function readAppliedBy(db: Db): Promise<Map<string, string>> {
  if (!(await hasBegun(db))) return new Map()
  const rows = await db.many(applied, {})
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

/** Whether any migration was ever applied; changes nothing. */
export const hasBegun = async (db: Db): Promise<boolean> => (await db.one(tableExists, {})).exists

/** Whether the database has every migration; for readiness, changes nothing. */
export const isCurrent = async (db: Db, migrations: readonly Migration[]): Promise<boolean> =>
  missingFrom(migrations, await readAppliedBy(db)).length === 0

const serverVersion = statement<{ version: string; number: string }>(
  'doctor.server_version',
  `select current_setting('server_version') as version, current_setting('server_version_num') as number`,
)

/** What `doctor` tells of a database: its release, and the migrations it lacks. Changes nothing. */
export async function inspect(
  db: Db,
  migrations: readonly Migration[],
): Promise<{ version: string; isSupported: boolean; missing: string[] }> {
  const server = await db.one(serverVersion, {})
  const missing = missingFrom(migrations, await readAppliedBy(db))
  const isSupported = isSupportedServer(Number(server.number))
  return { version: server.version, isSupported, missing: missing.map(({ name }) => name) }
}

async function requireSupportedServer(client: pg.Client) {
  const { rows } = await client.query<{ number: string; version: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as version`,
  )
  const [server] = rows
  if (server && !isSupportedServer(Number(server.number)))
    throw new MigrationError(`Cartwright needs PostgreSQL 15 or newer; this server is ${server.version}.`)
}

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  await client.query(`
    create table if not exists schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`)
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

const applyPlain = async (client: pg.Client, { sql }: Migration): Promise<void> => void (await client.query(sql))

async function apply(client: pg.Client, migration: Migration, applySql: typeof applyPlain) {
  try {
    await client.query('begin')
    await applySql(client, migration)
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
      migration.name,
      migration.checksum,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw new MigrationError(`The migration ${migration.name} failed: ${(error as Error).message}`, { cause: error })
  }
}
