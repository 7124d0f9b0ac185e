// SQL of attempts, in the table capture_attempts. Each change of an attempt's state is one conditional statement.
// If it changes no row, another process was first, and the caller must change nothing else.

import { columns } from '../../db/columns.ts'
import { type Db, lookup, type Scope, statement, type Tx } from '../../db/db.ts'
import { claimDueRows, type DueKey, dueAtBothEnds, groupByShop, type RowKey } from '../../jobs/due.ts'
import type { Minor } from '../../lib/money.ts'
import type { OrderDraft } from '../orders/make.ts'
import {
  buildReturnedSlots,
  buildTakenSlots,
  buildTokenDeclines,
  HAS_SLOTS,
  type SlotDemand,
  toSlotValues,
} from './declines/store.ts'

export type AttemptRow = {
  merchant_id: number
  id: string
  is_sandbox: boolean
  checkout_id: string
  state: 'charging' | 'waiting' | 'done' | 'released'
  gateway: string | null
  payment_method_id: string | null
  /** True if the payment goes to the test journal instead of the gateway. */
  is_simulated: boolean
  amount: Minor
  currency: string
  body_digest: Buffer
  /** `lastingOrigin` of the request that began the attempt, or ''. */
  origin: string
  /** Provider's id of a payment that the shopper made before the capture. */
  payment_reference: string | null
  /** Step that the gateway demands of the shopper, or the reason of the release. */
  gateway_state: Readonly<Record<string, unknown>> | null
  /** Time of the completer's next poll. */
  settle_after: Date
  /** Time at which the completer cancels the attempt if it is still unpaid. */
  gives_up_at: Date
}

/** An attempt in the state charging or waiting. */
export type OpenAttemptRow = AttemptRow & { draft: OrderDraft }

export type AttemptKey = Pick<AttemptRow, 'merchant_id' | 'id'>

const ROW = `merchant_id, id, is_sandbox, checkout_id, state, gateway, payment_method_id, is_simulated, amount, currency,
  body_digest, origin, payment_reference, gateway_state, settle_after, gives_up_at`

const KEY = 'merchant_id = :merchant_id and id = :id'
const IS_OPEN = "state in ('charging', 'waiting')"

/** Condition beside KEY. `is true` keeps PostgreSQL from choosing a slow partial index (docs/decisions/0032). */
const IS_OPEN_BY_KEY = `(${IS_OPEN}) is true`
const isStateByKey = (state: AttemptRow['state']) => `(state = '${state}') is true`

export type NewAttempt = Omit<OpenAttemptRow, 'state' | 'gateway_state' | 'settle_after'> & {
  discount_id: string | null
  gift_card_id: string | null
  gift_card_credit: Minor
  /** Decline slots at the start, the narrowest network first. The row lists the slots that the attempt still holds. */
  slots: readonly string[]
}

const INSERTED = columns(
  [
    'merchant_id',
    'id',
    'is_sandbox',
    'checkout_id',
    'gateway',
    'payment_method_id',
    'is_simulated',
    'amount',
    'currency',
    'body_digest',
    'origin',
    'payment_reference',
    'draft',
    'discount_id',
    'gift_card_id',
    'gift_card_credit',
    'gives_up_at',
    'slots',
  ],
  ['draft'],
)

/** Takes `toAttemptValues` and :now. Inserts nothing if the token already has an attempt that is not released. */
export const INSERT_ATTEMPT = `insert into capture_attempts (${INSERTED.names}, state, settle_after, created_at, updated_at)
     values (${INSERTED.parameters}, 'charging', :gives_up_at, :now, :now)
     on conflict (merchant_id, checkout_id) where state <> 'released' do nothing`

export const toAttemptValues = (attempt: NewAttempt) => INSERTED.values(attempt)

const putDraft = statement('capture.replace_draft', `update capture_attempts set draft = :draft where ${KEY}`)

/** Call it in the transaction that inserted the attempt. */
export const replaceDraft = (tx: Tx, { merchant_id, id }: AttemptKey, draft: OrderDraft) =>
  tx.run(putDraft, { merchant_id, id, draft: JSON.stringify(draft) })

const findCurrent = lookup<AttemptRow>(
  'capture.find_kept_attempt',
  `select ${ROW}
   from capture_attempts
   where merchant_id = :merchant_id and checkout_id = :checkout_id and is_sandbox = :is_sandbox and state <> 'released'`,
)

/** Finds the attempt of a token that is not released. A token has at most one. */
export const findCurrentAttempt = (db: Db, { merchant_id, is_sandbox }: Scope, checkoutId: string) =>
  db.maybe(findCurrent, { merchant_id, is_sandbox, checkout_id: checkoutId })

const find = statement<AttemptRow>('capture.find_attempt', `select ${ROW} from capture_attempts where ${KEY}`)

export const findAttempt = (db: Db, { merchant_id, id }: AttemptKey) => db.maybe(find, { merchant_id, id })

const findWithDraft = statement<AttemptRow & { draft: OrderDraft | null }>(
  'capture.find_begun_attempt',
  `select ${ROW}, draft from capture_attempts where ${KEY}`,
)

/** The draft is null once it is deleted. */
export const findAttemptWithDraft = (db: Db, { merchant_id, id }: AttemptKey) =>
  db.maybe(findWithDraft, { merchant_id, id })

const findOpen = statement<OpenAttemptRow>(
  'capture.find_open_attempt',
  `select ${ROW}, draft from capture_attempts where ${KEY} and ${IS_OPEN_BY_KEY}`,
)

/** Null if the attempt has ended. */
export const findOpenAttempt = (db: Db, { merchant_id, id }: AttemptKey) => db.maybe(findOpen, { merchant_id, id })

// The held stock is now sold, so its rows are deleted and the stock is not returned.
const finish = statement<Pick<NewAttempt, 'slots'>>(
  'capture.finish_attempt',
  `with done as (
     update capture_attempts
     set state = 'done', draft = null, updated_at = :now
     where ${KEY} and ${IS_OPEN_BY_KEY}
     returning slots
   ),
   sold as (
     delete from held_stock where merchant_id = :merchant_id and attempt_id = :id and exists (select 1 from done)
   )
   select slots from done`,
)

/** Call it in the transaction that makes the order. Returns the held slots, or null if the attempt has ended. */
export const finishAttempt = (tx: Db, { merchant_id, id }: AttemptKey, now: Date) =>
  tx.maybe(finish, { merchant_id, id, now })

/** Hold of a released attempt, without its stock. */
export type HeldRow = {
  is_sandbox: boolean
  discount_id: string | null
  gift_card_id: string | null
  gift_card_credit: Minor
  gateway: string | null
  payment_reference: string | null
  /** Decline slots that the attempt still holds. */
  slots: readonly string[]
}

// The hosted checkout fills its form from the draft when the shopper returns. `forgetDrafts` deletes it after a day.
const KEPT_DRAFT = "case when draft ->> 'is_on_page' = 'true' then draft end"

// Keeps the confirmation, because only it finds a late payment. Citus allows only immutable functions here.
const release = statement<HeldRow>(
  'capture.release_attempt',
  `update capture_attempts
   set state = 'released', draft = ${KEPT_DRAFT}, updated_at = :now,
     gateway_state = case when gateway_state ->> 'confirmation' is null then :gateway_state::jsonb
       else jsonb_set(:gateway_state::jsonb, '{confirmation}', (gateway_state -> 'confirmation')::jsonb) end
   where ${KEY} and ${IS_OPEN_BY_KEY}
   returning is_sandbox, discount_id, gift_card_id, gift_card_credit, gateway, payment_reference, slots`,
)

/** Null if the attempt has already ended. Captures that wait for this attempt read `why` from its row. */
export const releaseAttempt = (tx: Tx, { merchant_id, id }: AttemptKey, why: object, now: Date) =>
  tx.maybe(release, { merchant_id, id, gateway_state: JSON.stringify(why), now })

/** Part of a `with` that locks the attempt and reads its slots before the statement changes them. */
const lockAttempt = (condition: string) =>
  `held as (select id, slots from capture_attempts where ${KEY} and ${condition} for update)`
const OF_HELD = 'from held where attempt.merchant_id = :merchant_id and attempt.id = held.id'
const RETURNED_SLOTS = buildReturnedSlots('(select slots from held)')

// Returns the slots, because a shopper who confirms with the bank must not keep other payments waiting.
const wait = statement<{ id: string }>(
  'capture.let_attempt_wait',
  `with ${lockAttempt(isStateByKey('charging'))},
   waiting as (
     update capture_attempts attempt
     set state = 'waiting', gateway_state = :gateway_state, settle_after = :until, gives_up_at = :until, updated_at = :now,
       slots = '{}'
     ${OF_HELD}
   ),
   ${RETURNED_SLOTS}
   select id from held`,
)

/** Null if the attempt is no longer charging. */
export const markAwaitingShopper = (db: Db, { merchant_id, id }: AttemptKey, awaited: object, until: Date, now: Date) =>
  db.maybe(wait, { merchant_id, id, gateway_state: JSON.stringify(awaited), until, now })

const returnHeld = statement(
  'capture.let_go_of_slots',
  `with ${lockAttempt("(state = :state) is true and slots <> '{}'")},
   freed as (update capture_attempts attempt set slots = '{}' ${OF_HELD}),
   ${RETURNED_SLOTS}
   select 1`,
)

/** Returns the slots of an attempt that stays open. If its state has changed, another process has returned them. */
export const returnAttemptSlots = (db: Db, { merchant_id, id, state }: AttemptKey & Pick<AttemptRow, 'state'>) =>
  db.run(returnHeld, { merchant_id, id, state })

// If several captures confirm the attempt at the same time, only one takes slots.
const TAKES_SLOTS = "exists (select 1 from held where slots = '{}')"

const resume = statement<{ is_waiting: boolean; takes_slots: boolean }>(
  'capture.go_on_with_attempt',
  `with ${lockAttempt(isStateByKey('waiting'))},
   going_on as (
     update capture_attempts attempt
     set settle_after = :settle_after, gives_up_at = greatest(attempt.gives_up_at, :settle_after), updated_at = :now,
       slots = case when held.slots = '{}' then :subjects::text[] else held.slots end
     ${OF_HELD}
   ),
   ${buildTokenDeclines(TAKES_SLOTS)},
   ${buildTakenSlots(TAKES_SLOTS)}
   select exists (select 1 from held) as is_waiting, ${TAKES_SLOTS} as takes_slots,
     1 / (case when not ${TAKES_SLOTS} or ${HAS_SLOTS} then 1 else 0 end) as has_slots`,
)

/**
 * Call it before a waiting attempt calls its gateway. `not_waiting`: another process was first. `no_slot`: too many
 * payments were declined or are under way, and nothing was written. `sharing`: another confirmation holds the slots.
 */
export async function resumeAttempt(
  db: Db,
  { merchant_id, id }: AttemptKey,
  demand: SlotDemand,
  settleAfter: Date,
  now: Date,
): Promise<'taken' | 'sharing' | 'not_waiting' | 'no_slot'> {
  try {
    const values = { merchant_id, id, ...toSlotValues(demand, now), settle_after: settleAfter, now }
    const [{ is_waiting, takes_slots }] = await db.together((all) => [all.one(resume, values)])
    return takes_slots ? 'taken' : is_waiting ? 'sharing' : 'not_waiting'
  } catch (error) {
    if (isDivisionByZero(error)) return 'no_slot'
    throw error
  }
}

const DIVISION_BY_ZERO = '22012'

/** Some statements divide by zero on purpose if a slot or stock is missing. Only an error undoes their writes. */
export const isDivisionByZero = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === DIVISION_BY_ZERO

const hasten = statement(
  'capture.hasten_attempt',
  `update capture_attempts
   set settle_after = :now
   where ${KEY} and ${IS_OPEN_BY_KEY} and settle_after > :now`,
)

/** Makes the attempt due, so that the completer polls it at once. */
export const hastenAttempt = (db: Db, { merchant_id, id }: AttemptKey, now: Date) =>
  db.run(hasten, { merchant_id, id, now })

/** `hastenAttempt` as SQL for another statement: changes :attempt_id if its payment method is :payment_method_id. */
export const HASTEN_ATTEMPT = `update capture_attempts
     set settle_after = :now
     where merchant_id = :merchant_id and id = :attempt_id and payment_method_id = :payment_method_id
       and ${IS_OPEN_BY_KEY} and settle_after > :now`

const postpone = statement(
  'capture.postpone_attempt',
  `update capture_attempts
   set settle_after = gives_up_at
   where ${KEY} and ${IS_OPEN_BY_KEY} and settle_after = :settle_after`,
)

/** Postpones the next poll to `gives_up_at`, unless the attempt was hastened after the caller read it. */
export const postponeAttempt = (db: Db, { merchant_id, id, settle_after }: AttemptRow) =>
  db.run(postpone, { merchant_id, id, settle_after })

// Statements of the completer and the sweeps, over all merchants.

const findOldDrafts = statement<RowKey>(
  'capture.find_old_drafts',
  `select merchant_id, id from capture_attempts
   where state = 'released' and draft is not null and updated_at < :moment
   order by updated_at
   limit :limit`,
)

const forget = statement(
  'capture.forget_drafts',
  `update capture_attempts
   set draft = null
   where merchant_id = :merchant_id and id = any(:ids) and ${isStateByKey('released')}`,
)

/** Deletes the drafts of at most `limit` attempts that were released before `moment`. Returns their number. */
export async function forgetDrafts(db: Db, moment: Date, limit: number): Promise<number> {
  let forgotten = 0
  for (const [merchant_id, keys] of groupByShop(await db.many(findOldDrafts, { moment, limit })))
    forgotten += await db.run(forget, { merchant_id, ids: keys.map(({ id }) => id) })
  return forgotten
}

const findDue = statement<DueKey>(
  'capture.find_due_attempts',
  dueAtBothEnds('capture_attempts', 'settle_after', [IS_OPEN]),
)

export type ClaimedAttempt = AttemptKey & Pick<AttemptRow, 'gateway' | 'payment_method_id'>

// Other processes skip a claimed attempt. If this process dies, the attempt is due again at :due_again_at.
const claim = statement<ClaimedAttempt>(
  'capture.claim_attempts',
  `with due as materialized (
     select attempt.id
     from unnest(:ids::text[]) as wanted (id)
     cross join lateral (
       select id from capture_attempts
       where merchant_id = :merchant_id and id = wanted.id and (${IS_OPEN}) is true and settle_after <= :now
       offset 0
       for update skip locked
     ) attempt
   )
   update capture_attempts attempt
   set settle_after = :due_again_at
   from due
   where attempt.merchant_id = :merchant_id and attempt.id = due.id
   returning attempt.merchant_id, attempt.id, attempt.gateway, attempt.payment_method_id`,
)

/** Claims at most `limit` attempts that are due at `now`, until `dueAgainAt`. */
export const claimAttempts = (db: Db, now: Date, dueAgainAt: Date, limit: number) =>
  claimDueRows(limit, {
    find: (most) => db.many(findDue, { now, limit: most }),
    claim: (merchant_id, ids) => db.many(claim, { merchant_id, ids, now, due_again_at: dueAgainAt }),
  })
