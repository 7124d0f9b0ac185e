// The SQL of gift cards as records, and of those that can pay at a checkout. What moves their balances is in ledger-store.ts.

import { jsonText } from '../../db/columns.ts'
import { addToCount, keptCount } from '../../db/counts.ts'
import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import { BY_KEY, keyOf, listSql, type RowPage, type Shop, scopeValues } from '../../db/records.ts'
import type { Minor } from '../../lib/money.ts'
import type { Page } from '../../lib/page.ts'
import { type GuessAnswer, guarded } from '../../limits/store.ts'
import { heldCreditOf } from './ledger-store.ts'

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

/** What a merchant sets, beside what is on the card. */
export type GiftCardColumns = Pick<GiftCardRow, 'code' | 'note' | 'meta' | 'expires'>

const CARD = `card.id, card.code, card.initial_value, balance.balance, card.note, card.meta,
  unix_seconds(card.expires_at) as expires, unix_seconds(card.created_at) as created,
  unix_seconds(card.updated_at) as updated`

// Read together with the balance, so that both are of one moment.
const ROW = `${CARD}, ${heldCreditOf('card.id')} as held`

const COLUMNS = 'merchant_id, id, code, initial_value, note, meta, expires_at, created_at, updated_at'

// Each card has a balance in each mode.
const CARD_WITH_BALANCE = `gift_cards card
   join gift_card_balances balance
     on balance.merchant_id = :merchant_id and balance.gift_card_id = card.id and balance.is_sandbox = :is_sandbox`

const CARD_BY_KEY = 'card.merchant_id = :merchant_id and card.id = :id'

const find = statement<GiftCardRow>('gift_cards.find', `select ${ROW} from ${CARD_WITH_BALANCE} where ${CARD_BY_KEY}`)

export const findGiftCard = (db: Db, scope: Scope, id: string) => db.maybe(find, { ...scopeValues(scope), id })

const list = statement<RowPage<GiftCardRow>>(
  'gift_cards.list',
  listSql({
    row: ROW,
    from: CARD_WITH_BALANCE,
    total: keptCount('gift_cards'),
    where: 'card.merchant_id = :merchant_id',
    orderBy: 'card.id',
  }),
)

// By how it begins: what is no more than a dozen signs is read off a card, from its first one on. By the rules of "C" all that begins with a text lies
// between it and the same text with a sign behind it that no code has. An id has a line of its own: the two share no index.
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

/** `text`: an id, or how a code begins; empty: any. */
export const listGiftCards = (db: Db, scope: Scope, text: string, page: Page) =>
  db.one(text === '' ? list : listByText, { ...scopeValues(scope), text, ...page })

const part = statement<GiftCardRow>(
  'gift_cards.export',
  `select ${ROW}
   from ${CARD_WITH_BALANCE}
   where card.merchant_id = :merchant_id and card.id > :after
   order by card.id
   limit :limit`,
)

const partByText = statement<GiftCardRow>(
  'gift_cards.export_text',
  `with matching as materialized (${MATCHING})
   select found.*
   from (select id from matching where id > :after order by id limit :limit) page
   ${CARD_OF_MATCH}
   order by found.id`,
)

/** Those behind this id, oldest first: a part of all that the list would show. */
export const listGiftCardsAfter = (db: Db, scope: Scope, text: string, after: string, limit: number) =>
  db.many(text === '' ? part : partByText, { ...scopeValues(scope), text, after, limit })

// One statement, so that there is no card without its balances and no balance without the entry that explains it.
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

export type Issue = {
  readonly value: Minor
  /** True or false: only the sandbox, or live, begins with its value. Null: both do. */
  readonly onlyIn: boolean | null
  /** What it is issued for, such as an order; null when the merchant did it. */
  readonly subjectId: string | null
}

/** Null when the code is taken. It waits for a card that is being created with the same one. */
export async function insertGiftCard(
  tx: Tx,
  scope: Scope,
  id: string,
  card: GiftCardColumns,
  { value, onlyIn, subjectId }: Issue,
  now: Date,
) {
  const issue = { initial_value: value, only_in: onlyIn, subject_id: subjectId }
  const row = await tx.maybe(insert, { ...scopeValues(scope), id, ...valuesOf(card), ...issue, now })
  if (row !== null) addToCount(tx, scope, 'gift_cards', 1)
  return row
}

// The balance is locked too: what an update sets it to, and what a deletion takes away, is reckoned from what is there.
const lock = statement<Omit<GiftCardRow, 'held'>>(
  'gift_cards.lock',
  `select ${CARD} from ${CARD_WITH_BALANCE} where ${CARD_BY_KEY} for update`,
)

/**
 * Until the transaction ends no capture takes from the card nor gives back to it. What is held must be read by a later statement: this
 * one may have waited, and would see the captures as they were before.
 */
export const lockGiftCard = (tx: Tx, scope: Scope, id: string) => tx.maybe(lock, { ...scopeValues(scope), id })

const lockUsability = statement<{ is_usable: boolean }>(
  'gift_cards.lock_usability',
  `select (expires_at is null or expires_at > :now) as is_usable from gift_cards where ${BY_KEY} for share`,
)

/** Whether it pays at this moment, whatever is left on it; null when it has been deleted. It stays so until the transaction ends. */
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
  tx.one(update, { ...scopeValues(scope), id, ...valuesOf(card), now })

const remove = statement('gift_cards.delete', `delete from gift_cards where ${BY_KEY}`)

export async function deleteGiftCardRow(tx: Tx, shop: Shop, id: string) {
  const deleted = await tx.run(remove, keyOf(shop, id))
  if (deleted > 0) addToCount(tx, shop, 'gift_cards', -deleted)
}

const valuesOf = (card: GiftCardColumns) => ({ ...card, meta: jsonText(card.meta) })

/** A card that can pay, with what is left on it in the mode that was asked for. */
export type AppliedGiftCardRow = { id: string; code: string; balance: Minor }

/**
 * SQL of the values that a card is looked for by: parameters such as `:now`, or columns of the statement around it. `returned`: credit
 * that is about to be given back to it.
 */
type UsableSql = {
  readonly merchantId: string
  readonly isSandbox: string
  readonly now: string
  readonly returned?: string
}

const balanceWith = ({ returned }: UsableSql) => `balance.balance${returned === undefined ? '' : ` + ${returned}`}`

// One text for both ways: a card that is found by its code and not by its id would pay in one step and not in the next.
const usableCard = (usable: UsableSql) =>
  `gift_cards card
   join gift_card_balances balance
     on balance.merchant_id = :merchant_id and balance.gift_card_id = card.id
       and balance.is_sandbox = ${usable.isSandbox}
   where card.merchant_id = ${usable.merchantId}
     and ${balanceWith(usable)} > 0
     and (card.expires_at is null or card.expires_at > ${usable.now})`

/**
 * An `AppliedGiftCardRow` as JSON: the card of this id, or null when it is spent, expired, deleted or another merchant's. One value,
 * to stand among the columns of a larger select.
 */
export const appliedGiftCardJson = (usable: UsableSql & { readonly giftCardId: string }) =>
  `(select json_build_object('id', card.id, 'code', card.code, 'balance', ${balanceWith(usable)})
    from ${usableCard(usable)}
      and card.id = ${usable.giftCardId})`

// Lower case by the rules of "C", as in the index.
const USABLE_BY_CODE = `select card.id, card.code, balance.balance
   from ${usableCard({ merchantId: ':merchant_id', isSandbox: ':is_sandbox', now: ':now' })}
     and lower(card.code) = lower(:code::text collate "C")`

/** By its code in any case, within the limits of guessing: for `tryCode`. */
export const guessUsableGiftCard = statement<GuessAnswer<AppliedGiftCardRow>>(
  'gift_cards.guess_usable',
  guarded(USABLE_BY_CODE),
)
