// Plans go stale as tables grow. PostgreSQL makes a plan once for each connection and keeps it until the table is analysed; one made while the
// table was nearly empty takes whichever index comes first, and later reads a whole shop by it. So whenever a table has doubled, the plans
// made before are dropped: a table is small when its plans are bad, and a plan is good when its table is large.

import { type Database, statement } from './db.ts'

const readSizes = statement<{ name: string; bytes: number }>(
  'growth.read_sizes',
  `select relname as name, pg_relation_size(oid) as bytes
   from pg_class
   where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
)

const EVERY_MS = 2_000
/** What PostgreSQL takes a table for that has no rows at all. */
const EMPTY_BYTES = 10 * 8_192

type Sizes = ReadonlyMap<string, number>

/** Whether a plan that was made for tables of the sizes `before` may be wrong for those of `now`. */
export const haveGrown = (before: Sizes, now: Sizes): boolean =>
  [...now].some(([name, bytes]) => bytes > 2 * Math.max(before.get(name) ?? 0, EMPTY_BYTES))

/**
 * What plans may have been made for since: one that was made while a table had shrunk, as that of jobs does when they are done, is one of an
 * empty table again.
 */
const smallerOf = (planned: Sizes, now: Sizes): Sizes =>
  new Map([...now].map(([name, bytes]) => [name, Math.min(planned.get(name) ?? 0, bytes)]))

export async function sizesOf(db: Database): Promise<Sizes> {
  return new Map((await db.many(readSizes, {})).map(({ name, bytes }) => [name, bytes]))
}

export type Growth = { stop(): void }

/** Asks `db` now and then, and tells when the tables have grown. On Citus each node plans anew for every statement, and nothing grows here. */
export function watchGrowth(db: Database, onGrown: () => void, everyMs = EVERY_MS): Growth {
  let planned: Sizes | null = null
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  async function look() {
    const sizes = await sizesOf(db)
    if (planned !== null && !haveGrown(planned, sizes)) {
      planned = smallerOf(planned, sizes)
      return
    }
    if (planned !== null) onGrown()
    planned = sizes
  }

  function schedule() {
    if (isStopped) return
    // An outage is told by others.
    timer = setTimeout(
      () =>
        void look()
          .catch(() => undefined)
          .finally(schedule),
      everyMs,
    )
    timer.unref()
  }
  void look()
    .catch(() => undefined)
    .finally(schedule)

  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
