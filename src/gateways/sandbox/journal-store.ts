// The books of the test gateways, in PostgreSQL: each entry is committed by itself, as a processor's would be, so that whatever dies
// here, what was charged stays true.

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
  /** Of what was set aside; null where it was charged at once, or nothing was taken yet. */
  readonly taken?: Minor | null
  /** What the gateway wants to remember. Never a card's number. */
  readonly details: Readonly<Record<string, unknown>>
}

/** What the gateways ask of their books. */
export type TestJournal = {
  find(merchantId: number, key: string): Promise<TestEntry | null>
  /** Writes it unless there is an entry of that key; gives what then stands there. */
  enter(merchantId: number, key: string, entry: TestEntry): Promise<TestEntry>
  /** Into another state, if it is in `from`; details are added. Gives what then stands there; null when there is no entry. */
  move(
    merchantId: number,
    key: string,
    from: TestState,
    to: TestState,
    details?: Readonly<Record<string, unknown>>,
  ): Promise<TestEntry | null>
  /** Takes so much of what is set aside, and lets go of the rest. Gives what then stands there, also where nothing could be taken. */
  take(merchantId: number, key: string, amount: Minor, currency: string): Promise<TestEntry | null>
  /** Gives so much back, once for each key of a refund, and never more than was charged. Gives what then stands there. */
  refund(merchantId: number, key: string, refundKey: string, amount: Minor, currency: string): Promise<TestEntry | null>
}

const ENTRY = 'state, amount, currency, taken, details'

const find = statement<TestEntry>(
  'test_charges.find',
  `select ${ENTRY} from test_charges where merchant_id = :merchant_id and key = :key`,
)

// An insert does not see itself: the second select finds only what stood there before.
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

// One statement with all conditions: of two at once the second sees what the first has left.
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
  const findEntry: TestJournal['find'] = (merchantId, key) => db.maybe(find, { merchant_id: merchantId, key })
  return {
    find: findEntry,
    async enter(merchantId, key, entry) {
      const values = {
        ...entry,
        merchant_id: merchantId,
        key,
        details: JSON.stringify(entry.details),
        now: clock.now(),
      }
      // None when another has written it in this very moment: the same key charges once.
      return (await db.maybe(enter, values)) ?? (await findEntry(merchantId, key)) ?? entry
    },
    async move(merchantId, key, from, to, details = {}) {
      await db.run(move, { merchant_id: merchantId, key, from, to, details: JSON.stringify(details), now: clock.now() })
      return findEntry(merchantId, key)
    },
    async take(merchantId, key, amount, currency) {
      await db.run(take, { merchant_id: merchantId, key, amount, currency, now: clock.now() })
      return findEntry(merchantId, key)
    },
    async refund(merchantId, key, refundKey, amount, currency) {
      const values = { merchant_id: merchantId, key, refund_key: refundKey, amount, currency, now: clock.now() }
      await db.run(refund, values)
      return findEntry(merchantId, key)
    },
  }
}

const TIMES = {
  name: 'old-test-charges',
  statement: 'test_charges.delete_old',
  everySeconds: 3_600,
  column: 'created_at',
  keptDays: 0,
  key: { key: 'text' },
}

const deleteOld = deletionOf('test_charges', TIMES)

/** Entries older than so many days go. */
export const sweepTestCharges = (days: number): Sweep =>
  sweepOf('test_charges', { ...TIMES, keptDays: days }, deleteOld)
