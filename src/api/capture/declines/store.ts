// The SQL of the counters of declined payments (`decline_counters`). A capture takes a slot in the counter of each of its networks before the
// gateway is called, and gives it back unless the gateway declines: of many captures at the same moment no more pass than may be declined.
// The slots that an attempt holds are kept in its row, so that whichever process settles it gives them back.

import { type Db, type Scope, statement, type Tx } from '../../../db/db.ts'
import { sweepOf } from '../../../jobs/sweeps.ts'

/** Declines that one checkout token may have. */
export const MOST_OF_TOKEN = 10

/** Seconds of the first wait of a network; each further decline doubles it, up to the longest. */
const FIRST_WAIT = 60
const LONGEST_WAIT = 900

/** Declines after which the network of a row has to wait; null for rows of tokens and shops. */
const HEIGHT = '(:heights::integer[])[array_position(:subjects::text[], counter.subject)]'
const IS_CURRENT = 'counter.ends_at > :now::timestamptz'
const ifCurrent = (column: string) => `case when ${IS_CURRENT} then counter.${column} else 0 end`

/** SQL: one more payment from the network of a row may begin. After its free declines, only one at a time may. */
const IS_FREE = `not (${IS_CURRENT}) or (
       coalesce(counter.blocked_until <= :now::timestamptz, true)
       and (counter.under_way = 0 or counter.declines + counter.under_way < ${HEIGHT})
     )`

/**
 * Takes a slot in each counter of :subjects, as a part of a `with`; its rows are the slots that were free. Where one is missing the caller must
 * take back all that it has written. Comes last in a statement or transaction: others of the network wait for the same row. Slots that are
 * still held when the window of a row ends are forgotten, so that none is lost for good.
 */
export const takenSlots = (condition: string) => `taken_slots as (
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
 * Reads the declines of the token of :token_subject, as a part of a `with`. Locks the row, so that a decline counted at the same moment is seen.
 * Most tokens have no row.
 */
export const tokenDeclines = (condition: string) => `token_declines as (
     update decline_counters set declines = declines
     where merchant_id = :merchant_id and subject = :token_subject and ends_at > :now::timestamptz and ${condition}
     returning declines
   )`

/** SQL for whether `takenSlots` has taken all of :subjects, and `tokenDeclines` found fewer than a token may have. */
export const HAS_SLOTS = `((select count(*) from taken_slots) = cardinality(:subjects::text[])
     and coalesce((select declines from token_declines), 0) < ${MOST_OF_TOKEN})`

/** The counters that a capture depends on. */
export type SlotDemand = {
  /** Empty where the token is not asked about. */
  readonly tokenSubject: string
  /** One for each network, the narrowest first. */
  readonly slots: readonly string[]
}

/** Free declines an hour from one network; each wider one may have twice as many as the one inside of it. */
const FREE_DECLINES = 30
const HOUR_MS = 3_600_000
const hourAfter = (now: Date): Date => new Date(now.getTime() + HOUR_MS)

export const slotValues = ({ tokenSubject, slots }: SlotDemand, now: Date) => ({
  token_subject: tokenSubject,
  subjects: slots,
  heights: heightsOf(slots),
  slots_end: hourAfter(now),
})

const heightsOf = (slots: readonly string[]): number[] => slots.map((_, index) => FREE_DECLINES * 2 ** index)

const take = statement<{ is_taken: boolean }>(
  'capture.take_slots',
  `with ${tokenDeclines('true')},
   ${takenSlots('true')}
   select ${HAS_SLOTS} as is_taken`,
)

/** In the transaction that begins the attempt, last. False where a slot is missing: then it must not commit. */
export const takeSlots = async (tx: Tx, { merchantId }: Pick<Scope, 'merchantId'>, demand: SlotDemand, now: Date) =>
  (await tx.one(take, { merchant_id: merchantId, ...slotValues(demand, now), now })).is_taken

/** How the counters stand for one capture. */
export type DeclineStanding = {
  /** Declines of the token. */
  token_declines: number
  /** Seconds that a network has to wait; null where none has to. */
  wait: number | null
  /** True where so many of a network are under way that one more cannot begin. */
  is_full: boolean
}

/** SQL for a DeclineStanding as JSON. A row for each network and the token is read by its key. */
export const STANDING_JSON = `(
       select json_build_object(
         'token_declines', coalesce(max(counter.declines) filter (where counter.subject = :token_subject), 0),
         'wait', ceil(extract(epoch from max(counter.blocked_until) filter (where counter.blocked_until > :now) - :now::timestamptz)),
         'is_full', coalesce(bool_or(counter.under_way > 0 and counter.declines + counter.under_way >= ${HEIGHT}), false)
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
  { merchantId }: Pick<Scope, 'merchantId'>,
  demand: SlotDemand,
  now: Date,
): Promise<DeclineStanding> =>
  (await db.one(findStanding, { merchant_id: merchantId, ...slotValues(demand, now), now })).standing

/**
 * Gives slots back, as a part of a `with`. `slots`: SQL of an array, null for none. In the order of the subjects, as they are taken: else two
 * could wait for each other. A counter that is gone, or was begun anew, has none to give back.
 */
export const givenBackSlots = (slots: string) => `held_slots as (
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

const giveBack = statement('capture.give_slots_back', `with ${givenBackSlots(':slots')} select 1`)

/** With the commit of what has ended the attempt: whoever else comes from the network waits for the row no longer than that. */
export const giveSlotsBack = (tx: Tx, { merchantId }: Pick<Scope, 'merchantId'>, slots: readonly string[]): void => {
  if (slots.length > 0) tx.beforeCommit(giveBack, { merchant_id: merchantId, slots })
}

// Computed in seconds: Citus refuses an interval that is added to a time in a case.
const WAIT_ENDS = `to_timestamp(:now_seconds::double precision + least(${FIRST_WAIT} * 2 ^ least(${ifCurrent('declines')} + 1 - ${HEIGHT}, 10), ${LONGEST_WAIT}))`
const IS_TOO_MANY = `${ifCurrent('declines')} + 1 >= ${HEIGHT}`

// A network that has spent its free declines is remembered until none was declined for an hour.
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

/** A payment that was declined, and whom it counts against. */
export type CountedDecline = {
  readonly tokenSubject: string
  readonly shopSubject: string
  readonly networks: readonly string[]
  /** Slots that the attempt holds; counting the decline gives them back. */
  readonly slots: readonly string[]
}

/** Longer than any checkout token lives. */
const TOKEN_MS = 30 * 24 * HOUR_MS

/** In the transaction that releases the attempt, last. Gives whether the token is spent now, and how many the shop has had within its hour. */
export async function countDecline(
  tx: Tx,
  { merchantId }: Pick<Scope, 'merchantId'>,
  { tokenSubject, shopSubject, networks, slots }: CountedDecline,
  now: Date,
): Promise<{ readonly isTokenSpent: boolean; readonly ofShop: number }> {
  const hour = hourAfter(now)
  const rows = await tx.many(count, {
    merchant_id: merchantId,
    subjects: [...networks, tokenSubject, shopSubject],
    heights: [...heightsOf(networks), null, null],
    ends: [...networks.map(() => hour), new Date(now.getTime() + TOKEN_MS), hour],
    slots,
    now,
    now_seconds: now.getTime() / 1_000,
  })
  const declinesOf = (wanted: string) => rows.find(({ subject }) => subject === wanted)?.declines ?? 0
  return { isTokenSpent: declinesOf(tokenSubject) >= MOST_OF_TOKEN, ofShop: declinesOf(shopSubject) }
}

/** Attempts of both modes that are looked at, the newest first. */
const MOST_RECENT = 2_000

const countRecent = statement<{ attempts: number; declines: number }>(
  'capture.count_recent_attempts',
  `select count(*)::integer as attempts, (count(*) filter (where recent.is_declined))::integer as declines
   from (
     select is_sandbox, coalesce(state = 'released' and gateway_state ->> 'kind' = 'declined', false) as is_declined
     from capture_attempts
     where merchant_id = :merchant_id and id >= :since
     order by id desc
     limit ${MOST_RECENT}
   ) recent
   where recent.is_sandbox = :is_sandbox`,
)

/** Attempts to pay, and how many of them were declined. `since`: what ids of attempts from that moment on are above. */
export const countRecentAttempts = (db: Db, { merchantId, isSandbox }: Scope, since: string) =>
  db.one(countRecent, { merchant_id: merchantId, is_sandbox: isSandbox, since })

/** Often, as a stranger can make many of them. */
export const sweepDeclineCounters = sweepOf('decline_counters', {
  name: 'ended-decline-counters',
  everySeconds: 300,
  column: 'ends_at',
  key: { subject: 'text' },
})
