// SQL of webhooks: the records, their signing secrets, and the list of failing ones. sending/store.ts has the SQL that sends deliveries.
//
// The receiver is the server at a webhook's url. The queue of a webhook is its queued deliveries: see `is_in_line` in
// events/deliveries/store.ts. These columns of `webhooks` need an explanation:
//
// secret, previous_secret  Signing secrets, encrypted if the service has a key. Both sign until `previous_until`.
// disabled_reason          by_you: the merchant disabled it. gone: the receiver answered 410. failures: it failed for days.
// failing_since            Start of the outage: the first failed attempt since the last success. Null without an outage.
// failures                 Number of failed attempts in this outage.
// first_failures           Number of these that were the first attempt of their delivery.
// warnings                 Number of warnings about this outage that the merchant was sent.
// is_held                  True while the receiver counts as dead. Its deliveries are queued; one at a time is sent as a probe.
// probes                   Number of failed probes, which sets the wait for the next one. The failure before the first probe counts.
// turn_at                  Due time of the queue. While a process serves the queue, the end of its lease. Null if none has to.
// turn                     Change counter of the queue, not a position. It rises whenever a delivery may have been added.
// line_kept_until          End of the time in which an empty queue is still checked. sending/store.ts explains why.

import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import { BY_KEY, listSql, type RowPage, TIMES } from '../../db/records.ts'
import { subscribesSql } from '../../events/store.ts'
import type { PageQuery } from '../../lib/page.ts'
import type { DisabledReason } from './sending/outcome.ts'
import { endOfEmptyQueueChecks } from './sending/store.ts'

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

const KEY_IN_MODE = `${BY_KEY} and is_sandbox = :is_sandbox`

const find = statement<WebhookRow>('webhooks.find', `select ${ROW} from webhooks where ${KEY_IN_MODE}`)

export const findWebhook = (db: Db, scope: Scope, id: string) => db.maybe(find, { ...scope, id })

const OF_SCOPE = 'merchant_id = :merchant_id and is_sandbox = :is_sandbox'

// The query counts the webhooks, because a shop has only a few.
const list = statement<RowPage<WebhookRow>>('webhooks.list', listSql({ row: ROW, from: 'webhooks', where: OF_SCOPE }))

export const listWebhooks = (db: Db, scope: Scope, page: PageQuery) => db.one(list, { ...scope, ...page })

const count = statement<{ count: number }>(
  'webhooks.count',
  `select count(*)::integer as count from webhooks where ${OF_SCOPE}`,
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
  `select ${ROW}, secret, previous_secret from webhooks where ${KEY_IN_MODE} for update`,
)

export const lockWebhook = (tx: Tx, scope: Scope, id: string) => tx.maybe(lock, { ...scope, id })

// A webhook that is enabled again starts without earlier failures, because they say nothing about the receiver now.
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
     failing_since = case when :resets_health then null else failing_since end,
     failures = case when :resets_health then 0 else failures end,
     first_failures = case when :resets_health then 0 else first_failures end,
     warnings = case when :resets_health then 0 else warnings end,
     probes = case when :resets_health then 0 else probes end,
     turn = turn + 1,
     line_kept_until = case when :resets_health and is_held then :checked_until::timestamptz else line_kept_until end,
     turn_at = case when :resets_health and transport = 'http' then :now when :disabled_reason::text is null then turn_at end,
     is_held = is_held and not :resets_health and :disabled_reason::text is null,
     updated_at = :now
   where ${KEY_IN_MODE}
   returning ${ROW}`,
)

/**
 * `resetsHealth` forgets the outage and sends the queued deliveries. Set it if the webhook has another receiver, or is enabled again.
 */
export const updateWebhookRow = (
  tx: Tx,
  scope: Scope,
  id: string,
  webhook: Omit<WebhookColumns, 'transport'>,
  resetsHealth: boolean,
  now: Date,
) =>
  tx.one(update, {
    ...scope,
    id,
    ...webhook,
    resets_health: resetsHealth,
    now,
    checked_until: endOfEmptyQueueChecks(now),
  })

const changeSecret = statement<WebhookRow>(
  'webhooks.change_secret',
  `update webhooks
   set secret = :secret, previous_secret = :previous_secret, previous_until = :previous_until, updated_at = :now
   where ${KEY_IN_MODE}
   returning ${ROW}`,
)

type Secrets = {
  readonly secret: string
  readonly previous_secret: string | null
  readonly previous_until: Date | null
}

export const changeWebhookSecret = (tx: Tx, scope: Scope, id: string, secrets: Secrets, now: Date) =>
  tx.one(changeSecret, { ...scope, id, ...secrets, now })

const remove = statement<{ id: string }>('webhooks.delete', `delete from webhooks where ${KEY_IN_MODE} returning id`)

export const deleteWebhookRow = (tx: Tx, scope: Scope, id: string) => tx.maybe(remove, { ...scope, id })

const selectEnabled = statement<{ id: string }>(
  'webhooks.list_on',
  `select id from webhooks
   where ${OF_SCOPE} and disabled_at is null and ${subscribesSql('webhooks', ':event')}
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

/** Secrets of the webhooks of all merchants, in the order of the primary key, after the row `after`. */
export const listSecretsOfAll = (db: Db, after: Pick<StoredSecrets, 'merchant_id' | 'id'>, limit: number) =>
  db.many(listSecrets, { after_merchant_id: after.merchant_id, after_id: after.id, limit })

const replaceIfUnchanged = statement(
  'webhooks.replace_secrets',
  `update webhooks set secret = :secret, previous_secret = :previous_secret
   where ${BY_KEY} and secret = :former_secret and previous_secret is not distinct from :former_previous_secret`,
)

/** Stores the same secrets, encrypted with another key. Returns false if they have changed since `former` was read. */
export const replaceSecrets = async (
  db: Db,
  former: StoredSecrets,
  encrypted: Pick<StoredSecrets, 'secret' | 'previous_secret'>,
): Promise<boolean> =>
  (await db.run(replaceIfUnchanged, {
    merchant_id: former.merchant_id,
    id: former.id,
    ...encrypted,
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
