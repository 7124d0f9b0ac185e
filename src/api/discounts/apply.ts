// A code that a shopper enters in a cart or at the checkout → its discount, within the limits of guessing.

import type { Database } from '../../db/db.ts'
import type { Caller } from '../../http/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { type AppliedDiscountRow, guessDiscount } from './applied-store.ts'
import { codeSubjects } from './code.ts'

/** One sentence for unknown, expired and used up: told apart, they would say which codes exist. */
export const REFUSED_CODE = 'This code cannot be used: it does not exist, has expired or is used up.'

export type EnteredCode = {
  readonly code: string
  /** The id of the cart or checkout token that the code is entered in, whether it exists or not. */
  readonly enteredIn: string
  /** As `Context.clientNetworks`. */
  readonly clientNetworks: readonly string[]
}

/** Null when the code is refused: answer with REFUSED_CODE. Throws `tooManyRequests` after too many refusals. */
export const tryDiscountCode = (
  db: Database,
  clock: Clock,
  caller: Pick<Caller, 'merchantId' | 'isSandbox'>,
  { code, enteredIn, clientNetworks }: EnteredCode,
): Promise<AppliedDiscountRow | null> =>
  guessDiscount(db, {
    merchantId: caller.merchantId,
    isSandbox: caller.isSandbox,
    code,
    now: clock.now(),
    subjects: codeSubjects(caller, enteredIn, clientNetworks),
  })
