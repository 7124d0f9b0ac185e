// The PGDATA folder: made by initdb under another name and renamed when complete, checked for its version,
// and given the two files that decide who may connect.

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
import { EmbeddedError, reasonIn } from './errors.ts'
import { type Folders, ROLE } from './folders.ts'
import { giveToServer, type Ids, type Users } from './users.ts'

const MAJOR = '18'
const DRAFT = 'postgres.new-'

/** What initdb and postgres call the folder they are started in. */
export function ownFolder(folder: string, server: Ids | undefined): string {
  // The server's user may not be able to walk to a folder of root, but it stands in it: Node enters it before it
  // changes the user. An absolute path would be refused there.
  return server && process.platform === 'linux' ? '/proc/self/cwd' : folder
}

/** Only called by the holder of the lock: it deletes what an interrupted start has left. */
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
    giveToServer(folders.pgdata, users.server)
    chmodSync(folders.pgdata, 0o700)
  } else {
    moveRemainsAway(folders, log)
    await createCluster(folders, binaries, users)
  }
  writeAccessRules(folders.pgdata, users)
}

/** Throws where `existsSync` says no: a disk error must not make a database look as if it had never been there. */
const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Throws if there is a database that this PostgreSQL cannot or should not open. */
export function isCluster(folders: Folders): boolean {
  const version = exists(join(folders.pgdata, 'PG_VERSION'))
    ? readFileSync(join(folders.pgdata, 'PG_VERSION'), 'utf8').trim()
    : ''
  if (version !== '' && version !== MAJOR) {
    throw new EmbeddedError(
      `The database in ${folders.pgdata} was made by PostgreSQL ${version} and this is PostgreSQL ${MAJOR}: dump it with pg_dump of version ${version}, move the folder away, start again and load the dump.`,
    )
  }
  if (!exists(join(folders.pgdata, 'global', 'pg_control'))) return false
  if (version !== '') return true
  // Real data with a file missing: a fresh, empty database in its place would look as if all orders were gone.
  throw new EmbeddedError(
    `The database in ${folders.pgdata} is damaged (its file PG_VERSION is missing or empty): restore it from a backup.`,
  )
}

/** Without global/pg_control there never was a usable database, but the person decides what to throw away. */
function moveRemainsAway(folders: Folders, log: (message: string) => void): void {
  if (!exists(folders.pgdata) || readdirSync(folders.pgdata).length === 0) return
  const aside = `${folders.pgdata}.incomplete-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  renameSync(folders.pgdata, aside)
  log(`The folder ${folders.pgdata} held no complete database. It was renamed to ${basename(aside)}.`)
}

async function createCluster(folders: Folders, binaries: Binaries, { server }: Users): Promise<void> {
  const draft = mkdtempSync(join(folders.dataDir, DRAFT))
  try {
    giveToServer(draft, server)
    await initdb(draft, binaries, server)
    renameSync(draft, folders.pgdata)
    // initdb has synced the files; the new name has to reach the disk too before any order does.
    const fd = openSync(folders.dataDir, 'r')
    fsyncSync(fd)
    closeSync(fd)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
}

async function initdb(folder: string, binaries: Binaries, server: Ids | undefined): Promise<void> {
  const child = spawn(
    binaries.initdb,
    [
      `--pgdata=${ownFolder(folder, server)}`,
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
    `PostgreSQL could not make a new database in ${folder}: ${reasonIn(output) ?? 'initdb was interrupted'}.`,
  )
}

/** Written at every start: the user may have changed, and a rule that somebody loosened by hand must not stay. */
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
