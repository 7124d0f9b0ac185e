// The SQL of the sweeps of old sandbox data, which go through all merchants. Live rows are never read: `is_sandbox` is in every one.

import { type Db, statement } from '../../db/db.ts'

/**
 * What goes with the orders of `gone`: the attempts that made them, which would answer a repeated capture with an order that is no more, and
 * their tokens, which could else be captured anew.
 */
export const GONE_WITH_ORDERS = `attempts as (
     delete from capture_attempts a
     using gone
     where a.merchant_id = gone.merchant_id and a.id = gone.attempt_id
   ),
   tokens as (
     delete from checkouts t
     using gone
     where t.merchant_id = gone.merchant_id and t.id = gone.checkout_id
   )`

const deleteOrders = statement<{ deleted: number }>(
  'sweep.sandbox_orders',
  `with old as materialized (
     select merchant_id, id
     from orders
     where is_sandbox and created_at < $1
     order by created_at
     limit $2
     for update skip locked
   ),
   gone as (
     delete from orders o
     using old
     where o.merchant_id = old.merchant_id and o.id = old.id
     returning o.merchant_id, o.attempt_id, o.checkout_id
   ),
   ${GONE_WITH_ORDERS}
   select count(*) as deleted from gone`,
)

/** Deletes at most `limit` orders of the sandbox made before `moment`, with all that belongs to them. */
export const deleteSandboxOrdersBefore = async (db: Db, moment: Date, limit: number): Promise<number> =>
  (await db.one(deleteOrders, [moment, limit])).deleted

// Those in use are marked with when they were used, so that the next run does not look at them again: a run costs as much as has grown
// old since the one before, however many there are.
const deleteCustomers = statement<{ looked: number }>(
  'sweep.sandbox_customers',
  `with idle as materialized (
     select c.merchant_id, c.id,
       (select max(o.created_at) from orders o where o.merchant_id = c.merchant_id and o.customer_id = c.id) as ordered_at,
       (select max(a.updated_at) from customer_addresses a where a.merchant_id = c.merchant_id and a.customer_id = c.id)
         as addressed_at
     from customers c
     where c.is_sandbox and greatest(c.updated_at, c.seen_at) < $1
     order by greatest(c.updated_at, c.seen_at)
     limit $2
     for update of c skip locked
   ),
   kept as (
     update customers c
     set seen_at = greatest(idle.ordered_at, idle.addressed_at, $1)
     from idle
     where c.merchant_id = idle.merchant_id and c.id = idle.id and (idle.ordered_at is not null or idle.addressed_at >= $1)
     returning c.id
   ),
   gone as (
     delete from customers c
     using idle
     where c.merchant_id = idle.merchant_id and c.id = idle.id and c.is_sandbox
       and idle.ordered_at is null and (idle.addressed_at is null or idle.addressed_at < $1)
     returning c.id
   )
   select count(*) as looked from idle`,
)

/**
 * Deletes customers of the sandbox who have no order and were neither changed nor logged in since `moment`. Gives how many it has looked
 * at, at most `limit`.
 */
export const deleteIdleSandboxCustomers = async (db: Db, moment: Date, limit: number): Promise<number> =>
  (await db.one(deleteCustomers, [moment, limit])).looked
