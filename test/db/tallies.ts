// Shared by the tests of the pool: a database with tallies, and statements that change them, fail or take long.

import { afterAll } from 'vitest'
import { type Database, statement } from '../../src/db/db.ts'
import { openPool, type PoolOptions } from '../../src/db/pool.ts'
import { administer, cloneDatabase } from '../support/database.ts'

export async function openTallies() {
  const connection = await cloneDatabase()
  await administer(
    connection,
    `create table tallies (id integer primary key, value integer not null check (value >= 0));
     create function fail_with(code text) returns void language plpgsql as
       $$ begin raise exception 'made to fail' using errcode = code; end $$;`,
  )
  /** A pool that is closed after the last test. */
  function open(options: PoolOptions = {}): Database {
    const pool = openPool(connection, options)
    afterAll(() => pool.close())
    return pool
  }
  return { connection, open }
}

export const put = statement('test.put', 'insert into tallies (id, value) values (:id, :value)')
export const add = statement('test.add', 'update tallies set value = value + :more where id = :id')
export const fail = statement<{ fail_with: string }>('test.fail', 'select fail_with(:code)')
export const sleep = statement<{ pg_sleep: string }>('test.sleep', 'select pg_sleep(:seconds)')
export const backend = statement<{ pid: number }>('test.backend', 'select pg_backend_pid() as pid')

export const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  )
