// What `doctor` asks of a database: its release, and the migrations it lacks. Changes nothing.

import { type Db, statement } from './db.ts'
import { isSupportedServer, type Migration, missingFrom, readAppliedBy } from './migrate.ts'

const version = statement<{ version: string; number: string }>(
  'doctor.server_version',
  `select current_setting('server_version') as version, current_setting('server_version_num') as number`,
)

export async function inspect(
  db: Db,
  migrations: readonly Migration[],
): Promise<{ version: string; isSupported: boolean; missing: string[] }> {
  const server = await db.one(version, [])
  const missing = missingFrom(migrations, await readAppliedBy(db))
  const isSupported = isSupportedServer(Number(server.number))
  return { version: server.version, isSupported, missing: missing.map(({ name }) => name) }
}
