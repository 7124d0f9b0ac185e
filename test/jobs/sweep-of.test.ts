// The sweeps that owners of tables say in one line: which rows go, when, and which are passed over.

import { beforeEach, describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { sweepOf } from '../../src/jobs/sweeps.ts'
import { testDatabase } from '../support/database.ts'

const db = await testDatabase({ size: 4 })
const NOW = new Date(1_800_000_000_000)
const DAY_MS = 86_400_000

await db.run(
  statement(
    'test.make_swept',
    'create table swept (merchant_id integer, name text, ended_at timestamptz, state text, primary key (merchant_id, name))',
  ),
  {},
)
const clear = statement('test.clear_swept', 'delete from swept')
const add = statement('test.add_swept', 'insert into swept values (:shop, :name, :ended_at, :state)')
const left = statement<{ name: string }>('test.left_swept', 'select name from swept order by name')
const hold = statement('test.hold_swept', 'select 1 from swept where name = :name for update')

beforeEach(() => db.run(clear, {}))

/** `ageMs`: negative for a time to come. */
const put = (name: string, ageMs: number, state = 'done', shop = 1) =>
  db.run(add, { shop, name, ended_at: new Date(NOW.getTime() - ageMs), state })
const names = async () => (await db.many(left, {})).map(({ name }) => name)
const context = { db, clock: { now: () => NOW }, signal: new AbortController().signal }
const times = { name: 'test', everySeconds: 60, column: 'ended_at', key: { name: 'text' } }

describe('sweepOf', () => {
  it.each<[string, Partial<typeof times & { fromAgeMs: number; keptDays: number; where: string }>, string[]]>([
    ['sweep.test_ended', {}, ['later']],
    ['sweep.test_aged', { fromAgeMs: 1_000 }, ['later', 'now', 'younger']],
    ['sweep.test_kept', { keptDays: 2 }, ['a second old', 'kept', 'later', 'now', 'of another shop', 'younger']],
    ['sweep.test_where', { where: "state = 'done'" }, ['later', 'younger']],
  ])('%s with %j deletes rows whose time has come, of all shops, and no others', async (name, more, kept) => {
    await put('later', -1)
    await put('now', 0)
    await put('younger', 999, 'open')
    await put('a second old', 1_000)
    await put('of another shop', 1_001, 'done', 2)
    await put('kept', 2 * DAY_MS)
    await put('older', 2 * DAY_MS + 1)
    expect(await sweepOf('swept', { ...times, ...more, statement: name }).run(context)).toBe(7 - kept.length)
    expect(await names()).toEqual(kept)
  })

  it('passes over a row that somebody holds, and waits for nobody', async () => {
    await put('held', 2)
    await put('free', 1)
    const sweep = sweepOf('swept', { ...times, statement: 'sweep.test_held' })
    await db.transaction(async (tx) => {
      await tx.run(hold, { name: 'held' })
      expect(await sweep.run(context)).toBe(1)
    })
    expect([await names(), await sweep.run(context)]).toEqual([['held'], 1])
  })

  it('goes on batch by batch until nothing is left', async () => {
    for (let n = 0; n < 1_001; n++) await put(`row ${n}`, 1)
    expect(await sweepOf('swept', { ...times, statement: 'sweep.test_batches' }).run(context)).toBe(1_001)
  })
})
