// Runs a real PostgreSQL in the data folder: one call starts it, one object stops it. This file has the order of the steps; each step has
// its own file.

import { type Binaries, prepareBinaries } from './binaries.ts'
import { ensureCluster, isCluster } from './cluster.ts'
import { EmbeddedError, toOperatorError } from './errors.ts'
import { createDatabase, probeServer, settleExisting } from './existing.ts'
import { type Connection, connectionFor, type Folders, foldersOf, freeBytesAt, makeDataDir } from './folders.ts'
import { keepPostmaster } from './keep.ts'
import { type Lock, type Purpose, readHolder, tryLock } from './lock.ts'
import {
  controlRunning,
  findServerProcesses,
  isPostgres,
  type LaunchWatch,
  launchPostmaster,
  type OperatorLog,
  type Postmaster,
  planLaunch,
  readPidFile,
  shortenLog,
} from './postmaster.ts'
import { isAlive, signal, sleep } from './processes.ts'
import { chooseUsers, type Users } from './users.ts'

export type EmbeddedPostgres = {
  /** For this process only. Other processes call `connectionFor(dataDir)` themselves. */
  readonly connection: Connection
  /** True if the server was already running: left by a killed process, or shared with a running one. */
  readonly adopted: boolean
  /** True if it belongs to a running Cartwright, which continues to use it. */
  readonly isShared: boolean
  readonly pid: number
  /** Resolves if the server dies without `stop`. */
  readonly exited: Promise<void>
  /** Ends the sessions, writes everything, frees the data folder. May be called more than once. */
  stop(): Promise<void>
  /** Only sends the signal, for a process that must end at once. */
  stopNow(): void
}

/** Receives the current step, to show it to a waiting person. */
export type OnStep = (doing: string) => void

type EmbeddedOptions = {
  dataDir: string
  purpose: Purpose
  /** Further PostgreSQL settings; they win over ours. */
  settings?: Record<string, string>
  log?: OperatorLog
  onStep?: OnStep
  /** For commands that need existing data: without a database, none is created. */
  mustExist?: boolean
  /** Restarts a server that ends by itself, as long as this process runs. */
  keep?: boolean
}

/** Maximum wait for a short-lived holder of the folder. */
const LOCK_TIMEOUT_MS = 20_000

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const folders = foldersOf(options.dataDir)
  try {
    checkSystem(folders)
    return await startWithLock(await waitForLock(folders, options.purpose), folders, options)
  } catch (error) {
    throw toOperatorError(error, folders.dataDir)
  }
}

/** For commands: shares the PostgreSQL of a running Cartwright, or runs one as long as the command takes. */
export async function useEmbedded(
  options: Omit<EmbeddedOptions, 'purpose'> & { purpose?: 'command' },
): Promise<EmbeddedPostgres> {
  const folders = foldersOf(options.dataDir)
  try {
    checkSystem(folders, options)
    const end = performance.now() + LOCK_TIMEOUT_MS
    for (;;) {
      const lock = await tryLock(folders, 'command')
      if (lock) return await startWithLock(lock, folders, options)
      // Another command stops its server when it is done, so only a running Cartwright's can be shared.
      const shared = readHolder(folders)?.purpose === 'server' ? await shareRunning(folders) : undefined
      if (shared) return shared
      if (performance.now() > end) throw stillBusy(folders)
      await sleep(50)
    }
  } catch (error) {
    throw toOperatorError(error, folders.dataDir)
  }
}

/** Checks everything that needs no lock, so that a person does not wait for a refusal. */
function checkSystem(folders: Folders, { mustExist = false }: Pick<EmbeddedOptions, 'mustExist'> = {}): void {
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    throw new EmbeddedError(
      `Cartwright includes no PostgreSQL for ${process.platform}: set DATABASE_URL to the address of your own PostgreSQL 18.`,
    )
  }
  // A holder of the folder may be about to create a database.
  if (!mustExist) makeDataDir(folders)
  else if (!isCluster(folders) && readHolder(folders) === undefined) throw noDatabase(folders)
  chooseUsers(folders)
  isCluster(folders)
}

/** In the wrong folder, a command would otherwise create an empty database and report that there is no data. */
const noDatabase = ({ dataDir }: Folders) =>
  new EmbeddedError(
    `There is no database in ${dataDir}. Start the service first, or set DATA_DIR (or DATABASE_URL) to where it is.`,
  )

async function waitForLock(folders: Folders, purpose: Purpose): Promise<Lock> {
  const end = performance.now() + LOCK_TIMEOUT_MS
  for (;;) {
    const lock = await tryLock(folders, purpose)
    if (lock) return lock
    const holder = readHolder(folders)
    if (holder?.purpose === 'server') {
      throw new EmbeddedError(
        `Cartwright is already running on this data folder (pid ${holder.pid}): ${folders.dataDir}.`,
      )
    }
    if (performance.now() > end) throw stillBusy(folders)
    await sleep(50)
  }
}

function stillBusy(folders: Folders): EmbeddedError {
  const holder = readHolder(folders)
  const who = holder ? `pid ${holder.pid}` : 'not visible from here, perhaps in another container'
  const what = holder?.purpose === 'command' ? 'Another Cartwright command' : 'Another Cartwright'
  return new EmbeddedError(`${what} is using this data folder (${who}): try again when it is done.`)
}

async function shareRunning(folders: Folders): Promise<EmbeddedPostgres | undefined> {
  const pid = readPidFile(folders)?.pid
  if (!pid) return undefined
  const connection = connectionFor(folders.dataDir)
  const answer = await probeServer(connection)
  if (answer.kind === 'refused') {
    throw new EmbeddedError('The running Cartwright belongs to another user: run this command as that user.')
  }
  if (answer.kind !== 'ready') return undefined
  const { exited } = controlRunning(pid, () => isAlive(pid))
  return { connection, adopted: true, isShared: true, pid, exited, stop: async () => {}, stopNow: () => {} }
}

async function startWithLock(
  lock: Lock,
  folders: Folders,
  options: Omit<EmbeddedOptions, 'purpose'>,
): Promise<EmbeddedPostgres> {
  try {
    const { postmaster: first, adopted } = await createAndRun(folders, options)
    const postmaster = options.keep ? keep(first, lock, folders, options) : first
    const logTimer = keepLogShort(folders, options)
    return {
      connection: connectionFor(folders.dataDir),
      adopted,
      isShared: false,
      get pid() {
        return postmaster.pid
      },
      exited: postmaster.exited,
      stop() {
        clearInterval(logTimer)
        return postmaster.stop().finally(() => lock.release())
      },
      stopNow: () => postmaster.stopNow(),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

const LOG_CHECK_MS = 60_000

/** A service runs for months, and every failed statement adds a line. */
function keepLogShort(folders: Folders, { log = () => {} }: Pick<EmbeddedOptions, 'log'>): NodeJS.Timeout {
  return setInterval(() => {
    try {
      shortenLog(folders)
    } catch (error) {
      // A full disk, for example, is no reason to end a running service.
      log(`The log of PostgreSQL could not be shortened: ${error instanceof Error ? error.message : error}.`)
    }
  }, LOG_CHECK_MS).unref()
}

type RunningServer = { postmaster: Postmaster; adopted: boolean }

async function createAndRun(folders: Folders, options: Omit<EmbeddedOptions, 'purpose'>): Promise<RunningServer> {
  const { log = () => {}, onStep = () => {}, mustExist = false } = options
  if (!isCluster(folders)) {
    if (mustExist) throw noDatabase(folders)
    onStep('Creating the database')
  }
  const users = chooseUsers(folders)
  const binaries = prepareBinaries(folders, users.server)
  await ensureCluster(folders, binaries, users, log)
  onStep('Starting PostgreSQL')
  return run(folders, options, users, binaries)
}

function keep(first: Postmaster, lock: Lock, folders: Folders, options: Omit<EmbeddedOptions, 'purpose'>): Postmaster {
  return keepPostmaster(first, {
    freeBytes: () => freeBytesAt(folders.dataDir),
    log: options.log ?? (() => {}),
    async relaunch(signal, begun) {
      const missingReason = findRestartProblem(lock, folders)
      if (missingReason !== undefined) throw new EmbeddedError(missingReason)
      const users = chooseUsers(folders)
      const binaries = prepareBinaries(folders, users.server)
      return (await run(folders, options, users, binaries, { signal, begun })).postmaster
    },
  })
}

/** The folder was deleted, or its disk is no longer mounted. An empty database in its place would look as if all orders were gone. */
function findRestartProblem(lock: Lock, folders: Folders): string | undefined {
  if (!lock.isInPlace()) return `The data folder ${folders.dataDir} is not the one that the service was started with.`
  return isCluster(folders) ? undefined : `There is no database in ${folders.pgdata} any more.`
}

async function run(
  folders: Folders,
  options: Omit<EmbeddedOptions, 'purpose'>,
  users: Users,
  binaries: Binaries,
  watch: LaunchWatch = {},
): Promise<RunningServer> {
  const running = await adoptOrLaunch(folders, options, users, binaries, watch)
  await ensureAnswers(connectionFor(folders.dataDir), running.postmaster, folders, options.log ?? (() => {}), watch)
  return running
}

async function adoptOrLaunch(
  folders: Folders,
  options: Omit<EmbeddedOptions, 'purpose'>,
  users: Users,
  binaries: Binaries,
  watch: LaunchWatch,
): Promise<RunningServer> {
  const log = options.log ?? (() => {})
  const launch = planLaunch(folders, binaries, users, options.settings ?? {})
  const existing = await settleExisting(folders, launch, log)
  if (existing.adopted) {
    log(`Using the PostgreSQL left by an earlier start (process ${existing.adopted.pid}).`)
    return { postmaster: existing.adopted, adopted: true }
  }
  const end = performance.now() + LOCK_TIMEOUT_MS
  for (;;) {
    try {
      const postmaster = await launchPostmaster(folders, binaries, users, launch, existing.formerPid, log, watch)
      return { postmaster, adopted: false }
    } catch (error) {
      // After a postmaster was killed, PostgreSQL rightly refuses until its sessions have noticed. If the former process is alive, somebody
      // started that server by hand, and only they may stop it.
      const isInUse = error instanceof EmbeddedError && error.message.includes('is still in use')
      const isOrphaned = existing.formerPid === undefined || !isPostgres(existing.formerPid)
      if (!isInUse || !isOrphaned || performance.now() > end || watch.signal?.aborted) throw error
      // A busy session would not notice for hours, and it is lost in any case.
      for (const pid of findServerProcesses(launch)) signal(pid, 'SIGQUIT')
      await sleep(200)
    }
  }
}

/** Maximum time for a new server to answer. On a busy machine, the first session can take many seconds. */
const ANSWER_MS = 60_000
const ANSWER_MESSAGE_MS = 5_000

/** Retries while the server is silent or has no free connection, as when all waiting clients connect at once. */
async function waitForAnswer(
  connection: Connection,
  { pid, exited }: Postmaster,
  log: OperatorLog,
  { signal }: LaunchWatch,
) {
  let hasEnded = false
  void exited.then(() => {
    hasEnded = true
  })
  const end = performance.now() + ANSWER_MS
  const message = `Waiting for PostgreSQL (process ${pid}) to answer, for up to ${ANSWER_MS / 1_000} s.`
  const timer = setInterval(() => log(message), ANSWER_MESSAGE_MS)
  try {
    for (;;) {
      const remaining = end - performance.now()
      const answer = await probeServer(connection, Math.max(remaining, 1_000))
      const mayAnswerLater = answer.kind === 'busy' || answer.kind === 'silent'
      if (!mayAnswerLater || hasEnded || remaining <= 0 || signal?.aborted) return answer
      await sleep(50)
    }
  } finally {
    clearInterval(timer)
  }
}

/** Stops a server that does not answer: left running, it would outlive the lock that protects it. */
async function ensureAnswers(
  connection: Connection,
  postmaster: Postmaster,
  folders: Folders,
  log: OperatorLog,
  watch: LaunchWatch,
): Promise<void> {
  try {
    let answer = await waitForAnswer(connection, postmaster, log, watch)
    if (answer.kind === 'missing') {
      await createDatabase(connection)
      answer = await waitForAnswer(connection, postmaster, log, watch)
    }
    if (answer.kind === 'ready') return
    const reason = answer.kind === 'refused' ? answer.message : 'it does not answer'
    throw new EmbeddedError(`PostgreSQL started but ${reason} (see ${folders.log}).`)
  } catch (error) {
    await postmaster.stop()
    if (error instanceof EmbeddedError || !(error instanceof Error)) throw error
    throw new EmbeddedError(`PostgreSQL could not create its database: ${error.message} (see ${folders.log}).`, {
      cause: error,
    })
  }
}
