// Counts orders in the background, in batches, with one transaction for each part of a shop. If the orders of one shop fail, the next run
// tries them again, and all others are counted.

import type { Db, Tx } from '../../db/db.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import type { DueOrder } from './store.ts'

/** Orders per batch. They are locked while they are counted. */
const BATCH_SIZE = 100

const BEFORE_ALL: DueOrder = { merchant_id: 0, is_sandbox: false, id: '' }

type Counting<Part> = {
  readonly name: string
  /** Finds due orders after this one, sorted by shop and mode. */
  readonly find: (db: Db, after: DueOrder, limit: number) => Promise<readonly DueOrder[]>
  /** Groups the orders that are counted together. */
  readonly partsOf: (due: readonly DueOrder[]) => Iterable<readonly [Part, readonly string[]]>
  /** Returns the number of orders that were counted. */
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
      const due = await find(db, after, BATCH_SIZE)
      for (const [part, ids] of partsOf(due))
        try {
          counted += await db.transaction((tx) => count(tx, part, ids))
        } catch (error) {
          failures.push(error)
        }
      const last = due.at(-1)
      if (last === undefined || due.length < BATCH_SIZE) break
      after = last
    }
    if (failures.length > 0) throw new AggregateError(failures, failure(failures.length))
    return counted
  },
})
