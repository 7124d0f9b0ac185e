// The oracles O1 to O6 of the reliability design: queries for what must hold after any fault. Each returns sentences that say what is wrong.

import { type Database, statement } from '../../src/db/db.ts'

export type OracleOptions = {
  /** Current time, by the application's clock. */
  now: Date
  /** Sandbox stock of each item before any sale. Items not listed are not counted. */
  stock?: Readonly<Record<string, number>>
  /** Stock returned other than by cancelled orders, by item. */
  returned?: Readonly<Record<string, number>>
}

const PAID = "('charged', 'authorized', 'refunded')"

/** SQL that finds violations, by oracle. */
const CHECKS: Readonly<Record<string, string>> = {
  'O2 a charge has neither an order nor an open attempt': `
    select c.key from test_charges c
    where c.merchant_id = :merchant_id and c.state in ${PAID} and not exists (
      select 1 from orders o where o.merchant_id = :merchant_id and o.attempt_id = c.key
    ) and not exists (
      select 1 from capture_attempts a
      where a.merchant_id = :merchant_id and a.id = c.key and a.state in ('charging', 'waiting')
    )`,
  'O2 a charge and the payment of its order differ': `
    select o.id as key from orders o
    join test_charges c on c.merchant_id = :merchant_id and c.key = o.attempt_id
    where o.merchant_id = :merchant_id and c.state in ${PAID} and not exists (
      select 1 from order_transactions t
      where t.merchant_id = :merchant_id and t.order_id = o.id and t.type = 'charge' and t.gateway_key = c.key
        and t.amount = coalesce(c.taken, c.amount) and o.currency = c.currency
    )`,
  'O2 what the gateway has charged, less refunds, is not what the orders of the merchant say': `
    select c.merchant_id::text as key
    from test_charges c
    left join orders o on o.merchant_id = :merchant_id and o.attempt_id = c.key
    left join lateral (
      select sum(case t.type when 'charge' then t.amount else -t.amount end) as net
      from order_transactions t
      where t.merchant_id = :merchant_id and t.order_id = o.id and t.status = 'complete'
    ) paid on true
    where c.merchant_id = :merchant_id and o.id is not null
    group by c.merchant_id
    having coalesce(sum(coalesce(c.taken, c.amount) - c.refunded) filter (where c.state = 'charged'), 0) <> coalesce(sum(paid.net), 0)`,
  'O2 an order is paid without a charge': `
    select o.id as key from orders o
    where o.merchant_id = :merchant_id and o.status_payment = 'paid' and o.total_due > coalesce((
      select sum(t.amount) from order_transactions t
      where t.merchant_id = :merchant_id and t.order_id = o.id and t.type = 'charge' and t.status = 'complete'
    ), 0)`,
  'O2 a cancelled order has money that was not given back, or was shipped': `
    select o.id as key from orders o
    where o.merchant_id = :merchant_id and o.cancelled_at is not null and (
      exists (
        select 1 from order_items i
        where i.merchant_id = :merchant_id and i.order_id = o.id and i.quantity_fulfilled > 0
      )
      or exists (
        select 1 from order_transactions t
        where t.merchant_id = :merchant_id and t.order_id = o.id and t.status = 'complete'
        having sum(case t.type when 'charge' then t.amount else -t.amount end) <> 0
      )
    )`,
  'O2 an order is being cancelled, and no refund of it is pending': `
    select o.id as key from orders o
    where o.merchant_id = :merchant_id and o.cancelling_at is not null and not exists (
      select 1 from order_transactions t
      where t.merchant_id = :merchant_id and t.order_id = o.id and t.type = 'refund' and t.status = 'pending'
    )`,
  'O2 the refunds of a charge are more than it, or not what it counts': `
    select c.order_id as key from order_transactions c
    cross join lateral (
      select coalesce(sum(r.amount), 0) as given from order_transactions r
      where r.merchant_id = :merchant_id and r.order_id = c.order_id and r.refunds_id = c.id and r.status in ('pending', 'complete')
    ) refunds
    where c.merchant_id = :merchant_id and c.type = 'charge' and (refunds.given > c.amount or refunds.given <> c.refunded)`,
  'O2 a request for a refund and its parts say different things': `
    select r.order_id as key from order_refunds r
    cross join lateral (
      select count(*) filter (where t.status = 'pending') as pending, count(*) filter (where t.status = 'complete') as complete,
        count(*) as all_parts
      from order_transactions t
      where t.merchant_id = :merchant_id and t.order_id = r.order_id and t.refund_id = r.id
    ) parts
    where r.merchant_id = :merchant_id and r.status <> case
      when parts.pending > 0 then 'pending' when parts.complete > 0 or parts.all_parts = 0 then 'complete' else 'failed' end`,
  'O5 what a gift card got back of an order is not what the order says, or more than it had paid': `
    select o.id as key from orders o
    cross join lateral (
      select coalesce(sum(e.amount), 0) as returned from gift_card_entries e
      where e.merchant_id = :merchant_id and e.subject_id = o.id
    ) ledger
    where o.merchant_id = :merchant_id and o.content -> 'gift_card' ->> 'credit' is not null
      and (o.credit_returned > (o.content -> 'gift_card' ->> 'credit')::bigint or ledger.returned <> o.credit_returned)`,
  'O3 a token has several orders': `
    select checkout_id as key from orders where merchant_id = :merchant_id
    group by checkout_id having count(*) > 1`,
  'O3 two orders of a shop and mode have the same number': `
    select min(id) as key from orders where merchant_id = :merchant_id
    group by is_sandbox, substring(customer_reference from '[0-9]+$') having count(*) > 1`,
  'O3 a token was charged several times': `
    select a.checkout_id as key
    from capture_attempts a
    join test_charges c on c.merchant_id = :merchant_id and c.key = a.id
    where a.merchant_id = :merchant_id and c.state in ${PAID}
    group by a.checkout_id having count(*) > 1`,
  'O4 an order has not exactly one orders.create event, or an event no order': `
    select coalesce(o.id, e.id) as key
    from (select id from orders where merchant_id = :merchant_id) o
    full join (
      select payload ->> 'id' as id, count(*) as times
      from events where merchant_id = :merchant_id and name = 'orders.create' group by payload ->> 'id'
    ) e on e.id = o.id
    where o.id is null or e.times is distinct from 1`,
  'O4 an order that was paid has not exactly one orders.paid event, or one that was not has one': `
    select coalesce(o.id, e.id) as key
    from (select id from orders where merchant_id = :merchant_id and paid_at is not null) o
    full join (
      select payload ->> 'id' as id, count(*) as times
      from events where merchant_id = :merchant_id and name = 'orders.paid' group by payload ->> 'id'
    ) e on e.id = o.id
    where o.id is null or e.times is distinct from 1`,
  'O5 a code was used more often than it may be': `
    select d.code as key from discounts d
    join discount_uses u on u.merchant_id = :merchant_id and u.discount_id = d.id
    where d.merchant_id = :merchant_id and u.used > d.usage_limit`,
  'O5 a code stands among the usable ones and is used up, or can be used and does not stand there': `
    select coalesce(d.code, usable.discount_id) as key
    from (
      select d.merchant_id, d.id, d.code, mode.is_sandbox, coalesce(d.expires_at, 'infinity') as expires_at, product.id as for_product
      from discounts d
      cross join (values (true), (false)) mode (is_sandbox)
      cross join lateral unnest(case when d.product_ids = '{}' then array[''] else d.product_ids end) product (id)
      left join discount_uses u on u.merchant_id = :merchant_id and u.discount_id = d.id and u.is_sandbox = mode.is_sandbox
      where d.merchant_id = :merchant_id and (d.usage_limit is null or coalesce(u.used, 0) < d.usage_limit)
    ) d
    full join (select * from usable_discounts where merchant_id = :merchant_id) usable
      on usable.discount_id = d.id and usable.is_sandbox = d.is_sandbox
        and usable.expires_at = d.expires_at and usable.for_product = d.for_product
    where d.id is null or usable.discount_id is null`,
  // A code that saved nothing was not used, and a cancelled order returns its use; a refund alone does not.
  'O5 the uses of a code are not those of its orders and attempts': `
    select d.code as key
    from discounts d
    cross join (values (true), (false)) mode (is_sandbox)
    cross join lateral (
      select coalesce((
        select u.used from discount_uses u
        where u.merchant_id = :merchant_id and u.discount_id = d.id and u.is_sandbox = mode.is_sandbox
      ), 0) as used,
      (
        select count(*) from capture_attempts a
        where a.merchant_id = :merchant_id and a.discount_id = d.id and a.is_sandbox = mode.is_sandbox
          and a.state in ('charging', 'waiting')
      ) as held
    ) counted
    left join (
      select is_sandbox, content -> 'discount' ->> 'id' as discount_id, count(*) as kept
      from orders
      where merchant_id = :merchant_id and cancelled_at is null and (content -> 'discount' ->> 'amount_saved')::bigint > 0
      group by is_sandbox, content -> 'discount' ->> 'id'
    ) o on o.is_sandbox = mode.is_sandbox and o.discount_id = d.id
    where d.merchant_id = :merchant_id and counted.used <> counted.held + coalesce(o.kept, 0)`,
  'O5 the ledger of a gift card does not add up to its balance': `
    select b.gift_card_id as key from gift_card_balances b
    where b.merchant_id = :merchant_id and (b.balance < 0 or b.balance <> (
      select coalesce(sum(e.amount), 0) from gift_card_entries e
      where e.merchant_id = :merchant_id and e.gift_card_id = b.gift_card_id and e.is_sandbox = b.is_sandbox
    ))`,
  'O5 what an attempt has taken from a gift card is not what it holds or its order says': `
    select a.id as key from capture_attempts a
    where a.merchant_id = :merchant_id and a.gift_card_id is not null
      and exists (
        select 1 from gift_cards g where g.merchant_id = :merchant_id and g.id = a.gift_card_id
      )
      and case when a.state = 'released' then 0 else -a.gift_card_credit end <> coalesce((
        select sum(e.amount) from gift_card_entries e
        where e.merchant_id = :merchant_id and e.gift_card_id = a.gift_card_id and e.subject_id = a.id
      ), 0)`,
  'O6 an attempt is still open long after its time': `
    select id as key from capture_attempts
    where merchant_id = :merchant_id and state in ('charging', 'waiting') and gives_up_at < :now::timestamptz - interval '90 seconds'`,
  'O6 stock is held for an attempt that is settled': `
    select h.attempt_id as key from held_stock h
    join capture_attempts a on a.merchant_id = :merchant_id and a.id = h.attempt_id
    where h.merchant_id = :merchant_id and a.state not in ('charging', 'waiting')`,
}

const STOCK = `select s.item_id, s.available,
    (
      select coalesce(sum(h.quantity), 0)
      from held_stock h join capture_attempts a on a.merchant_id = :merchant_id and a.id = h.attempt_id
      where h.merchant_id = :merchant_id and h.item_id = s.item_id and a.is_sandbox = s.is_sandbox
    ) as held,
    (
      select coalesce(sum((line ->> 'quantity')::bigint - (
        select coalesce(sum((back ->> 'quantity')::bigint), 0) from json_array_elements(coalesce(o.restocked, '[]')) back
        where back ->> 'line_item_id' = line ->> 'id'
      )), 0)
      from orders o cross join json_array_elements(o.content -> 'lines') line
      where o.merchant_id = :merchant_id and o.is_sandbox = s.is_sandbox and o.cancelled_at is null and s.item_id = coalesce((
        select own.item_id from stock own
        where own.merchant_id = :merchant_id and own.is_sandbox = s.is_sandbox
          and own.item_id = line -> 'variant' ->> 'id'
      ), line ->> 'product_id')
    ) as sold
  from stock s
  where s.merchant_id = :merchant_id and s.is_sandbox and s.item_id = any(:items)`

type StockRow = { item_id: string; available: number; held: number; sold: number }

const everyShop = statement<{ merchant_id: number }>('test.every_shop', 'select merchant_id from merchants')

export async function brokenOracles(
  db: Database,
  { now, stock = {}, returned = {} }: OracleOptions,
): Promise<string[]> {
  const items = Object.keys(stock)
  const broken: string[] = []
  // Shop by shop, because a sharded database can answer only such queries.
  for (const { merchant_id } of await db.many(everyShop, {})) {
    const rows = await db.many<StockRow>(statement('test.oracle_stock', STOCK), { merchant_id, items })
    for (const { item_id: item, available, held, sold } of rows) {
      const back = returned[item] ?? 0
      // Sums are `numeric`, and arrive as text.
      const there = available + Number(held) + Number(sold) - back
      if (there !== stock[item] || available < 0)
        broken.push(
          `O1 ${item}: there were ${stock[item]}; ${available} are left, ${held} held, ${sold} sold, ${back} came back.`,
        )
    }
    for (const [index, [name, sql]] of Object.entries(CHECKS).entries()) {
      const found = await db.many<{ key: string }>(statement(`test.oracle_${index}`, sql), { merchant_id, now })
      broken.push(...found.map(({ key }) => `${name}: ${key}`))
    }
  }
  return broken
}
