// Starts one real PostgreSQL for the whole run, which all projects share, and migrates the template that every test file clones.
// Where CARTWRIGHT_TEST_STATEMENTS names a folder, the server's log of all statements is in a file there after the run.

import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { chmod, copyFile, mkdtemp, rename, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProvidedContext } from 'vitest'
import type { TestProject } from 'vitest/node'
import { foldersOf } from '../../src/db/embedded/folders.ts'
import { startEmbedded } from '../../src/db/embedded/start.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { LINE_PREFIX } from '../tenancy/sent-statements.ts'
import { dropDatabase, findNodes, makeTemplate } from './citus.ts'
import { administer } from './database.ts'

const TEMPLATE = 'cartwright_template'
const ENOUGH_BYTES = 2 * 1024 ** 3
const LOG_FILE = 'statements.log'

type Provided = Pick<ProvidedContext, 'postgres' | 'nodes'>
type Made = Provided & { sharedFolder: string; forget: () => Promise<void> }

/**
 * State shared by the projects of a run, with the number of running projects. Each project loads this file anew, so a module variable
 * cannot hold it.
 */
type Run = { projects: number; made: Promise<Made> }
const run = globalThis as { cartwrightTestRun?: Run | undefined }

export default async function setup(project: TestProject) {
  run.cartwrightTestRun ??= { projects: 0, made: make() }
  const shared = run.cartwrightTestRun
  shared.projects++
  const { forget, sharedFolder, postgres, nodes } = await shared.made
  project.provide('sharedFolder', sharedFolder)
  project.provide('postgres', postgres)
  project.provide('nodes', nodes)
  return async () => {
    if (--shared.projects > 0) return
    run.cartwrightTestRun = undefined
    await forget()
  }
}

async function make(): Promise<Made> {
  buildPages()
  const citus = process.env.CARTWRIGHT_TEST_CITUS
  const { sharedFolder, forgetShared } = await makeSharedFolder()
  const { stop, ...provided } = await (citus ? setupOnCitus(citus) : setupOnOwn())
  const forget = async () => {
    await forgetShared()
    await stop()
  }
  return { ...provided, sharedFolder, forget }
}

/** Pages load the built files of web/. An unchanged web/ is not rebuilt. */
function buildPages() {
  const script = fileURLToPath(new URL('../../scripts/build.js', import.meta.url))
  execFileSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Folder in which one test file leaves a result for others to copy, instead of building it again. */
async function makeSharedFolder() {
  const folder = await mkdtemp(join(await fastFolder(), 'cartwright-shared-'))
  // A PostgreSQL in it may run as another user.
  await chmod(folder, 0o755)
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', remove)
  const forgetShared = async () => {
    process.off('exit', remove)
    await rm(folder, { recursive: true, force: true })
  }
  return { sharedFolder: folder, forgetShared }
}

/** Uses existing servers: only the template is created and dropped. */
async function setupOnCitus(url: string): Promise<Provided & { stop: () => Promise<void> }> {
  const { coordinator, nodes } = await findNodes(url)
  // Unique to this run: another run on the same servers would drop a shared template at its end.
  const template = `${TEMPLATE}_${process.pid}`
  await makeTemplate(coordinator, nodes, template)
  return {
    postgres: { ...coordinator, template },
    nodes,
    stop: async () => void (await dropDatabase([coordinator, ...nodes], template)),
  }
}

async function setupOnOwn(): Promise<Provided & { stop: () => Promise<void> }> {
  const statements = process.env.CARTWRIGHT_TEST_STATEMENTS
  const dataDir = await mkdtemp(join(await fastFolder(), 'cartwright-test-'))
  const postgres = await startEmbedded({
    dataDir,
    purpose: 'server',
    // This data need not survive a crash, so nothing is synced. Autovacuum would visit hundreds of databases that live for seconds.
    settings: {
      fsync: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
      max_connections: '200',
      ...(statements ? STATEMENT_LOG : {}),
    },
  })
  const log = join(dataDir, LOG_FILE)
  // The server goes on writing to the renamed file. Under its own name Cartwright would shorten it.
  if (statements) await rename(foldersOf(dataDir).log, log)
  // A run that is interrupted skips the teardown, and the server would stay behind.
  const abandon = () => {
    postgres.stopNow()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', abandon)
  await administer(postgres.connection, `create database ${TEMPLATE}`)
  await migrate({ ...postgres.connection, database: TEMPLATE }, await readMigrations())
  const stop = async () => {
    await postgres.stop()
    if (statements) await copyFile(log, join(statements, LOG_FILE))
    process.off('exit', abandon)
    await rm(dataDir, { recursive: true, force: true })
  }
  return { postgres: { ...postgres.connection, template: TEMPLATE }, nodes: [], stop }
}

/** Uses a memory-backed folder if there is one: cloning a database is then several times faster. In a container it may be tiny. */
async function fastFolder(): Promise<string> {
  if (!existsSync('/dev/shm')) return tmpdir()
  const { bavail, bsize } = await statfs('/dev/shm')
  return bavail * bsize < ENOUGH_BYTES ? tmpdir() : '/dev/shm'
}

/** test/tenancy/sent-statements.ts reads it. The log collector and JSON would cost several times as much CPU for each statement. */
const STATEMENT_LOG = {
  log_line_prefix: LINE_PREFIX,
  log_statement: 'all',
  // Statements are logged at this level. A higher one would omit them.
  log_min_messages: 'log',
  // Only the text is read; the values would be most of the file.
  log_parameter_max_length: '0',
  log_checkpoints: 'off',
}
