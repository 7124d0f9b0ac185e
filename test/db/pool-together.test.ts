// @alone: it counts round trips.
// Several statements in one round trip: what is sent, what comes back, and what becomes of all when one fails.

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type Db, databaseOf, statement, violatesConstraint, withRequestSignal } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { administer, urlOf } from '../support/database.ts'
import { roundTripsOf } from '../support/sent.ts'
import { add, backend, caught, fail, openTallies, put, sleep } from './tallies.ts'

const { connection, open } = await openTallies()
await administer(
  connection,
  'create table marks (id integer primary key references tallies deferrable initially deferred)',
)
const db = open()

const find = statement<{ value: number }>('test.find', 'select value from tallies where id = :id')
const list = statement<{ id: number; value: number }>('test.list', 'select id, value from tallies order by id')
const mark = statement('test.mark', 'insert into marks (id) values (:id)')
const misspelt = statement('test.misspelt', 'update no_such_table set value = 1')

const names = async (work: () => Promise<unknown>) =>
  (await roundTripsOf(work)).map(({ statements }) => statements.map(({ name, text }) => name ?? text).join(' '))
const values = async () => (await db.many(list, {})).map(({ value }) => value)

beforeEach(async () => {
  await administer(connection, 'truncate tallies, marks; insert into tallies values (1, 10), (2, 20)')
})

describe('together', () => {
  it('gives the answers in order, each as its own kind', async () => {
    const answers = await db.together((all) => [
      all.run(add, { id: 1, more: 5 }),
      all.one(find, { id: 1 }),
      all.maybe(find, { id: 3 }),
      all.many(list, {}),
      all.one(find, { id: 2 }),
    ])
    expect(answers).toEqual([
      1,
      { value: 15 },
      null,
      [
        { id: 1, value: 15 },
        { id: 2, value: 20 },
      ],
      { value: 20 },
    ])
  })

  it('is one round trip, and one transaction of two or more', async () => {
    const several = (db: Db) => db.together((all) => [all.one(find, { id: 1 }), all.many(list, {})])
    expect(await names(() => several(db))).toEqual(['begin test.find test.list commit'])
    expect(await names(() => db.together((all) => [all.one(find, { id: 1 })]))).toEqual(['test.find'])
    expect(await names(() => db.together(() => []))).toEqual([])
    expect(await names(() => db.transaction(several))).toEqual(['begin test.find test.list', 'commit'])
    expect(await names(() => db.transactionAfter(several, several))).toEqual([
      'begin test.find test.list commit',
      'begin test.find test.list',
      'commit',
    ])
  })

  it('keeps nothing when one fails, and throws the error of that one', async () => {
    const single = open({ size: 1 })
    const refusals: string[] = []
    const noting = (name: string, write: Promise<unknown>) =>
      write.catch((error: unknown) => {
        if (violatesConstraint(error, 'tallies_value_check')) refusals.push(name)
        throw error
      })
    const attempt = single.together((all) => [
      noting('first', all.run(add, { id: 1, more: 1 })),
      noting('second', all.run(put, { id: 3, value: -1 })),
      noting('third', all.one(find, { id: 1 })),
    ])
    expect(await caught(attempt)).toMatchObject({ constraint: 'tallies_value_check', statement: 'test.put' })
    expect(refusals).toEqual(['second'])
    expect(await single.one(find, { id: 1 })).toEqual({ value: 10 })
    expect(single.usage).toEqual({ total: 1, idle: 1, waiting: 0 })
  })

  it('keeps nothing when the commit fails', async () => {
    const attempt = db.together((all) => [all.run(put, { id: 3, value: 1 }), all.run(mark, { id: 4 })])
    expect(await caught(attempt)).toMatchObject({ code: '23503', statement: 'commit' })
    expect(await values()).toEqual([10, 20])
  })

  it('goes on after a statement that PostgreSQL could not even prepare, on the same connection', async () => {
    const single = open({ size: 1 })
    const pid = await single.one(backend, {})
    for (let time = 0; time < 2; time++) {
      const attempt = single.together((all) => [all.run(add, { id: 1, more: 1 }), all.run(misspelt, {})])
      expect(await caught(attempt)).toMatchObject({ code: '42P01', statement: 'test.misspelt' })
    }
    expect(await single.together((all) => [all.one(find, { id: 1 }), all.one(backend, {})])).toEqual([
      { value: 10 },
      pid,
    ])
  })

  it('sends nothing when a value is missing', async () => {
    const trips = roundTripsOf(async () => {
      const attempt = db.together((all) => [all.run(add, { id: 1, more: 1 }), all.run(add, { id: 2 })])
      expect(await caught(attempt)).toMatchObject({ message: 'The statement test.add was given no value for :more.' })
    })
    expect(await trips).toEqual([])
  })

  it('refuses what is asked for too late', async () => {
    const attempt = db.together((all) => [all.one(find, { id: 1 }).then(() => all.one(find, { id: 2 }))])
    await expect(attempt).rejects.toThrow('test.find was requested after its round trip had been sent.')
  })

  it('runs again after a deadlock, and gives up in the end', async () => {
    const other = db.transaction(async (tx) => {
      await tx.run(add, { id: 2, more: 1 })
      await tx.one(sleep, { seconds: 0.2 })
      await tx.run(add, { id: 1, more: 1 })
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await db.together((all) => [all.run(add, { id: 1, more: 1 }), all.run(add, { id: 2, more: 1 })])
    await other
    expect(await values()).toEqual([12, 22])

    const attempt = db.together((all) => [all.run(add, { id: 1, more: 1 }), all.one(fail, { code: '40001' })])
    expect(await caught(attempt)).toMatchObject({
      status: 503,
      message: 'Too many requests are changing the same data at once.',
    })
    expect(await values()).toEqual([12, 22])
  })

  it('stops where a signal says so, and is part of the transaction of a database made of it', async () => {
    const reason = new Error('enough')
    const bound = withRequestSignal(db, AbortSignal.abort(reason))
    expect(await caught(bound.together((all) => [all.run(add, { id: 1, more: 1 })]))).toBe(reason)
    const attempt = db.transaction(async (tx) => {
      await databaseOf(tx).together((all) => [all.run(add, { id: 1, more: 1 }), all.run(add, { id: 2, more: 1 })])
      throw reason
    })
    expect(await caught(attempt)).toBe(reason)
    const live = withRequestSignal(db, new AbortController().signal)
    expect(await live.together((all) => [all.one(find, { id: 1 })])).toEqual([{ value: 10 }])
  })

  it('has the time-out of PostgreSQL for each of its statements', async () => {
    const hasty = open({ statementTimeoutMs: 2_400 })
    // Together longer than that, and each of them shorter by far.
    await hasty.together((all) => [all.one(sleep, { seconds: 1.3 }), all.one(sleep, { seconds: 1.3 })])
    const attempt = hasty.together((all) => [all.run(add, { id: 1, more: 1 }), all.one(sleep, { seconds: 600 })])
    expect(await caught(attempt)).toMatchObject({ status: 503, message: 'The database took too long to answer.' })
    expect(await values()).toEqual([10, 20])
  })
})

describe('a connection', () => {
  it('is replaced after a statement whose columns a migration has changed, which then works again', async () => {
    const single = open({ size: 1 })
    await administer(connection, 'create table changing (value integer)')
    const read = statement<{ value: unknown }>('test.changing', 'select * from changing')
    await single.many(read, {})
    await administer(connection, `alter table changing add more text; insert into changing values (1, 'x')`)
    expect(await caught(single.many(read, {}))).toMatchObject({ code: '0A000' })
    expect(await single.many(read, {})).toEqual([{ value: 1, more: 'x' }])
  })

  it('plans by index whatever else the address asks for', async () => {
    const setting = statement<{ seqscan: string; timezone: string; jit: string }>(
      'test.setting',
      `select current_setting('enable_seqscan') as seqscan, current_setting('timezone') as timezone,
         current_setting('jit') as jit`,
    )
    const options = encodeURIComponent('-c timezone=Asia/Tokyo -c jit=on')
    const pool = openPool({ connectionString: `${urlOf(connection)}&options=${options}` })
    expect(await pool.one(setting, {})).toEqual({ seqscan: 'off', timezone: 'Asia/Tokyo', jit: 'on' })
    await pool.close()
    expect(await db.one(setting, {})).toMatchObject({ seqscan: 'off', jit: 'off' })
  })

  it('to a server that falls silent is given up, with everything that waits on it', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      // Lets everybody in and never answers again.
      socket.once('data', () => socket.write(Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')))
      socket.on('error', () => undefined)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const silent = openPool(
      { host: '127.0.0.1', port, user: 'x', database: 'x', ssl: false },
      { statementTimeoutMs: 10 },
    )
    afterAll(async () => {
      await silent.close()
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const outage = { status: 503, message: 'The database cannot be reached at the moment.' }
    const asks = [
      silent.one(find, { id: 1 }),
      silent.together((all) => [all.one(find, { id: 1 }), all.one(find, { id: 2 })]),
      silent.transaction((tx) => tx.one(find, { id: 1 })),
    ]
    for (const error of await Promise.all(asks.map(caught))) expect(error).toMatchObject(outage)
    await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true)
    expect(silent.usage.total).toBe(0)
  })
})
