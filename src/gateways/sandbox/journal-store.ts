// Journal of the test gateways in PostgreSQL. Each entry is committed on its own, like at a real processor. A crash of our process
// therefore cannot undo a charge.

import { type Db, statement } from '../../db/db.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { deletionOf, sweepOf } from '../../jobs/sweeps.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'

type TestState = 'authorized' | 'charged' | 'waiting' | 'declined' | 'cancelled' | 'refunded'

export type TestEntry = {
  readonly state: TestState
  readonly amount: Minor
  readonly currency: string
  /** Amount taken of an authorization. Null if it was charged at once, or nothing was taken yet. */
  readonly taken?: Minor | null
  /** Data of the gateway. Never a card number. */
  readonly details: Readonly<Record<string, unknown>>
}

/** Journal operations of the test gateways. */
export type TestJournal = {
  find(merchant_id: number, key: string): Promise<TestEntry | null>
  /** Adds the entry unless the key exists. Returns the stored entry. */
  enter(merchant_id: number, key: string, entry: TestEntry): Promise<TestEntry>
  /** Changes the state if it is `from`, and adds details. Returns the stored entry; null if there is none. */
  move(
    merchant_id: number,
    key: string,
    from: TestState,
    to: TestState,
    details?: Readonly<Record<string, unknown>>,
  ): Promise<TestEntry | null>
  /** Takes a part or all of the held amount and releases the rest. Returns the stored entry, changed or not. */
  take(merchant_id: number, key: string, amount: Minor, currency: string): Promise<TestEntry | null>
  /** Refunds an amount once for each refund key, up to the charged amount. Returns the stored entry. */
  refund(
    merchant_id: number,
    key: string,
    refundKey: string,
    amount: Minor,
    currency: string,
  ): Promise<TestEntry | null>
}

const ENTRY = 'state, amount, currency, taken, details'

const find = statement<TestEntry>(
  'test_charges.find',
  `select ${ENTRY} from test_charges where merchant_id = :merchant_id and key = :key`,
)

// An insert does not see its own row. The second select therefore finds only an older entry.
const enter = statement<TestEntry>(
  'test_charges.enter',
  `with entered as (
     insert into test_charges (merchant_id, key, state, amount, currency, details, created_at, updated_at)
     values (:merchant_id, :key, :state, :amount, :currency, :details, :now, :now)
     on conflict (merchant_id, key) do nothing
     returning ${ENTRY}
   )
   select ${ENTRY} from entered
   union all
   select ${ENTRY} from test_charges where merchant_id = :merchant_id and key = :key`,
)

const move = statement(
  'test_charges.move',
  `update test_charges
   set state = :to, details = details || :details::jsonb, updated_at = :now
   where merchant_id = :merchant_id and key = :key and state = :from`,
)

const take = statement(
  'test_charges.take',
  `update test_charges
   set state = 'charged', taken = :amount, updated_at = :now
   where merchant_id = :merchant_id and key = :key and state = 'authorized' and amount >= :amount and currency = :currency`,
)

// One statement with all conditions: of two concurrent refunds the second sees the amount that the first has left.
const refund = statement(
  'test_charges.refund',
  `update test_charges
   set state = case when refunded + :amount::bigint = coalesce(taken, amount) then 'refunded' else state end,
     refunded = refunded + :amount,
     details = jsonb_set(
       details, '{refunds}', coalesce(details -> 'refunds', '{}') || jsonb_build_object(:refund_key::text, :amount::bigint)
     ),
     updated_at = :now
   where merchant_id = :merchant_id and key = :key and state = 'charged' and currency = :currency
     and refunded + :amount <= coalesce(taken, amount) and details -> 'refunds' -> :refund_key is null`,
)

export function testJournal(db: Db, clock: Clock): TestJournal {
  const findByKey: TestJournal['find'] = (merchant_id, key) => db.maybe(find, { merchant_id, key })
  return {
    find: findByKey,
    async enter(merchant_id, key, entry) {
      const values = {
        ...entry,
        merchant_id,
        key,
        details: JSON.stringify(entry.details),
        now: clock.now(),
      }
      // No row if another request inserted the key at the same moment: one key charges once.
      return (await db.maybe(enter, values)) ?? (await findByKey(merchant_id, key)) ?? entry
    },
    async move(merchant_id, key, from, to, details = {}) {
      await db.run(move, { merchant_id, key, from, to, details: JSON.stringify(details), now: clock.now() })
      return findByKey(merchant_id, key)
    },
    async take(merchant_id, key, amount, currency) {
      await db.run(take, { merchant_id, key, amount, currency, now: clock.now() })
      return findByKey(merchant_id, key)
    },
    async refund(merchant_id, key, refundKey, amount, currency) {
      const values = { merchant_id, key, refund_key: refundKey, amount, currency, now: clock.now() }
      await db.run(refund, values)
      return findByKey(merchant_id, key)
    },
  }
}

const RETENTION = {
  name: 'old-test-charges',
  statement: 'test_charges.delete_old',
  everySeconds: 3_600,
  column: 'created_at',
  keptDays: 0,
  key: { key: 'text' },
}

const deleteOld = deletionOf('test_charges', RETENTION)

/** Deletes entries older than this many days. */
export const sweepTestCharges = (days: number): Sweep =>
  sweepOf('test_charges', { ...RETENTION, keptDays: days }, deleteOld)
