// Where everything lies below the data folder, and how any process of ours connects to the PostgreSQL in it.
// Nothing but the unix socket inside the private PGDATA folder leads to the server.

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

/**
 * What node-postgres needs to connect over the unix socket. There is no password, and no TLS, which a PGSSLMODE meant for
 * another database would ask for.
 */
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

/** A folder that already exists keeps its mode: it may hold other things. What is secret in it is private by itself. */
export function makeDataDir(folders: Folders): void {
  // macOS has no way to hand a folder to a user who cannot walk to it, so there root's folder has to be walkable.
  const walkable = process.platform === 'darwin' && process.geteuid?.() === 0
  makeFolder(folders.dataDir, walkable ? 0o711 : 0o700)
}

/**
 * With all folders above it. Not by Node's own `recursive`: where the system says of a folder that exists that nothing is there, as
 * /proc does, that one tries for ever and takes a whole processor for it.
 */
function makeFolder(folder: string, mode: number): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have been quicker. A file of that name is no folder.
    if (codeOf(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error
  }
}

/** Throws where nothing can be made in it, which some file systems say of no folder before one tries. */
export function tryDataDir(folders: Folders): void {
  makeDataDir(folders)
  try {
    rmdirSync(mkdtempSync(join(folders.dataDir, 'try-')))
  } catch (error) {
    // A full one can be used again when there is room.
    if (codeOf(error) !== 'ENOSPC') throw error
  }
}

/** What is left for us, which is less than what is left for root. */
export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** A file that root makes in somebody's folder belongs to that somebody, who could not start without root afterwards. */
export function giveToFolderOwner(file: string, folders: Folders): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(folders.dataDir)
  if (uid !== 0) chownSync(file, uid, gid)
}

/**
 * How this very process connects to the server that runs on `dataDir`. Every process asks for itself and passes the
 * answer to nobody: for a long path the host is a folder that this process holds open.
 */
export function connectionFor(dataDir: string): Connection {
  return { host: socketFolder(foldersOf(dataDir).pgdata), user: ROLE, database: ROLE, port: PORT, ssl: false }
}

const shortNames = new Map<string, string>()

/** A path to `pgdata` that leaves room for the name of the socket. */
function socketFolder(pgdata: string): string {
  if (Buffer.byteLength(join(pgdata, SOCKET)) <= LONGEST_SOCKET_PATH) return pgdata
  const { dev, ino } = statSync(pgdata, { bigint: true })
  // Keyed by inode, not by path: a folder that was deleted and made again must not be reached through the old handle.
  const key = `${dev}:${ino}`
  const existing = shortNames.get(key)
  if (existing !== undefined) return existing
  const shortName = process.platform === 'linux' ? openFolder(pgdata) : linkInTmp(pgdata)
  shortNames.set(key, shortName)
  return shortName
}

const openFolder = (folder: string) => `/proc/self/fd/${openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)}`

/** Where there is no /proc: a short symbolic link to the folder, in a private folder that goes away with the process. */
export function linkInTmp(folder: string): string {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'cartwright-'))
  const link = join(home, 'd')
  symlinkSync(folder, link)
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  return link
}
