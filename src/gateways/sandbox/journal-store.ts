// The books of the test gateways, in PostgreSQL: each entry is committed by itself, as a processor's would be, so that whatever dies
// here, what was charged stays true.

import { type Db, statement } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'

type State = 'authorized' | 'charged' | 'waiting' | 'declined' | 'cancelled' | 'refunded'
type Details = Readonly<Record<string, unknown>>
type Entry = { readonly state: State; readonly amount: Minor; readonly currency: string; readonly details: Details }

const ENTRY = 'state, amount, currency, details'

const find = statement<Entry>(
  'test_charges.find',
  `select ${ENTRY} from test_charges where merchant_id = $1 and key = $2`,
)

// An insert does not see itself: the second select finds only what stood there before.
const enter = statement<Entry>(
  'test_charges.enter',
  `with entered as (
     insert into test_charges (merchant_id, key, state, amount, currency, details, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)
     on conflict (merchant_id, key) do nothing
     returning ${ENTRY}
   )
   select ${ENTRY} from entered
   union all
   select ${ENTRY} from test_charges where merchant_id = $1 and key = $2`,
)

const move = statement(
  'test_charges.move',
  `update test_charges
   set state = $4, details = details || $5::jsonb, updated_at = $6
   where merchant_id = $1 and key = $2 and state = $3`,
)

const deleteOld = statement(
  'test_charges.delete_old',
  `delete from test_charges
   where (merchant_id, key) in (
     select merchant_id, key from test_charges where created_at < $1 order by created_at limit $2
   )`,
)

/** Deletes at most `limit` charges entered before `moment`, and returns how many it deleted. */
export const deleteTestChargesBefore = (db: Db, moment: Date, limit: number): Promise<number> =>
  db.run(deleteOld, [moment, limit])

export function testJournal(db: Db, clock: Clock) {
  const findEntry = (merchantId: number, key: string): Promise<Entry | null> => db.maybe(find, [merchantId, key])
  return {
    find: findEntry,
    async enter(merchantId: number, key: string, entry: Entry): Promise<Entry> {
      const { state, amount, currency, details } = entry
      const values = [merchantId, key, state, amount, currency, JSON.stringify(details), clock.now()]
      // None when another has written it in this very moment: the same key charges once.
      return (await db.maybe(enter, values)) ?? (await findEntry(merchantId, key)) ?? entry
    },
    async move(merchantId: number, key: string, from: State, to: State, details: Details = {}): Promise<Entry | null> {
      await db.run(move, [merchantId, key, from, to, JSON.stringify(details), clock.now()])
      return findEntry(merchantId, key)
    },
  }
}
