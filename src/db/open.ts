// Settings → a PostgreSQL to talk to: the operator's own by DATABASE_URL, else the embedded one in DATA_DIR.

import { connectionFor } from './embedded/folders.ts'
import { startEmbedded, useEmbedded } from './embedded/start.ts'
import type { ConnectionSettings } from './pool.ts'

export type DatabaseSettings = { readonly databaseUrl: string | null; readonly dataDir: string }

export type OpenedDatabase = {
  readonly connection: ConnectionSettings
  /** Resolves if the embedded server dies by itself; an external one is somebody else's to watch. */
  readonly died: Promise<void>
  close(): Promise<void>
  /** For a process that is about to die and cannot wait. */
  closeNow(): void
}

const external = (databaseUrl: string): OpenedDatabase => ({
  connection: { connectionString: databaseUrl },
  died: new Promise(() => {}),
  close: async () => {},
  closeNow: () => {},
})

/** For the server, which owns the embedded PostgreSQL while it runs. */
export async function openForServer(
  settings: DatabaseSettings,
  log: (message: string) => void,
): Promise<OpenedDatabase> {
  if (settings.databaseUrl !== null) return external(settings.databaseUrl)
  const postgres = await startEmbedded({ dataDir: settings.dataDir, purpose: 'server', log })
  return {
    connection: postgres.connection,
    died: postgres.exited,
    close: () => postgres.stop(),
    closeNow: () => postgres.stopNow(),
  }
}

/** For a command: shares the running server's PostgreSQL, or runs it for as long as the command takes. */
export async function openForCommand(settings: DatabaseSettings): Promise<OpenedDatabase> {
  if (settings.databaseUrl !== null) return external(settings.databaseUrl)
  const postgres = await useEmbedded({ dataDir: settings.dataDir })
  return {
    connection: postgres.connection,
    died: postgres.exited,
    close: () => postgres.stop(),
    closeNow: () => postgres.stopNow(),
  }
}

/** For a process of ours beside the one that runs the database. */
export const connectionOf = (settings: DatabaseSettings): ConnectionSettings =>
  settings.databaseUrl === null ? connectionFor(settings.dataDir) : { connectionString: settings.databaseUrl }
