// SQL of webhooks: the records, the health of their receivers, and which queues need to be served.

import { type Db, type Scope, type Shop, statement, type Tx } from '../../db/db.ts'
import { BY_KEY, keyOf, listSql, type RowPage, TIMES } from '../../db/records.ts'
import { subscribesSql } from '../../events/store.ts'
import type { PageQuery } from '../../lib/page.ts'
import type { WebhookKey } from './secret.ts'
import type { DisabledReason, Health } from './sending/outcome.ts'

export type Transport = 'http' | 'listen'

export type WebhookRow = {
  id: string
  transport: Transport
  url: string | null
  subscribed_events: string[]
  description: string
  version: string
  disabled_reason: DisabledReason | null
  failing_since: number | null
  last_delivered: number | null
  /** End of the time in which the previous secret signs, too. */
  previous_until: number | null
  created: number
  updated: number
}

const ROW = `id, transport, url, subscribed_events, description, version, disabled_reason,
  unix_seconds(failing_since) as failing_since, unix_seconds(last_delivered_at) as last_delivered,
  unix_seconds(previous_until) as previous_until, ${TIMES}`

const OF_MODE = `${BY_KEY} and is_sandbox = :is_sandbox`

const find = statement<WebhookRow>('webhooks.find', `select ${ROW} from webhooks where ${OF_MODE}`)

export const findWebhook = (db: Db, scope: Scope, id: string) => db.maybe(find, { ...scope, id })

const OF_SHOP = 'merchant_id = :merchant_id and is_sandbox = :is_sandbox'

// Counted by the query, because a shop has few.
const list = statement<RowPage<WebhookRow>>('webhooks.list', listSql({ row: ROW, from: 'webhooks', where: OF_SHOP }))

export const listWebhooks = (db: Db, scope: Scope, page: PageQuery) => db.one(list, { ...scope, ...page })

const count = statement<{ count: number }>(
  'webhooks.count',
  `select count(*)::integer as count from webhooks where ${OF_SHOP}`,
)

/** Counts without a lock. Two concurrent requests may exceed the limit by one, which does no harm. */
export const countWebhooks = async (db: Db, scope: Scope): Promise<number> => (await db.one(count, scope)).count

const insert = statement<WebhookRow>(
  'webhooks.insert',
  `insert into webhooks (merchant_id, id, is_sandbox, transport, url, subscribed_events, description, version, secret,
     disabled_reason, disabled_at, created_at, updated_at)
   values (:merchant_id, :id, :is_sandbox, :transport, :url, :subscribed_events::text[], :description, :version, :secret,
     :disabled_reason, case when :disabled_reason::text is not null then :now::timestamptz end, :now, :now)
   returning ${ROW}`,
)

/** Columns that a merchant sets. */
export type WebhookColumns = Pick<
  WebhookRow,
  'transport' | 'url' | 'subscribed_events' | 'description' | 'version' | 'disabled_reason'
>

export const insertWebhook = (tx: Tx, scope: Scope, id: string, webhook: WebhookColumns, secret: string, now: Date) =>
  tx.one(insert, { ...scope, id, ...webhook, secret, now })

const lock = statement<WebhookRow & { secret: string; previous_secret: string | null }>(
  'webhooks.lock',
  `select ${ROW}, secret, previous_secret from webhooks where ${OF_MODE} for update`,
)

export const lockWebhook = (tx: Tx, scope: Scope, id: string) => tx.maybe(lock, { ...scope, id })

/**
 * Time for which a queue is still checked after its receiver has recovered. Must exceed the duration of a transaction that saw the receiver
 * as dead, and queues deliveries without announcing them.
 */
const LINE_KEPT_MS = 10 * 60_000

const lineKeptUntil = (now: Date) => new Date(now.getTime() + LINE_KEPT_MS)

// A webhook that is switched on again starts without earlier failures, which say nothing about the receiver now.
const update = statement<WebhookRow>(
  'webhooks.update',
  `update webhooks
   set url = :url, subscribed_events = :subscribed_events::text[], description = :description, version = :version,
     disabled_reason = :disabled_reason,
     disabled_at = case
       when :disabled_reason::text is null then null
       when disabled_reason = :disabled_reason then disabled_at
       else :now::timestamptz
     end,
     failing_since = case when :begins_anew then null else failing_since end,
     failures = case when :begins_anew then 0 else failures end,
     first_failures = case when :begins_anew then 0 else first_failures end,
     warnings = case when :begins_anew then 0 else warnings end,
     probes = case when :begins_anew then 0 else probes end,
     turn = turn + 1,
     line_kept_until = case when :begins_anew and is_held then :kept_until::timestamptz else line_kept_until end,
     turn_at = case when :begins_anew and transport = 'http' then :now when :disabled_reason::text is null then turn_at end,
     is_held = is_held and not :begins_anew and :disabled_reason::text is null,
     updated_at = :now
   where ${OF_MODE}
   returning ${ROW}`,
)

/** `beginsAnew` resets the health, because the receiver has changed or may be back. Queued deliveries are sent. */
export const updateWebhookRow = (
  tx: Tx,
  scope: Scope,
  id: string,
  webhook: Omit<WebhookColumns, 'transport'>,
  beginsAnew: boolean,
  now: Date,
) => tx.one(update, { ...scope, id, ...webhook, begins_anew: beginsAnew, now, kept_until: lineKeptUntil(now) })

const changeSecret = statement<WebhookRow>(
  'webhooks.change_secret',
  `update webhooks
   set secret = :secret, previous_secret = :previous_secret, previous_until = :previous_until, updated_at = :now
   where ${OF_MODE}
   returning ${ROW}`,
)

type Secrets = {
  readonly secret: string
  readonly previous_secret: string | null
  readonly previous_until: Date | null
}

export const changeWebhookSecret = (tx: Tx, scope: Scope, id: string, secrets: Secrets, now: Date) =>
  tx.one(changeSecret, { ...scope, id, ...secrets, now })

const remove = statement<{ id: string }>('webhooks.delete', `delete from webhooks where ${OF_MODE} returning id`)

export const deleteWebhookRow = (tx: Tx, scope: Scope, id: string) => tx.maybe(remove, { ...scope, id })

const selectEnabled = statement<{ id: string }>(
  'webhooks.list_on',
  `select id from webhooks
   where ${OF_SHOP} and disabled_at is null and ${subscribesSql('webhooks', ':event')}
   order by id`,
)

/** Enabled webhooks that are subscribed to this event. */
export const listSubscribedWebhooks = async (db: Db, scope: Scope, event: string): Promise<string[]> =>
  (await db.many(selectEnabled, { ...scope, event })).map(({ id }) => id)

export type StoredSecrets = {
  readonly merchant_id: number
  readonly id: string
  readonly is_sandbox: boolean
  readonly secret: string
  readonly previous_secret: string | null
}

const listSecrets = statement<StoredSecrets>(
  'webhooks.list_of_all',
  `select merchant_id, id, is_sandbox, secret, previous_secret
   from webhooks
   where (merchant_id, id) > (:after_merchant_id, :after_id)
   order by merchant_id, id
   limit :limit`,
)

/** Webhooks of all merchants, in the order of their keys. */
export const listSecretsOfAll = (db: Db, after: Pick<StoredSecrets, 'merchant_id' | 'id'>, limit: number) =>
  db.many(listSecrets, { after_merchant_id: after.merchant_id, after_id: after.id, limit })

const replaceSecretText = statement(
  'webhooks.replace_secrets',
  `update webhooks set secret = :secret, previous_secret = :previous_secret
   where ${BY_KEY} and secret = :former_secret and previous_secret is not distinct from :former_previous_secret`,
)

/** Stores the same secrets with another seal. False if they have changed meanwhile. */
export const replaceSecrets = async (
  db: Db,
  former: StoredSecrets,
  sealed: Pick<StoredSecrets, 'secret' | 'previous_secret'>,
): Promise<boolean> =>
  (await db.run(replaceSecretText, {
    merchant_id: former.merchant_id,
    id: former.id,
    ...sealed,
    former_secret: former.secret,
    former_previous_secret: former.previous_secret,
  })) === 1

/** A failing or disabled webhook, as shown to an operator. */
export type FailingRow = {
  readonly merchant_id: number
  readonly id: string
  readonly is_sandbox: boolean
  readonly url: string | null
  readonly failing_since: Date | null
  readonly disabled_reason: DisabledReason | null
}

const listFailing = statement<FailingRow>(
  'webhooks.list_failing',
  `select merchant_id, id, is_sandbox, url, failing_since, disabled_reason
   from webhooks
   where failing_since is not null
   order by failing_since
   limit :limit`,
)

/** Webhooks of all merchants, longest failing first. */
export const listFailingWebhooks = (db: Db, limit: number) => db.many(listFailing, { limit })

// The receiver's health.

const keyValues = ({ merchant_id, webhookId }: WebhookKey) => keyOf({ merchant_id }, webhookId)

export type HealthRow = Health & { readonly is_disabled: boolean }

const lockHealth = statement<HealthRow>(
  'webhooks.lock_health',
  `select failing_since, failures, first_failures, warnings, is_held, probes, turn_at, disabled_at is not null as is_disabled
   from webhooks
   where ${BY_KEY}
   for update`,
)

export const lockWebhookHealth = (tx: Tx, webhook: WebhookKey) => tx.maybe(lockHealth, keyValues(webhook))

const setHealth = statement(
  'webhooks.set_health',
  `update webhooks
   set failing_since = :failing_since, failures = :failures, first_failures = :first_failures, warnings = :warnings,
     is_held = :is_held, probes = :probes, turn_at = :turn_at, turn = turn + 1,
     disabled_reason = coalesce(disabled_reason, :disabled_reason),
     disabled_at = coalesce(disabled_at, case when :disabled_reason::text is not null then :now::timestamptz end)
   where ${BY_KEY}`,
)

/** Sets the health of a webhook that is locked. */
export const setWebhookHealth = (
  tx: Tx,
  webhook: WebhookKey,
  health: Health,
  disabled_reason: DisabledReason | null,
  now: Date,
) => tx.run(setHealth, { ...keyValues(webhook), ...health, disabled_reason, now })

// A recovered receiver gets its queued deliveries at once.
const noteArrival = statement(
  'webhooks.note_arrival',
  `update webhooks
   set last_delivered_at = :now, failing_since = null, failures = 0, first_failures = 0, warnings = 0, probes = 0,
     turn_at = case when is_held then :now else turn_at end,
     line_kept_until = case when is_held then :kept_until::timestamptz else line_kept_until end, is_held = false
   where ${BY_KEY}`,
)

export const noteWebhookArrival = (db: Db, webhook: WebhookKey, now: Date) =>
  db.run(noteArrival, { ...keyValues(webhook), now, kept_until: lineKeptUntil(now) })

export type NoticeRow = {
  readonly url: string
  readonly is_sandbox: boolean
  readonly failingSince: Date | null
  readonly disabledReason: DisabledReason | null
  /** Error of the newest delivery in retry. */
  readonly lastError: string | null
}

const selectNotice = statement<NoticeRow>(
  'webhooks.find_notice',
  `select coalesce(url, description) as url, is_sandbox, failing_since as "failingSince",
     disabled_reason as "disabledReason",
     (
       select last_error from deliveries
       where merchant_id = :merchant_id and webhook_id = :id and state = 'retrying' and state <> 'delivered'
       order by id desc limit 1
     ) as "lastError"
   from webhooks
   where ${BY_KEY}`,
)

/** The data of a notice about a failing webhook. */
export const findNotice = (db: Db, webhook: WebhookKey) => db.maybe(selectNotice, keyValues(webhook))

// Queues.

export type QueueKey = { readonly merchant_id: number; readonly id: string }

const findLines = statement<QueueKey>(
  'webhooks.find_lines',
  `select merchant_id, id from webhooks
   where turn_at is not null and turn_at <= :now
   order by turn_at limit :limit`,
)

/** Webhooks of all shops with a queue that is due and not served by any process. */
export const findDueQueues = (db: Db, now: Date, limit: number) => db.many(findLines, { now, limit })

const announceLines = statement(
  'webhooks.announce_lines',
  `update webhooks
   set turn = turn + 1,
     turn_at = case when is_held and not :hastens::boolean then coalesce(turn_at, :now) else least(coalesce(turn_at, :now), :now) end
   where merchant_id = :merchant_id and id = any(:ids::text[]) and transport = 'http'`,
)

/** Called in the transaction that queues deliveries. `hastens` also tries a receiver that counts as dead at once. */
export const announceWebhookQueues = (
  tx: Tx,
  { merchant_id }: Shop,
  ids: readonly string[],
  now: Date,
  hastens = false,
) => tx.run(announceLines, { merchant_id, ids, hastens, now })

export type QueueTurn = { readonly turn: number; readonly isHeld: boolean }

const takeTurn = statement<QueueTurn>(
  'webhooks.take_turn',
  `update webhooks set turn_at = :leased_until
   where ${BY_KEY} and disabled_at is null and (turn_at <= :now or turn_at = :held_until)
   returning turn, is_held as "isHeld"`,
)

/**
 * Null if another process serves the queue or nothing is due. `heldUntil` is the end of the caller's own lease to be extended, or else
 * null.
 */
export const leaseWebhookQueue = (db: Db, webhook: WebhookKey, heldUntil: Date | null, now: Date, leasedUntil: Date) =>
  db.maybe(takeTurn, { ...keyValues(webhook), held_until: heldUntil, now, leased_until: leasedUntil })

// Uses `is not distinct from` instead of `=`. With `=`, the planner would use the index over all queues, where those of other shops may
// share the moment.
const endLine = statement(
  'webhooks.end_line',
  `update webhooks set turn_at = null
   where ${BY_KEY} and turn = :turn and turn_at is not distinct from :held_until and not is_held
     and (line_kept_until is null or line_kept_until <= :held_until)`,
)

/**
 * Ends a queue that was empty after its `turn` was read. Does nothing if a delivery was queued meanwhile. While unannounced deliveries may
 * still be queued, it is checked again when the lease expires.
 */
export const endWebhookQueue = (db: Db, webhook: WebhookKey, turn: number, heldUntil: Date) =>
  db.run(endLine, { ...keyValues(webhook), turn, held_until: heldUntil })
