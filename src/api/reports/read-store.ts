// SQL that reads reports. Each statement reads the requested days, the orders that are not counted yet, and a limited number of open tasks.
// So none grows with the orders of a shop.

import { storedCountSql } from '../../db/counts.ts'
import { type Db, type Scope, statement } from '../../db/db.ts'
import type { AssetRow } from '../assets/store.ts'
import { merchantSettingsSql } from '../merchants/read-store.ts'
import type { StoredSettings } from '../merchants/settings.ts'
import { PENDING_ACTION_SQL } from '../orders/list-store.ts'
import { type OfferRow, offerRowsJson } from '../payment-methods/store.ts'
import { leadImageOf } from '../products/read-store.ts'
import { HAS_ORDERED_BEFORE, SALES_DUE } from './store.ts'

/** Open tasks are counted up to this. */
export const MAX_COUNTED_TASKS = 100

/** Maximum number of uncounted orders that are read. A minute has fewer, except before the first run over an older shop. */
const MAX_PENDING = 500

/** Stock rows that are searched for low stock. Some of them belong to products that are not sold any more. */
const LOW_REACH = 1_000

export type DayRange = { readonly from: string; readonly to: string }

export type DaySums = {
  readonly day: string
  readonly orders: number
  readonly returning_orders: number
  readonly amount: number
}

/** An order that was made or cancelled and is not counted accordingly yet. `day`: the day to subtract it from. */
export type PendingOrder = {
  readonly created: number
  readonly day: string | null
  readonly amount: number
  readonly is_returning: boolean
}

export type OverviewRow = {
  readonly settings: StoredSettings
  readonly days: readonly DaySums[]
  readonly pending: readonly PendingOrder[]
  readonly unshipped: number
  readonly unpaid: number
  readonly failing_webhooks: number
  readonly low_stock: number
  readonly has_product: boolean
  readonly has_shipping: boolean
  /** `availableGateways` decides which of these a shopper can pay with. */
  readonly gateways: readonly OfferRow[]
  readonly has_key: boolean
  readonly has_test_purchase: boolean
}

const toDo = (what: 'unpaid' | 'unshipped') => `(
       select count(*)
       from (
         select 1 as one from orders o
         where o.merchant_id = :merchant_id and o.is_sandbox = :is_sandbox and ${PENDING_ACTION_SQL} = '${what}'
         limit ${MAX_COUNTED_TASKS}
       ) found
     )`

/** SQL: items of products that are sold and counted, fewest left first. `s` is the item and `p` its product. */
const LOW_STOCK = `(
         select low.product_id, low.item_id, low.few_left
         from stock low
         where low.merchant_id = :merchant_id and low.is_sandbox = :is_sandbox and low.few_left < :below
         order by low.few_left, low.item_id
         limit ${LOW_REACH}
       ) s
       cross join lateral (
         select product.name
         from products product
         where product.merchant_id = :merchant_id and product.id = s.product_id and product.is_active and product.is_inventory_managed
         limit 1
       ) p`

const overview = statement<OverviewRow>(
  'reports.overview',
  `select ${merchantSettingsSql()} as settings,
     coalesce((
       select json_agg(json_build_object('day', d.day, 'orders', d.orders, 'returning_orders', d.returning_orders, 'amount', d.amount))
       from order_days d
       where d.merchant_id = :merchant_id and d.is_sandbox = :is_sandbox and d.day between :from::date and :to::date
     ), '[]') as days,
     coalesce((
       select json_agg(json_build_object(
         'created', unix_seconds(due.created_at), 'day', due.sales_day, 'amount', due.order_value, 'is_returning', due.is_returning
       ))
       from (
         select o.created_at, o.sales_day, o.order_value, coalesce(o.is_returning, ${HAS_ORDERED_BEFORE}) as is_returning
         from orders o
         where o.merchant_id = :merchant_id and o.is_sandbox = :is_sandbox and ${SALES_DUE}
         limit ${MAX_PENDING}
       ) due
     ), '[]') as pending,
     ${toDo('unshipped')} as unshipped,
     ${toDo('unpaid')} as unpaid,
     (
       select count(*) from webhooks w
       where w.merchant_id = :merchant_id and w.is_sandbox = :is_sandbox
         and (w.failing_since is not null or w.disabled_reason in ('gone', 'failures'))
     ) as failing_webhooks,
     (
       select count(*) from (select 1 as one from ${LOW_STOCK} limit ${MAX_COUNTED_TASKS}) found
     ) as low_stock,
     ${storedCountSql('active_products')} > 0 as has_product,
     ${storedCountSql('shipping_zones')} > 0 as has_shipping,
     ${offerRowsJson(':merchant_id')} as gateways,
     exists (
       select 1 from api_keys k where k.merchant_id = :merchant_id and k.is_sandbox = :is_sandbox and k.revoked_at is null
     ) as has_key,
     (
       select coalesce(sum(kept.total), 0)
       from kept_counts kept
       where kept.merchant_id = :merchant_id and kept.list = 'orders' and kept.is_sandbox
     ) > 0 as has_test_purchase
   from merchants m
   where m.merchant_id = :merchant_id`,
)

export const readOverview = (db: Db, scope: Scope, days: DayRange, below: number) =>
  db.maybe(overview, { ...scope, ...days, below })

export type SoldProductRow = {
  readonly product_id: string
  readonly name: string
  readonly permalink: string | null
  readonly image: AssetRow | null
  readonly quantity: number
  readonly amount: number
}

// A deleted product has the name of the order that was counted last.
const listProducts = statement<SoldProductRow>(
  'reports.list_products',
  `select sold.product_id, coalesce(p.name, sold.name) as name, p.permalink, p.image, sold.quantity, sold.amount
   from (
     select d.product_id, max(d.name) as name, sum(d.quantity)::bigint as quantity, sum(d.amount)::bigint as amount
     from sales_days d
     where d.merchant_id = :merchant_id and d.is_sandbox = :is_sandbox and d.day between :from::date and :to::date
     group by d.product_id
     having sum(d.quantity) > 0
     order by sum(d.amount) desc, d.product_id
     limit :limit
   ) sold
   left join lateral (
     select product.name, product.permalink, ${leadImageOf('product.id')} as image
     from products product
     where product.merchant_id = :merchant_id and product.id = sold.product_id
     limit 1
   ) p on true
   order by sold.amount desc, sold.product_id`,
)

export const listSoldProducts = (db: Db, scope: Scope, days: DayRange, limit: number) =>
  db.many(listProducts, { ...scope, ...days, limit })

export type LowItemRow = {
  readonly product_id: string
  readonly variant_id: string | null
  readonly name: string
  readonly options: readonly { readonly group_name: string; readonly option_name: string }[]
  readonly available: number
}

const listStock = statement<LowItemRow>(
  'reports.list_stock',
  `select item.product_id, case when item.item_id <> item.product_id then item.item_id end as variant_id, item.name,
     coalesce((
       select json_agg(json_build_object('group_name', g.name, 'option_name', choice.name) order by g.position)
       from variants v
       join variant_groups g on g.merchant_id = :merchant_id and g.product_id = v.product_id
       join variant_options choice on choice.merchant_id = :merchant_id and choice.product_id = v.product_id
         and choice.group_id = g.id and choice.id = v.options ->> g.id
       where v.merchant_id = :merchant_id and v.product_id = item.product_id and v.id = item.item_id
     ), '[]') as options,
     item.few_left as available
   from (
     select s.product_id, s.item_id, s.few_left, p.name
     from ${LOW_STOCK}
     order by s.few_left, s.item_id
     limit :limit
   ) item
   order by item.few_left, item.item_id`,
)

export const listLowStock = (db: Db, scope: Scope, below: number, limit: number) =>
  db.many(listStock, { ...scope, below, limit })

export type SpendingRow = { readonly currency: string; readonly orders: number; readonly spent: number }

// Starts with the customer: one that is missing or of the other mode has no row.
const spending = statement<{ rows: readonly SpendingRow[] }>(
  'spending.find',
  `select coalesce((
     select json_agg(kept)
     from (
       select currency, orders, spent
       from customer_spending s
       where s.merchant_id = :merchant_id and s.customer_id = :customer_id and s.orders > 0
       order by currency
     ) kept
   ), '[]') as rows
   from customers c
   where c.merchant_id = :merchant_id and c.is_sandbox = :is_sandbox and c.id = :customer_id`,
)

/** Null if there is no such customer. */
export const findSpending = async (db: Db, scope: Scope, customerId: string): Promise<readonly SpendingRow[] | null> =>
  (await db.maybe(spending, { ...scope, customer_id: customerId }))?.rows ?? null
