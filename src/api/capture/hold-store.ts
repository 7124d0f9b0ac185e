// The SQL of a hold: takes and returns stock, and binds a shopper's payment to its attempt. The table held_stock has
// the stock of each open attempt, and payment_references the bound payments. SQL fragments of products/stock-store.ts
// change the stock itself.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { ItemDemand } from '../lines/line.ts'
import { restockSql, takeStockSql } from '../products/stock-store.ts'
import { buildTakenSlots, buildTokenDeclines, HAS_SLOTS, type SlotDemand, toSlotValues } from './declines/store.ts'
import {
  type AttemptKey,
  type AttemptRow,
  INSERT_ATTEMPT,
  isDivisionByZero,
  type NewAttempt,
  toAttemptValues,
} from './store.ts'

/** Quantity to take from one stock item. */
export type StockDemand = Omit<ItemDemand, 'available'>

const wantedIf = (condition: string) => `wanted as (
     select wanted.item_id, wanted.quantity
     from unnest(:item_ids::text[], :quantities::bigint[]) as wanted (item_id, quantity)
     where ${condition}
   )`

const HELD = `held as (
     insert into held_stock (merchant_id, attempt_id, item_id, quantity)
     select :merchant_id, :id, taken.item_id, taken.quantity from taken
   )`

const take = statement<{ item_id: string }>(
  'capture.take_stock',
  `with ${wantedIf('true')},
   ${takeStockSql('wanted')},
   ${HELD}
   select item_id from taken`,
)

/**
 * Returns the items without enough stock. If there are any, the transaction must not commit, because it has taken the
 * others.
 */
export async function takeStock(
  tx: Tx,
  { merchant_id, id, is_sandbox }: Pick<AttemptRow, 'merchant_id' | 'id' | 'is_sandbox'>,
  demands: readonly StockDemand[],
): Promise<StockDemand[]> {
  const rows = await tx.many(take, { merchant_id, id, is_sandbox, ...demandValues(demands) })
  return shortOf(
    demands,
    rows.map(({ item_id }) => item_id),
  )
}

const demandValues = (demands: readonly StockDemand[]) => ({
  item_ids: demands.map(({ itemId }) => itemId),
  quantities: demands.map(({ quantity }) => quantity),
})

function shortOf(demands: readonly StockDemand[], takenIds: readonly string[]): StockDemand[] {
  const enough = new Set(takenIds)
  return demands.filter(({ itemId }) => !enough.has(itemId))
}

// The attempt is inserted first. If the insert is refused, `wanted` is empty and no stock is taken.
// If something is missing, a division by zero undoes all writes: only an error can do this within one statement.
const beginWithStock = statement<{ is_begun: boolean }>(
  'capture.begin_whole_attempt',
  `with begun as (
     ${INSERT_ATTEMPT}
     returning id
   ),
   ${wantedIf('exists (select 1 from begun)')},
   ${takeStockSql('wanted')},
   ${HELD},
   ${buildTokenDeclines('exists (select 1 from begun)')},
   ${buildTakenSlots('exists (select 1 from begun) and (select count(*) from taken) = (select count(*) from wanted)')}
   select exists (select 1 from begun) as is_begun,
     1 / (case when (select count(*) from taken) = (select count(*) from wanted)
       and (not exists (select 1 from begun) or ${HAS_SLOTS}) then 1 else 0 end) as is_whole`,
)

/**
 * Begins an attempt with all its stock and slots in one statement, without a transaction. `short`: stock or a slot is
 * missing, and nothing was written. `not_begun`: the token already has an attempt that is not released.
 * If another transaction is just writing an attempt of the token, waits for its end.
 */
export async function beginAttemptWithStock(
  db: Db,
  attempt: NewAttempt,
  demands: readonly StockDemand[],
  slots: SlotDemand,
  now: Date,
): Promise<'begun' | 'not_begun' | 'short'> {
  try {
    const values = { ...toAttemptValues(attempt), ...demandValues(demands), ...toSlotValues(slots, now), now }
    // `together` repeats the statement after a deadlock.
    const [{ is_begun: isBegun }] = await db.together((all) => [all.one(beginWithStock, values)])
    return isBegun ? 'begun' : 'not_begun'
  } catch (error) {
    if (isDivisionByZero(error)) return 'short'
    throw error
  }
}

const begin = statement<{ id: string }>(
  'capture.begin_attempt',
  `${INSERT_ATTEMPT}
   returning id`,
)

/** Inserts the attempt without its hold. False if the token already has an attempt that is not released. */
export const beginAttempt = async (tx: Tx, attempt: NewAttempt, now: Date): Promise<boolean> =>
  (await tx.maybe(begin, { ...toAttemptValues(attempt), now })) !== null

const bind = statement<{ reference: string }>(
  'capture.bind_payment',
  `insert into payment_references (merchant_id, is_sandbox, gateway, reference, attempt_id, created_at)
   values (:merchant_id, :is_sandbox, :gateway, :reference, :id, :now)
   on conflict (merchant_id, is_sandbox, gateway, reference) do nothing
   returning reference`,
)

/**
 * Binds a payment of the shopper to one attempt. False if it is bound already. Waits for a transaction that is just
 * binding it.
 */
export const bindPayment = async (tx: Tx, attempt: BoundAttempt, now: Date): Promise<boolean> =>
  (await tx.maybe(bind, { ...referenceOf(attempt), now })) !== null

type BoundAttempt = AttemptKey & Pick<AttemptRow, 'is_sandbox' | 'gateway' | 'payment_reference'>

const referenceOf = ({ merchant_id, id, is_sandbox, gateway, payment_reference: reference }: BoundAttempt) => ({
  merchant_id,
  id,
  is_sandbox,
  gateway,
  reference,
})

const unbind = statement(
  'capture.unbind_payment',
  `delete from payment_references
   where merchant_id = :merchant_id and is_sandbox = :is_sandbox and gateway = :gateway and reference = :reference
     and attempt_id = :id`,
)

/** Allows another attempt to use the payment after this one has failed. */
export const unbindPayment = (tx: Tx, attempt: BoundAttempt) => tx.run(unbind, referenceOf(attempt))

const returnAll = statement(
  'capture.give_stock_back',
  `with held as (
     delete from held_stock where merchant_id = :merchant_id and attempt_id = :id returning item_id, quantity
   ),
   ${restockSql('held')}
   select count(*) from restocked`,
)

/** Returns all stock of the attempt. Stock of a deleted product is lost. */
export const returnStock = (
  tx: Tx,
  { merchant_id, id, is_sandbox }: Pick<AttemptRow, 'merchant_id' | 'id' | 'is_sandbox'>,
) => tx.run(returnAll, { merchant_id, id, is_sandbox })
