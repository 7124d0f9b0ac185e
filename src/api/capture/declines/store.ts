// SQL of the counters of declined payments, in the table decline_counters. Before a capture calls the gateway, it takes
// a slot in the counter of each of its networks. A decline turns the slot into a counted decline; any other result
// returns it. Concurrent captures therefore cannot exceed the allowed declines.
// The row of an attempt lists its slots, so that any process can return them.

import { type Db, type Scope, type Shop, statement, type Tx } from '../../../db/db.ts'
import { sweepOf } from '../../../jobs/sweeps.ts'

/** Maximum number of declines of one checkout token. */
export const MAX_TOKEN_DECLINES = 10

/** Seconds that a network first has to wait. Each further decline doubles them, up to LONGEST_WAIT. */
const FIRST_WAIT = 60
const LONGEST_WAIT = 900

/** SQL: number of declines after which the network of a row has to wait. Null for rows of tokens and shops. */
const DECLINE_LIMIT = '(:decline_limits::integer[])[array_position(:subjects::text[], counter.subject)]'
const IS_CURRENT = 'counter.ends_at > :now::timestamptz'
const ifCurrent = (column: string) => `case when ${IS_CURRENT} then counter.${column} else 0 end`

/**
 * SQL: true if one more payment from the network of a row may begin. A network without free declines may have only one
 * payment under way.
 */
const IS_FREE = `not (${IS_CURRENT}) or (
       coalesce(counter.blocked_until <= :now::timestamptz, true)
       and (counter.under_way = 0 or counter.declines + counter.under_way < ${DECLINE_LIMIT})
     )`

/**
 * Part of a `with` that takes a slot in each counter of :subjects. Its rows are the slots that were free. If one is
 * missing, the caller must undo everything that it has written. Put this part last in a statement or transaction,
 * because other captures of the network wait for the row. Slots of a crashed process end with the row's `ends_at`.
 */
export const buildTakenSlots = (condition: string) => `taken_slots as (
     insert into decline_counters as counter (merchant_id, subject, under_way, ends_at)
     select :merchant_id::integer, wanted.subject, 1, :slots_end::timestamptz
     from unnest(:subjects::text[]) as wanted (subject)
     where ${condition}
     order by wanted.subject
     on conflict (merchant_id, subject) do update
     set declines = ${ifCurrent('declines')}, under_way = ${ifCurrent('under_way')} + 1,
       ends_at = case when ${IS_CURRENT} then counter.ends_at else excluded.ends_at end
     where ${IS_FREE}
     returning counter.subject
   )`

/**
 * Part of a `with` that reads the declines of :token_subject. The update locks the row, so it waits for a decline that
 * another transaction is counting. Most tokens have no row.
 */
export const buildTokenDeclines = (condition: string) => `token_declines as (
     update decline_counters set declines = declines
     where merchant_id = :merchant_id and subject = :token_subject and ends_at > :now::timestamptz and ${condition}
     returning declines
   )`

/** SQL: true if all slots of :subjects were taken, and the token has declines left. */
export const HAS_SLOTS = `((select count(*) from taken_slots) = cardinality(:subjects::text[])
     and coalesce((select declines from token_declines), 0) < ${MAX_TOKEN_DECLINES})`

/** Counters that a capture depends on. */
export type SlotDemand = {
  /** Empty if the declines of the token do not count. */
  readonly tokenSubject: string
  /** Subject of each network's counter, the narrowest network first. */
  readonly slots: readonly string[]
}

/** Declines per hour after which the narrowest network has to wait. Each wider network may have twice as many. */
const FREE_DECLINES = 30
const HOUR_MS = 3_600_000
const hourAfter = (now: Date): Date => new Date(now.getTime() + HOUR_MS)

export const toSlotValues = ({ tokenSubject, slots }: SlotDemand, now: Date) => ({
  token_subject: tokenSubject,
  subjects: slots,
  decline_limits: declineLimitsOf(slots),
  slots_end: hourAfter(now),
})

const declineLimitsOf = (slots: readonly string[]): number[] => slots.map((_, index) => FREE_DECLINES * 2 ** index)

const take = statement<{ is_taken: boolean }>(
  'capture.take_slots',
  `with ${buildTokenDeclines('true')},
   ${buildTakenSlots('true')}
   select ${HAS_SLOTS} as is_taken`,
)

/**
 * Call it last in the transaction that begins the attempt. It returns false if a slot is missing or the token has no
 * declines left. The transaction must then not commit.
 */
export const takeSlots = async (tx: Tx, { merchant_id }: Shop, demand: SlotDemand, now: Date) =>
  (await tx.one(take, { merchant_id, ...toSlotValues(demand, now), now })).is_taken

/** State of the counters for one capture. */
export type DeclineStanding = {
  /** Number of declines of the token. */
  token_declines: number
  /** Seconds until all networks of the capture may pay again; null if none has to wait. */
  wait: number | null
  /** True if a network has no free slot for another payment. */
  is_full: boolean
}

/** SQL: a DeclineStanding as JSON. Reads the rows of the networks and of the token by key. */
export const STANDING_JSON = `(
       select json_build_object(
         'token_declines', coalesce(max(counter.declines) filter (where counter.subject = :token_subject), 0),
         'wait', ceil(extract(epoch from max(counter.blocked_until) filter (where counter.blocked_until > :now) - :now::timestamptz)),
         'is_full', coalesce(bool_or(counter.under_way > 0 and counter.declines + counter.under_way >= ${DECLINE_LIMIT}), false)
       )
       from decline_counters counter
       where counter.merchant_id = :merchant_id and counter.subject = any(:subjects::text[] || :token_subject::text)
         and counter.ends_at > :now::timestamptz
     )`

const findStanding = statement<{ standing: DeclineStanding }>(
  'capture.find_decline_standing',
  `select ${STANDING_JSON} as standing`,
)

export const findDeclineStanding = async (
  db: Db,
  { merchant_id }: Shop,
  demand: SlotDemand,
  now: Date,
): Promise<DeclineStanding> => (await db.one(findStanding, { merchant_id, ...toSlotValues(demand, now), now })).standing

/**
 * Part of a `with` that returns slots. `slots` is the SQL of an array, or of null. It locks rows in the order of their
 * subjects, as `buildTakenSlots` does, to avoid deadlocks. It skips a counter that is deleted or has no slots taken.
 */
export const buildReturnedSlots = (slots: string) => `held_slots as (
     select subject from decline_counters
     where merchant_id = :merchant_id and subject = any(${slots}::text[]) and under_way > 0
     order by subject
     for update
   ),
   given_back as (
     update decline_counters counter set under_way = greatest(counter.under_way - 1, 0)
     from held_slots
     where counter.merchant_id = :merchant_id and counter.subject = held_slots.subject
   )`

const returnAll = statement('capture.give_slots_back', `with ${buildReturnedSlots(':slots')} select 1`)

/** Returns the slots right before the commit, so that other captures of the network wait for the row only briefly. */
export const returnSlots = (tx: Tx, { merchant_id }: Shop, slots: readonly string[]): void => {
  if (slots.length > 0) tx.beforeCommit(returnAll, { merchant_id, slots })
}

// Count in seconds, because Citus refuses to add an interval to a time inside a `case`.
const WAIT_ENDS = `to_timestamp(:now_seconds::double precision + least(${FIRST_WAIT} * 2 ^ least(${ifCurrent('declines')} + 1 - ${DECLINE_LIMIT}, 10), ${LONGEST_WAIT}))`
const IS_TOO_MANY = `${ifCurrent('declines')} + 1 >= ${DECLINE_LIMIT}`

// The row of a network without free declines stays until an hour has passed without a decline.
const count = statement<{ subject: string; declines: number }>(
  'capture.count_decline',
  `insert into decline_counters as counter (merchant_id, subject, declines, ends_at)
   select :merchant_id::integer, declined.subject, 1, declined.ends_at
   from unnest(:subjects::text[], :ends::timestamptz[]) as declined (subject, ends_at)
   order by declined.subject
   on conflict (merchant_id, subject) do update
   set declines = ${ifCurrent('declines')} + 1,
     under_way = greatest(${ifCurrent('under_way')} - (case when counter.subject = any(:slots::text[]) then 1 else 0 end), 0),
     blocked_until = case when ${IS_TOO_MANY} then ${WAIT_ENDS} when ${IS_CURRENT} then counter.blocked_until end,
     ends_at = case when not (${IS_CURRENT}) or ${IS_TOO_MANY} then greatest(counter.ends_at, excluded.ends_at) else counter.ends_at end
   returning counter.subject, counter.declines`,
)

/** Counters in which a declined payment counts. */
export type CountedDecline = {
  readonly tokenSubject: string
  readonly shopSubject: string
  readonly networks: readonly string[]
  /** Slots that the attempt holds. `countDecline` returns them. */
  readonly slots: readonly string[]
}

/** Longer than the life of any checkout token. */
const TOKEN_MS = 30 * 24 * HOUR_MS

/** Call it last in the transaction that releases the attempt. `ofShop` is the number of the shop's recent declines. */
export async function countDecline(
  tx: Tx,
  { merchant_id }: Shop,
  { tokenSubject, shopSubject, networks, slots }: CountedDecline,
  now: Date,
): Promise<{ readonly isTokenSpent: boolean; readonly ofShop: number }> {
  const hour = hourAfter(now)
  const rows = await tx.many(count, {
    merchant_id,
    subjects: [...networks, tokenSubject, shopSubject],
    decline_limits: [...declineLimitsOf(networks), null, null],
    ends: [...networks.map(() => hour), new Date(now.getTime() + TOKEN_MS), hour],
    slots,
    now,
    now_seconds: now.getTime() / 1_000,
  })
  const declinesOf = (wanted: string) => rows.find(({ subject }) => subject === wanted)?.declines ?? 0
  return { isTokenSpent: declinesOf(tokenSubject) >= MAX_TOKEN_DECLINES, ofShop: declinesOf(shopSubject) }
}

/** Maximum number of attempts that `countRecentAttempts` reads, the newest first, of both modes. */
const MAX_RECENT_ATTEMPTS = 2_000

const countRecent = statement<{ attempts: number; declines: number }>(
  'capture.count_recent_attempts',
  `select count(*)::integer as attempts, (count(*) filter (where recent.is_declined))::integer as declines
   from (
     select is_sandbox, coalesce(state = 'released' and gateway_state ->> 'kind' = 'declined', false) as is_declined
     from capture_attempts
     where merchant_id = :merchant_id and id >= :since
     order by id desc
     limit ${MAX_RECENT_ATTEMPTS}
   ) recent
   where recent.is_sandbox = :is_sandbox`,
)

/** Counts recent attempts of one mode, and their declines. `since` is the lowest attempt id of the period. */
export const countRecentAttempts = (db: Db, { merchant_id, is_sandbox }: Scope, since: string) =>
  db.one(countRecent, { merchant_id, is_sandbox, since })

/** Runs often, because payments from many addresses create many rows. */
export const sweepDeclineCounters = sweepOf('decline_counters', {
  name: 'ended-decline-counters',
  everySeconds: 300,
  column: 'ends_at',
  key: { subject: 'text' },
})
