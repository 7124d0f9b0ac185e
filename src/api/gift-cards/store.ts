// The SQL of gift cards as records. What moves their balances is in ledger-store.ts, what a checkout asks in applied-store.ts.

import { type Database, type Db, statement, type Tx } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'
import type { Page } from '../../lib/page.ts'
import { type Guarded, type Guess, guarded, guess } from '../../limits/guesses.ts'

// The SQL of what captures under way hold of a gift card: its credit has left the balance, and comes back if they fail.

/** SQL for the credit that is held of the card whose id the SQL `giftCardId` is. $1 is the merchant, $2 whether it is the sandbox. */
export const heldCreditOf = (giftCardId: string) => `(
    select coalesce(sum(attempt.gift_card_credit), 0)::bigint
    from capture_attempts attempt
    where attempt.merchant_id = $1 and attempt.gift_card_id = ${giftCardId} and attempt.is_sandbox = $2
      and attempt.state in ('charging', 'waiting')
  )`

const findHeld = statement<{ held: Minor }>('gift_cards.find_held', `select ${heldCreditOf('$3')} as held`)

export const findHeldCredit = async (
  tx: Tx,
  { merchantId, isSandbox }: { readonly merchantId: number; readonly isSandbox: boolean },
  giftCardId: string,
): Promise<Minor> => (await tx.one(findHeld, [merchantId, isSandbox, giftCardId])).held

export type GiftCardRow = {
  id: string
  code: string
  initial_value: Minor
  /** Of the mode that was asked for. */
  balance: Minor
  /** What captures under way have taken from it, in the same mode: sold once they are orders, given back where they fail. */
  held: Minor
  note: string | null
  meta: Record<string, unknown> | null
  expires: number | null
  created: number
  updated: number
}

export type GiftCardColumns = Pick<GiftCardRow, 'code' | 'note' | 'meta' | 'expires'>

/** Whose cards, and the balance of which mode. */
export type Sight = { readonly merchantId: number; readonly isSandbox: boolean }

const CARD = `card.id, card.code, card.initial_value, balance.balance, card.note, card.meta,
  unix_seconds(card.expires_at) as expires, unix_seconds(card.created_at) as created,
  unix_seconds(card.updated_at) as updated`

// Read together with the balance, so that both are of one moment.
const ROW = `${CARD}, ${heldCreditOf('card.id')} as held`

const COLUMNS = 'merchant_id, id, code, initial_value, note, meta, expires_at, created_at, updated_at'

const BALANCE = `gift_card_balances balance
  on balance.merchant_id = card.merchant_id and balance.gift_card_id = card.id and balance.is_sandbox = $2`

const find = statement<GiftCardRow>(
  'gift_cards.find',
  `select ${ROW}
   from gift_cards card
   join ${BALANCE}
   where card.merchant_id = $1 and card.id = $3`,
)

export const findGiftCard = (db: Db, { merchantId, isSandbox }: Sight, id: string) =>
  db.maybe(find, [merchantId, isSandbox, id])

const list = statement<{ total: number; rows: GiftCardRow[] }>(
  'gift_cards.list',
  `select
     (select count(*) from gift_cards where merchant_id = $1) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${ROW}
         from gift_cards card
         join ${BALANCE}
         where card.merchant_id = $1
         order by card.id
         limit $3 offset $4
       ) page
     ), '[]') as rows`,
)

/** One page, oldest first, and the count of all, in one round trip. */
export const listGiftCards = (db: Db, { merchantId, isSandbox }: Sight, { limit, offset }: Page) =>
  db.one(list, [merchantId, isSandbox, limit, offset])

// One statement, so that there is no card without its balances and no balance without the entry that explains it.
const insert = statement<GiftCardRow>(
  'gift_cards.insert',
  `with card as (
     insert into gift_cards (
       merchant_id, id, initial_value, code, note, meta, expires_at, created_at, updated_at
     )
     values ($1, $3, $4, $5, $6, $7, to_timestamp($8::double precision), $9, $9)
     on conflict (merchant_id, lower(code)) do nothing
     returning ${COLUMNS}
   ),
   balance as (
     insert into gift_card_balances (merchant_id, gift_card_id, is_sandbox, balance)
     select card.merchant_id, card.id, mode.is_sandbox,
       case when $10::boolean is null or mode.is_sandbox = $10 then card.initial_value else 0 end
     from card
     cross join (values (true), (false)) mode (is_sandbox)
     returning merchant_id, gift_card_id, is_sandbox, balance
   ),
   entry as (
     insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, subject_id, created_at)
     select merchant_id, gift_card_id, is_sandbox, balance, 'issued', $11::text, $9 from balance where balance > 0
   )
   select ${CARD}, 0 as held
   from card
   join balance
     on balance.merchant_id = card.merchant_id and balance.gift_card_id = card.id and balance.is_sandbox = $2`,
)

export type Issue = {
  /** True or false: only the sandbox, or live, begins with its value. Null: both do. */
  readonly onlyIn: boolean | null
  /** What it is issued for, such as an order; null when the merchant did it. */
  readonly subjectId: string | null
}

/** Null when the code is taken. It waits for a card that is being created with the same one. */
export const insertGiftCard = (
  tx: Tx,
  { merchantId, isSandbox }: Sight,
  id: string,
  initialValue: Minor,
  columns: GiftCardColumns,
  { onlyIn, subjectId }: Issue,
  now: Date,
) => tx.maybe(insert, [merchantId, isSandbox, id, initialValue, ...values(columns), now, onlyIn, subjectId])

// The balance is locked too: what an update sets it to, and what a deletion takes away, is reckoned from what is there.
const lock = statement<Omit<GiftCardRow, 'held'>>(
  'gift_cards.lock',
  `select ${CARD}
   from gift_cards card
   join ${BALANCE}
   where card.merchant_id = $1 and card.id = $3
   for update`,
)

/**
 * Until the transaction ends no capture takes from the card nor gives back to it. What is held must be read by a later statement: this
 * one may have waited, and would see the captures as they were before.
 */
export const lockGiftCard = (tx: Tx, { merchantId, isSandbox }: Sight, id: string) =>
  tx.maybe(lock, [merchantId, isSandbox, id])

const lockUsability = statement<{ is_usable: boolean }>(
  'gift_cards.lock_usability',
  `select (card.expires_at is null or card.expires_at > $3) as is_usable
   from gift_cards card
   where card.merchant_id = $1 and card.id = $2
   for share`,
)

/** Whether it pays at this moment, whatever is left on it; null when it has been deleted. It stays so until the transaction ends. */
export const lockGiftCardUsability = async (
  tx: Tx,
  merchantId: number,
  id: string,
  now: Date,
): Promise<boolean | null> => (await tx.maybe(lockUsability, [merchantId, id, now]))?.is_usable ?? null

const update = statement<GiftCardRow>(
  'gift_cards.update',
  `with card as (
     update gift_cards
     set code = $4, note = $5, meta = $6, expires_at = to_timestamp($7::double precision), updated_at = $8
     where merchant_id = $1 and id = $3
     returning ${COLUMNS}
   )
   select ${ROW}
   from card
   join ${BALANCE}`,
)

export const updateGiftCardRow = (
  tx: Tx,
  { merchantId, isSandbox }: Sight,
  id: string,
  columns: GiftCardColumns,
  now: Date,
) => tx.one(update, [merchantId, isSandbox, id, ...values(columns), now])

const remove = statement('gift_cards.delete', 'delete from gift_cards where merchant_id = $1 and id = $2')

export const deleteGiftCardRow = (tx: Tx, { merchantId }: Sight, id: string) => tx.run(remove, [merchantId, id])

const values = ({ code, note, meta, expires }: GiftCardColumns) => [
  code,
  note,
  meta === null ? null : JSON.stringify(meta),
  expires,
]

// The SQL by which a checkout finds gift cards that can pay: by the code that a shopper enters, and by the id that a token keeps.

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
