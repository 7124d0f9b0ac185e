// Opens the PostgreSQL named by the settings: that of DATABASE_URL, or the embedded one in DATA_DIR.

import { constants } from 'node:os'
import pg from 'pg'
import { describeFolderProblem } from './embedded/errors.ts'
import { checkDataDirWritable, connectionFor, foldersOf } from './embedded/folders.ts'
import { readHolder } from './embedded/lock.ts'
import type { OperatorLog } from './embedded/postmaster.ts'
import { type OnStep, startEmbedded, useEmbedded } from './embedded/start.ts'
import { HEARTBEAT_CONNECTIONS } from './health/heartbeat.ts'
import { type ConnectionSettings, LOG_CONNECTIONS, POOL_SIZE } from './pool.ts'

type DatabaseSettings = { readonly databaseUrl: string | null; readonly dataDir: string }

/** Reserved for commands, a migration, an operator's psql and PostgreSQL itself. */
const SPARE_CONNECTIONS = 20
const MIN_CONNECTIONS = 100

/** Connections that the embedded PostgreSQL must accept if all processes of these WORKERS use their full pools. */
export function connectionsFor(workers: number): number {
  // With several workers, one more process owns the database and the jobs.
  const processes = workers > 1 ? workers + 1 : 1
  const perProcess = POOL_SIZE + HEARTBEAT_CONNECTIONS + LOG_CONNECTIONS
  return Math.max(MIN_CONNECTIONS, processes * perProcess + SPARE_CONNECTIONS)
}

export type OpenedDatabase = {
  readonly connection: ConnectionSettings
  /** True for the embedded database of a service that runs or is starting. */
  readonly isShared: boolean
  close(): Promise<void>
  /** For a process that must end at once. */
  closeNow(): void
}

/** The database of DATABASE_URL refuses us. The message is one sentence without the password. */
class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly isForOperator = true
}

class UnusableFolderError extends Error {
  override readonly name = 'UnusableFolderError'
  readonly isForOperator = true
}

const CONNECT_TIMEOUT_MS = 10_000
const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Connects once, so that a wrong address is reported before anything relies on it. */
async function openExternal(databaseUrl: string): Promise<OpenedDatabase> {
  const connection = { connectionString: databaseUrl }
  try {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
    client.on('error', () => undefined)
    // End the client in every case: a server that waits for a password would keep this process waiting too.
    await client.connect().finally(() => void client.end().catch(() => undefined))
  } catch (error) {
    const reason = (error as Error).message || 'no answer'
    throw new UnreachableError(`The database cannot be reached: ${reason}. Check DATABASE_URL.`, { cause: error })
  }
  return { connection, isShared: false, close: async () => {}, closeNow: () => {} }
}

/** For the server. It owns the embedded PostgreSQL while it runs, and restarts it if it ends by itself. */
export async function openForServer(
  settings: DatabaseSettings & { readonly workers?: number },
  { log, onStep }: { readonly log: OperatorLog; readonly onStep: OnStep },
): Promise<OpenedDatabase> {
  const { databaseUrl, dataDir, workers = 1 } = settings
  if (databaseUrl !== null) {
    const database = await openExternal(databaseUrl)
    // Files and the demo shop's keys are stored there.
    checkDataDir(dataDir)
    return database
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

function checkDataDir(dataDir: string) {
  try {
    checkDataDirWritable(foldersOf(dataDir))
  } catch (error) {
    const problem = error as Error
    throw new UnusableFolderError(
      describeFolderProblem(problem, dataDir) ??
        `Files cannot be stored in the data folder ${dataDir}: ${problem.message}. Set DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

/**
 * For a command: shares the running server's PostgreSQL, or runs it as long as the command takes. If there is no embedded database yet,
 * creates it only with `mayMake`, else throws.
 */
export async function openForCommand(
  settings: DatabaseSettings,
  { onStep, mayMake }: { readonly onStep: OnStep; readonly mayMake: boolean },
): Promise<OpenedDatabase> {
  if (settings.databaseUrl !== null) return openExternal(settings.databaseUrl)
  const opening = useEmbedded({ dataDir: settings.dataDir, onStep, mustExist: !mayMake })
  // Ctrl-C or a closed terminal ends the command. It must not leave behind the PostgreSQL started for it.
  const onSignal = (signal: NodeJS.Signals) =>
    void opening
      .then((postgres) => postgres.stopNow())
      .catch(() => undefined)
      .then(() => process.exit(128 + constants.signals[signal]))
  const removeSignalHandlers = () => {
    for (const signal of END_SIGNALS) process.off(signal, onSignal)
  }
  for (const signal of END_SIGNALS) process.on(signal, onSignal)
  try {
    const postgres = await opening
    return {
      connection: postgres.connection,
      isShared: postgres.isShared,
      close: () => postgres.stop().finally(removeSignalHandlers),
      closeNow: () => postgres.stopNow(),
    }
  } catch (error) {
    removeSignalHandlers()
    throw error
  }
}

/** True if a service runs on the data folder or is starting there. */
export const isInUse = ({ databaseUrl, dataDir }: DatabaseSettings): boolean =>
  databaseUrl === null && readHolder(foldersOf(dataDir))?.purpose === 'server'

/** For a process of ours besides the one that runs the database. */
export const connectionOf = (settings: DatabaseSettings): ConnectionSettings =>
  settings.databaseUrl === null ? connectionFor(settings.dataDir) : { connectionString: settings.databaseUrl }
