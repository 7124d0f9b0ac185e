// Settings → a PostgreSQL to talk to: the operator's own by DATABASE_URL, else the embedded one in DATA_DIR.

import { constants } from 'node:os'
import pg from 'pg'
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

/** The database of DATABASE_URL does not let us in; the message is one sentence without the password. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

const PATIENCE_MS = 10_000

/** Connects once, so that whatever is wrong with the address is said before anything is built on it. */
async function openExternal(databaseUrl: string): Promise<OpenedDatabase> {
  const connection = { connectionString: databaseUrl }
  try {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: PATIENCE_MS })
    client.on('error', () => undefined)
    // Ended in every case: a server that waits for a password would keep this process waiting with it.
    await client.connect().finally(() => void client.end().catch(() => undefined))
  } catch (error) {
    const reason = (error as Error).message || 'no answer'
    throw new UnreachableError(`The database cannot be reached: ${reason}. Check DATABASE_URL.`, { cause: error })
  }
  return { connection, died: new Promise(() => {}), close: async () => {}, closeNow: () => {} }
}

/** For the server, which owns the embedded PostgreSQL while it runs. */
export async function openForServer(
  settings: DatabaseSettings,
  log: (message: string) => void,
): Promise<OpenedDatabase> {
  if (settings.databaseUrl !== null) return openExternal(settings.databaseUrl)
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
  if (settings.databaseUrl !== null) return openExternal(settings.databaseUrl)
  const opening = useEmbedded({ dataDir: settings.dataDir })
  // Ctrl-C ends the command; a PostgreSQL that was started for it must not be left behind.
  const onSignal = (signal: NodeJS.Signals) =>
    void opening
      .then((postgres) => postgres.stopNow())
      .catch(() => undefined)
      .then(() => process.exit(128 + constants.signals[signal]))
  const release = () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  try {
    const postgres = await opening
    return {
      connection: postgres.connection,
      died: postgres.exited,
      close: () => postgres.stop().finally(release),
      closeNow: () => postgres.stopNow(),
    }
  } catch (error) {
    release()
    throw error
  }
}

/** For a process of ours beside the one that runs the database. */
export const connectionOf = (settings: DatabaseSettings): ConnectionSettings =>
  settings.databaseUrl === null ? connectionFor(settings.dataDir) : { connectionString: settings.databaseUrl }
