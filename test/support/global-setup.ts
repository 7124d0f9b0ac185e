// Starts one real PostgreSQL for the whole run, which all projects share, and migrates the template that every test file clones.
// Where CARTWRIGHT_TEST_STATEMENTS names a folder, every statement the server received is in a file there after the run, one JSON per line.

import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { chmod, copyFile, mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ProvidedContext } from 'vitest'
import type { TestProject } from 'vitest/node'
import { foldersOf } from '../../src/db/embedded/folders.ts'
import { type EmbeddedPostgres, startEmbedded } from '../../src/db/embedded/start.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { dropDatabase, findNodes, makeTemplate } from './citus.ts'
import { administer } from './database.ts'

const TEMPLATE = 'cartwright_template'
const ENOUGH_BYTES = 2 * 1024 ** 3
/** Inside PGDATA: the server may run as another user, who can write nowhere else that is ours alone. */
const LOG_FOLDER = 'statements'
const LOG_FILE = 'statements.json'

type Provided = Pick<ProvidedContext, 'postgres' | 'nodes'>
type Made = Provided & { sharedFolder: string; forget: () => Promise<void> }

/** What the projects of a run share, and how many of them are at it. Each loads this file anew, so that it cannot be kept in here. */
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

/** Pages load what the build makes of web/. Nothing is done where it has not changed. */
function buildPages() {
  const script = fileURLToPath(new URL('../../scripts/build.js', import.meta.url))
  execFileSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** For what one test file makes and others may take a copy of, in place of making it again. */
async function makeSharedFolder() {
  const folder = await mkdtemp(join(await fastFolder(), 'cartwright-shared-'))
  // A PostgreSQL in it may run as another user than this one.
  await chmod(folder, 0o755)
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', remove)
  const forgetShared = async () => {
    process.off('exit', remove)
    await rm(folder, { recursive: true, force: true })
  }
  return { sharedFolder: folder, forgetShared }
}

/** On somebody else's servers, where the template is all that is made and removed. */
async function setupOnCitus(url: string): Promise<Provided & { stop: () => Promise<void> }> {
  const { coordinator, nodes } = await findNodes(url)
  // Of this run alone: the end of another on the same servers would take it away.
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
    // Nothing here outlives a crash, so nothing is written for one.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '200', ...(statements ? STATEMENT_LOG : {}) },
  })
  // A run that is interrupted skips the teardown, and the server would stay behind.
  const abandon = () => {
    postgres.stopNow()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', abandon)
  await administer(postgres.connection, `create database ${TEMPLATE}`)
  await migrate({ ...postgres.connection, database: TEMPLATE }, await readMigrations())
  const stop = async () => {
    if (statements) await saveStatements(postgres, dataDir, join(statements, LOG_FILE))
    await postgres.stop()
    process.off('exit', abandon)
    await rm(dataDir, { recursive: true, force: true })
  }
  return { postgres: { ...postgres.connection, template: TEMPLATE }, nodes: [], stop }
}

/** Memory-backed where there is such a folder: cloning a database is then several times faster. In a container it may be tiny. */
async function fastFolder(): Promise<string> {
  if (!existsSync('/dev/shm')) return tmpdir()
  const { bavail, bsize } = await statfs('/dev/shm')
  return bavail * bsize < ENOUGH_BYTES ? tmpdir() : '/dev/shm'
}

const STATEMENT_LOG = {
  logging_collector: 'on',
  log_destination: 'jsonlog',
  log_directory: LOG_FOLDER,
  log_filename: LOG_FILE.replace('.json', '.log'),
  log_rotation_age: '0',
  log_rotation_size: '0',
  log_statement: 'all',
  // The level of logged statements. Anything higher would leave them out.
  log_min_messages: 'log',
  // Only the text is looked at; the values would be most of the file.
  log_parameter_max_length: '0',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
}

async function saveStatements(postgres: EmbeddedPostgres, dataDir: string, target: string) {
  const log = join(foldersOf(dataDir).pgdata, LOG_FOLDER, LOG_FILE)
  // A process of its own writes the log, a little late. When this statement is in it, so is everything sent before.
  const last = `the last statement of ${dataDir}`
  await administer(postgres.connection, `select '${last}'`)
  const end = performance.now() + 30_000
  while (!(await readFile(log)).subarray(-10_000).includes(last)) {
    if (performance.now() > end) throw new Error(`PostgreSQL has not written its statements to ${log}.`)
    await sleep(20)
  }
  await copyFile(log, target)
}
