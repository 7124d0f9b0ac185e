// SQL that deletes rows that are too old or too many. It deletes rows of several slices at once: an order with its attempts and its token.
// Sweeps go through all merchants. Sandbox and live are never mixed: every deleting statement has `is_sandbox`.
// A row of `holdings` is an upper bound of what a shop has: the last count plus the rows made until `counted_at`.

import { modeCountChangeSql } from '../../db/counts.ts'
import { type Db, type Scope, type Shop, type Statement, statement, statementOfFamily } from '../../db/db.ts'
import { groupByShop, type RowKey } from '../../jobs/due.ts'

/**
 * SQL: deletes the attempts and tokens of the deleted orders (`gone`). The attempts would answer a repeated capture with an order that no
 * longer exists. The tokens could be captured again.
 */
const DELETE_ATTEMPTS_AND_TOKENS = `attempts as (
     delete from capture_attempts a
     using gone
     where a.merchant_id = :merchant_id and a.id = gone.attempt_id
   ),
   tokens as (
     delete from checkouts t
     using gone
     where t.merchant_id = :merchant_id and t.id = gone.checkout_id
   )`

const findOldOrders = statement<RowKey>(
  'sweep.find_sandbox_orders',
  `select merchant_id, id
   from orders
   where is_sandbox and created_at < :moment
   order by created_at
   limit :limit`,
)

const deleteOrders = statement<{ deleted: number }>(
  'sweep.sandbox_orders',
  `with old as materialized (
     select locked.id
     from unnest(:ids::text[]) as candidate (id)
     cross join lateral (
       select id from orders
       where merchant_id = :merchant_id and orders.id = candidate.id and (is_sandbox and created_at < :moment) is true
       offset 0
       for update skip locked
     ) locked
   ),
   gone as (
     delete from orders o
     using old
     where o.merchant_id = :merchant_id and o.id = old.id
     returning o.attempt_id, o.checkout_id
   ),
   ${DELETE_ATTEMPTS_AND_TOKENS},
   ${modeCountChangeSql({ list: 'orders', change: -1, from: 'gone' })}
   select count(*) as deleted from gone`,
)

/** Deletes at most `limit` sandbox orders that were made before `moment`, with all their related rows. */
export async function deleteSandboxOrdersBefore(db: Db, moment: Date, limit: number): Promise<number> {
  let deleted = 0
  for (const [merchant_id, orders] of groupByShop(await db.many(findOldOrders, { moment, limit })))
    deleted += (await db.one(deleteOrders, { merchant_id, is_sandbox: true, moment, ids: orders.map(({ id }) => id) }))
      .deleted
  return deleted
}

/** SQL: the start of the five minutes that contain a moment, as in the indexes of migrations/0048_bounded_looks.sql. */
const fiveMinutesOf = (moment: string) => `date_bin('5 minutes', ${moment}, to_timestamp(0))`

type ShopMoment = { at: Date; merchant_id: number }

/**
 * Statement for the rows after `:at` and `:after_merchant_id`, in the order of an index: by five minutes of time, then by shop.
 */
const recentShopsQuery = (name: string, table: 'orders' | 'carts' | 'checkouts', column: string, which = 'true') =>
  statementOfFamily<ShopMoment>(
    `quotas.find_shops_by_${name}`,
    `select ${fiveMinutesOf(column)} as at, merchant_id
     from ${table}
     where ${which} and (${fiveMinutesOf(column)}, merchant_id) > (${fiveMinutesOf(':at::timestamptz')}, :after_merchant_id::integer)
     order by ${fiveMinutesOf(column)}, merchant_id
     limit :limit`,
  )

const findByOrders = recentShopsQuery('orders', 'orders', 'created_at', 'is_sandbox')
const findByCarts = recentShopsQuery('carts', 'carts', 'made_at')
const findByTokens = recentShopsQuery('tokens', 'checkouts', 'expires_at')

const findFull = statement<{ merchant_id: number }>(
  'quotas.find_full_shops',
  "select merchant_id from merchants where full_sandbox <> '{}'",
)

/** Maximum number of rows per query. If a shop made more rows in five minutes, the next query skips the rest of them. */
const ROWS_PER_QUERY = 500

/** Shops that have made rows since the moment. The cost depends on the number of shops, not on the rows of each. */
async function listShopsSince(db: Db, find: Statement<ShopMoment>, moment: Date): Promise<number[]> {
  const shops: number[] = []
  let position: ShopMoment = { at: moment, merchant_id: 0 }
  for (;;) {
    const values = { at: position.at, after_merchant_id: position.merchant_id, limit: ROWS_PER_QUERY }
    const rows = await db.many(find, values)
    shops.push(...rows.map(({ merchant_id }) => merchant_id))
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_PER_QUERY) return shops
    position = last
  }
}

/** The shops with a full sandbox. */
export const findFullShops = async (db: Db): Promise<number[]> =>
  (await db.many(findFull, {})).map(({ merchant_id }) => merchant_id)

/** The shops that have lately made a sandbox order, a cart row or a token. */
export const findActiveShops = async (
  db: Db,
  since: { readonly orderedSince: Date; readonly cartsSince: Date; readonly tokensUntil: Date },
): Promise<number[]> => {
  const byOrders = await listShopsSince(db, findByOrders, since.orderedSince)
  const byCarts = await listShopsSince(db, findByCarts, since.cartsSince)
  const byTokens = await listShopsSince(db, findByTokens, since.tokensUntil)
  return [...new Set([...byOrders, ...byCarts, ...byTokens])]
}

/** SQL: the number of rows that a shop has in a table, counted up to `:most`. */
const countOf = (table: 'orders' | 'carts' | 'checkouts', and = '', name: keyof ShopRowCounts = table) =>
  `(select count(*) from (select 1 from ${table} where merchant_id = :merchant_id ${and} limit :most) counted) as ${name}`

/** Numbers of rows. Deleted carts, of which a row remains, count separately, so that they do not push out carts in use. */
export type ShopRowCounts = { orders: number; carts: number; deleted_carts: number; checkouts: number }

const countSandbox = statement<ShopRowCounts>(
  'quotas.count_sandbox',
  `select ${countOf('orders', 'and is_sandbox')}, ${countOf('carts', 'and is_sandbox and not is_deleted')},
     ${countOf('carts', 'and is_sandbox and is_deleted', 'deleted_carts')}, ${countOf('checkouts', 'and is_sandbox')}`,
)

/** Counts the rows in the sandbox of a shop, up to `most` of each kind. */
export const countSandboxOf = (db: Db, { merchant_id }: Shop, most: number) =>
  db.one(countSandbox, { merchant_id, most })

const countCarts = statement<Omit<ShopRowCounts, 'orders'>>(
  'quotas.count_carts',
  `select ${countOf('carts', 'and not is_deleted')}, ${countOf('carts', 'and is_deleted', 'deleted_carts')},
     ${countOf('checkouts')}`,
)

/** Counts the carts and tokens of a shop in both modes, up to `most` of each kind. */
export const countCartsOf = (db: Db, { merchant_id }: Shop, most: number) => db.one(countCarts, { merchant_id, most })

/** Upper bounds for the numbers of rows that a shop has; `carts` includes deleted ones. */
export type ShopRowBounds = { carts: number; checkouts: number }

/**
 * Longest time between the time in a row and the commit that makes the row visible. It is longer than any transaction.
 */
const COMMIT_DELAY = "interval '1 minute'"

/**
 * SQL: the number of rows made between two moments, counted up to `:most` in slices of five minutes. `offset 0` makes the planner read slice
 * by slice from the index.
 */
const madeBetween = (table: 'carts' | 'checkouts', column: string, from: string, until: string) =>
  `(select count(*) from (
     select 1
     from generate_series(${fiveMinutesOf(`${from} - ${COMMIT_DELAY}`)}, ${until}, interval '5 minutes') as slice (at)
     cross join lateral (
       select 1 from ${table} where merchant_id = :merchant_id and ${fiveMinutesOf(column)} = slice.at offset 0
     ) of_slice
     limit :most
   ) made)`

// The five minutes of the last count are counted again. A bound that is too high only causes another count; one that is too low would hide
// rows.
const raiseBounds = statement<ShopRowBounds>(
  'quotas.raise_ceiling',
  `update holdings bound
   set carts = bound.carts + ${madeBetween('carts', 'made_at', 'bound.counted_at', ':now::timestamptz')},
     checkouts = bound.checkouts + ${madeBetween(
       'checkouts',
       'expires_at',
       '(bound.counted_at + (:tokens_until::timestamptz - :now::timestamptz))',
       ':tokens_until::timestamptz',
     )},
     counted_at = :now
   where bound.merchant_id = :merchant_id and bound.counted_at > :oldest
   returning bound.carts, bound.checkouts`,
)

/**
 * Adds the rows that a shop has made since to its stored upper bounds, and returns the sums. At most `most` of these rows are read.
 * Returns null if the last count is older than `oldest`. `tokensUntil` is the expiry of a token that is made now.
 */
export const raiseRowBounds = (
  db: Db,
  { merchant_id }: Shop,
  moments: { readonly now: Date; readonly tokensUntil: Date; readonly oldest: Date },
  most: number,
) =>
  db.maybe(raiseBounds, {
    merchant_id,
    now: moments.now,
    tokens_until: moments.tokensUntil,
    oldest: moments.oldest,
    most,
  })

const setBounds = statement(
  'quotas.set_ceiling',
  `insert into holdings (merchant_id, carts, checkouts, counted_at) values (:merchant_id, :carts, :checkouts, :now)
   on conflict (merchant_id) do update
   set carts = excluded.carts, checkouts = excluded.checkouts, counted_at = excluded.counted_at`,
)

/** Stores a count as the new upper bounds. The count was made at `now` or later. */
export async function saveRowBounds(db: Db, { merchant_id }: Shop, bounds: ShopRowBounds, now: Date): Promise<void> {
  await db.run(setBounds, { ...bounds, merchant_id, now })
}

// Uses a `with` instead of an `in (…)`: the planner may run a subquery several times, and each run would delete further rows.
// It also deletes the customers that the orders created: those with the same creation time. A customer who was changed, has logged in or has
// bought again stays.
const deleteOldestOrders = statement<{ deleted: number }>(
  'quotas.delete_oldest_orders',
  `with oldest as materialized (
     select id
     from orders
     where merchant_id = :merchant_id and is_sandbox and created_at < :moment
     order by created_at, id
     limit :limit
     for update skip locked
   ),
   gone as (
     delete from orders o
     using oldest
     where o.merchant_id = :merchant_id and o.id = oldest.id
     returning o.id, o.customer_id, o.created_at, o.attempt_id, o.checkout_id
   ),
   ${DELETE_ATTEMPTS_AND_TOKENS},
   gone_customers as (
     delete from customers c
     using gone
     where c.merchant_id = :merchant_id and c.id = gone.customer_id and c.is_sandbox
       and c.created_at = gone.created_at and c.updated_at = c.created_at and c.seen_at is null
       and not exists (
         select 1 from orders o
         where o.merchant_id = :merchant_id and o.customer_id = c.id and o.id not in (select id from gone)
       )
     returning c.id
   ),
   ${modeCountChangeSql({ list: 'orders', change: -1, from: 'gone' }, { list: 'customers', change: -1, from: 'gone_customers' })}
   select count(*) as deleted from gone`,
)

const deleteOldestSql = (table: 'carts' | 'checkouts', which: string) => `with oldest as materialized (
     select id
     from ${table}
     where merchant_id = :merchant_id and ${which}
     order by id
     limit :limit
     for update skip locked
   )
   delete from ${table}
   using oldest
   where ${table}.merchant_id = :merchant_id and ${table}.id = oldest.id`

const IS_UNUSED = 'is_sandbox and updated_at < :moment'
const deleteOldestCarts = statement(
  'quotas.delete_oldest_carts',
  deleteOldestSql('carts', `${IS_UNUSED} and not is_deleted`),
)
const deleteOldestCheckouts = statement('quotas.delete_oldest_checkouts', deleteOldestSql('checkouts', IS_UNUSED))
const deleteOldestDeleted = statement(
  'quotas.delete_oldest_deleted_carts',
  deleteOldestSql('carts', 'is_deleted and is_sandbox = :is_sandbox'),
)

/** Deletes at most `limit` sandbox rows of a kind, oldest first, that nobody has used since `moment`. Returns their number. */
export async function deleteOldestSandboxRows(
  db: Db,
  shop: Shop,
  kind: keyof ShopRowCounts,
  moment: Date,
  limit: number,
): Promise<number> {
  const values = { merchant_id: shop.merchant_id, moment, limit }
  if (kind === 'orders') return (await db.one(deleteOldestOrders, { ...values, is_sandbox: true })).deleted
  if (kind === 'deleted_carts') return deleteOldestDeletedCarts(db, { ...shop, is_sandbox: true }, limit)
  return db.run(kind === 'carts' ? deleteOldestCarts : deleteOldestCheckouts, values)
}

/** Deletes the rows of at most `limit` deleted carts of any age, because nobody uses them. Their ids then show empty carts again. */
export const deleteOldestDeletedCarts = (db: Db, { merchant_id, is_sandbox }: Scope, limit: number) =>
  db.run(deleteOldestDeleted, { merchant_id, is_sandbox, limit })

/** Result of one step through the rows of a shop: the last id, the number of checked rows, and the number of deleted ones. */
export type TrimStep = { last: string | null; checked: number; deleted: number }

/** SQL: checks the next rows after `:after`, and deletes those that are live and forgotten. */
const deleteForgottenSql = (table: 'carts' | 'checkouts', isForgotten: string) => `with checked as materialized (
     select id from ${table} where merchant_id = :merchant_id and id > :after order by id limit :limit
   ),
   gone as (
     delete from ${table} t
     using checked
     where t.merchant_id = :merchant_id and t.id = checked.id and not t.is_sandbox and ${isForgotten}
     returning t.id
   )
   select max(id) as last, count(*) as checked, (select count(*) from gone) as deleted from checked`

const deleteForgottenCarts = statement<TrimStep>(
  'quotas.delete_forgotten_carts',
  deleteForgottenSql(
    'carts',
    `not t.is_deleted and (
       t.updated_at < :since
       or t.updated_at < :empty_since
         and not exists (select 1 from cart_lines l where l.merchant_id = :merchant_id and l.cart_id = t.id)
     )`,
  ),
)

const deleteForgottenCheckouts = statement<TrimStep>(
  'quotas.delete_forgotten_checkouts',
  deleteForgottenSql(
    'checkouts',
    `t.updated_at < :since
       and not exists (
         select 1 from capture_attempts a
         where a.merchant_id = :merchant_id and a.checkout_id = t.id and a.state <> 'released'
       )`,
  ),
)

/**
 * Checks the next carts after `after`. Deletes live carts that are unused since `since`, and empty ones that are unused since `emptySince`.
 */
export const trimForgottenCarts = (
  db: Db,
  { merchant_id }: Shop,
  after: string,
  limit: number,
  { emptySince, since }: { readonly emptySince: Date; readonly since: Date },
) => db.one(deleteForgottenCarts, { merchant_id, after, limit, empty_since: emptySince, since })

/** Checks the next tokens after `after`. Deletes live ones that are unused since `since` and were not paid. */
export const trimForgottenCheckouts = (db: Db, { merchant_id }: Shop, after: string, limit: number, since: Date) =>
  db.one(deleteForgottenCheckouts, { merchant_id, after, limit, since })
