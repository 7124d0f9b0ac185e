// Paths below the data folder, and the connection to the PostgreSQL in it. The only way to the server is the unix socket inside the private
// PGDATA folder.

import {
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from './errors.ts'

/** Settings for node-postgres over the unix socket. There is no password. `ssl: false` overrides a PGSSLMODE meant for another database. */
export type Connection = { host: string; user: string; database: string; port: number; ssl: false }

export type Folders = { dataDir: string; pgdata: string; lock: string; log: string; binaries: string }

export const ROLE = 'cartwright'
export const PORT = 5432
export const SOCKET = `.s.PGSQL.${PORT}`

/** sockaddr_un holds 104 bytes with the final zero on macOS, 108 on Linux. */
const LONGEST_SOCKET_PATH = 103

export function foldersOf(dataDir: string): Folders {
  const root = resolve(dataDir)
  return {
    dataDir: root,
    pgdata: join(root, 'postgres'),
    lock: join(root, 'cartwright.lock'),
    log: join(root, 'postgres.log'),
    binaries: join(root, 'binaries'),
  }
}

/** An existing folder keeps its mode: it may hold other things. Secret files in it are private by themselves. */
export function makeDataDir(folders: Folders): void {
  // macOS cannot hand a folder to a user without access to its path, so root's folder must be walkable there.
  const isWalkable = process.platform === 'darwin' && process.geteuid?.() === 0
  createFolder(folders.dataDir, isWalkable ? 0o711 : 0o700)
}

/**
 * Also creates all folders above it. Does not use Node's `recursive`: it loops for ever where an existing folder reports ENOENT, as in
 * /proc.
 */
function createFolder(folder: string, mode: number): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(folder) !== folder) createFolder(dirname(folder), mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have been faster. A file of that name is an error.
    if (codeOf(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error
  }
}

/** Throws if nothing can be created in the folder. Some file systems show that only on a try. */
export function checkDataDirWritable(folders: Folders): void {
  makeDataDir(folders)
  try {
    rmdirSync(mkdtempSync(join(folders.dataDir, 'try-')))
  } catch (error) {
    // A full disk becomes usable again when there is room.
    if (codeOf(error) !== 'ENOSPC') throw error
  }
}

/** Space left for us, which is less than the space left for root. */
export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** A file that root creates in another user's folder must belong to that user. Otherwise they could not start without root afterwards. */
export function chownToFolderOwner(file: string, folders: Folders): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(folders.dataDir)
  if (uid !== 0) chownSync(file, uid, gid)
}

/**
 * Connection of this process to the server on `dataDir`. Each process must call it for itself: for a long path the host is a folder that
 * this process holds open.
 */
export function connectionFor(dataDir: string): Connection {
  return { host: socketFolder(foldersOf(dataDir).pgdata), user: ROLE, database: ROLE, port: PORT, ssl: false }
}

const shortNames = new Map<string, string>()

/** A path to `pgdata` short enough for the name of the socket. */
function socketFolder(pgdata: string): string {
  if (Buffer.byteLength(join(pgdata, SOCKET)) <= LONGEST_SOCKET_PATH) return pgdata
  const { dev, ino } = statSync(pgdata, { bigint: true })
  // Keyed by inode, not by path: a folder that was deleted and created again must not be reached through the old handle.
  const key = `${dev}:${ino}`
  const existing = shortNames.get(key)
  if (existing !== undefined) return existing
  const shortName = process.platform === 'linux' ? openFolder(pgdata) : linkInTmp(pgdata)
  shortNames.set(key, shortName)
  return shortName
}

const openFolder = (folder: string) => `/proc/self/fd/${openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)}`

/** For systems without /proc: a short symbolic link to the folder, in a private folder that the process deletes at its end. */
export function linkInTmp(folder: string): string {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'cartwright-'))
  const link = join(home, 'd')
  symlinkSync(folder, link)
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  return link
}
