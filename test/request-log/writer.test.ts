// The writer of the request log: what it does while the database is away, refuses something, or is about to be let go of.

import { afterAll, describe, expect, it } from 'vitest'
import { openPool } from '../../src/db/pool.ts'
import { newId } from '../../src/lib/ids.ts'
import type { LoggedRequest } from '../../src/request-log/row.ts'
import { MAX_WAITING, openRequestLog, type RequestLog } from '../../src/request-log/writer.ts'
import { administer, cloneDatabase, patient } from '../support/database.ts'
import { loggedEntry } from './entries.ts'

const connection = await cloneDatabase()
const server = { ...connection, database: 'postgres' }
const logs: RequestLog[] = []
afterAll(async () => {
  await setReachable(true)
  await Promise.all(logs.map((log) => log.stop(1_000)))
})

let shops = 0
/** A log with rows of a shop that no other has. */
function open() {
  const merchant_id = ++shops
  const dropped: number[] = []
  const warned: string[] = []
  const db = openPool(connection, { size: 1, waitMs: 1_000, statementTimeoutMs: 20_000 })
  const log = openRequestLog(db, {
    mode: 'all',
    kinds: new Map(),
    onDropped: (rows) => void dropped.push(rows),
    warn: (_, message) => void warned.push(message),
  })
  logs.push(log)
  const add = (count: number, more: Partial<LoggedRequest> = {}) => {
    for (let n = 0; n < count; n++) log.add({ ...entry(merchant_id), ...more })
  }
  return { merchant_id, log, add, warned, dropped: () => dropped.reduce((sum, rows) => sum + rows, 0) }
}

const entry = (merchant_id: number) => loggedEntry(merchant_id, Date.now(), { key: `sk_test_${'a'.repeat(40)}` })

const rowsOf = async (merchant_id: number): Promise<number> => {
  const { rows } = await administer(
    connection,
    `select count(*)::integer from request_log where merchant_id = ${merchant_id}`,
  )
  return rows[0]?.count
}

const setReachable = async (is: boolean) => {
  await administer(server, `alter database ${connection.database} with allow_connections ${is}`)
  if (!is)
    await administer(
      server,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${connection.database}'`,
    )
}

const written = (merchant_id: number, count: number) =>
  expect.poll(() => rowsOf(merchant_id), { timeout: patient(5_000), interval: 100 }).toBe(count)

describe('the writer', () => {
  it('writes the rows of several shops', async () => {
    const { merchant_id, add, dropped } = open()
    const { merchant_id: other } = open()
    add(3)
    add(2, { merchant_id: other })
    await written(merchant_id, 3)
    expect([await rowsOf(other), dropped()]).toEqual([2, 0])
  })

  it('lets rows wait while the database cannot be reached, drops and counts what is beyond, and says so once', async () => {
    const { merchant_id, add, dropped, warned } = open()
    add(1)
    await written(merchant_id, 1)
    await setReachable(false)
    add(10)
    await expect.poll(() => warned.length, { timeout: patient(5_000) }).toBe(1)
    add(MAX_WAITING)
    expect(dropped()).toBe(10)
    await setReachable(true)
    await written(merchant_id, MAX_WAITING + 1)
    expect(warned).toEqual(['the request log cannot be written at the moment; its rows are written later'])
    expect(dropped()).toBe(10)
  })

  it('bounds what bodies wait for, too', async () => {
    const { add, dropped, log } = open()
    const response = 'x'.repeat(1_000_000)
    add(40, { bodies: { request: undefined, requestSize: 0, response, schemas: {} } })
    expect(dropped()).toBe(7)
    await log.stop(60_000)
    expect(dropped()).toBe(7)
  })

  it('loses the rows of the shop that the database refuses, and of no other', async () => {
    const { merchant_id, add, dropped, warned } = open()
    const { merchant_id: other } = open()
    add(2, { method: null as never })
    add(3, { merchant_id: other })
    await written(other, 3)
    expect([await rowsOf(merchant_id), dropped()]).toEqual([0, 2])
    expect(warned).toEqual(['the database refused rows of the request log; they are lost'])
  })

  it('loses what cannot be made into a row, and nothing beside it', async () => {
    const { merchant_id, add, dropped, warned } = open()
    add(1, { bodies: { request: { sum: 1n }, requestSize: 9, response: null, schemas: {} } })
    add(2)
    await written(merchant_id, 2)
    expect([dropped(), warned]).toEqual([1, ['a request could not be converted to a row of the request log']])
  })

  it('makes the day anew that was dropped under it', async () => {
    const { merchant_id, add, dropped } = open()
    const at = Date.UTC(2031, 0, 2)
    add(1, { at, id: newId('request', new Date(at)) })
    await written(merchant_id, 1)
    await administer(connection, 'drop table request_log_20310102')
    add(1, { at, id: newId('request', new Date(at)) })
    await written(merchant_id, 1)
    expect(dropped()).toBe(0)
  })

  it('writes a row once, though it was sent twice', async () => {
    const { merchant_id, log } = open()
    const twice = entry(merchant_id)
    log.add(twice)
    log.add(twice)
    await log.stop(60_000)
    expect(await rowsOf(merchant_id)).toBe(1)
  })
})

describe('a stop', () => {
  it('writes what is left at once, and drops and counts what comes later', async () => {
    const { merchant_id, add, log, dropped } = open()
    add(5)
    await log.stop(60_000)
    expect([await rowsOf(merchant_id), dropped()]).toEqual([5, 0])
    add(1)
    expect(dropped()).toBe(1)
  })

  it('ends in time where the database is away, and counts what is lost', async () => {
    const { add, log, dropped } = open()
    add(5)
    await setReachable(false)
    await log.stop(500)
    expect(dropped()).toBe(5)
    await setReachable(true)
  })
})
