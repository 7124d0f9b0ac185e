// The SQL by which a checkout finds gift cards that can pay: by the code that a shopper enters, and by the id that a token keeps.

import { type Guarded, type Guess, guarded, guess } from '../../db/attempts.ts'
import { type Database, statement } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'

/** A card that can pay, with what is left on it in the mode that was asked for. */
export type AppliedGiftCardRow = { id: string; code: string; balance: Minor }

/**
 * SQL of the values that a card is looked for by: parameters such as `$1`, or columns of the statement around it. `returned`: credit that
 * is about to be given back to it.
 */
type Looked = {
  readonly merchantId: string
  readonly isSandbox: string
  readonly now: string
  readonly returned?: string
}

const balanceWith = ({ returned }: Looked) => `balance.balance${returned === undefined ? '' : ` + ${returned}`}`

// One text for both ways: a card that is found by its code and not by its id would pay in one step and not in the next.
const usableCard = (looked: Looked) =>
  `gift_cards card
   join gift_card_balances balance
     on balance.merchant_id = card.merchant_id and balance.gift_card_id = card.id
       and balance.is_sandbox = ${looked.isSandbox}
   where card.merchant_id = ${looked.merchantId}
     and ${balanceWith(looked)} > 0
     and (card.expires_at is null or card.expires_at > ${looked.now})`

/**
 * An `AppliedGiftCardRow` as JSON: the card of this id, or null when it is spent, expired, deleted or another merchant's. One value,
 * to stand among the columns of a larger select.
 */
export const appliedGiftCardJson = (looked: Looked & { readonly giftCardId: string }) =>
  `(select json_build_object('id', card.id, 'code', card.code, 'balance', ${balanceWith(looked)})
    from ${usableCard(looked)}
      and card.id = ${looked.giftCardId})`

// Lower case by the rules of "C", as in the index.
const usableByCode = (code: string, isSandbox: string) =>
  `select card.id, card.code, balance.balance
   from ${usableCard({ merchantId: '$1', isSandbox, now: '$3' })}
     and lower(card.code) = lower(${code}::text collate "C")`

type Wanted = { readonly merchantId: number; readonly isSandbox: boolean; readonly code: string; readonly now: Date }

const guessUsable = statement<Guarded<AppliedGiftCardRow>>('gift_cards.guess_usable', guarded(usableByCode('$5', '$6')))

/**
 * By its code in any case. What a shopper enters may be a guess: a failure counts against the subjects, and too many are a
 * `tooManyRequests`.
 */
export const guessGiftCard = (
  db: Database,
  { merchantId, isSandbox, code, now, subjects }: Wanted & Pick<Guess, 'subjects'>,
): Promise<AppliedGiftCardRow | null> => guess(db, guessUsable, { merchantId, subjects, now }, [code.trim(), isSandbox])
