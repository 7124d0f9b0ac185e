// Stores the row count of each list, so that a list need not count its rows for its total. Code that adds or deletes rows updates the count
// in the same transaction.

import { type Scope, type Shop, statement, type Tx } from './db.ts'

/** Lists with a stored count. Customers, orders and mails are counted per mode; the other lists are shared by sandbox and live. */
export type SharedList =
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
 * Each count is spread over several rows, and each connection writes to one of them. So two simultaneous orders of one shop do not wait for
 * each other. The connection chooses the row, not chance: a transaction that counts twice then locks only one row.
 */
const SLOTS = 8
/** SQL for the slot of this connection. */
export const SLOT = `(pg_backend_pid() % ${SLOTS})::smallint`

const ADDS =
  'on conflict (merchant_id, list, is_sandbox, slot) do update set total = kept_counts.total + excluded.total'

const sumOf = (list: string, is_sandbox: string) => `(
    select coalesce(sum(kept.total), 0)::bigint
    from kept_counts kept
    where kept.merchant_id = :merchant_id and kept.list = '${list}' and kept.is_sandbox = ${is_sandbox}
  )`

/** SQL for the number of rows in a list of the shop `:merchant_id`. */
export const storedCountSql = (list: SharedList) => sumOf(list, SHARED)

/** Like `storedCountSql`, in the mode `:is_sandbox`. */
export const storedModeCountSql = (list: ModeList) => sumOf(list, OF_MODE)

/** `change` is 1 if each row of `from` was added, -1 if each was deleted. */
type Change<List> = { readonly list: List; readonly change: 1 | -1; readonly from: string }

/**
 * SQL that changes counts of the shop `:merchant_id` in the mode `:is_sandbox`, as a part of a `with` without rows. Put it in the last
 * write: a transaction that has locked a count should not wait for anything else. Pass several changes at once. They are sorted by name, so
 * that two transactions cannot deadlock.
 */
export const modeCountChangeSql = (...changes: readonly Change<ModeList>[]) => countedAs(OF_MODE, changes)

/** Like `modeCountChangeSql`, for lists that sandbox and live share. */
export const countChangeSql = (...changes: readonly Change<SharedList>[]) => countedAs(SHARED, changes)

const countedAs = (is_sandbox: string, changes: readonly Change<string>[]) => `counted as (
     insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
     select :merchant_id::integer, changed.list, ${is_sandbox}::boolean, ${SLOT}, changed.total
     from (
       ${changes
         .toSorted((one, other) => (one.list < other.list ? -1 : 1))
         .map(({ list, change, from }) => `select '${list}' as list, count(*) * ${change} as total from ${from}`)
         .join('\n       union all\n       ')}
     ) changed
     where changed.total <> 0
     ${ADDS}
   )`

/** Like `modeCountChangeSql`, for rows of both modes deleted at once: each row of `from` has `is_sandbox`. */
export const modeCountDecreaseSql = (list: ModeList, from: string) => `counted as (
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

/** Adds to a count, or subtracts with a negative number. Takes effect with the commit. */
export const addToCount = (tx: Tx, { merchant_id }: Shop, list: SharedList, change: number): void =>
  tx.beforeCommit(add, { merchant_id, list, is_sandbox: false, change })

export const addToCountOfMode = (tx: Tx, { merchant_id, is_sandbox }: Scope, list: ModeList, change: number): void =>
  tx.beforeCommit(add, { merchant_id, list, is_sandbox, change })
