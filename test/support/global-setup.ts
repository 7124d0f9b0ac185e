// Starts one real PostgreSQL for the whole run and migrates the template that every test file clones.
// It writes each statement it receives to a JSON log, which scripts/test.js hands to the tenancy check after the run.

import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../src/db/embedded/start.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { administer } from './database.ts'

const TEMPLATE = 'cartwright_template'

export default async function setup(project: TestProject) {
  // Memory-backed where there is such a folder: cloning a database is then several times faster.
  const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const dataDir = await mkdtemp(join(parent, 'cartwright-test-'))
  const postgres = await startEmbedded({
    dataDir,
    purpose: 'server',
    settings: { fsync: 'off', max_connections: '200', ...statementLog() },
  })
  await administer(postgres.connection, `create database ${TEMPLATE}`)
  await migrate({ ...postgres.connection, database: TEMPLATE }, await readMigrations())
  project.provide('postgres', { ...postgres.connection, template: TEMPLATE })

  return async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Settings that make the server log every statement as JSON into the folder named by the environment, if one is. */
function statementLog(): Record<string, string> {
  const folder = process.env.CARTWRIGHT_TEST_STATEMENTS
  if (!folder) return {}
  return {
    logging_collector: 'on',
    log_destination: 'jsonlog',
    log_directory: folder,
    log_filename: 'statements.log',
    log_file_mode: '0644',
    log_rotation_age: '0',
    log_rotation_size: '0',
    log_statement: 'all',
    log_min_messages: 'fatal',
    log_min_error_statement: 'panic',
  }
}
