// @alone: it stops sessions.
// The pool: statements, transactions with their retries, and what becomes of an outage.

import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, statement, violatesConstraint } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { ApiError } from '../../src/lib/errors.ts'
import { testApp } from '../support/app.ts'
import { administer, cloneDatabase } from '../support/database.ts'
import { add, backend, caught, fail, openTallies, put, sleep } from './tallies.ts'

const { connection, open } = await openTallies()
const db = open()

const value = statement<{ value: number }>('test.value', 'select value from tallies where id = :id')
const values = statement<{ value: number }>('test.values', 'select value from tallies order by id')
const clear = statement('test.clear', 'truncate tallies')
const one = statement<{ one: number }>('test.one', 'select 1 as one')

const kill = (pid: number) => administer(connection, `select pg_terminate_backend(${pid})`)
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const outage = (message: string) => ({
  name: 'ApiError',
  status: 503,
  type: 'unavailable',
  message,
  headers: { 'retry-after': '1' },
})
const UNREACHABLE = outage('The database cannot be reached at the moment.')
const IN_USE = outage('All connections to the database are in use.')
const TOO_SLOW = outage('The database took too long to answer.')

beforeEach(async () => {
  await db.run(clear, {})
  await db.run(put, { id: 1, value: 10 })
  await db.run(put, { id: 2, value: 20 })
})

describe('a statement', () => {
  it('throws where one row was certain and there are none or two', async () => {
    await expect(db.one(value, { id: 3 })).rejects.toThrow('test.value returned 0 rows instead of exactly one')
    await expect(db.one(values, {})).rejects.toThrow('test.values returned 2 rows instead of exactly one')
  })

  it('is prepared once under its name and used again', async () => {
    const single = open({ size: 1 })
    for (const id of [1, 2, 1]) await single.one(value, { id })
    const prepared = statement<{ name: string; statement: string; runs: number }>(
      'test.prepared',
      `select name, statement, generic_plans + custom_plans as runs from pg_prepared_statements where name = :name`,
    )
    expect(await single.many(prepared, { name: 'test.value' })).toEqual([
      { name: 'test.value', statement: 'select value from tallies where id = $1', runs: 3 },
    ])
  })

  it('has a name that PostgreSQL keeps whole', () => {
    expect(statement(`test.${'é'.repeat(29)}`, 'select 1').name).toHaveLength(34)
    expect(() => statement(`test.${'é'.repeat(30)}`, 'select 1')).toThrow('is longer than 63 bytes')
    expect(() => statement(`test.${'x'.repeat(59)}`, 'select 1')).toThrow('is longer than 63 bytes')
  })

  it('keeps the error of PostgreSQL for whoever reads it', async () => {
    const error = await caught(db.run(put, { id: 1, value: 1 }))
    expect(violatesConstraint(error, 'tallies_pkey')).toBe(true)
    expect(violatesConstraint(error, 'another')).toBe(false)
    expect(error).toMatchObject({ code: '23505' })
    expect(error).not.toBeInstanceOf(ApiError)
  })
})

describe('a transaction', () => {
  it('keeps nothing when its work throws, and gives the connection back', async () => {
    const single = open({ size: 1 })
    const error = new Error('refused')
    const attempt = single.transaction(async (tx) => {
      await tx.run(add, { id: 1, more: -5 })
      throw error
    })
    expect(await caught(attempt)).toBe(error)
    expect(await single.one(value, { id: 1 })).toEqual({ value: 10 })
    expect(single.usage).toEqual({ total: 1, idle: 1, waiting: 0 })
  })

  it('never claims success for what PostgreSQL rolled back', async () => {
    // The work swallows the error of a statement; PostgreSQL then answers `commit` by rolling back, without an error.
    const attempt = db.transaction(async (tx) => {
      await tx.run(add, { id: 1, more: -5 })
      await tx.run(put, { id: 1, value: 1 }).catch(() => undefined)
      return 'done'
    })
    await expect(attempt).rejects.toThrow('The transaction was rolled back, because one of its statements had failed.')
    expect(await db.one(value, { id: 1 })).toEqual({ value: 10 })
  })

  it.each(['40001', '40P01'])(
    'runs five times in all while PostgreSQL says %s, each from the beginning',
    async (code) => {
      let attempts = 0
      const attempt = db.transaction(async (tx) => {
        attempts++
        await tx.run(add, { id: 1, more: 1 })
        await tx.one(fail, { code: code })
      })
      const error = await caught(attempt)
      expect(error).toMatchObject(outage('Too many requests are changing the same data at once.'))
      expect(error).toMatchObject({ cause: { code } })
      expect(attempts).toBe(5)
      expect(await db.one(value, { id: 1 })).toEqual({ value: 10 })
    },
  )

  it.each(['23505', '22000', 'P0001', '57014'])('does not run again after %s', async (code) => {
    let attempts = 0
    const attempt = db.transaction(async (tx) => {
      attempts++
      await tx.one(fail, { code: code })
    })
    expect(await caught(attempt)).toBeInstanceOf(Error)
    expect(attempts).toBe(1)
  })
})

describe('a lost connection', () => {
  it.each([
    ['between two statements', async (pid: number) => kill(pid).then(() => pause(50))],
    ['at the moment of the next statement', async (pid: number) => void kill(pid)],
  ])('in a transaction %s is an outage, keeps nothing, and the pool recovers', async (_when, lose) => {
    const single = open({ size: 1 })
    let attempts = 0
    const attempt = single.transaction(async (tx) => {
      attempts++
      await tx.run(add, { id: 1, more: -5 })
      const { pid } = await tx.one(backend, {})
      await lose(pid)
      await tx.one(sleep, { seconds: 600 })
    })
    const error = await caught(attempt)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject(UNREACHABLE)
    expect(attempts).toBe(1)
    expect(await single.one(value, { id: 1 })).toEqual({ value: 10 })
    expect(await single.transaction((tx) => tx.run(add, { id: 1, more: 1 }))).toBe(1)
  })

  it('before the commit is an outage', async () => {
    const attempt = db.transaction(async (tx) => {
      await tx.run(add, { id: 1, more: -5 })
      await kill((await tx.one(backend, {})).pid)
      return 'done'
    })
    expect(await caught(attempt)).toMatchObject(UNREACHABLE)
    expect(await db.one(value, { id: 1 })).toEqual({ value: 10 })
  })

  it('that was idle is reported and replaced, and does not end the process', async () => {
    const errors: Error[] = []
    const pool = open({ size: 2, onError: (error) => void errors.push(error) })
    const pids = await Promise.all([1, 2].map(() => pool.transaction(async (tx) => (await tx.one(backend, {})).pid)))
    for (const pid of new Set(pids)) await kill(pid)
    await expect.poll(() => errors.length).toBe(new Set(pids).size)
    expect(errors[0]).toMatchObject({ code: '57P01' })
    expect(await pool.one(one, {})).toEqual({ one: 1 })
    // Without somebody to tell, too.
    const quiet = open({ size: 1 })
    await kill((await quiet.one(backend, {})).pid)
    await pause(50)
    expect(await quiet.one(one, {})).toEqual({ one: 1 })
  })

  it('that a closed pool has done with is not reported, though its server goes down before it has read so', async () => {
    const errors: Error[] = []
    const pool = openPool(connection, { size: 1, onError: (error) => void errors.push(error) })
    const { pid } = await pool.one(backend, {})
    process.kill(pid, 'SIGSTOP')
    const closing = pool.close()
    await kill(pid)
    process.kill(pid, 'SIGCONT')
    await closing
    await pause(100)
    expect(errors).toEqual([])
  })

  it.each(['3D000', '28000', '28P01', '55000', '08006', '57P01', '53300'])(
    'is what a database that lets nobody in for now counts as: %s',
    async (code) => {
      const error = await caught(db.one(fail, { code: code }))
      expect(error).toMatchObject(UNREACHABLE)
      expect(error).toMatchObject({ cause: { code } })
    },
  )
})

describe('an overloaded database', () => {
  /** Holds every connection of the pool until `free` is called. */
  async function occupy(pool: Database, connections: number) {
    let free = () => {}
    const freed = new Promise<void>((resolve) => {
      free = resolve
    })
    // On a slow machine a connection may take longer to be made than the pool waits for it.
    const hold = (): Promise<void> => pool.transaction(() => freed).catch(hold)
    const held = Array.from({ length: connections }, hold)
    await expect.poll(() => pool.usage.total - pool.usage.idle).toBe(connections)
    return async () => {
      free()
      await Promise.all(held)
    }
  }

  it('is an outage once a request has waited for a connection long enough, and not before', async () => {
    const pool = open({ size: 2, waitMs: 300 })
    const free = await occupy(pool, 2)
    const started = performance.now()
    const waiting = [caught(pool.one(one, {})), caught(pool.transaction((tx) => tx.one(one, {})))]
    expect(pool.usage).toEqual({ total: 2, idle: 0, waiting: 2 })
    for (const error of await Promise.all(waiting)) expect(error).toMatchObject(IN_USE)
    const waited = performance.now() - started
    expect(waited).toBeGreaterThanOrEqual(290)
    expect(waited).toBeLessThan(60_000)
    await free()
    expect(await pool.one(one, {})).toEqual({ one: 1 })
  })

  it('answers 503 with Retry-After over HTTP, and 200 when it is over', async () => {
    const connectionOfApp = await cloneDatabase()
    const { keys } = await (await testApp({ connection: connectionOfApp })).merchant()
    const app = await testApp({ connection: connectionOfApp, pool: { size: 1, waitMs: 200 } })
    const free = await occupy(app.db, 1)
    const ask = () => app.call('GET', '/v1/attributes', { key: keys.sandbox.secret })
    const [answer] = await Promise.all([ask(), ask(), ask()])
    expect([answer.status, answer.headers['retry-after'], answer.body]).toEqual([
      503,
      '1',
      { error: { type: 'unavailable', message: 'All connections to the database are in use.' }, status_code: 503 },
    ])
    // Once and without a stack, however many are refused: nothing is broken.
    const told = app.logged.map((line) => JSON.parse(line)).filter(({ msg }) => /in use|request failed/.test(msg))
    expect(told).toMatchObject([{ level: 'warn', msg: 'All connections to the database are in use.' }])
    expect(JSON.stringify(told)).not.toContain('stack')
    await free()
    await expect.poll(async () => (await ask()).status).toBe(200)
  })

  it('gives up a statement that takes too long, alone and in a transaction', async () => {
    const pool = open({ size: 1, statementTimeoutMs: 100 })
    const started = performance.now()
    expect(await caught(pool.one(sleep, { seconds: 600 }))).toMatchObject(TOO_SLOW)
    const attempt = pool.transaction(async (tx) => {
      await tx.run(add, { id: 1, more: -5 })
      await tx.one(sleep, { seconds: 600 })
    })
    expect(await caught(attempt)).toMatchObject(TOO_SLOW)
    expect(performance.now() - started).toBeLessThan(120_000)
    expect(await db.one(value, { id: 1 })).toEqual({ value: 10 })
  })
})
