// Drops query plans when tables have grown. PostgreSQL plans a statement once per connection and keeps the plan until the table is
// analysed. For a nearly empty table it may choose any index, and the plan later reads all rows of a shop. So old plans
// are dropped whenever a table has doubled. This is rarely needed: plans go bad while tables are small, and plans for
// large tables stay good.

import { type Database, statement } from '../db.ts'

const readSizes = statement<{ name: string; bytes: number }>(
  'growth.read_sizes',
  `select relname as name, pg_relation_size(oid) as bytes
   from pg_class
   where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
)

const EVERY_MS = 2_000
/** Size that PostgreSQL assumes for a table without rows. */
const EMPTY_BYTES = 10 * 8_192

type Sizes = ReadonlyMap<string, number>

/** True if a plan made for tables of the sizes `before` may be wrong for the sizes `now`. */
export const haveGrown = (before: Sizes, now: Sizes): boolean =>
  [...now].some(([name, bytes]) => bytes > 2 * Math.max(before.get(name) ?? 0, EMPTY_BYTES))

/**
 * Smallest sizes that plans may have been made for. A table can shrink: the jobs table does when its jobs are done. A
 * plan made then suits only a small table.
 */
const smallerOf = (planned: Sizes, now: Sizes): Sizes =>
  new Map([...now].map(([name, bytes]) => [name, Math.min(planned.get(name) ?? 0, bytes)]))

export async function readTableSizes(db: Database): Promise<Sizes> {
  return new Map((await db.many(readSizes, {})).map(({ name, bytes }) => [name, bytes]))
}

export type Growth = { stop(): void }

/**
 * Reads the table sizes regularly and calls `onGrown` when tables have grown. On Citus it has nothing to do: other
 * nodes have the rows, and each node plans every statement anew.
 */
export function watchGrowth(db: Database, onGrown: () => void, everyMs = EVERY_MS): Growth {
  let planned: Sizes | null = null
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  async function check() {
    const sizes = await readTableSizes(db)
    if (planned !== null && !haveGrown(planned, sizes)) {
      planned = smallerOf(planned, sizes)
      return
    }
    if (planned !== null) onGrown()
    planned = sizes
  }

  function schedule() {
    if (isStopped) return
    // Outages are reported elsewhere.
    timer = setTimeout(
      () =>
        void check()
          .catch(() => undefined)
          .finally(schedule),
      everyMs,
    )
    timer.unref()
  }
  void check()
    .catch(() => undefined)
    .finally(schedule)

  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
