// Whether this process can serve: the database answers and has every migration. Anybody may ask, without a key and as often as
// they like, so that one check serves all who ask while it runs and for a second after.

import { type SharedAnswer, sharedAnswer } from '../lib/memory.ts'
import type { Database } from './db.ts'
import type { Heartbeat } from './heartbeat.ts'
import { isCurrent, type Migration, MigrationError } from './migrate.ts'

type Readiness = { ready: true } | { ready: false; reason: string }

const KEPT_MS = 1_000

export const watchReadiness = (
  db: Database,
  heartbeat: Pick<Heartbeat, 'beat'>,
  migrations: readonly Migration[],
): SharedAnswer<Readiness> => sharedAnswer(() => check(db, heartbeat, migrations), KEPT_MS)

/** Never rejects. The heartbeat is asked first: it gives a silent database up within seconds, the pool only much later. */
async function check(
  db: Database,
  heartbeat: Pick<Heartbeat, 'beat'>,
  migrations: readonly Migration[],
): Promise<Readiness> {
  try {
    await heartbeat.beat()
    if (await isCurrent(db, migrations)) return { ready: true }
    return { ready: false, reason: 'The database lacks a migration; run cartwright migrate.' }
  } catch (error) {
    const reason = error instanceof MigrationError ? error.message : 'The database cannot be reached.'
    return { ready: false, reason }
  }
}
