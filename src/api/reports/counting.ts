// How orders are counted after the fact: some at a time, each part of a shop in a transaction of its own. What one shop's orders make fail is tried
// again by the next run, and keeps nobody else's from being counted.

import type { Db, Tx } from '../../db/db.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import type { DueOrder } from './store.ts'

/** Orders at a time: so many are locked at once, for as long as it takes to count them. */
const AT_ONCE = 100

const BEFORE_ALL: DueOrder = { merchant_id: 0, is_sandbox: false, id: '' }

type Counting<Part> = {
  readonly name: string
  /** Those that come after this one, in the order of their shops and modes. */
  readonly find: (db: Db, after: DueOrder, limit: number) => Promise<readonly DueOrder[]>
  /** What is counted together. */
  readonly partsOf: (due: readonly DueOrder[]) => Iterable<readonly [Part, readonly string[]]>
  /** How many were counted. */
  readonly count: (tx: Tx, part: Part, ids: readonly string[]) => Promise<number>
  readonly failure: (parts: number) => string
}

export const countingSweep = <Part>({ name, find, partsOf, count, failure }: Counting<Part>): Sweep => ({
  name,
  everySeconds: 30,
  async run({ db, signal }) {
    const failures: unknown[] = []
    let counted = 0
    let after = BEFORE_ALL
    while (!signal.aborted) {
      const due = await find(db, after, AT_ONCE)
      for (const [part, ids] of partsOf(due))
        try {
          counted += await db.transaction((tx) => count(tx, part, ids))
        } catch (error) {
          failures.push(error)
        }
      const last = due.at(-1)
      if (last === undefined || due.length < AT_ONCE) break
      after = last
    }
    if (failures.length > 0) throw new AggregateError(failures, failure(failures.length))
    return counted
  },
})
