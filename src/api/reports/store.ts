// SQL of the sales of each day. The sweep of sales.ts counts an order in one transaction with a note of its day. So it is counted once, and
// subtracted from the same day when it is cancelled.

import { type Db, type Scope, type Shop, statement, type Tx } from '../../db/db.ts'
import type { OrderContent } from '../orders/read-store.ts'

/** SQL: true if the order aliased `o` is to be counted, or to be subtracted. The index orders_sales_due has the same expression. */
export const SALES_DUE = '(o.sales_day is null) = (o.cancelled_at is null)'

/** SQL: true if the customer of the order aliased `o` had ordered before, even if that order was cancelled. */
export const HAS_ORDERED_BEFORE = `exists (
       select 1 from orders earlier
       where earlier.merchant_id = :merchant_id and earlier.customer_id = o.customer_id and earlier.created_at < o.created_at
     )`

/** Position of a run, which goes through the orders of all shops. */
export type DueOrder = { readonly merchant_id: number; readonly is_sandbox: boolean; readonly id: string }

const findDue = statement<DueOrder>(
  'sales.find_due',
  `select o.merchant_id, o.is_sandbox, o.id
   from orders o
   where ${SALES_DUE} and (o.merchant_id, o.is_sandbox, o.id) > (:after_merchant_id::integer, :after_is_sandbox::boolean, :after_id::text)
   order by o.merchant_id, o.is_sandbox, o.id
   limit :limit`,
)

/** Orders of all shops, without a lock. */
export const findDueOrders = (db: Db, after: DueOrder, limit: number) =>
  db.many(findDue, {
    after_merchant_id: after.merchant_id,
    after_is_sandbox: after.is_sandbox,
    after_id: after.id,
    limit,
  })

export type CountableOrder = {
  readonly id: string
  readonly is_sandbox: boolean
  readonly created_at: Date
  readonly order_value: number
  /** Day that it is counted in; null: it is still to be counted. */
  readonly day: string | null
  /** The value that was counted, or else the current one. */
  readonly is_returning: boolean
  readonly lines: readonly Pick<
    OrderContent['lines'][number],
    'product_id' | 'product_name' | 'quantity' | 'line_total' | 'discount_share'
  >[]
}

// Reads each by its key, in sequence, because one plan for all could read the whole shop. Skips orders that a concurrent run has locked.
const lockDue = statement<CountableOrder>(
  'sales.lock_due',
  `select held.*
   from unnest(:ids::text[]) as found (id)
   cross join lateral (
     select o.id, o.is_sandbox, o.created_at, o.order_value, o.sales_day::text as day,
       coalesce(o.is_returning, ${HAS_ORDERED_BEFORE}) as is_returning, o.content -> 'lines' as lines
     from orders o
     where o.merchant_id = :merchant_id and o.id = found.id and ${SALES_DUE}
     offset 0
     for no key update skip locked
   ) held`,
)

/** The orders of one shop that are still to be counted or subtracted, and that nobody else has locked. */
export const lockDueOrders = (tx: Tx, { merchant_id }: Shop, ids: readonly string[]) =>
  tx.many(lockDue, { merchant_id, ids })

// The ids are given twice, so that no plan can read the whole shop to join them.
const mark = statement(
  'sales.mark',
  `update orders o
   set sales_day = marked.day, is_returning = marked.is_returning
   from unnest(:ids::text[], :days::date[], :returning::boolean[]) as marked (id, day, is_returning)
   where o.merchant_id = :merchant_id and o.id = any(:ids) and o.id = marked.id`,
)

/** `day` and `isReturning` are null if an order is no longer counted. */
export type SalesMark = { readonly id: string; readonly day: string | null; readonly isReturning: boolean | null }

export const markOrders = (tx: Tx, { merchant_id }: Shop, marks: readonly SalesMark[]) =>
  tx.run(mark, {
    merchant_id,
    ids: marks.map(({ id }) => id),
    days: marks.map(({ day }) => day),
    returning: marks.map(({ isReturning }) => isReturning),
  })

export type DayChange = {
  readonly is_sandbox: boolean
  readonly day: string
  orders: number
  returning_orders: number
  amount: number
}

const addToDays = statement(
  'sales.add_to_days',
  `insert into order_days (merchant_id, is_sandbox, day, orders, returning_orders, amount)
   select :merchant_id::integer, change.is_sandbox, change.day, change.orders, change.returning_orders, change.amount
   from json_to_recordset(:changes::json)
     as change (is_sandbox boolean, day date, orders bigint, returning_orders bigint, amount bigint)
   on conflict (merchant_id, is_sandbox, day) do update set
     orders = order_days.orders + excluded.orders,
     returning_orders = order_days.returning_orders + excluded.returning_orders,
     amount = order_days.amount + excluded.amount`,
)

/** `changes` must be sorted by their keys, so that two concurrent runs cannot deadlock. */
export const addToOrderDays = (tx: Tx, { merchant_id }: Shop, changes: readonly DayChange[]) =>
  tx.run(addToDays, { merchant_id, changes: JSON.stringify(changes) })

export type ProductChange = {
  readonly is_sandbox: boolean
  readonly day: string
  readonly product_id: string
  name: string
  quantity: number
  amount: number
}

const addToProducts = statement(
  'sales.add_to_products',
  `insert into sales_days (merchant_id, is_sandbox, day, product_id, name, quantity, amount)
   select :merchant_id::integer, change.is_sandbox, change.day, change.product_id, change.name, change.quantity, change.amount
   from json_to_recordset(:changes::json)
     as change (is_sandbox boolean, day date, product_id text, name text, quantity bigint, amount bigint)
   on conflict (merchant_id, is_sandbox, day, product_id) do update set
     name = excluded.name,
     quantity = sales_days.quantity + excluded.quantity,
     amount = sales_days.amount + excluded.amount`,
)

/** `changes` must be sorted by their keys, as above. */
export const addToSalesDays = (tx: Tx, { merchant_id }: Shop, changes: readonly ProductChange[]) =>
  tx.run(addToProducts, { merchant_id, changes: JSON.stringify(changes) })

// Spending of customers. The sweep of spending.ts counts it in the same way, and stores the counted sum with each order.

/** SQL: true if the order aliased `o` has changed since it was counted. The index orders_spending_due has the same expression. */
const SPENDING_DUE = 'o.spent_as_of is distinct from o.updated_at'

const findSpendingDue = statement<DueOrder>(
  'spending.find_due',
  `select o.merchant_id, o.is_sandbox, o.id
   from orders o
   where ${SPENDING_DUE}
     and (o.merchant_id, o.is_sandbox, o.id) > (:after_merchant_id::integer, :after_is_sandbox::boolean, :after_id::text)
   order by o.merchant_id, o.is_sandbox, o.id
   limit :limit`,
)

/** Orders of all shops, without a lock. */
export const findOrdersToCount = (db: Db, after: DueOrder, limit: number) =>
  db.many(findSpendingDue, {
    after_merchant_id: after.merchant_id,
    after_is_sandbox: after.is_sandbox,
    after_id: after.id,
    limit,
  })

export type CountedOrder = { readonly id: string; readonly customer_id: string; readonly spent: number | null }

const lockSpendingDue = statement<CountedOrder>(
  'spending.lock_due',
  `select held.*
   from unnest(:ids::text[]) as found (id)
   cross join lateral (
     select o.id, o.customer_id, o.spent
     from orders o
     where o.merchant_id = :merchant_id and o.is_sandbox = :is_sandbox and o.id = found.id and ${SPENDING_DUE}
     offset 0
     for no key update skip locked
   ) held`,
)

/** Returns the sum that is counted of each order so far. */
export const lockOrdersToCount = (tx: Tx, { merchant_id, is_sandbox }: Scope, ids: readonly string[]) =>
  tx.many(lockSpendingDue, { merchant_id, is_sandbox, ids })

// The ids are given twice, as above.
const markSpending = statement(
  'spending.mark',
  `update orders o
   set spent = marked.spent, spent_as_of = o.updated_at
   from unnest(:ids::text[], :sums::bigint[]) as marked (id, spent)
   where o.merchant_id = :merchant_id and o.id = any(:ids) and o.id = marked.id`,
)

export const storeOrderSpending = (tx: Tx, { merchant_id }: Shop, marks: readonly { id: string; spent: number }[]) =>
  tx.run(markSpending, {
    merchant_id,
    ids: marks.map(({ id }) => id),
    sums: marks.map(({ spent }) => spent),
  })

export type SpendingChange = { readonly customer_id: string; readonly currency: string; orders: number; spent: number }

// Only for customers who still exist, because nobody can see what a deleted one has spent. The ids are given twice, and sorted by their
// keys, as above.
const addSpending = statement(
  'spending.add',
  `insert into customer_spending (merchant_id, customer_id, currency, orders, spent)
   select c.merchant_id, c.id, change.currency, change.orders, change.spent
   from customers c
   join json_to_recordset(:changes::json) as change (customer_id text, currency text, orders bigint, spent bigint) on change.customer_id = c.id
   where c.merchant_id = :merchant_id and c.id = any(:customer_ids::text[])
   order by c.id, change.currency
   on conflict (merchant_id, customer_id, currency) do update set
     orders = customer_spending.orders + excluded.orders,
     spent = customer_spending.spent + excluded.spent`,
)

export const addToSpending = (tx: Tx, { merchant_id }: Shop, changes: readonly SpendingChange[]) =>
  tx.run(addSpending, {
    merchant_id,
    customer_ids: [...new Set(changes.map((change) => change.customer_id))],
    changes: JSON.stringify(changes),
  })
