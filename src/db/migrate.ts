// Brings a database to the newest schema. Runs the SQL files of migrations/ in order, each in its own transaction.
// An advisory lock lets only one process migrate at a time.

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

/** Thrown if Cartwright must not start with this database. The message is one sentence for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly isForOperator = true
}

const OLDEST_SERVER = 150_000

/** `versionNumber` is PostgreSQL's `server_version_num`: 150004 is 15.4. A beta of 15 counts as 15. */
export const isSupportedServer = (versionNumber: number) => versionNumber >= OLDEST_SERVER

/** Key of the advisory lock. Any number works, if it is the same in every process. */
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

/** Applies the missing migrations and returns their names. An interrupted migration is rolled back and runs again. */
export async function migrate(
  connection: ConnectionSettings,
  migrations: readonly Migration[],
  onStep: (doing: string) => void = () => undefined,
): Promise<string[]> {
  const client = new pg.Client({ ...connection, application_name: 'cartwright migrate' })
  // The current or next statement reports a lost connection. Without a listener it would also end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await requireSupportedServer(client)
    // Do not wait for the disk, because a migration that a power cut undoes runs again. The first later commit that
    // waits for the disk also saves the migrations.
    await client.query('set synchronous_commit = off')
    // A session lock spans the transactions of all migrations. PostgreSQL drops it if this process dies.
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

/** Migrations that this database lacks. Throws if an applied one is unknown or its file was changed. */
function missingFrom(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  const newest = migrations.at(-1)?.name ?? ''
  for (const [name, checksum] of applied) {
    // A newer version of Cartwright has applied it. Migrations only add what older code can ignore
    // (migrations/README.md), so both versions may run together during a rolling upgrade.
    if (name > newest) continue
    const ownMigration = migrations.find((migration) => migration.name === name)
    if (!ownMigration)
      throw new MigrationError(
        `The database has the migration ${name}, which this version of Cartwright does not know; start the version that was used last.`,
      )
    if (ownMigration.checksum !== checksum)
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

const listApplied = statement<{ name: string; checksum: string }>(
  'migrations.list_applied',
  'select name, checksum from schema_migrations',
)

/** Checksums of the applied migrations by name; empty if none was ever applied. */
async function readAppliedBy(db: Db): Promise<Map<string, string>> {
  if (!(await hasAppliedMigrations(db))) return new Map()
  const rows = await db.many(listApplied, {})
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

/** True if `migrate` has ever created its table of applied migrations. Changes nothing. */
export const hasAppliedMigrations = async (db: Db): Promise<boolean> => (await db.one(tableExists, {})).exists

/** True if the database has every migration. Changes nothing, so readiness checks can call it. */
export const hasEveryMigration = async (db: Db, migrations: readonly Migration[]): Promise<boolean> =>
  missingFrom(migrations, await readAppliedBy(db)).length === 0

const serverVersion = statement<{ version: string; number: string }>(
  'doctor.server_version',
  `select current_setting('server_version') as version, current_setting('server_version_num') as number`,
)

/** Report for `doctor`: the server's version and the missing migrations. Changes nothing. */
export async function inspectDatabase(
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
