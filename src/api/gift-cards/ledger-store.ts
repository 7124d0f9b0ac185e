// The SQL that moves what is left on gift cards, and reads how it has moved. A balance changes here and nowhere else, together with the entry
// that says why; a card that is new gets its first entry as it is inserted (store.ts).

import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import { type RowPage, type Shop, scopeValues, shopValues } from '../../db/records.ts'
import type { Minor } from '../../lib/money.ts'
import type { Page } from '../../lib/page.ts'

export type Movement = {
  readonly giftCardId: string
  /** Negative when it takes from the card. Not zero. */
  readonly amount: Minor
  readonly reason: 'adjusted' | 'reserved' | 'returned'
  /** What it is for, such as the attempt to pay; null when the merchant did it. */
  readonly subjectId: string | null
  /** The token whose attempt to pay it is for: by it the order is found. */
  readonly checkoutId?: string
}

// The condition stands in the update itself: of twenty payments at once, each sees what the one before has left.
const move = statement<{ balance: Minor }>(
  'gift_cards.move_balance',
  `with moved as (
     update gift_card_balances
     set balance = balance + :amount
     where merchant_id = :merchant_id and gift_card_id = :gift_card_id and is_sandbox = :is_sandbox
       and balance + :amount >= 0
     returning gift_card_id, is_sandbox, balance
   ),
   entered as (
     insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, subject_id, checkout_id, created_at)
     select :merchant_id::integer, gift_card_id, is_sandbox, :amount, :reason::text, :subject_id::text, :checkout_id::text,
       :now::timestamptz
     from moved
   )
   select balance from moved`,
)

/** What is left after it. Null, and nothing is changed, when less than that is left or the card has been deleted. */
export async function moveGiftCardBalance(
  tx: Tx,
  scope: Scope,
  { giftCardId, amount, reason, subjectId, checkoutId }: Movement,
  now: Date,
): Promise<Minor | null> {
  const values = {
    gift_card_id: giftCardId,
    amount,
    reason,
    subject_id: subjectId,
    checkout_id: checkoutId ?? null,
    now,
  }
  return (await tx.maybe(move, { ...scopeValues(scope), ...values }))?.balance ?? null
}

// `returning` gives what is left at this moment, after any payment that was waited for.
const close = statement(
  'gift_cards.close_balances',
  `with closed as (
     delete from gift_card_balances
     where merchant_id = :merchant_id and gift_card_id = :gift_card_id
     returning is_sandbox, balance
   ),
   entries as (
     insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, created_at)
     select :merchant_id, :gift_card_id, is_sandbox, -balance, 'deleted', :now from closed where balance > 0
   )
   select 1 from closed`,
)

/** Takes what is left in both modes, so that the ledger of a card that is gone adds up to nothing. */
export const closeGiftCardBalances = (tx: Tx, shop: Shop, giftCardId: string, now: Date) =>
  tx.run(close, { ...shopValues(shop), gift_card_id: giftCardId, now })

/**
 * SQL for the credit that captures under way hold of the card whose id the SQL `giftCardId` is: it has left the balance, and comes back
 * if they fail. `:merchant_id` and `:is_sandbox` say whose.
 */
export const heldCreditOf = (giftCardId: string) => `(
    select coalesce(sum(attempt.gift_card_credit), 0)::bigint
    from capture_attempts attempt
    where attempt.merchant_id = :merchant_id and attempt.gift_card_id = ${giftCardId} and attempt.is_sandbox = :is_sandbox
      and attempt.state in ('charging', 'waiting')
  )`

const findHeld = statement<{ held: Minor }>('gift_cards.find_held', `select ${heldCreditOf(':gift_card_id')} as held`)

export const findHeldCredit = async (tx: Tx, scope: Scope, giftCardId: string): Promise<Minor> =>
  (await tx.one(findHeld, { ...scopeValues(scope), gift_card_id: giftCardId })).held

export type EntryRow = {
  amount: Minor
  /** What was left after it. */
  balance: Minor
  reason: 'issued' | Movement['reason']
  /** What it paid for, or what gave it back; null where there is none, or none any more. */
  order: { id: string; customer_reference: string } | null
  created: number
}

// Entries are numbered under the lock of the balance: by their numbers, what was left after each is what is left now without all that came later.
// An order is known by its id where it gave credit back, and by its token and attempt where it was paid.
const list = statement<RowPage<EntryRow>>(
  'gift_cards.list_entries',
  `select
     (
       select count(*)
       from gift_card_entries entry
       where entry.merchant_id = :merchant_id and entry.gift_card_id = :gift_card_id and entry.is_sandbox = :is_sandbox
     ) as total,
     coalesce((
       select json_agg(json_build_object(
         'amount', page.amount, 'balance', page.balance, 'reason', page.reason, 'order', page.made, 'created', page.created
       ) order by page.id desc)
       from (
         select later.id, later.amount, later.balance, later.reason, unix_seconds(later.created_at) as created,
           coalesce(
             (
               select json_build_object('id', given.id, 'customer_reference', given.customer_reference)
               from orders given
               where given.merchant_id = :merchant_id and given.id = later.subject_id
             ),
             (
               select json_build_object('id', paid.id, 'customer_reference', paid.customer_reference)
               from orders paid
               where paid.merchant_id = :merchant_id and paid.checkout_id = later.checkout_id
                 and paid.attempt_id = later.subject_id
             )
           ) as made
         from (
           select entry.id, entry.amount, entry.reason, entry.subject_id, entry.checkout_id, entry.created_at,
             balance.balance - sum(entry.amount) over (order by entry.id desc) + entry.amount as balance
           from gift_card_balances balance
           cross join lateral (
             select ledger.id, ledger.amount, ledger.reason, ledger.subject_id, ledger.checkout_id, ledger.created_at
             from gift_card_entries ledger
             where ledger.merchant_id = :merchant_id and ledger.gift_card_id = :gift_card_id
               and ledger.is_sandbox = :is_sandbox
             order by ledger.id desc
             limit :limit::bigint + :offset::bigint
           ) entry
           where balance.merchant_id = :merchant_id and balance.gift_card_id = :gift_card_id
             and balance.is_sandbox = :is_sandbox
           order by entry.id desc
           limit :limit::bigint offset :offset::bigint
         ) later
       ) page
     ), '[]') as rows`,
)

/** Newest first, in the mode that was asked for. */
export const listEntries = (db: Db, scope: Scope, giftCardId: string, page: Page) =>
  db.one(list, { ...scopeValues(scope), gift_card_id: giftCardId, ...page })
