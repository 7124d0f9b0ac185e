// Checks if this process can serve: the database answers and has every migration. Anybody may call it without a key, as often as they like.
// So concurrent callers share one check, and its result is cached for a second.

import { type SharedAnswer, sharedAnswer } from '../../lib/memory.ts'
import type { Database } from '../db.ts'
import { hasEveryMigration, type Migration, MigrationError } from '../migrate.ts'
import type { Heartbeat } from './heartbeat.ts'

type Health = { ready: true } | { ready: false; reason: string }

export type Readiness = SharedAnswer<Health>

const CACHE_MS = 1_000

export const watchReadiness = (
  db: Database,
  heartbeat: Pick<Heartbeat, 'beat'>,
  migrations: readonly Migration[],
): Readiness => sharedAnswer(() => check(db, heartbeat, migrations), CACHE_MS)

/** Never rejects. The heartbeat comes first: it gives up on a silent database within seconds, the pool only much later. */
async function check(
  db: Database,
  heartbeat: Pick<Heartbeat, 'beat'>,
  migrations: readonly Migration[],
): Promise<Health> {
  try {
    await heartbeat.beat()
    if (await hasEveryMigration(db, migrations)) return { ready: true }
    return { ready: false, reason: 'The database lacks a migration; run cartwright migrate.' }
  } catch (error) {
    const reason = error instanceof MigrationError ? error.message : 'The database cannot be reached.'
    return { ready: false, reason }
  }
}
