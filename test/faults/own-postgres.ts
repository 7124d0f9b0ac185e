// A migrated PostgreSQL of the test's own, which it may stop hard.

import { afterAll } from 'vitest'
import { startEmbedded } from '../../src/db/embedded/start.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { newFolder } from './processes.ts'

export async function openOwnPostgres(settings: Readonly<Record<string, string>> = {}) {
  const dataDir = newFolder()
  const start = () => startEmbedded({ dataDir, purpose: 'server', settings })
  let postgres = await start()
  const abandon = () => postgres.stopNow()
  process.once('exit', abandon)
  afterAll(async () => {
    await postgres.stop()
    process.off('exit', abandon)
  })
  await migrate(postgres.connection, await readMigrations())
  return {
    connection: postgres.connection,
    /** SIGQUIT is an immediate shutdown: PostgreSQL writes nothing more, and recovers from the disk at the next start. */
    async stopHard() {
      process.kill(postgres.pid, 'SIGQUIT')
      await postgres.exited
      await postgres.stop()
    },
    async startAgain() {
      postgres = await start()
    },
  }
}
