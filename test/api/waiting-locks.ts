// How many statements wait for a lock of another transaction at this moment: tests of races wait until the second one does.

import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { type Db, statement } from '../../src/db/db.ts'

const waitingIn = (activity: string) =>
  `select count(*) from ${activity} where datname = current_database() and wait_event_type = 'Lock'`

const onOneServer = statement<{ count: number }>('test.waiting_locks', waitingIn('pg_stat_activity'))

/** Rows are locked where the shop's shard is. */
const onAllNodes = statement<{ count: number }>('test.waiting_locks_of_nodes', waitingIn('citus_stat_activity'))

export const countWaitingLocks = async (db: Db): Promise<number> =>
  (await db.one(inject('nodes').length > 0 ? onAllNodes : onOneServer, {})).count

/** Until somebody waits for a lock. */
export async function untilLockIsAwaited(db: Db): Promise<void> {
  while ((await countWaitingLocks(db)) === 0) await sleep(5)
}
