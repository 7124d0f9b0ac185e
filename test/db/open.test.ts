// @proof @alone: it starts PostgreSQL.
// Opening the embedded PostgreSQL: for a service, for a command, and what is said of folders that cannot be used.

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { describeFolderProblem } from '../../src/db/embedded/errors.ts'
import { HEARTBEAT_CONNECTIONS } from '../../src/db/health/heartbeat.ts'
import { migrate } from '../../src/db/migrate.ts'
import { connectionOf, connectionsFor, type OpenedDatabase, openForCommand, openForServer } from '../../src/db/open.ts'
import { LOG_CONNECTIONS, openPool, POOL_SIZE } from '../../src/db/pool.ts'
import { PATIENT_POOL } from '../support/database.ts'
import { readyDataDir, tempFolder } from './fixtures/embedded.ts'

const timeout = 180_000
afterEach(() => vi.unstubAllEnvs())

async function ask<Row>(connection: OpenedDatabase['connection'], text: string): Promise<Row> {
  const pool = openPool(connection, { ...PATIENT_POOL, size: 1 })
  try {
    return await pool.one(statement<Row>('test.ask', text), {})
  } finally {
    await pool.close()
  }
}

describe('the connections of the embedded PostgreSQL', () => {
  it('are enough for every process with all its connections, and some to spare', () => {
    expect(connectionsFor(1)).toBe(100)
    for (const workers of [2, 16, 32, 64])
      expect(connectionsFor(workers)).toBeGreaterThanOrEqual(
        (workers + 1) * (POOL_SIZE + HEARTBEAT_CONNECTIONS + LOG_CONNECTIONS) + 20,
      )
    expect(connectionsFor(64)).toBe(410)
  })

  it('follow the number of processes, and no PGSSLMODE that is meant for another database', { timeout }, async () => {
    vi.stubEnv('PGSSLMODE', 'require')
    const settings = { databaseUrl: null, dataDir: await readyDataDir(), workers: 64 }
    const opened = await openForServer(settings, { log: () => undefined, onStep: () => undefined })
    expect(await ask(opened.connection, 'show max_connections')).toEqual({ max_connections: '410' })
    expect(await migrate(opened.connection, [])).toEqual([])
    expect(await ask(connectionOf(settings), 'select 1 as one')).toEqual({ one: 1 })
    await opened.close()
  })
})

describe('a command that needs data', () => {
  const open = (dataDir: string) =>
    openForCommand({ databaseUrl: null, dataDir }, { onStep: () => undefined, mayMake: false })
  const noDatabase = (dataDir: string) =>
    `There is no database in ${dataDir}. Start the service first, or set DATA_DIR (or DATABASE_URL) to where it is.`

  it('makes none where there is no folder, nor in one of something else', async () => {
    const folder = tempFolder()
    await expect(open(join(folder, 'data'))).rejects.toThrow(noDatabase(join(folder, 'data')))
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(join(folder, 'thesis.txt'), '')
    await expect(open(folder)).rejects.toThrow(noDatabase(folder))
    expect(readdirSync(folder)).toEqual(['thesis.txt'])
  })

  it('makes none in a folder that somebody held and left without one', async () => {
    const folder = tempFolder()
    // As a start leaves it that ends while it makes the database; this process is alive, and its name stands there.
    writeFileSync(join(folder, 'cartwright.lock'), JSON.stringify({ pid: process.pid, purpose: 'server' }))
    await expect(open(folder)).rejects.toThrow(noDatabase(folder))
    expect(readdirSync(folder)).toEqual(['cartwright.lock'])
  })
})

describe('what is said of a data folder', () => {
  const refused = (code: string, path: string, syscall = 'open') =>
    Object.assign(new Error(`${code}: refused, ${syscall} '${path}'`), { code, path, syscall })

  it.each([
    [
      'EACCES',
      '/srv/data/cartwright.lock',
      /cannot be used by this user .*: give this user write access, or set DATA_DIR/,
    ],
    ['EPERM', '/srv', /cannot be used by this user .*: give this user write access, or set DATA_DIR/],
    ['ENOTDIR', '/srv/data', /is a file, or inside one: set DATA_DIR to a folder\.$/],
    ['EROFS', '/srv/data', /is on a read-only disk: set DATA_DIR/],
    ['ENOSPC', '/srv/data/postgres.new-1/base', /is on a full disk: free some space, or set DATA_DIR/],
    ['ENOENT', '/srv/data', /cannot be used \(ENOENT: .*\): set DATA_DIR to another folder\.$/],
  ])('tells what to do about %s', (code, path, sentence) => {
    const said = describeFolderProblem(refused(code, path), '/srv/data')
    expect(said).toMatch(sentence)
    expect(said).toMatch(/^The data folder \/srv\/data /)
  })

  it('is nothing where the system complains of something else', () => {
    expect(describeFolderProblem(refused('EACCES', '/srv/database/x'), '/srv/data')).toBeUndefined()
    expect(
      describeFolderProblem(refused('ENOENT', '/srv/data/postgres/global/pg_control'), '/srv/data'),
    ).toBeUndefined()
    expect(describeFolderProblem(refused('EIO', '/srv/data'), '/srv/data')).toBeUndefined()
    expect(describeFolderProblem(new Error('no path'), '/srv/data')).toBeUndefined()
  })
})
