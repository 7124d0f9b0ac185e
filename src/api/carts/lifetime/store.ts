// SQL of the checks for abandoned carts. Table cart_looks has one row per cart with a scheduled check. Only this file
// writes it. Scheduled checks are not stored in `carts`, so code that changes carts need not know about them.

import { type Db, type Shop, statement, type Tx } from '../../../db/db.ts'

/** A cart counts as abandoned after this time without changes. */
export const QUIET_HOURS = 24

const QUIET_INTERVAL = `interval '${QUIET_HOURS} hours'`

/**
 * SQL: start of the five-minute window in which the row of a cart was inserted. The expression must match the index
 * carts_by_time_and_shop of migrations/0048_bounded_looks.sql.
 */
const WINDOW_START = "date_bin('5 minutes', made_at, to_timestamp(0))"

/** A five-minute window in which a shop created carts. `at` is its start. */
export type CartCreationWindow = { readonly at: Date; readonly merchant_id: number }

const selectCreations = statement<CartCreationWindow>(
  'carts.find_made',
  `select ${WINDOW_START} as at, merchant_id
   from carts
   where (${WINDOW_START}, merchant_id) > (:after_at::timestamptz, :after_merchant_id::integer) and ${WINDOW_START} < :until::timestamptz
   order by ${WINDOW_START}, merchant_id
   limit :limit`,
)

/** Lists the windows of all shops, sorted, after a position and before `until`. Has one row per cart, so windows repeat. */
export const findCartCreations = (db: Db, after: CartCreationWindow, until: Date, limit: number) =>
  db.many(selectCreations, { after_at: after.at, after_merchant_id: after.merchant_id, until, limit })

const insertChecks = statement(
  'carts.note_looks',
  `insert into cart_looks (merchant_id, cart_id, due_at)
   select merchant_id, id, updated_at + ${QUIET_INTERVAL}
   from carts
   where merchant_id = :merchant_id and ${WINDOW_START} = :at::timestamptz and not is_deleted and abandoned_at is null
   on conflict (merchant_id, cart_id) do nothing`,
)

/** Schedules a check of each cart that the shop created in this window. Calling it twice does no harm. */
export async function scheduleCartChecks(db: Db, { at, merchant_id }: CartCreationWindow): Promise<void> {
  await db.run(insertChecks, { merchant_id, at })
}

/** A scheduled check of one cart. */
export type CartCheck = { readonly merchant_id: number; readonly cart_id: string; readonly due_at: Date }

const findDue = statement<CartCheck>(
  'carts.find_due_looks',
  `select merchant_id, cart_id, due_at
   from cart_looks
   where due_at <= :now and (due_at, merchant_id, cart_id) > (:due_at::timestamptz, :after_merchant_id::integer, :cart_id::text)
   order by due_at, merchant_id, cart_id
   limit :limit`,
)

/** Finds due checks of all shops, the longest due first. Locks nothing. */
export const findDueCartChecks = (db: Db, now: Date, after: CartCheck, limit: number) =>
  db.many(findDue, { now, due_at: after.due_at, after_merchant_id: after.merchant_id, cart_id: after.cart_id, limit })

/** An abandoned cart with the currency of its shop. */
export type AbandonedCart = { readonly id: string; readonly is_sandbox: boolean; readonly currency: string }

// Skips checks that another run has locked. If a cart changes while this statement waits for its lock, the next run
// checks it. A cart without lines may be filled again, so its checks continue until it expires.
const completeChecks = statement<AbandonedCart>(
  'carts.settle_looks',
  `with due as materialized (
     select held.cart_id
     from unnest(:cart_ids::text[]) as found (cart_id)
     cross join lateral (
       select look.cart_id from cart_looks look
       where look.merchant_id = :merchant_id and look.cart_id = found.cart_id and look.due_at <= :now
       offset 0
       for update skip locked
     ) held
   ),
   looked as materialized (
     select cart.*
     from due
     cross join lateral (
       select carts.id as cart_id, carts.updated_at,
         carts.expires_at > :now and not carts.is_deleted and carts.abandoned_at is null and not exists (
           select 1 from orders o where o.merchant_id = :merchant_id and o.cart_id = carts.id
         ) as is_open,
         exists (
           select 1 from cart_lines line where line.merchant_id = :merchant_id and line.cart_id = carts.id
         ) as has_lines
       from carts
       where carts.merchant_id = :merchant_id and carts.id = due.cart_id
       offset 0
     ) cart
   ),
   abandoned as (
     update carts
     set abandoned_at = :now
     from looked
     where carts.merchant_id = :merchant_id and carts.id = looked.cart_id and looked.is_open and looked.has_lines
       and carts.updated_at <= :quiet_since and carts.abandoned_at is null
     returning carts.id, carts.is_sandbox
   ),
   postponed as (
     update cart_looks look
     set due_at = case when looked.updated_at > :quiet_since then looked.updated_at else :now::timestamptz end + ${QUIET_INTERVAL}
     from looked
     where look.merchant_id = :merchant_id and look.cart_id = looked.cart_id and looked.is_open
       and (looked.updated_at > :quiet_since or not looked.has_lines)
   ),
   ended as (
     delete from cart_looks look
     using due
     where look.merchant_id = :merchant_id and look.cart_id = due.cart_id and (
       due.cart_id not in (select looked.cart_id from looked where looked.is_open)
       or due.cart_id in (select abandoned.id from abandoned)
     )
   )
   select abandoned.id, abandoned.is_sandbox, merchant.currency
   from abandoned
   join merchants merchant on merchant.merchant_id = :merchant_id`,
)

/**
 * Completes the due checks of these carts of one shop. Marks and returns the abandoned carts: unchanged since
 * `quietSince`, with lines and without an order. Each cart is returned at most once. Reschedules the checks of open carts
 * that changed or have no lines, and deletes all other checks.
 */
export const completeCartChecks = (
  tx: Tx,
  { merchant_id }: Shop,
  cartIds: readonly string[],
  { now, quietSince }: { readonly now: Date; readonly quietSince: Date },
) => tx.many(completeChecks, { merchant_id, cart_ids: cartIds, now, quiet_since: quietSince })
