// SQL that changes the balances of gift cards, and reads their history. Balances change only here, always together with the entry that
// gives the reason. A new card gets its first entry with its insert, in store.ts.

import { type Db, type Scope, type Shop, statement, type Tx } from '../../db/db.ts'
import type { RowPage } from '../../db/records.ts'
import type { Minor } from '../../lib/money.ts'
import type { PageQuery } from '../../lib/page.ts'

export type BalanceChange = {
  readonly giftCardId: string
  /** Negative to take from the card. Never zero. */
  readonly amount: Minor
  readonly reason: 'adjusted' | 'reserved' | 'returned'
  /** Id of the reason, such as the payment attempt. Null if the merchant changed the balance. */
  readonly subjectId: string | null
  /** The checkout token of the payment attempt, by which the order is found. */
  readonly checkoutId?: string
}

// The update itself contains the condition, so that each of several concurrent payments sees the balance left by the previous one.
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

/** Returns the new balance. Returns null and changes nothing if the balance is too low or the card was deleted. */
export async function moveGiftCardBalance(
  tx: Tx,
  scope: Scope,
  { giftCardId, amount, reason, subjectId, checkoutId }: BalanceChange,
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
  return (await tx.maybe(move, { ...scope, ...values }))?.balance ?? null
}

// `returning` gives the current balances, after payments that this statement waited for.
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

/** Clears the balances of both modes, so that the ledger of a deleted card adds up to zero. */
export const closeGiftCardBalances = (tx: Tx, shop: Shop, giftCardId: string, now: Date) =>
  tx.run(close, { ...shop, gift_card_id: giftCardId, now })

/**
 * SQL for the credit that pending captures hold of a card. It is deducted from the balance, and returned if they fail. `giftCardId` is SQL;
 * `:merchant_id` and `:is_sandbox` select the captures.
 */
export const heldCreditSql = (giftCardId: string) => `(
    select coalesce(sum(attempt.gift_card_credit), 0)::bigint
    from capture_attempts attempt
    where attempt.merchant_id = :merchant_id and attempt.gift_card_id = ${giftCardId} and attempt.is_sandbox = :is_sandbox
      and attempt.state in ('charging', 'waiting')
  )`

const findHeld = statement<{ held: Minor }>('gift_cards.find_held', `select ${heldCreditSql(':gift_card_id')} as held`)

export const findHeldCredit = async (tx: Tx, scope: Scope, giftCardId: string): Promise<Minor> =>
  (await tx.one(findHeld, { ...scope, gift_card_id: giftCardId })).held

export type GiftCardEntryRow = {
  amount: Minor
  /** Balance after the entry. */
  balance: Minor
  reason: 'issued' | BalanceChange['reason']
  /** The order that the entry paid for, or that returned the credit. Null if there is none, or it was deleted. */
  order: { id: string; customer_reference: string } | null
  created: number
}

// Entries are numbered under the lock of the balance. The balance after an entry is the current balance without all later entries. Orders
// are found by id if they returned credit, and by token and attempt if they were paid.
const list = statement<RowPage<GiftCardEntryRow>>(
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

/** Entries in the requested mode, newest first. */
export const listEntries = (db: Db, scope: Scope, giftCardId: string, page: PageQuery) =>
  db.one(list, { ...scope, gift_card_id: giftCardId, ...page })
