// @proof @alone: it fills tables.
// Plans that were made while a table was small are made anew when it has grown, and only then.

import { afterAll, expect, it, vi } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { haveGrown, watchGrowth } from '../../src/db/health/growth.ts'
import { openPool } from '../../src/db/pool.ts'
import { testApp } from '../support/app.ts'
import { administer, cloneDatabase, PATIENT_POOL } from '../support/database.ts'
import { roundTripsOf } from '../support/sent.ts'

const connection = await cloneDatabase()
await administer(
  connection,
  `create table things (shop integer not null, id integer not null, state text not null) with (autovacuum_enabled = off);
   create index things_by_id on things (shop, id)`,
)
const db = openPool(connection, { ...PATIENT_POOL, size: 1 })
afterAll(() => db.close())

const find = statement<{ state: string }>('test.find_thing', 'select state from things where shop = :shop and id = :id')
const explain = statement<{ 'QUERY PLAN': string }>('test.explain_thing', 'explain execute "test.find_thing" (1, 7)')
const ask = statement<{ one: number }>('test.ask_anything', 'select 1 as one')
const grow = (rows: number) =>
  administer(connection, `insert into things select 1, n, 'new' from generate_series(1, ${rows}) n`)
/** That the pool's connection has, with what PostgreSQL expected of the table when it was made. */
const planOf = async () => (await db.many(explain, {})).map((row) => row['QUERY PLAN']).join(' ')

it('a plan of an empty table stays, however full it is, until it is forgotten', async () => {
  await db.many(find, { shop: 1, id: 7 })
  const first = await planOf()
  await grow(20_000)
  expect(await planOf()).toBe(first)
  db.forgetPlans()
  expect(await planOf()).not.toBe(first)
})

it('each connection forgets once, with the next that it is asked', async () => {
  await db.many(find, { shop: 1, id: 7 })
  db.forgetPlans()
  db.forgetPlans()
  const trips = await roundTripsOf(async () => {
    await db.many(find, { shop: 1, id: 7 })
    await db.many(find, { shop: 1, id: 7 })
  })
  expect(trips.flatMap(({ statements }) => statements.map(({ name, text }) => name ?? text))).toEqual([
    'discard plans',
    'test.find_thing',
    'test.find_thing',
  ])
})

it.each([
  [{}, { things: 100_000 }, false],
  [{}, { things: 200_000 }, true],
  [{ things: 200_000 }, { things: 400_000 }, false],
  [{ things: 200_000 }, { things: 400_001 }, true],
  [{ things: 400_000 }, { things: 1_000 }, false],
  [{ things: 200_000, others: 0 }, { things: 200_000, others: 300_000 }, true],
])('from %j to %j tables have grown: %s', (before, now, isSo) => {
  expect(haveGrown(new Map(Object.entries(before)), new Map(Object.entries(now)))).toBe(isSo)
})

/** The database, and a wait until it has been looked at twice more from now on: what the second has seen is from after now. */
function watching() {
  let looks = 0
  const many: typeof db.many = async (...asked) => {
    const rows = await db.many(...asked)
    looks++
    return rows
  }
  const watched: typeof db = {
    ...db,
    many,
    get usage() {
      return db.usage
    },
  }
  const untilLookedTwice = async () => {
    const before = looks
    await expect.poll(() => looks).toBeGreaterThan(before + 1)
  }
  return { watched, untilLookedTwice }
}

it('growth is told when it is seen, and not again before it has doubled', async () => {
  const told = vi.fn()
  const { watched, untilLookedTwice } = watching()
  const growth = watchGrowth(watched, told, 20)
  await untilLookedTwice()
  expect(told).not.toHaveBeenCalled()
  await grow(30_000)
  await expect.poll(() => told.mock.calls.length).toBe(1)
  await grow(1_000)
  await untilLookedTwice()
  expect(told).toHaveBeenCalledTimes(1)
  growth.stop()
})

it('a table that has shrunk and grows again is told of before it is as large as it was', async () => {
  await grow(50_000)
  const told = vi.fn()
  const { watched, untilLookedTwice } = watching()
  const growth = watchGrowth(watched, told, 20)
  await untilLookedTwice()
  await administer(connection, 'truncate things')
  await untilLookedTwice()
  expect(told).not.toHaveBeenCalled()
  // Not half of what it had.
  await grow(25_000)
  await expect.poll(() => told.mock.calls.length).toBeGreaterThan(0)
  growth.stop()
})

it('a server watches it for the connections that its requests use', async () => {
  const own = await cloneDatabase()
  await administer(own, 'create table notes as select 1 as n')
  const app = await testApp({ connection: own, keepsPlans: false })
  let rows = 5_000
  await vi.waitFor(
    async () => {
      rows *= 3
      await administer(own, `insert into notes select n from generate_series(1, ${rows}) n`)
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      const [trip] = await roundTripsOf(() => app.db.transaction((tx) => tx.many(ask, {})))
      expect(trip?.statements[0]?.text).toBe('discard plans')
    },
    { timeout: 60_000 },
  )
})
