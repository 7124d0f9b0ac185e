// The PGDATA folder. initdb creates it under another name, and it is renamed when complete. This file also checks its version and writes
// the two files that control who may connect.

import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Binaries, programEnv } from './binaries.ts'
import { EmbeddedError, findFailureReason } from './errors.ts'
import { type Folders, ROLE } from './folders.ts'
import { chownToServerUser, type UserIds, type Users } from './users.ts'

const MAJOR = '18'
const DRAFT = 'postgres.new-'

/** Path of the data folder for initdb and postgres. */
export function postgresDataPath(folder: string, server: UserIds | undefined): string {
  // The server's user may be unable to reach a folder of root by its path. But it is the working folder: Node enters it before it changes
  // the user.
  return server && process.platform === 'linux' ? '/proc/self/cwd' : folder
}

/** Call only while holding the lock: it deletes leftovers of an interrupted start. */
export async function ensureCluster(
  folders: Folders,
  binaries: Binaries,
  users: Users,
  log: (message: string) => void,
): Promise<void> {
  for (const entry of readdirSync(folders.dataDir)) {
    if (entry.startsWith(DRAFT)) rmSync(join(folders.dataDir, entry), { recursive: true, force: true, maxRetries: 3 })
  }
  if (isCluster(folders)) {
    chownToServerUser(folders.pgdata, users.server)
    chmodSync(folders.pgdata, 0o700)
  } else {
    moveRemainsAway(folders, log)
    await createCluster(folders, binaries, users)
  }
  writeAccessRules(folders.pgdata, users)
}

/** Unlike `existsSync`, throws on a disk error, which must not make the database look as if it had never existed. */
const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Throws if there is a database that this PostgreSQL cannot or should not open. */
export function isCluster(folders: Folders): boolean {
  const version = exists(join(folders.pgdata, 'PG_VERSION'))
    ? readFileSync(join(folders.pgdata, 'PG_VERSION'), 'utf8').trim()
    : ''
  if (version !== '' && version !== MAJOR) {
    throw new EmbeddedError(
      `The database in ${folders.pgdata} was created by PostgreSQL ${version}, but this is PostgreSQL ${MAJOR}: dump it with pg_dump of version ${version}, move the folder away, start again and load the dump.`,
    )
  }
  if (!exists(join(folders.pgdata, 'global', 'pg_control'))) return false
  if (version !== '') return true
  // Real data with a file missing: a fresh, empty database in its place would look as if all orders were gone.
  throw new EmbeddedError(
    `The database in ${folders.pgdata} is damaged (its file PG_VERSION is missing or empty): restore it from a backup.`,
  )
}

/** Without global/pg_control there never was a usable database. Still, a person decides what to throw away. */
function moveRemainsAway(folders: Folders, log: (message: string) => void): void {
  if (!exists(folders.pgdata) || readdirSync(folders.pgdata).length === 0) return
  const renamedFolder = `${folders.pgdata}.incomplete-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  renameSync(folders.pgdata, renamedFolder)
  log(`The folder ${folders.pgdata} held no complete database. It was renamed to ${basename(renamedFolder)}.`)
}

async function createCluster(folders: Folders, binaries: Binaries, { server }: Users): Promise<void> {
  const draft = mkdtempSync(join(folders.dataDir, DRAFT))
  try {
    chownToServerUser(draft, server)
    await initdb(draft, binaries, server)
    renameSync(draft, folders.pgdata)
    // initdb has synced the files. The new name must reach the disk too, before any order does.
    const fd = openSync(folders.dataDir, 'r')
    fsyncSync(fd)
    closeSync(fd)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
}

async function initdb(folder: string, binaries: Binaries, server: UserIds | undefined): Promise<void> {
  const child = spawn(
    binaries.initdb,
    [
      `--pgdata=${postgresDataPath(folder, server)}`,
      `--username=${ROLE}`,
      '--auth-local=peer',
      '--auth-host=reject',
      '--encoding=UTF8',
      '--no-locale',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ],
    { cwd: folder, env: programEnv, stdio: ['ignore', 'ignore', 'pipe'], ...server },
  )
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [code, output] = await Promise.all([ended, text(child.stderr)])
  if (code === 0) return
  throw new EmbeddedError(
    `PostgreSQL could not create a new database in ${folder}: ${findFailureReason(output) ?? 'initdb was interrupted'}.`,
  )
}

/** Runs at every start: the user may have changed, and rules that somebody loosened by hand must not stay. */
function writeAccessRules(pgdata: string, { client, server }: Users): void {
  const rules = {
    'pg_hba.conf': '# Written by Cartwright at every start.\nlocal all all peer map=cartwright\n',
    'pg_ident.conf': `# Written by Cartwright at every start.\ncartwright "${client}" ${ROLE}\n`,
  }
  for (const [name, content] of Object.entries(rules)) {
    const path = join(pgdata, name)
    // Renamed into place, so that a crash leaves the old rule or the new one and never half of it.
    const draft = `${path}.new`
    rmSync(draft, { force: true })
    writeFileSync(draft, content, { mode: 0o600 })
    if (server) chownSync(draft, server.uid, server.gid)
    renameSync(draft, path)
  }
}
