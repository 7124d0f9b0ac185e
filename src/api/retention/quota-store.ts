// The SQL of the quotas: which shops have made something lately, how much of it they hold, and taking away what is worth least.

import { type Db, statement } from '../../db/db.ts'
import { GONE_WITH_ORDERS } from './expiry-store.ts'

const findActive = statement<{ merchant_id: number }>(
  'quotas.find_active_shops',
  `select merchant_id from orders where is_sandbox and created_at >= $1
   union
   select merchant_id from carts where expires_at >= $2
   union
   select merchant_id from checkouts where expires_at >= $3
   union
   select merchant_id from merchants where full_sandbox <> '{}'`,
)

/** The shops that have made an order of the sandbox, a cart or a token lately, and those whose sandbox is full. */
export const findActiveShops = async (db: Db, orderedSince: Date, cartsUntil: Date, tokensUntil: Date) =>
  (await db.many(findActive, [orderedSince, cartsUntil, tokensUntil])).map(({ merchant_id }) => merchant_id)

export type Held = { orders: number; carts: number; checkouts: number }

const countSandbox = statement<Held>(
  'quotas.count_sandbox',
  `select
     (select count(*) from (select from orders where merchant_id = $1 and is_sandbox limit $2) held) as orders,
     (select count(*) from (select from carts where merchant_id = $1 and is_sandbox limit $2) held) as carts,
     (select count(*) from (select from checkouts where merchant_id = $1 and is_sandbox limit $2) held) as checkouts`,
)

/** What a shop's sandbox holds; of each kind no more than `most` are counted. */
export const countSandboxOf = (db: Db, merchantId: number, most: number) => db.one(countSandbox, [merchantId, most])

// In a `with`, not in an `in (…)`: the planner may run a subquery several times, and each run would find and delete further ones.
// An order made its customer where both are of the same moment. One that was changed since, has logged in or has bought again stays.
const deleteOldestOrders = statement<{ deleted: number }>(
  'quotas.delete_oldest_orders',
  `with oldest as materialized (
     select id
     from orders
     where merchant_id = $1 and is_sandbox and created_at < $2
     order by created_at, id
     limit $3
     for update skip locked
   ),
   gone as (
     delete from orders o
     using oldest
     where o.merchant_id = $1 and o.id = oldest.id
     returning o.merchant_id, o.id, o.customer_id, o.created_at, o.attempt_id, o.checkout_id
   ),
   ${GONE_WITH_ORDERS},
   made as (
     delete from customers c
     using gone
     where c.merchant_id = $1 and c.id = gone.customer_id and c.is_sandbox
       and c.created_at = gone.created_at and c.updated_at = c.created_at and c.seen_at is null
       and not exists (
         select from orders o
         where o.merchant_id = $1 and o.customer_id = c.id and o.id not in (select id from gone)
       )
   )
   select count(*) as deleted from gone`,
)

const deleteOldestSql = (table: 'carts' | 'checkouts') => `with oldest as materialized (
     select id
     from ${table}
     where merchant_id = $1 and is_sandbox and updated_at < $2
     order by id
     limit $3
     for update skip locked
   )
   delete from ${table}
   using oldest
   where ${table}.merchant_id = $1 and ${table}.id = oldest.id`

const deleteOldestCarts = statement('quotas.delete_oldest_carts', deleteOldestSql('carts'))
const deleteOldestCheckouts = statement('quotas.delete_oldest_checkouts', deleteOldestSql('checkouts'))

/** Deletes at most `limit` of a shop's sandbox, the oldest first, that nobody has touched since `moment`. Gives how many. */
export const deleteOldest: Record<
  keyof Held,
  (db: Db, merchantId: number, moment: Date, limit: number) => Promise<number>
> = {
  orders: async (db, merchantId, moment, limit) =>
    (await db.one(deleteOldestOrders, [merchantId, moment, limit])).deleted,
  carts: (db, merchantId, moment, limit) => db.run(deleteOldestCarts, [merchantId, moment, limit]),
  checkouts: (db, merchantId, moment, limit) => db.run(deleteOldestCheckouts, [merchantId, moment, limit]),
}

export type HeldLive = { carts: number; checkouts: number }

const countAll = statement<HeldLive>(
  'quotas.count_carts',
  `select
     (select count(*) from (select from carts where merchant_id = $1 limit $2) held) as carts,
     (select count(*) from (select from checkouts where merchant_id = $1 limit $2) held) as checkouts`,
)

/** The carts and tokens of a shop, in both modes; no more than `most` are counted. */
export const countCartsOf = (db: Db, merchantId: number, most: number) => db.one(countAll, [merchantId, most])

/** One step through what a shop holds: the last id that was looked at, how many were, and how many of them were deleted. */
export type Step = { last: string | null; looked: number; deleted: number }

const deleteForgottenCarts = statement<Step>(
  'quotas.delete_forgotten_carts',
  `with looked as materialized (
     select id from carts where merchant_id = $1 and id > $2 order by id limit $3
   ),
   gone as (
     delete from carts c
     using looked
     where c.merchant_id = $1 and c.id = looked.id and not c.is_sandbox
       and (
         c.updated_at < $5
         or c.updated_at < $4
           and not exists (select from cart_lines l where l.merchant_id = $1 and l.cart_id = c.id)
       )
     returning c.id
   )
   select max(id) as last, count(*) as looked, (select count(*) from gone) as deleted from looked`,
)

const deleteForgottenCheckouts = statement<Step>(
  'quotas.delete_forgotten_checkouts',
  `with looked as materialized (
     select id from checkouts where merchant_id = $1 and id > $2 order by id limit $3
   ),
   gone as (
     delete from checkouts t
     using looked
     where t.merchant_id = $1 and t.id = looked.id and not t.is_sandbox and t.updated_at < $4
       and not exists (
         select from capture_attempts a
         where a.merchant_id = $1 and a.checkout_id = t.id and a.state <> 'released'
       )
     returning t.id
   )
   select max(id) as last, count(*) as looked, (select count(*) from gone) as deleted from looked`,
)

/** Live carts behind `after`: those without lines that nobody touched since `emptySince`, and all that nobody touched since `since`. */
export const stepThroughCarts = (
  db: Db,
  merchantId: number,
  after: string,
  limit: number,
  { emptySince, since }: { readonly emptySince: Date; readonly since: Date },
) => db.one(deleteForgottenCarts, [merchantId, after, limit, emptySince, since])

/** Live tokens behind `after` that nobody touched since `since`, and that were not paid. */
export const stepThroughCheckouts = (db: Db, merchantId: number, after: string, limit: number, since: Date) =>
  db.one(deleteForgottenCheckouts, [merchantId, after, limit, since])
