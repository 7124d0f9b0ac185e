// @alone: it counts the round trips of the process.
// Look-ups that share their round trips: who gets which answer, what a refused one does to the others, and what may not be one.

import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { lookup, statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { administer, cloneDatabase, PATIENT_POOL } from '../support/database.ts'
import { roundTripsOf } from '../support/sent.ts'

const connection = await cloneDatabase()
await administer(
  connection,
  `create table numbers as select n as id, n * n as square from generate_series(1, 100) n;
   create function lose_node() returns integer language plpgsql as
     $$ begin raise exception 'connection to the remote node failed' using errcode = '08006'; end $$;`,
)
const db = openPool(connection, { ...PATIENT_POOL, size: 2 })
afterAll(() => db.close())

const find = lookup<{ square: number }>('test.find_square', 'select square from numbers where id = :id')
const backend = lookup<{ pid: number }>('test.find_backend', 'select pg_backend_pid() as pid from pg_sleep(:seconds)')
const divide = lookup<{ part: number }>('test.divide', 'select 100 / :by::integer as part')
const onLostNode = lookup<{ part: number }>('test.on_lost_node', 'select lose_node() as part')
const put = statement('test.put_square', 'insert into numbers (id, square) values (:id, 0)')

const names = async (work: () => Promise<unknown>) =>
  (await roundTripsOf(work)).map(({ statements }) => statements.map(({ name, text }) => name ?? text))

/** Waits until it is let through. */
const held = lookup<{ pid: number }>(
  'test.find_held',
  'select pg_backend_pid() as pid from (select pg_advisory_xact_lock_shared(1)) gate',
)

/** A gate that `held` waits at, and how many wait there. Opened from outside: how long that takes is nobody's business. */
async function closeGate() {
  const keeper = new pg.Client(connection)
  await keeper.connect()
  await keeper.query('select pg_advisory_lock(1)')
  const waiting = async () =>
    Number(
      (await keeper.query(`select count(*) from pg_locks where locktype = 'advisory' and not granted`)).rows[0]?.count,
    )
  return {
    untilWaiting: (count: number) => expect.poll(waiting, { interval: 10 }).toBe(count),
    open: () => keeper.end(),
  }
}
/** Both connections are open before anything is counted. */
await Promise.all(['a', 'b'].map(() => db.transaction((tx) => tx.one(backend, { seconds: 0.1 }))))
const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

it('are sent together when they are asked for in one turn, and each gets its own answer', async () => {
  let squares: number[] = []
  const trips = await names(async () => {
    const rows = await Promise.all(ids(16).map((id) => db.one(find, { id })))
    squares = rows.map(({ square }) => square)
  })
  expect(squares).toEqual(ids(16).map((id) => id * id))
  expect(trips).toEqual([ids(16).map(() => 'test.find_square')])
})

it('are at most so many at once, so that none waits for long', async () => {
  const trips = await names(() => Promise.all(ids(40).map((id) => db.maybe(find, { id }))))
  expect(trips.map(({ length }) => length)).toEqual([16, 16, 8])
})

it('gather while all connections are busy, instead of standing in line one by one', async () => {
  const gate = await closeGate()
  const trips = await names(async () => {
    const slow = [db.one(held, {})]
    await gate.untilWaiting(1)
    slow.push(db.one(held, {}))
    await gate.untilWaiting(2)
    const early = db.many(find, { id: 1 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    const later = db.many(find, { id: 2 })
    await gate.open()
    expect(await early).toEqual([{ square: 1 }])
    expect(await later).toEqual([{ square: 4 }])
    const [one, other] = await Promise.all(slow)
    expect(one?.pid).not.toBe(other?.pid)
  })
  const ours = trips.filter((statements) => statements.some((name) => name.startsWith('test.')))
  expect(ours).toEqual([['test.find_held'], ['test.find_held'], ['test.find_square', 'test.find_square']])
})

it('that no connection becomes free for are refused when their time is over, and not before', async () => {
  const impatient = openPool(connection, { size: 1, waitMs: 150 })
  // A slow machine may need more than one try to connect.
  await expect.poll(() => impatient.one(find, { id: 3 }).catch(() => null)).toEqual({ square: 9 })
  const gate = await closeGate()
  const slow = impatient.one(held, {})
  await gate.untilWaiting(1)
  const startedAt = performance.now()
  const late = impatient
    .one(find, { id: 1 })
    .catch((error: unknown) => ({ error, after: performance.now() - startedAt }))
  await new Promise((resolve) => setTimeout(resolve, 100))
  const other = impatient
    .one(find, { id: 2 })
    .catch((error: unknown) => ({ error, after: performance.now() - startedAt }))
  expect(await late).toMatchObject({ error: { status: 503 }, after: expect.toSatisfy((ms: number) => ms >= 145) })
  expect(await other).toMatchObject({ error: { status: 503 }, after: expect.toSatisfy((ms: number) => ms >= 245) })
  await gate.open()
  await slow
  expect(await impatient.one(find, { id: 3 })).toEqual({ square: 9 })
  await impatient.close()
})

it('in an outage all fail at once, and not one after the other', async () => {
  const nowhere = openPool({ host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' }, { size: 1 })
  const trips = await roundTripsOf(async () => {
    const answers = await Promise.allSettled(ids(16).map((id) => nowhere.one(find, { id })))
    expect(answers.map(({ status }) => status)).toEqual(ids(16).map(() => 'rejected'))
  })
  expect(trips).toEqual([])
  await nowhere.close()
  const stuck = openPool(connection, { size: 1, statementTimeoutMs: 600 })
  const tried = await names(async () => {
    const answers = await Promise.allSettled(ids(8).map(() => stuck.one(backend, { seconds: 600 })))
    expect(answers).toMatchObject(ids(8).map(() => ({ status: 'rejected', reason: { status: 503 } })))
  })
  // Eight for themselves would take eight times as long.
  expect(tried.filter((statements) => statements.includes('test.find_backend'))).toEqual([
    ids(8).map(() => 'test.find_backend'),
  ])
  await stuck.close()
})

it('that fail tell only who asked: the others are asked again for themselves', async () => {
  const answers = await Promise.allSettled([
    db.one(find, { id: 3 }),
    db.one(divide, { by: 0 }),
    db.one(find, { id: 4 }),
    db.one(divide, { by: 5 }),
  ])
  expect(answers).toMatchObject([
    { status: 'fulfilled', value: { square: 9 } },
    { status: 'rejected', reason: { code: '22012' } },
    { status: 'fulfilled', value: { square: 16 } },
    { status: 'fulfilled', value: { part: 20 } },
  ])
  // The connection is as good as before.
  expect(await db.one(find, { id: 5 })).toEqual({ square: 25 })
})

it('of shops whose node is lost fail alone, and leave the connection to the others', async () => {
  const single = openPool(connection, { ...PATIENT_POOL, size: 1 })
  const pid = () => single.one(backend, { seconds: 0 })
  const before = await pid()
  const answers = await Promise.allSettled([
    single.one(find, { id: 3 }),
    single.one(onLostNode, {}),
    single.one(find, { id: 4 }),
  ])
  expect(answers).toMatchObject([
    { status: 'fulfilled', value: { square: 9 } },
    { status: 'rejected', reason: { status: 503, cause: { code: '08006' } } },
    { status: 'fulfilled', value: { square: 16 } },
  ])
  expect(await pid()).toEqual(before)
  await single.close()
})

it('of one request stay together, and need no transaction', async () => {
  const trips = await names(async () => {
    const pair = db.together((all) => [all.one(find, { id: 2 }), all.maybe(find, { id: 1_000 })])
    const single = db.one(find, { id: 7 })
    expect(await pair).toEqual([{ square: 4 }, null])
    expect(await single).toEqual({ square: 49 })
  })
  expect(trips).toEqual([['test.find_square', 'test.find_square', 'test.find_square']])
})

it('beside something that is written go with it, in its transaction', async () => {
  const trips = await names(() => db.together((all) => [all.run(put, { id: 500 }), all.one(find, { id: 500 })]))
  expect(trips).toEqual([['begin', 'test.put_square', 'test.find_square', 'commit']])
})

it('in a transaction are a part of it', async () => {
  const trips = await names(() => db.transaction((tx) => tx.one(find, { id: 6 })))
  expect(trips).toEqual([['begin', 'test.find_square'], ['commit']])
})

it.each(['update numbers set square = 0', 'select square from numbers where id = 1 for update'])(
  'cannot be declared of %s',
  (text) => {
    expect(() => lookup('test.wrong', text)).toThrow('must be a select without row locks')
  },
)
