// What most rules are handed, and how they change one record. The context is a part of a request's, which the demo shop and tests can make
// without a request.

import type { Tx } from '../db/db.ts'
import type { Caller, Context } from '../http/endpoint/endpoint.ts'
import { notFound } from '../lib/errors.ts'

export type RuleContext = Pick<Context, 'db' | 'clock'> &
  Conditional & {
    readonly caller: Pick<Caller, 'merchantId' | 'isSandbox' | 'currency' | 'account'>
  }

/** What a rule asks that changes something by a PUT; jobs and the demo shop change things under no condition. */
export type Conditional = Partial<Pick<Context, 'refuseIfChanged'>>

/**
 * Runs `work` on one record, in a transaction. `take` locks it, because rules look at fields that a second request might be changing, or
 * deletes it; null is a 404 of `noun`. The moment is one after any wait for the lock.
 */
export const withRecord = <Row, T>(
  { db, clock, caller, refuseIfChanged }: RuleContext,
  noun: string,
  take: (tx: Tx, caller: RuleContext['caller'], id: string) => Promise<Row | null>,
  id: string,
  work: (tx: Tx, row: Row, now: Date) => Promise<T>,
): Promise<T> =>
  db.transaction(async (tx) => {
    const row = await take(tx, caller, id)
    if (row === null) throw notFound(noun)
    await refuseIfChanged?.(tx)
    return work(tx, row, clock.now())
  })
