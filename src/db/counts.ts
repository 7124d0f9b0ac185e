// How many rows a list has, kept beside it, so that no list counts its rows to say its total. Whoever adds a row or takes one away says so
// in the same transaction.

import { type Scope, statement, type Tx } from './db.ts'
import type { Shop } from './records.ts'

/** The lists whose totals are kept. Of customers, orders and mails each mode has its own; the others are shared by both. */
type SharedList =
  | 'products'
  | 'active_products'
  | 'categories'
  | 'attributes'
  | 'assets'
  | 'shipping_zones'
  | 'tax_zones'
  | 'discounts'
  | 'gift_cards'
  | 'payment_methods'
export type ModeList = 'customers' | 'orders' | 'mails'

const SHARED = 'false'
const OF_MODE = ':is_sandbox'

/**
 * One count lies in several rows, and each connection writes to one of them: two orders of one shop that are made at the same moment do not
 * wait for each other. By the connection and not at random: a transaction that counts twice then stays with the row that it holds.
 */
const SLOTS = 8
/** SQL for the slot of this connection. */
export const SLOT = `(pg_backend_pid() % ${SLOTS})::smallint`

const ADDS =
  'on conflict (merchant_id, list, is_sandbox, slot) do update set total = kept_counts.total + excluded.total'

const sumOf = (list: string, isSandbox: string) => `(
    select coalesce(sum(kept.total), 0)::bigint
    from kept_counts kept
    where kept.merchant_id = :merchant_id and kept.list = '${list}' and kept.is_sandbox = ${isSandbox}
  )`

/** SQL for how many rows the list of the shop `:merchant_id` has. */
export const keptCount = (list: SharedList) => sumOf(list, SHARED)

/** The same, in the mode `:is_sandbox`. */
export const keptCountOfMode = (list: ModeList) => sumOf(list, OF_MODE)

/** `change`: 1 where each row of `from` has been added, -1 where each was taken away. */
type Change<List> = { readonly list: List; readonly change: 1 | -1; readonly from: string }

/**
 * SQL that changes counts of the shop `:merchant_id` in the mode `:is_sandbox`, as a part of a `with`; the part has no rows.
 * Write it where the rows are written last: whoever has changed a count should not wait for anything else. Several by one part, always in
 * the order of their names: two that change the same counts must not wait for each other.
 */
export const countedOfMode = (...changes: readonly Change<ModeList>[]) => countedAs(OF_MODE, changes)

/** The same for what sandbox and live share. */
export const counted = (...changes: readonly Change<SharedList>[]) => countedAs(SHARED, changes)

const countedAs = (isSandbox: string, changes: readonly Change<string>[]) => `counted as (
     insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
     select :merchant_id::integer, changed.list, ${isSandbox}::boolean, ${SLOT}, changed.total
     from (
       ${changes
         .toSorted((one, other) => (one.list < other.list ? -1 : 1))
         .map(({ list, change, from }) => `select '${list}' as list, count(*) * ${change} as total from ${from}`)
         .join('\n       union all\n       ')}
     ) changed
     where changed.total <> 0
     ${ADDS}
   )`

/** The same where rows of both modes were taken away at once: `from` tells of each in `is_sandbox`. */
export const uncountedOfModes = (list: ModeList, from: string) => `counted as (
     insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
     select :merchant_id::integer, '${list}', gone.is_sandbox, ${SLOT}, -count(*)
     from ${from} gone
     group by gone.is_sandbox
     order by gone.is_sandbox
     ${ADDS}
   )`

const add = statement(
  'counts.add',
  `insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
   values (:merchant_id, :list, :is_sandbox, ${SLOT}, :change)
   ${ADDS}`,
)

/** So many rows were added, or by a negative number taken away. Takes effect with the commit. */
export const addToCount = (tx: Tx, { merchantId }: Shop, list: SharedList, change: number): void =>
  tx.beforeCommit(add, { merchant_id: merchantId, list, is_sandbox: false, change })

export const addToCountOfMode = (tx: Tx, { merchantId, isSandbox }: Scope, list: ModeList, change: number): void =>
  tx.beforeCommit(add, { merchant_id: merchantId, list, is_sandbox: isSandbox, change })
