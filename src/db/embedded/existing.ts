// Checks before a start: does a postmaster still run on this folder, is it ours, and does it answer? A second one on the same data would
// destroy it, so every doubt ends in a refusal.

import { rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { codeOf, EmbeddedError } from './errors.ts'
import { type Connection, connectionFor, type Folders, SOCKET } from './folders.ts'
import { controlRunning, isPostmasterOf, type Launch, type Postmaster, readPidFile, stopProcess } from './postmaster.ts'
import { isAlive, sleep, waitUntil } from './processes.ts'

/** `ready` has the mark of the launch. `busy`: the server starts, recovers or shuts down. `missing`: only our database is missing. */
export type ProbeResult =
  | { kind: 'ready'; mark: string }
  | { kind: 'busy' | 'missing' | 'silent' }
  | { kind: 'refused'; message: string }

export async function probeServer(connection: Connection, withinMs = 3_000): Promise<ProbeResult> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: withinMs, query_timeout: withinMs })
  // A server that stops in between also emits the error as an event, which would end this process.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ mark: string | null }>(
      "select current_setting('cartwright.launch', true) mark",
    )
    return { kind: 'ready', mark: rows[0]?.mark ?? '' }
  } catch (error) {
    const code = codeOf(error)
    if (code === '57P03' || code === '53300') return { kind: 'busy' }
    if (code === '3D000') return { kind: 'missing' }
    if (code?.startsWith('28')) return { kind: 'refused', message: error instanceof Error ? error.message : '' }
    return { kind: 'silent' }
  } finally {
    await client.end().catch(() => {})
  }
}

/** Created over the first connection, not by initdb: if it is missing, the next start creates it. */
export async function createDatabase(connection: Connection): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(`create database ${connection.database}`)
  } finally {
    await client.end().catch(() => {})
  }
}

type ExistingServer = { adopted: Postmaster } | { adopted: undefined; formerPid: number | undefined }

/** Adopts the server that a killed process left, or stops it, or proves that there is none. Needs the lock. */
export async function settleExisting(
  folders: Folders,
  launch: Launch,
  log: (message: string) => void,
): Promise<ExistingServer> {
  const file = readPidFile(folders)
  if (file && isPostmasterOf(file.pid, launch)) {
    if (await hasCurrentLaunch(folders, file.pid, launch, log)) {
      return { adopted: controlRunning(file.pid, () => isPostmasterOf(file.pid, launch)) }
    }
    log(`Stopping the PostgreSQL left by an earlier start (process ${file.pid}).`)
    await stopProcess(file.pid, () => !isPostmasterOf(file.pid, launch))
  }
  // Ignore the files: somebody behind the socket is alive, perhaps in another container on the same folder.
  if (await staysListening(folders)) {
    throw new EmbeddedError(
      `Another PostgreSQL is running on ${folders.pgdata}, perhaps in another container: stop it first.`,
    )
  }
  await removeUnreadable(folders, 'postmaster.pid')
  await removeUnreadable(folders, `${SOCKET}.lock`)
  const formerPid = readPidFile(folders)?.pid
  // PostgreSQL accepts only one former pid. This file protects only the socket, and nobody listens on it.
  if (readPidFile(folders, `${SOCKET}.lock`)?.pid !== formerPid)
    rmSync(join(folders.pgdata, `${SOCKET}.lock`), { force: true })
  return { adopted: undefined, formerPid }
}

/** True if it runs what we would start now: same programs, same settings, same user. */
async function hasCurrentLaunch(
  folders: Folders,
  pid: number,
  launch: Launch,
  log: (message: string) => void,
): Promise<boolean> {
  let silences = 0
  let nextMessage = performance.now() + 5_000
  while (isAlive(pid)) {
    const answer = await probeServer(connectionFor(folders.dataDir))
    if (answer.kind === 'ready') return answer.mark === launch.mark
    if (answer.kind === 'missing') return true
    if (answer.kind === 'refused') return false
    // A young server has no socket yet and is silent too. So count many silences before treating it as hanging.
    if (answer.kind === 'silent' && ++silences > 200) return false
    if (performance.now() > nextMessage) {
      log(`Waiting for the PostgreSQL left by an earlier start (process ${pid}); its log is ${folders.log}.`)
      nextMessage += 10_000
    }
    await sleep(25)
  }
  return false
}

/** When a process is killed, the system clears its command line first and its sockets a moment later. */
const SOCKET_CLOSE_MS = 2_000

async function staysListening(folders: Folders): Promise<boolean> {
  const end = performance.now() + SOCKET_CLOSE_MS
  while (await isListening(folders)) {
    if (performance.now() > end) return true
    await sleep(25)
  }
  return false
}

function isListening(folders: Folders): Promise<boolean> {
  return new Promise((resolve) => {
    const { host } = connectionFor(folders.dataDir)
    const socket = createConnection(`${host}/${SOCKET}`)
    const answer = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => answer(true))
    // EAGAIN: its queue is full, so a server is there.
    socket.once('error', (error) => answer(codeOf(error) === 'EAGAIN'))
  })
}

/** A file without a number stops PostgreSQL for good. Wait first, because somebody may be writing it now. */
async function removeUnreadable(folders: Folders, name: string): Promise<void> {
  const isReadable = () => readPidFile(folders, name)?.pid !== 0
  if (await waitUntil(isReadable, 500)) return
  rmSync(join(folders.pgdata, name), { force: true })
}
