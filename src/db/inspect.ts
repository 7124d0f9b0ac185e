// What `doctor` asks of a database: its release, and the migrations it lacks. Changes nothing.

import { type Db, statement } from './db.ts'
import { type Migration, missingFrom, readAppliedBy } from './migrate.ts'

const version = statement<{ version: string }>(
  'doctor.server_version',
  `select current_setting('server_version') as version`,
)

export async function inspect(
  db: Db,
  migrations: readonly Migration[],
): Promise<{ version: string; missing: string[] }> {
  const server = await db.one(version, [])
  const missing = missingFrom(migrations, await readAppliedBy(db))
  return { version: server.version, missing: missing.map(({ name }) => name) }
}
