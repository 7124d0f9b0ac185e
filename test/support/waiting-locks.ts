// How many statements wait for a lock of another transaction at this moment: tests of races wait until the second one does.

import { type Db, statement } from '../../src/db/db.ts'

const waitingLocks = statement<{ count: number }>(
  'test.waiting_locks',
  `select count(*)
   from pg_stat_activity
   where datname = current_database() and wait_event_type = 'Lock'`,
)

export const countWaitingLocks = async (db: Db) => (await db.one(waitingLocks, {})).count
