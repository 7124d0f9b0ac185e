// Opening the embedded PostgreSQL for a service: room for all its processes, whatever the environment says of other databases.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { HEARTBEAT_CONNECTIONS } from '../../src/db/heartbeat.ts'
import { migrate } from '../../src/db/migrate.ts'
import { connectionOf, connectionsFor, type OpenedDatabase, openForServer } from '../../src/db/open.ts'
import { openPool, POOL_SIZE } from '../../src/db/pool.ts'
import { readyDataDir } from './fixtures/embedded.ts'

const timeout = 20_000
afterEach(() => vi.unstubAllEnvs())

async function ask<Row>(connection: OpenedDatabase['connection'], text: string): Promise<Row> {
  const pool = openPool(connection, { size: 1 })
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
      expect(connectionsFor(workers)).toBeGreaterThanOrEqual((workers + 1) * (POOL_SIZE + HEARTBEAT_CONNECTIONS) + 20)
    expect(connectionsFor(64)).toBe(345)
  })

  it('follow the number of processes', { timeout }, async () => {
    const settings = { databaseUrl: null, dataDir: await readyDataDir(), workers: 64 }
    const opened = await openForServer(settings, { log: () => undefined, onStep: () => undefined })
    expect(await ask(opened.connection, 'show max_connections')).toEqual({ max_connections: '345' })
    await opened.close()
  })

  it('do not follow a PGSSLMODE that is meant for another database', { timeout }, async () => {
    vi.stubEnv('PGSSLMODE', 'require')
    const settings = { databaseUrl: null, dataDir: await readyDataDir() }
    const opened = await openForServer(settings, { log: () => undefined, onStep: () => undefined })
    expect(await migrate(opened.connection, [])).toEqual([])
    expect(await ask(connectionOf(settings), 'select 1 as one')).toEqual({ one: 1 })
    await opened.close()
  })
})
