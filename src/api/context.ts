// The context of most rules, and a helper to change one record. The context is a part of a request's, so that the demo shop and tests can
// create one.

import type { Tx } from '../db/db.ts'
import type { Caller, Context } from '../http/endpoint/endpoint.ts'
import { notFound } from '../lib/errors.ts'

export type RuleContext = Pick<Context, 'db' | 'clock'> &
  Precondition & {
    readonly caller: Pick<Caller, 'merchant_id' | 'is_sandbox' | 'currency' | 'account'>
  }

/** The precondition of a PUT. Jobs and the demo shop change things without one. */
export type Precondition = Partial<Pick<Context, 'refuseIfChanged'>>

/**
 * Runs `work` on one record, in a transaction. `take` locks or deletes the record, because rules check fields that another request might be
 * changing. If it returns null, throws a 404 for `noun`. `work` gets the time after any wait for the lock.
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
