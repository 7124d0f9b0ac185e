// SQL of gift cards: the records, and the cards usable at a checkout. ledger-store.ts changes their balances.

import { toJsonColumn } from '../../db/columns.ts'
import { addToCount, storedCountSql } from '../../db/counts.ts'
import { type Db, type Scope, type Shop, statement, type Tx } from '../../db/db.ts'
import { deleteRecord } from '../../db/record-store.ts'
import { BY_KEY, keyOf, listSql, type RowPage } from '../../db/records.ts'
import type { Minor } from '../../lib/money.ts'
import type { PageQuery } from '../../lib/page.ts'
import { type GuardedRow, guardedLookupSql } from '../../limits/store.ts'
import { heldCreditSql } from './ledger-store.ts'

export type GiftCardRow = {
  id: string
  code: string
  initial_value: Minor
  /** Balance in the requested mode. */
  balance: Minor
  /** Credit that pending captures hold, in the same mode. It is spent if they become orders, and returned if they fail. */
  held: Minor
  note: string | null
  meta: Record<string, unknown> | null
  expires: number | null
  created: number
  updated: number
}

/** Columns that a merchant sets, apart from the balance. */
export type GiftCardColumns = Pick<GiftCardRow, 'code' | 'note' | 'meta' | 'expires'>

const CARD = `card.id, card.code, card.initial_value, balance.balance, card.note, card.meta,
  unix_seconds(card.expires_at) as expires, unix_seconds(card.created_at) as created,
  unix_seconds(card.updated_at) as updated`

// Read in the same statement as the balance, so that both are consistent.
const ROW = `${CARD}, ${heldCreditSql('card.id')} as held`

const COLUMNS = 'merchant_id, id, code, initial_value, note, meta, expires_at, created_at, updated_at'

// Each card has one balance per mode.
const CARD_WITH_BALANCE = `gift_cards card
   join gift_card_balances balance
     on balance.merchant_id = :merchant_id and balance.gift_card_id = card.id and balance.is_sandbox = :is_sandbox`

const CARD_BY_KEY = 'card.merchant_id = :merchant_id and card.id = :id'

const find = statement<GiftCardRow>('gift_cards.find', `select ${ROW} from ${CARD_WITH_BALANCE} where ${CARD_BY_KEY}`)

export const findGiftCard = (db: Db, scope: Scope, id: string) => db.maybe(find, { ...scope, id })

const list = statement<RowPage<GiftCardRow>>(
  'gift_cards.list',
  listSql({
    row: ROW,
    from: CARD_WITH_BALANCE,
    total: storedCountSql('gift_cards'),
    where: 'card.merchant_id = :merchant_id',
    orderBy: 'card.id',
  }),
)

// A text of up to a dozen characters is the start of a code, read off the card. With the collation "C", codes that start with a text lie
// between it and the text plus chr(127). The id has its own select, because it uses another index.
const MATCHING = `select id from gift_cards where merchant_id = :merchant_id and id = :text
       union
       select id from gift_cards
       where merchant_id = :merchant_id and lower(code) >= lower(:text collate "C") and lower(code) < lower(:text collate "C") || chr(127)`

const CARD_OF_MATCH = `cross join lateral (
         select ${ROW} from ${CARD_WITH_BALANCE} where card.merchant_id = :merchant_id and card.id = page.id offset 0
       ) found`

const listByText = statement<RowPage<GiftCardRow>>(
  'gift_cards.list_text',
  `with matching as materialized (${MATCHING})
   select
     (select count(*) from matching) as total,
     coalesce((
       select json_agg(found order by found.id)
       from (select id from matching order by id limit :limit offset :offset) page
       ${CARD_OF_MATCH}
     ), '[]') as rows`,
)

/** `text` is an id or the start of a code; empty for any. */
export const listGiftCards = (db: Db, scope: Scope, text: string, page: PageQuery) =>
  db.one(text === '' ? list : listByText, { ...scope, text, ...page })

const selectPart = statement<GiftCardRow>(
  'gift_cards.export',
  `select ${ROW}
   from ${CARD_WITH_BALANCE}
   where card.merchant_id = :merchant_id and card.id > :after
   order by card.id
   limit :limit`,
)

const selectPartByText = statement<GiftCardRow>(
  'gift_cards.export_text',
  `with matching as materialized (${MATCHING})
   select found.*
   from (select id from matching where id > :after order by id limit :limit) page
   ${CARD_OF_MATCH}
   order by found.id`,
)

/** The next part of the cards in the list after this id, oldest first. */
export const listGiftCardsAfter = (db: Db, scope: Scope, text: string, after: string, limit: number) =>
  db.many(text === '' ? selectPart : selectPartByText, { ...scope, text, after, limit })

// One statement, so that every card has its balances, and every balance the entry that explains it.
const insert = statement<GiftCardRow>(
  'gift_cards.insert',
  `with card as (
     insert into gift_cards (${COLUMNS})
     values (
       :merchant_id, :id, :code, :initial_value, :note, :meta, to_timestamp(:expires::double precision), :now, :now
     )
     on conflict (merchant_id, lower(code)) do nothing
     returning ${COLUMNS}
   ),
   balance as (
     insert into gift_card_balances (merchant_id, gift_card_id, is_sandbox, balance)
     select :merchant_id::integer, card.id, mode.is_sandbox,
       case when :only_in::boolean is null or mode.is_sandbox = :only_in then card.initial_value else 0 end
     from card
     cross join (values (true), (false)) mode (is_sandbox)
     returning merchant_id, gift_card_id, is_sandbox, balance
   ),
   entry as (
     insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, subject_id, created_at)
     select :merchant_id::integer, gift_card_id, is_sandbox, balance, 'issued', :subject_id::text, :now from balance
     where balance > 0
   )
   select ${CARD}, 0 as held
   from card
   join balance
     on balance.merchant_id = :merchant_id and balance.gift_card_id = card.id and balance.is_sandbox = :is_sandbox`,
)

export type GiftCardIssue = {
  readonly value: Minor
  /** True or false: only the sandbox, or only live mode, gets the value. Null: both do. */
  readonly onlyIn: boolean | null
  /** Id of the reason, such as an order. Null if the merchant issued the card. */
  readonly subjectId: string | null
}

/** Null if the code is taken. Waits for a concurrent insert with the same code. */
export async function insertGiftCard(
  tx: Tx,
  scope: Scope,
  id: string,
  card: GiftCardColumns,
  { value, onlyIn, subjectId }: GiftCardIssue,
  now: Date,
) {
  const issue = { initial_value: value, only_in: onlyIn, subject_id: subjectId }
  const row = await tx.maybe(insert, { ...scope, id, ...valuesOf(card), ...issue, now })
  if (row !== null) addToCount(tx, scope, 'gift_cards', 1)
  return row
}

// Locks the balance, too, because updates and deletions calculate with it.
const lock = statement<Omit<GiftCardRow, 'held'>>(
  'gift_cards.lock',
  `select ${CARD} from ${CARD_WITH_BALANCE} where ${CARD_BY_KEY} for update`,
)

/**
 * Blocks captures from changing the card's balance until the transaction ends. Read the held credit by a later statement: this one may have
 * waited, and would see outdated captures.
 */
export const lockGiftCard = (tx: Tx, scope: Scope, id: string) => tx.maybe(lock, { ...scope, id })

const lockUsability = statement<{ is_usable: boolean }>(
  'gift_cards.lock_usability',
  `select (expires_at is null or expires_at > :now) as is_usable from gift_cards where ${BY_KEY} for share`,
)

/** True if the card is not expired, whatever its balance. Null if it was deleted. Stays true until the transaction ends. */
export const lockGiftCardUsability = async (tx: Tx, shop: Shop, id: string, now: Date): Promise<boolean | null> =>
  (await tx.maybe(lockUsability, { ...keyOf(shop, id), now }))?.is_usable ?? null

const update = statement<GiftCardRow>(
  'gift_cards.update',
  `with card as (
     update gift_cards
     set code = :code, note = :note, meta = :meta, expires_at = to_timestamp(:expires::double precision),
       updated_at = :now
     where ${BY_KEY}
     returning ${COLUMNS}
   )
   select ${ROW}
   from card
   join gift_card_balances balance
     on balance.merchant_id = :merchant_id and balance.gift_card_id = card.id and balance.is_sandbox = :is_sandbox`,
)

export const updateGiftCardRow = (tx: Tx, scope: Scope, id: string, card: GiftCardColumns, now: Date) =>
  tx.one(update, { ...scope, id, ...valuesOf(card), now })

export const deleteGiftCardRow = deleteRecord('gift_cards.delete', 'gift_cards')

const valuesOf = (card: GiftCardColumns) => ({ ...card, meta: toJsonColumn(card.meta) })

/** A usable card with its balance in the requested mode. */
export type AppliedGiftCardRow = { id: string; code: string; balance: Minor }

/**
 * SQL of the values to search a card by: parameters such as `:now`, or columns of the outer statement. `returned` is credit about to be
 * returned to the card.
 */
type UsableSql = {
  readonly merchant_id: string
  readonly is_sandbox: string
  readonly now: string
  readonly returned?: string
}

const balanceWith = ({ returned }: UsableSql) => `balance.balance${returned === undefined ? '' : ` + ${returned}`}`

// Shared by both lookups. If the lookups by code and by id differed, a card could be accepted in one step and refused in the next.
const usableCard = (usable: UsableSql) =>
  `gift_cards card
   join gift_card_balances balance
     on balance.merchant_id = :merchant_id and balance.gift_card_id = card.id
       and balance.is_sandbox = ${usable.is_sandbox}
   where card.merchant_id = ${usable.merchant_id}
     and ${balanceWith(usable)} > 0
     and (card.expires_at is null or card.expires_at > ${usable.now})`

/**
 * An `AppliedGiftCardRow` as JSON, for the card with this id. Null if it is spent, expired, deleted or another merchant's. One value, for
 * use as a column of a larger select.
 */
export const appliedGiftCardJson = (usable: UsableSql & { readonly giftCardId: string }) =>
  `(select json_build_object('id', card.id, 'code', card.code, 'balance', ${balanceWith(usable)})
    from ${usableCard(usable)}
      and card.id = ${usable.giftCardId})`

// Lower case with the collation "C", as in the index.
const USABLE_BY_CODE = `select card.id, card.code, balance.balance
   from ${usableCard({ merchant_id: ':merchant_id', is_sandbox: ':is_sandbox', now: ':now' })}
     and lower(card.code) = lower(:code::text collate "C")`

/** Finds a usable card by its code, in any case, within the limits on guessing. For `tryCode`. */
export const guessUsableGiftCard = statement<GuardedRow<AppliedGiftCardRow>>(
  'gift_cards.guess_usable',
  guardedLookupSql(USABLE_BY_CODE),
)
