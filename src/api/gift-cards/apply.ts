// A code that a shopper enters at the checkout → its gift card, within the limits of guessing.

import type { Database } from '../../db/db.ts'
import type { Caller } from '../../http/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EnteredCode } from '../discounts/apply.ts'
import { codeSubjects } from '../discounts/code.ts'
import { type AppliedGiftCardRow, guessGiftCard } from './applied-store.ts'

/** One sentence for unknown, expired and spent: told apart, they would say which cards exist. */
export const REFUSED_GIFT_CARD = 'This gift card cannot be used: it does not exist, has expired or is spent.'

/** Null when the code is refused: answer with REFUSED_GIFT_CARD. Throws `tooManyRequests` after too many refusals. */
export const tryGiftCardCode = (
  db: Database,
  clock: Clock,
  caller: Pick<Caller, 'merchantId' | 'isSandbox'>,
  { code, enteredIn, clientNetworks }: EnteredCode,
): Promise<AppliedGiftCardRow | null> =>
  guessGiftCard(db, {
    merchantId: caller.merchantId,
    isSandbox: caller.isSandbox,
    code,
    now: clock.now(),
    subjects: codeSubjects(caller, enteredIn, clientNetworks),
  })
