// A transaction that is told to stop: it rolls back, and its connection is as good as before.

import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { statement, withRequestSignal } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { administer, cloneDatabase, PATIENT_POOL } from '../support/database.ts'

const connection = await cloneDatabase()
await administer(
  connection,
  `create table marks (id integer primary key);
   create function fail_with(code text) returns void language plpgsql as
     $$ begin raise exception 'made to fail' using errcode = code; end $$;`,
)
const db = openPool(connection, { ...PATIENT_POOL, size: 1 })
afterAll(() => db.close())

const put = statement('test.put_mark', 'insert into marks (id) values (:id)')
const list = statement<{ id: number }>('test.marks', 'select id from marks order by id')
const fail = statement<{ fail_with: string }>('test.fail_mark', 'select fail_with(:code)')
const marks = async () => (await db.many(list, {})).map(({ id }) => id)

const REASON = new Error('enough')

beforeEach(() => administer(connection, 'truncate marks'))

describe('transaction with a signal', () => {
  it('rolls back when it is aborted before the commit, and throws the reason', async () => {
    const stop = new AbortController()
    const work = db.transaction(async (tx) => {
      await tx.run(put, { id: 1 })
      stop.abort(REASON)
    }, stop.signal)
    await expect(work).rejects.toBe(REASON)
    expect(await marks()).toEqual([])
    expect(db.usage).toEqual({ total: 1, idle: 1, waiting: 0 })
  })

  it('asks nothing more once it is aborted, and does not commit even when that is swallowed', async () => {
    const stop = new AbortController()
    const refused: unknown[] = []
    const work = db.transaction(async (tx) => {
      await tx.run(put, { id: 1 })
      stop.abort(REASON)
      await tx.run(put, { id: 2 }).catch((error: unknown) => refused.push(error))
    }, stop.signal)
    await expect(work).rejects.toBe(REASON)
    expect(refused).toEqual([REASON])
    expect(await marks()).toEqual([])
  })

  it('does not begin when it is aborted already, nor again after a failure that would be tried again', async () => {
    let begun = 0
    const begin = async () => {
      begun += 1
    }
    await expect(db.transaction(begin, AbortSignal.abort(REASON))).rejects.toBe(REASON)
    expect(begun).toBe(0)

    const stop = new AbortController()
    const work = db.transaction(async (tx) => {
      begun += 1
      const failing = tx.one(fail, { code: '40001' })
      stop.abort(REASON)
      await failing
    }, stop.signal)
    await expect(work).rejects.toBe(REASON)
    expect(begun).toBe(1)
  })
})

describe('a database until a signal', () => {
  it('refuses everything after', async () => {
    const bound = withRequestSignal(db, AbortSignal.abort(REASON))
    await expect(bound.run(put, { id: 1 })).rejects.toBe(REASON)
    await expect(bound.one(list, {})).rejects.toBe(REASON)
    await expect(bound.many(list, {})).rejects.toBe(REASON)
    await expect(bound.maybe(list, {})).rejects.toBe(REASON)
    await expect(bound.transaction((tx) => tx.run(put, { id: 1 }))).rejects.toBe(REASON)
    expect(await marks()).toEqual([])
  })

  it("heeds a transaction's own signal too", async () => {
    const bound = withRequestSignal(db, new AbortController().signal)
    await expect(bound.transaction((tx) => tx.run(put, { id: 1 }), AbortSignal.abort(REASON))).rejects.toBe(REASON)
    expect(await marks()).toEqual([])
  })
})
