// Logs each stock write with the database snapshot it was computed from, and each order with its transaction: which came first is then known.

import { type Database, statement } from '../../src/db/db.ts'

/** Log tables and their triggers, in the database of a test. Captures update stock; only merchants insert it. */
const SET_UP = [
  `create table written_stock (
     at bigserial, merchant_id integer, item_id text, is_sandbox boolean, mark text, before bigint, available bigint,
     snapshot pg_snapshot
   )`,
  'create table sold_units (merchant_id integer, item_id text, quantity bigint, made_by xid8)',
  // The snapshot is an argument, so it is that of the writing statement. Inside the function it would be newer.
  `create function log_written_stock(merchant integer, item text, sandbox boolean, amount bigint, seen pg_snapshot)
   returns boolean language sql volatile as $$
     insert into written_stock (merchant_id, item_id, is_sandbox, mark, before, available, snapshot)
     select merchant, item, sandbox, product.name, stock.available, amount, seen
     from products product
     left join stock on stock.merchant_id = merchant and stock.item_id = item and stock.is_sandbox = sandbox
     where product.merchant_id = merchant and product.id = item;
     select false
   $$`,
  `create function do_nothing() returns trigger language plpgsql as $$ begin return new; end $$`,
  `create trigger written_stock before insert on stock for each row
   when (log_written_stock(new.merchant_id, new.item_id, new.is_sandbox, new.available, pg_current_snapshot()))
   execute function do_nothing()`,
  `create function log_sold_units() returns trigger language plpgsql as $$
   begin
     insert into sold_units (merchant_id, item_id, quantity, made_by)
     select new.merchant_id, line ->> 'product_id', (line ->> 'quantity')::bigint, pg_current_xact_id()
     from json_array_elements(new.content -> 'lines') line;
     return new;
   end $$`,
  'create trigger sold_units after insert on orders for each row execute function log_sold_units()',
]

export async function logShelf(db: Database): Promise<void> {
  for (const [index, sql] of SET_UP.entries()) await db.run(statement(`test.log_shelf_${index}`, sql), {})
}

/**
 * One write. `mark` is the product name set by the same request. `before` is the stock available until then; null if the product was
 * created. `sold` is the total sold by then.
 */
export type Written = { mark: string; before: number | null; available: number; sold: number }

const findWritten = statement<Written>(
  'test.written_stock',
  `select written.mark, written.before, written.available,
     (
       select coalesce(sum(unit.quantity), 0)::bigint
       from sold_units unit
       where unit.merchant_id = written.merchant_id and unit.item_id = written.item_id
         and pg_visible_in_snapshot(unit.made_by, written.snapshot)
     ) as sold
   from written_stock written
   where written.merchant_id = :merchant_id and written.item_id = :item_id and written.is_sandbox
   order by written.at`,
)

/** Returns the writes in order. The first is the product's creation. */
export const writtenStock = (db: Database, merchant_id: number, itemId: string) =>
  db.many(findWritten, { merchant_id, item_id: itemId })

const findSold = statement<{ sold: number }>(
  'test.sold_units',
  'select coalesce(sum(quantity), 0)::bigint as sold from sold_units where merchant_id = :merchant_id and item_id = :item_id',
)

export const soldUnits = async (db: Database, merchant_id: number, itemId: string) =>
  (await db.one(findSold, { merchant_id, item_id: itemId })).sold
