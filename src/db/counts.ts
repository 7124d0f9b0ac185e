// How many rows a list has, kept beside it, so that no list counts its rows to say its total. Whoever adds a row or takes one away says so
// in the same transaction.

import { type Scope, statement, type Tx } from './db.ts'
import type { Shop } from './records.ts'

/** The lists whose totals are kept. Of customers and orders each mode has its own; the others are shared by both. */
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
type ModeList = 'customers' | 'orders'

const SHARED = 'false'
const OF_MODE = ':is_sandbox'

/**
 * One count lies in several rows, and each connection writes to one of them: two orders of one shop that are made at the same moment do not
 * wait for each other. By the connection and not at random: a transaction that counts twice then stays with the row that it holds.
 */
const SLOTS = 8
const SLOT = `(pg_backend_pid() % ${SLOTS})::smallint`

const sumOf = (list: string, isSandbox: string) => `(
    select coalesce(sum(kept.total), 0)::bigint
    from kept_counts kept
    where kept.merchant_id = :merchant_id and kept.list = '${list}' and kept.is_sandbox = ${isSandbox}
  )`

/** SQL for how many rows the list of the shop `:merchant_id` has. */
export const keptCount = (list: SharedList) => sumOf(list, SHARED)

/** The same, in the mode `:is_sandbox`. */
export const keptCountOfMode = (list: ModeList) => sumOf(list, OF_MODE)

/**
 * SQL that changes the count of a list of the shop `:merchant_id` in the mode `:is_sandbox`, as a part of a `with`; the part has no rows.
 * `change` is SQL for a number: 1 where each row of `from` has been added, -1 where each was taken away.
 * Write it where the rows are written last: whoever has changed a count should not wait for anything else.
 */
export const countedOfMode = (list: ModeList, change: string, from: string) => `counted_${list} as (
     insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
     select :merchant_id, '${list}', ${OF_MODE}, ${SLOT}, sum(${change})
     from ${from}
     having count(*) > 0
     on conflict (merchant_id, list, is_sandbox, slot) do update set total = kept_counts.total + excluded.total
   )`

const add = statement(
  'counts.add',
  `insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
   values (:merchant_id, :list, :is_sandbox, ${SLOT}, :change)
   on conflict (merchant_id, list, is_sandbox, slot) do update set total = kept_counts.total + excluded.total`,
)

/** So many rows were added, or by a negative number taken away. */
export const addToCount = (tx: Tx, { merchantId }: Shop, list: SharedList, change: number) =>
  tx.run(add, { merchant_id: merchantId, list, is_sandbox: false, change })

export const addToCountOfMode = (tx: Tx, { merchantId, isSandbox }: Scope, list: ModeList, change: number) =>
  tx.run(add, { merchant_id: merchantId, list, is_sandbox: isSandbox, change })
