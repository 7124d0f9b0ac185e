// All SQL that writes stock. A stock item belongs to a product, or to a variant with its own stock; each mode has its own figures.
// Merchants set stock, captures take it, and failed captures return it.

import { type Db, type Scope, type Shop, statement, type Tx } from '../../db/db.ts'
import { MAX_STOCK } from './body-schema.ts'

/** A stock item in one mode. `itemId` is the id of a product, or of a variant with own stock. */
export type StockItem = Scope & { readonly productId: string; readonly itemId: string }

const valuesOf = ({ merchant_id, is_sandbox, productId, itemId }: StockItem) => ({
  merchant_id,
  is_sandbox,
  product_id: productId,
  item_id: itemId,
})

/**
 * SQL for the quantity of an item that pending captures hold. The arguments are SQL, too. Computed at each read: held_stock contains only
 * open captures, and a stored sum would be another row for each capture to lock.
 */
export const heldStockSql = (itemId: string, is_sandbox: string) => `(
    select coalesce(sum(held.quantity), 0)::bigint
    from held_stock held
    join capture_attempts attempt on attempt.merchant_id = :merchant_id and attempt.id = held.attempt_id
    where held.merchant_id = :merchant_id and held.item_id = ${itemId} and attempt.is_sandbox = ${is_sandbox}
  )`

const insertStock = statement(
  'products.open_stock',
  `insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
   select :merchant_id, :product_id, entry.id, mode.is_sandbox, entry.available
   from json_to_recordset(:items) as entry (id text, available bigint)
   cross join (values (true), (false)) as mode (is_sandbox)`,
)

/** Creates stock in both modes. `items` are a new product, or variants of one. */
export async function openStock(
  tx: Tx,
  { merchant_id }: Shop,
  productId: string,
  items: readonly { id: string; available: number }[],
) {
  if (items.length === 0) return
  await tx.run(insertStock, { merchant_id, product_id: productId, items: JSON.stringify(items) })
}

const lock = statement(
  'products.lock_stock',
  `select 1 from stock
   where merchant_id = :merchant_id and item_id = :item_id and is_sandbox = :is_sandbox
   for update`,
)

/**
 * Blocks captures from changing the stock until the transaction ends. Read the held quantity by a later statement: this one may have
 * waited, and would see outdated holds.
 */
export const lockStock = (tx: Tx, item: StockItem) => tx.run(lock, valuesOf(item))

const findHeld = statement<{ held: number }>(
  'products.find_held',
  `select ${heldStockSql(':item_id', ':is_sandbox')} as held`,
)

export const findHeldStock = async (tx: Tx, item: StockItem): Promise<number> =>
  (await tx.one(findHeld, valuesOf(item))).held

const upsertStock = statement(
  'products.set_stock',
  `insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
   values (:merchant_id, :product_id, :item_id, :is_sandbox, :available)
   on conflict (merchant_id, item_id, is_sandbox) do update set available = excluded.available`,
)

/** Changes one mode only, because a test key must not change what can be sold. */
export const setStock = (tx: Tx, item: StockItem, available: number) =>
  tx.run(upsertStock, { ...valuesOf(item), available })

// Reads the holds in the same statement as it writes. Otherwise a capture that ends in between would count as held and as sold.
const count = statement<{ held: number; is_written: boolean }>(
  'products.count_stock',
  `with held as (
     select ${heldStockSql(':item_id', ':is_sandbox')} as quantity
   ),
   counted as (
     insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
     select :merchant_id, :product_id, :item_id, :is_sandbox, :on_hand::bigint - held.quantity
     from held
     where held.quantity <= :on_hand
     on conflict (merchant_id, item_id, is_sandbox) do update set available = excluded.available
     returning item_id
   )
   select held.quantity as held, exists (select 1 from counted) as is_written from held`,
)

/** The caller has locked the item. Writes nothing if more is held than was counted. */
export const countStock = (tx: Tx, item: StockItem, onHand: number) =>
  tx.one(count, { ...valuesOf(item), on_hand: onHand })

const clear = statement(
  'products.clear_stock',
  'delete from stock where merchant_id = :merchant_id and item_id = :item_id and is_sandbox = :is_sandbox',
)

/** Removes a variant's own stock in this mode, where it then sells from the product's. The other mode is unchanged. */
export const clearStock = (tx: Tx, item: StockItem) => tx.run(clear, valuesOf(item))

const remove = statement(
  'products.delete_variant_stock',
  'delete from stock where merchant_id = :merchant_id and item_id = :item_id',
)

/** Deletes a variant's stock in both modes. Stock refers only to the product, so no foreign key deletes it. */
export const deleteStock = (tx: Tx, { merchant_id }: Shop, itemId: string) =>
  tx.run(remove, { merchant_id, item_id: itemId })

// Captures take and return stock, and cancelled orders return it. All items are changed in one statement, locked in the order of their ids,
// so that two transactions with the same items cannot deadlock.

/**
 * Takes the items of `source` (`item_id`, `quantity`; each item once) from the stock of `:merchant_id` in the mode `:is_sandbox`. The
 * resulting CTE `taken` (`item_id`, `quantity`) lacks the items without enough stock. Then the transaction must not be committed.
 */
// The update itself contains the condition, so that each of many captures for the last unit sees the stock left by the previous one. The
// lock is in a nested query, because Citus loses columns of a query that both locks and joins.
export const takeStockSql = (source: string) => `wanted_stock as (
     select item_id, quantity
     from (
       select stock.item_id, ${source}.quantity
       from stock
       join ${source} on ${source}.item_id = stock.item_id
       where stock.merchant_id = :merchant_id and stock.is_sandbox = :is_sandbox
       order by stock.item_id
       for update of stock
     ) locked
   ),
   taken as (
     update stock
     set available = stock.available - wanted_stock.quantity
     from wanted_stock
     where stock.merchant_id = :merchant_id and stock.item_id = wanted_stock.item_id and stock.is_sandbox = :is_sandbox
       and stock.available >= wanted_stock.quantity
     returning stock.item_id, wanted_stock.quantity
   )`

/**
 * Returns the items of `source` (`item_id`, `quantity`; each item once) to the stock of `:merchant_id` in the mode `:is_sandbox`. Stock of
 * a variant without own stock now goes to its product, from which the variant sells. Stock of deleted products and variants is dropped. The
 * sum is capped at the highest stock that a merchant may set. The resulting CTE `restocked` maps the item `taken_from` to the item
 * `item_id` that received the stock.
 */
// Locks the product's row together with the variant's, because a transaction that this one waits for may clear the latter. Uses lists of
// ids instead of joins, so that each row is looked up by its full key, whatever the planner's statistics say.
export const restockSql = (source: string) => `${placesOf(source, 'for update of stock')},
   increased as (
     update stock
     set available = least(stock.available + sums.quantity, ${MAX_STOCK})
     from (select item_id, sum(quantity)::bigint as quantity from restocked group by item_id) sums
     where stock.merchant_id = :merchant_id and stock.item_id = any(array(select item_id from restocked))
       and stock.is_sandbox = :is_sandbox and stock.item_id = sums.item_id
   )`

/** The items that would receive the stock. `lock` locks the rows for writing. */
const placesOf = (source: string, lock: 'for update of stock' | '') => `owners as (
     select variant.id, variant.product_id
     from ${source}
     cross join lateral (
       select variants.id, variants.product_id
       from variants
       where variants.merchant_id = :merchant_id and variants.id = ${source}.item_id
       offset 0
     ) variant
   ),
   places as (
     select ${source}.item_id as taken_from, ${source}.quantity, owners.product_id
     from ${source}
     left join owners on owners.id = ${source}.item_id
   ),
   locked as (
     select stock.item_id
     from stock
     where stock.merchant_id = :merchant_id and stock.is_sandbox = :is_sandbox
       and stock.item_id = any(array(select taken_from from places union all select product_id from places))
     order by stock.item_id
     ${lock}
   ),
   restocked as (
     select places.taken_from, coalesce(own.item_id, shared.item_id) as item_id, places.quantity
     from places
     left join locked own on own.item_id = places.taken_from
     left join locked shared on shared.item_id = places.product_id
     where own.item_id is not null or shared.item_id is not null
   )`

const SOLD = `sold as (
     select sold.item_id, sold.quantity from unnest(:item_ids::text[], :quantities::bigint[]) as sold (item_id, quantity)
   )`

type Place = { taken_from: string; item_id: string }

const restock = statement<Place>(
  'stock.restock',
  `with ${SOLD},
   ${restockSql('sold')}
   select taken_from, item_id from restocked`,
)

const findPlaces = statement<Place>(
  'stock.find_restock_places',
  `with ${SOLD},
   ${placesOf('sold', '')}
   select taken_from, item_id from restocked`,
)

const findPlacesBy = (
  db: Db,
  places: typeof restock,
  { merchant_id, is_sandbox }: Scope,
  quantities: ReadonlyMap<string, number>,
) =>
  db.many(places, {
    merchant_id,
    is_sandbox,
    item_ids: [...quantities.keys()],
    quantities: [...quantities.values()],
  })

const byOrigin = (rows: readonly Place[]): ReadonlyMap<string, string> =>
  new Map(rows.map(({ taken_from, item_id }) => [taken_from, item_id]))

/** Returns stock. The result maps each item to the item that received its stock: itself, or the product of a variant without own stock. */
export const restockItems = async (
  tx: Tx,
  scope: Scope,
  quantities: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, string>> =>
  quantities.size === 0 ? new Map() : byOrigin(await findPlacesBy(tx, restock, scope, quantities))

/** The same mapping, without changing the stock. */
export const findRestockPlaces = async (
  db: Db,
  scope: Scope,
  quantities: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, string>> =>
  quantities.size === 0 ? new Map() : byOrigin(await findPlacesBy(db, findPlaces, scope, quantities))
