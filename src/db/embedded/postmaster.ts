// One postmaster process: its command line, start, pid file and end. existing.ts decides if one may be started at all.

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, copyFileSync, fstatSync, openSync, readFileSync, renameSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { type Binaries, programEnv } from './binaries.ts'
import { postgresDataPath } from './cluster.ts'
import { codeOf, EmbeddedError, findFailureReason } from './errors.ts'
import { chownToFolderOwner, type Folders, PORT } from './folders.ts'
import { commandLine, processesNamed, signal, sleep, waitUntil } from './processes.ts'
import type { Users } from './users.ts'

const MAX_LOG_BYTES = 10 * 1024 * 1024

/** A server under our control, started by us or found running. `exited` resolves if it ends without `stop`. */
export type Postmaster = { pid: number; exited: Promise<void>; stop(): Promise<void>; stopNow(): void }

/** A started process that is not ready yet. It can only be stopped. */
export type StartingPostmaster = Pick<Postmaster, 'stopNow'>

/** Logs a message for the operator. */
export type OperatorLog = (message: string, level?: 'info' | 'error') => void

/** Lets a caller cancel a start. `begun` receives the process before it is ready. */
export type LaunchWatch = { signal?: AbortSignal; begun?: (process: StartingPostmaster) => void }

/** The command line to start, and the mark that identifies it later. */
export type Launch = { args: string[]; mark: string; clusterName: string }

export function planLaunch(folders: Folders, binaries: Binaries, users: Users, extra: Record<string, string>): Launch {
  const clusterName = clusterNameOf(folders)
  const settings: Record<string, string> = {
    cluster_name: clusterName,
    listen_addresses: '',
    port: String(PORT),
    // Relative to PGDATA, so it is never too long for a socket address and as private as the data.
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    shared_buffers: '128MB',
    max_connections: '100',
    // Details and statements quote rows, which may hold personal data. Our own log describes the failure without them.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_min_messages: 'warning',
    log_checkpoints: 'off',
    ...extra,
  }
  const args = ['-D', postgresDataPath(folders.pgdata, users.server)]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  // The hash tells a server with outdated programs or settings from a current one.
  const hash = createHash('sha256').update(JSON.stringify([binaries.version, users.client, args]))
  const mark = hash.digest('hex').slice(0, 16)
  return { args: [...args, '-c', `cartwright.launch=${mark}`], mark, clusterName }
}

/** Part of the command line of every process of the server. The inode identifies the folder, whatever path leads to it. */
export function clusterNameOf(folders: Folders): string {
  const { dev, ino } = statSync(folders.pgdata, { bigint: true })
  return `cartwright-${dev}-${ino}`
}

/** `identity` tells the file from one written in its place, even if both name the same process. */
type PidFile = { pid: number; status: string; identity: string }

/** Undefined without a file. `pid` is 0 if the file has no number, as a power loss can leave it. */
export function readPidFile(folders: Folders, name = 'postmaster.pid'): PidFile | undefined {
  try {
    const path = join(folders.pgdata, name)
    const { ino, ctimeNs } = statSync(path, { bigint: true })
    const lines = readFileSync(path, 'utf8').split('\n')
    const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10))
    return { pid: Number.isInteger(pid) ? pid : 0, status: lines[7]?.trim() ?? '', identity: `${ino}-${ctimeNs}` }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Checks the form that only the postmaster has: its children overwrite their command lines. */
export const isPostmasterOf = (pid: number, { clusterName }: Launch) =>
  commandLine(pid)?.includes(` cluster_name=${clusterName} `) ?? false

/** Also true for a PostgreSQL that somebody started by hand, but not for another program with this pid. */
export const isPostgres = (pid: number) => commandLine(pid)?.includes('postgres') ?? false

/** Sessions and helpers of the server, which may outlive it. */
export const findServerProcesses = ({ clusterName }: Launch) => processesNamed(`postgres: ${clusterName}: `)

/**
 * Starts the postmaster and waits until it accepts connections. `formerPid` is the number in a left-over pid file, known not to be a
 * postmaster of this folder. PostgreSQL then replaces the file itself, after its own check that no process of the former server is left.
 */
export async function launchPostmaster(
  folders: Folders,
  binaries: Binaries,
  users: Users,
  launch: Launch,
  formerPid: number | undefined,
  log: (message: string) => void,
  { signal: cancelSignal, begun }: LaunchWatch = {},
): Promise<Postmaster> {
  const logFile = openLog(folders)
  const logStart = fstatSync(logFile).size
  // In a container every start gets the same pids: a left-over file may name the new process and say "ready".
  const leftOverIdentity = readPidFile(folders)?.identity
  let child: ChildProcess
  try {
    child = spawn(binaries.postgres, launch.args, {
      cwd: folders.pgdata,
      env: { ...programEnv, ...(formerPid ? { PG_GRANDPARENT_PID: String(formerPid) } : {}) },
      stdio: ['ignore', logFile, logFile],
      // Its own session: Ctrl-C in the terminal must reach only Node, which still has requests to finish.
      detached: true,
      ...users.server,
    })
  } finally {
    closeSync(logFile)
  }
  const { pid } = child
  if (pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve))
    const userNote = users.server ? ` as user id ${users.server.uid}` : ''
    throw new EmbeddedError(`PostgreSQL could not be run${userNote}: ${error.message}.`, { cause: error })
  }
  child.unref()
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const whenEnded = new Promise<void>((resolve) => child.once('exit', () => resolve()))

  begun?.({ stopNow: () => void (hasEnded() || signal(pid, 'SIGINT')) })

  let nextMessage = performance.now() + 5_000
  for (;;) {
    if (cancelSignal?.aborted) {
      await stopProcess(pid, hasEnded)
      throw new EmbeddedError('PostgreSQL was stopped while it was starting.')
    }
    const file = readPidFile(folders)
    if (file?.pid === pid && file.identity !== leftOverIdentity && file.status === 'ready') break
    if (hasEnded()) {
      const reason =
        findFailureReason(readFileSync(folders.log).subarray(logStart).toString()) ?? 'no reason was logged'
      throw new EmbeddedError(`PostgreSQL did not start: ${reason} (see ${folders.log}).`)
    }
    if (performance.now() > nextMessage) {
      // No time limit: after a power loss it replays its log, and stopping it would only restart that.
      log(`PostgreSQL is still starting; it may be recovering after a crash. Its log is ${folders.log}.`)
      nextMessage += 10_000
    }
    await sleep(5)
  }
  return createControl(pid, hasEnded, whenEnded)
}

/**
 * Controls a postmaster that another process of ours started. `isRunning` must check more than the pid: another process may get it when the
 * postmaster ends.
 */
export function controlRunning(pid: number, isRunning: () => boolean): Postmaster {
  const whenEnded = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (isRunning()) return
      clearInterval(timer)
      resolve()
    }, 250).unref()
  })
  return createControl(pid, () => !isRunning(), whenEnded)
}

function createControl(pid: number, hasEnded: () => boolean, whenEnded: Promise<void>): Postmaster {
  let stopping: Promise<void> | undefined
  const exited = new Promise<void>((resolve) => whenEnded.then(() => stopping ?? resolve()))
  return {
    pid,
    exited,
    stop() {
      stopping ??= stopProcess(pid, hasEnded)
      return stopping
    },
    stopNow() {
      if (!hasEnded()) signal(pid, 'SIGINT')
    },
  }
}

/** Fast shutdown: ends the sessions and writes everything. If that takes too long, shuts down at once; the next start then recovers. */
export async function stopProcess(pid: number, hasEnded: () => boolean): Promise<void> {
  if (hasEnded()) return
  signal(pid, 'SIGINT')
  if (await waitUntil(hasEnded, 8_000)) return
  signal(pid, 'SIGQUIT')
  if (await waitUntil(hasEnded, 10_000)) return
  throw new EmbeddedError(`PostgreSQL (process ${pid}) does not stop.`)
}

/** Runs while a server writes to the log: PostgreSQL keeps it open and appends, so it is copied and emptied. */
export function shortenLog(folders: Folders): void {
  if (!isLogTooLong(folders)) return
  copyFileSync(folders.log, `${folders.log}.1`)
  chownToFolderOwner(`${folders.log}.1`, folders)
  truncateSync(folders.log)
}

const isLogTooLong = ({ log }: Folders) => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES

function openLog(folders: Folders): number {
  if (isLogTooLong(folders)) renameSync(folders.log, `${folders.log}.1`)
  const fd = openSync(folders.log, 'a', 0o600)
  chownToFolderOwner(folders.log, folders)
  return fd
}
