// Settings → a PostgreSQL to talk to: the operator's own by DATABASE_URL, else the embedded one in DATA_DIR.

import { constants } from 'node:os'
import pg from 'pg'
import { folderProblem } from './embedded/errors.ts'
import { connectionFor, foldersOf, tryDataDir } from './embedded/folders.ts'
import { readHolder } from './embedded/lock.ts'
import type { Tell } from './embedded/postmaster.ts'
import { type OnStep, startEmbedded, useEmbedded } from './embedded/start.ts'
import { HEARTBEAT_CONNECTIONS } from './heartbeat.ts'
import { type ConnectionSettings, LOG_CONNECTIONS, POOL_SIZE } from './pool.ts'

type DatabaseSettings = { readonly databaseUrl: string | null; readonly dataDir: string }

/** For commands, a migration, an operator's psql and PostgreSQL's own reserve. */
const SPARE_CONNECTIONS = 20
const FEWEST_CONNECTIONS = 100

/** What the embedded PostgreSQL must bear when all processes of this many WORKERS use their connections to the full. */
export function connectionsFor(workers: number): number {
  // With several, one more owns the database and the jobs.
  const processes = workers > 1 ? workers + 1 : 1
  const each = POOL_SIZE + HEARTBEAT_CONNECTIONS + LOG_CONNECTIONS
  return Math.max(FEWEST_CONNECTIONS, processes * each + SPARE_CONNECTIONS)
}

export type OpenedDatabase = {
  readonly connection: ConnectionSettings
  /** It is the embedded one of a service that runs, or is being started. */
  readonly isShared: boolean
  close(): Promise<void>
  /** For a process that is about to die and cannot wait. */
  closeNow(): void
}

/** The database of DATABASE_URL does not let us in; the message is one sentence without the password. */
class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly isForOperator = true
}

class UnusableFolderError extends Error {
  override readonly name = 'UnusableFolderError'
  readonly isForOperator = true
}

const PATIENCE_MS = 10_000
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

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
  return { connection, isShared: false, close: async () => {}, closeNow: () => {} }
}

/** For the server, which owns the embedded PostgreSQL while it runs, and starts it again whenever it ends by itself. */
export async function openForServer(
  settings: DatabaseSettings & { readonly workers?: number },
  { log, onStep }: { readonly log: Tell; readonly onStep: OnStep },
): Promise<OpenedDatabase> {
  const { databaseUrl, dataDir, workers = 1 } = settings
  if (databaseUrl !== null) {
    const opened = await openExternal(databaseUrl)
    // Files go there, and the demo shop's keys.
    tryDataDirOrSay(dataDir)
    return opened
  }
  const postgres = await startEmbedded({
    dataDir,
    purpose: 'server',
    settings: { max_connections: String(connectionsFor(workers)) },
    log,
    onStep,
    keep: true,
  })
  return {
    connection: postgres.connection,
    isShared: false,
    close: () => postgres.stop(),
    closeNow: () => postgres.stopNow(),
  }
}

function tryDataDirOrSay(dataDir: string) {
  try {
    tryDataDir(foldersOf(dataDir))
  } catch (error) {
    const problem = error as Error
    throw new UnusableFolderError(
      folderProblem(problem, dataDir) ??
        `Files cannot be kept in the data folder ${dataDir}: ${problem.message}. Set DATA_DIR to another one.`,
      { cause: error },
    )
  }
}

/**
 * For a command: shares the running server's PostgreSQL, or runs it for as long as the command takes. Where there is no embedded one yet, it
 * is made if the command is one to begin with (`mayMake`), and otherwise refused.
 */
export async function openForCommand(
  settings: DatabaseSettings,
  { onStep, mayMake }: { readonly onStep: OnStep; readonly mayMake: boolean },
): Promise<OpenedDatabase> {
  if (settings.databaseUrl !== null) return openExternal(settings.databaseUrl)
  const opening = useEmbedded({ dataDir: settings.dataDir, onStep, mustExist: !mayMake })
  // Ctrl-C or a closed terminal ends the command; a PostgreSQL that was started for it must not be left behind.
  const onSignal = (signal: NodeJS.Signals) =>
    void opening
      .then((postgres) => postgres.stopNow())
      .catch(() => undefined)
      .then(() => process.exit(128 + constants.signals[signal]))
  const release = () => {
    for (const signal of ENDING) process.off(signal, onSignal)
  }
  for (const signal of ENDING) process.on(signal, onSignal)
  try {
    const postgres = await opening
    return {
      connection: postgres.connection,
      isShared: postgres.isShared,
      close: () => postgres.stop().finally(release),
      closeNow: () => postgres.stopNow(),
    }
  } catch (error) {
    release()
    throw error
  }
}

/** Whether a service runs on the data folder, or is being started there. */
export const isInUse = ({ databaseUrl, dataDir }: DatabaseSettings): boolean =>
  databaseUrl === null && readHolder(foldersOf(dataDir))?.purpose === 'server'

/** For a process of ours beside the one that runs the database. */
export const connectionOf = (settings: DatabaseSettings): ConnectionSettings =>
  settings.databaseUrl === null ? connectionFor(settings.dataDir) : { connectionString: settings.databaseUrl }
