// @alone: it counts the round trips of the process.
// Writes that share a transaction: who gets which answer and when, what a refused one does to the others, and what may not be one.

import { afterAll, expect, it } from 'vitest'
import { lookup, sharedWrite, statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { administer, cloneDatabase, PATIENT_POOL } from '../support/database.ts'
import { roundTripsOf } from '../support/sent.ts'

const connection = await cloneDatabase()
await administer(
  connection,
  'create table numbers as select n as id, 0 as written from generate_series(1, 100) n; alter table numbers add primary key (id)',
)
const db = openPool(connection, { ...PATIENT_POOL, size: 2 })
const other = openPool(connection, { ...PATIENT_POOL, size: 1 })
afterAll(() => Promise.all([db.close(), other.close()]))

const write = sharedWrite<{ id: number }>(
  'test.write_number',
  `update numbers set written = written + 10 / :by::integer
   where id = (select free.id from numbers free where free.id = :id for no key update skip locked)
   returning id`,
)
const find = lookup<{ written: number }>('test.find_written', 'select written from numbers where id = :id')
const lock = statement<{ id: number }>('test.lock_number', 'select id from numbers where id = :id for update')

const names = async (work: () => Promise<unknown>) =>
  (await roundTripsOf(work)).map(({ statements }) => statements.map(({ name, text }) => name ?? text))
const ids = (count: number, from = 1) => Array.from({ length: count }, (_, index) => index + from)
const written = async (id: number) => (await other.one(find, { id })).written
/** Both connections are open before anything is counted. */
await Promise.all(['a', 'b'].map(() => db.transaction((tx) => tx.one(lock, { id: 100 }).then(() => undefined))))

it('are one transaction when they are asked for in one turn, and each gets its own answer', async () => {
  const trips = await names(async () => {
    const rows = await Promise.all(ids(5).map((id) => db.maybe(write, { id, by: 1 })))
    expect(rows).toEqual(ids(5).map((id) => ({ id })))
    expect(await Promise.all(ids(5).map(written))).toEqual([10, 10, 10, 10, 10])
  })
  expect(trips[0]).toEqual(['begin', ...ids(5).map(() => 'test.write_number'), 'commit'])
})

const insert = sharedWrite<{ id: number }>(
  'test.insert_number',
  'insert into numbers (id, written) values (:id, 0) on conflict (id) do nothing returning id',
)
const placesOf = statement<{ id: number }>('test.places_of', 'select id from numbers where id > 200 order by ctid')

// One that inserts waits for another that inserts the same: in two orders, two transactions would wait for each other.
it('come to what they insert in the order of its key, whoever asked first', async () => {
  const rows = await Promise.all([203, 201, 202].map((id) => db.maybe(insert, { id })))
  expect(rows).toEqual([{ id: 203 }, { id: 201 }, { id: 202 }])
  expect(await db.many(placesOf, {})).toEqual([{ id: 201 }, { id: 202 }, { id: 203 }])
})

it('need no transaction where there is one alone', async () => {
  expect(await names(() => db.maybe(write, { id: 6, by: 1 }))).toEqual([['test.write_number']])
})

it('of the same row come one after the other', async () => {
  await Promise.all(ids(16).map(() => db.maybe(write, { id: 7, by: 1 })))
  expect(await written(7)).toBe(160)
})

it('that are refused take nothing of the others with them, and nothing is written twice', async () => {
  const answers = await Promise.allSettled(ids(4, 11).map((id) => db.maybe(write, { id, by: id === 13 ? 0 : 1 })))
  expect(answers).toMatchObject([
    { status: 'fulfilled', value: { id: 11 } },
    { status: 'fulfilled', value: { id: 12 } },
    { status: 'rejected', reason: { code: '22012' } },
    { status: 'fulfilled', value: { id: 14 } },
  ])
  expect(await Promise.all(ids(4, 11).map(written))).toEqual([10, 10, 0, 10])
})

it('do not wait for a row that somebody else holds: that one is told so, and the others are written', async () => {
  await other.transaction(async (tx) => {
    await tx.one(lock, { id: 22 })
    const answers = await Promise.all(ids(3, 21).map((id) => db.maybe(write, { id, by: 1 })))
    expect(answers).toEqual([{ id: 21 }, null, { id: 23 }])
  })
  expect(await Promise.all(ids(3, 21).map(written))).toEqual([10, 0, 10])
})

it('in a transaction are a part of it, also of a row that it has locked', async () => {
  const trips = await names(() =>
    db.transaction(async (tx) => {
      await tx.one(lock, { id: 31 })
      expect(await tx.maybe(write, { id: 31, by: 1 })).toEqual({ id: 31 })
    }),
  )
  expect(trips).toEqual([['begin', 'test.lock_number'], ['test.write_number'], ['commit']])
})

it('are not sent with look-ups', async () => {
  const trips = await names(() => Promise.all([db.maybe(write, { id: 41, by: 1 }), db.maybe(find, { id: 42 })]))
  expect(trips.toSorted()).toEqual([['test.find_written'], ['test.write_number']])
})

it.each([
  ['select written from numbers where id = 1', 'does not write'],
  ['update numbers set written = 0 where id = :id', 'must skip locked rows'],
  ['delete from numbers where id = :id', 'must skip locked rows'],
  ['with gone as (delete from numbers where id = :id) select 1', 'must skip locked rows'],
])('cannot be declared of %s', (text, why) => {
  expect(() => sharedWrite('test.wrong', text)).toThrow(why)
})

it('may insert, and meet a row that is there', () => {
  const text = 'insert into numbers values (:id, 0) on conflict (id) do update set written = 0'
  expect(sharedWrite('test.insert_number', text).shares).toBe('writes')
})
