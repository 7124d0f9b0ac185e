// The SQL of the attempts to pay. An attempt changes its state by one conditional statement: whoever finds its row count to be zero has
// come too late, and changes nothing else.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'
import type { OrderDraft } from '../orders/make.ts'

export type AttemptRow = {
  merchant_id: number
  id: string
  is_sandbox: boolean
  checkout_id: string
  state: 'charging' | 'waiting' | 'done' | 'released'
  gateway: string | null
  payment_method_id: string | null
  amount: Minor
  currency: string
  body_digest: Buffer
  /** A lasting one, or ''. */
  origin: string
  /** What the gateway wants of the shopper, or why it was released. */
  gateway_state: Readonly<Record<string, unknown>> | null
  settle_after: Date
  gives_up_at: Date
}

/** One that is not settled. */
export type OpenAttemptRow = AttemptRow & { draft: OrderDraft }

/** What names an attempt. */
export type AttemptKey = Pick<AttemptRow, 'merchant_id' | 'id'>

const ROW = `merchant_id, id, is_sandbox, checkout_id, state, gateway, payment_method_id, amount, currency, body_digest,
  origin, gateway_state, settle_after, gives_up_at`

export type NewAttempt = Omit<OpenAttemptRow, 'state' | 'gateway_state' | 'settle_after'> & {
  discount_id: string | null
  gift_card_id: string | null
  gift_card_credit: Minor
}

const insert = statement(
  'capture.insert_attempt',
  `insert into capture_attempts (
     merchant_id, id, is_sandbox, checkout_id, state, gateway, payment_method_id, amount, currency, body_digest, origin,
     draft, discount_id, gift_card_id, gift_card_credit, settle_after, gives_up_at, created_at, updated_at
   )
   values ($1, $2, $3, $4, 'charging', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $16, $16)
   on conflict (merchant_id, checkout_id) where state <> 'released' do nothing`,
)

/** False when the token has an attempt already that was not released. It waits for one that is being written. */
export const insertAttempt = async (tx: Tx, attempt: NewAttempt, now: Date): Promise<boolean> =>
  (await tx.run(insert, [
    attempt.merchant_id,
    attempt.id,
    attempt.is_sandbox,
    attempt.checkout_id,
    attempt.gateway,
    attempt.payment_method_id,
    attempt.amount,
    attempt.currency,
    attempt.body_digest,
    attempt.origin,
    JSON.stringify(attempt.draft),
    attempt.discount_id,
    attempt.gift_card_id,
    attempt.gift_card_credit,
    attempt.gives_up_at,
    now,
  ])) === 1

const putDraft = statement(
  'capture.replace_draft',
  'update capture_attempts set draft = $3 where merchant_id = $1 and id = $2',
)

/** In the transaction that has inserted it. */
export const replaceDraft = (tx: Tx, { merchant_id, id }: AttemptKey, draft: OrderDraft) =>
  tx.run(putDraft, [merchant_id, id, JSON.stringify(draft)])

const findKept = statement<AttemptRow>(
  'capture.find_kept_attempt',
  `select ${ROW}
   from capture_attempts
   where merchant_id = $1 and checkout_id = $2 and is_sandbox = $3 and state <> 'released'`,
)

/** The one attempt of a token that was not released. */
export const findKeptAttempt = (db: Db, merchantId: number, checkoutId: string, isSandbox: boolean) =>
  db.maybe(findKept, [merchantId, checkoutId, isSandbox])

const find = statement<AttemptRow>(
  'capture.find_attempt',
  `select ${ROW} from capture_attempts where merchant_id = $1 and id = $2`,
)

export const findAttempt = (db: Db, { merchant_id, id }: AttemptKey) => db.maybe(find, [merchant_id, id])

const findOpen = statement<OpenAttemptRow>(
  'capture.find_open_attempt',
  `select ${ROW}, draft from capture_attempts where merchant_id = $1 and id = $2 and state in ('charging', 'waiting')`,
)

/** Null when it is settled. */
export const findOpenAttempt = (db: Db, { merchant_id, id }: AttemptKey) => db.maybe(findOpen, [merchant_id, id])

// What it held is sold now.
const finish = statement<{ id: string }>(
  'capture.finish_attempt',
  `with done as (
     update capture_attempts
     set state = 'done', draft = null, updated_at = $3
     where merchant_id = $1 and id = $2 and state in ('charging', 'waiting')
     returning id
   ),
   sold as (
     delete from held_stock where merchant_id = $1 and attempt_id = $2 and exists (select from done)
   )
   select id from done`,
)

/** False when it has been settled already. */
export const finishAttempt = async (tx: Tx, { merchant_id, id }: AttemptKey, now: Date): Promise<boolean> =>
  (await tx.maybe(finish, [merchant_id, id, now])) !== null

/** What a released attempt held beside stock. */
export type HeldRow = {
  is_sandbox: boolean
  discount_id: string | null
  gift_card_id: string | null
  gift_card_credit: Minor
}

const release = statement<HeldRow>(
  'capture.release_attempt',
  `update capture_attempts
   set state = 'released', draft = null, gateway_state = $3, updated_at = $4
   where merchant_id = $1 and id = $2 and state in ('charging', 'waiting')
   returning is_sandbox, discount_id, gift_card_id, gift_card_credit`,
)

/** Null when it has been settled already. `why` is kept, for captures that have waited for it. */
export const releaseAttempt = (tx: Tx, { merchant_id, id }: AttemptKey, why: object, now: Date) =>
  tx.maybe(release, [merchant_id, id, JSON.stringify(why), now])

const wait = statement(
  'capture.let_attempt_wait',
  `update capture_attempts
   set state = 'waiting', gateway_state = $3, settle_after = $4, gives_up_at = $4, updated_at = $5
   where merchant_id = $1 and id = $2 and state = 'charging'`,
)

/** False when it is not being charged any more. */
export const letAttemptWait = async (
  db: Db,
  { merchant_id, id }: AttemptKey,
  awaited: object,
  until: Date,
  now: Date,
): Promise<boolean> => (await db.run(wait, [merchant_id, id, JSON.stringify(awaited), until, now])) === 1

const goOn = statement(
  'capture.go_on_with_attempt',
  `update capture_attempts
   set settle_after = $3, gives_up_at = greatest(gives_up_at, $3), updated_at = $4
   where merchant_id = $1 and id = $2 and state = 'waiting'`,
)

/** Says that the gateway is about to be told of the shopper's confirmation. False when it does not wait any more. */
export const goOnWithAttempt = async (db: Db, { merchant_id, id }: AttemptKey, settleAfter: Date, now: Date) =>
  (await db.run(goOn, [merchant_id, id, settleAfter, now])) === 1

const hasten = statement(
  'capture.hasten_attempt',
  `update capture_attempts
   set settle_after = $3
   where merchant_id = $1 and id = $2 and state in ('charging', 'waiting') and settle_after > $3`,
)

/** The completer looks at it next. */
export const hastenAttempt = (db: Db, { merchant_id, id }: AttemptKey, now: Date) =>
  db.run(hasten, [merchant_id, id, now])

const postpone = statement(
  'capture.postpone_attempt',
  `update capture_attempts
   set settle_after = gives_up_at
   where merchant_id = $1 and id = $2 and state in ('charging', 'waiting') and settle_after = $3`,
)

/**
 * There is nothing to be done about it until it is given up; unless it was hastened since it was read, as by a gateway that told of its
 * payment after it had been asked.
 */
export const postponeAttempt = (db: Db, { merchant_id, id, settle_after }: AttemptRow) =>
  db.run(postpone, [merchant_id, id, settle_after])

// The SQL of the completer and of the sweep of attempts, which go through all merchants.

// Others pass over what one has taken; should that one die, it is due again at $2.
const claim = statement<AttemptKey>(
  'capture.claim_attempts',
  `update capture_attempts
   set settle_after = $2
   where (merchant_id, id) in (
     select merchant_id, id
     from capture_attempts
     where state in ('charging', 'waiting') and settle_after <= $1
     order by settle_after
     limit $3
     for update skip locked
   )
   returning merchant_id, id`,
)

/** Takes at most `limit` attempts that are due at `now`, until `dueAgainAt`. */
export const claimAttempts = (db: Db, now: Date, dueAgainAt: Date, limit: number) =>
  db.many(claim, [now, dueAgainAt, limit])

const deleteSettled = statement(
  'sweep.capture_attempts',
  `delete from capture_attempts
   where (merchant_id, id) in (
     select merchant_id, id
     from capture_attempts
     where state in ('done', 'released') and updated_at < $1
     order by updated_at
     limit $2
   )`,
)

/** Deletes at most `limit` attempts that were settled before `moment`, and returns how many it deleted. */
export const deleteAttemptsSettledBefore = (db: Db, moment: Date, limit: number): Promise<number> =>
  db.run(deleteSettled, [moment, limit])
