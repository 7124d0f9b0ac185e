// The rules of deliveries: lists them page by page, shows one, counts those that arrived, and sends them again.

import type { Static } from 'typebox'
import { type KeyPage, keyPageLimits, toKeyPage } from '../../db/key-lists.ts'
import { LOGIN_TOKEN_EVENT, TEST_EVENT } from '../../events/catalogue.ts'
import { replayDeliveries } from '../../events/deliveries/bulk/store.ts'
import { type DeliveryState, makeDeliveryDue } from '../../events/deliveries/store.ts'
import { createEventRow } from '../../events/emit.ts'
import { insertEventForWebhook, replayEvent } from '../../events/store.ts'
import { canIssueTokens } from '../../http/endpoint/caller.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { isId, lowestIdAt } from '../../lib/ids.ts'
import { enqueueBulk, refuseAtJobLimit } from '../merchants/bulk.ts'
import { type DeliveryDetailsRow, type DeliveryRow, findDelivery, listArrivals, listDeliveries } from './list-store.ts'
import type { Arrivals, Delivery, DeliveryDetails } from './schema.ts'
import { announceWebhookQueues } from './sending/store.ts'
import { findWebhook, type WebhookRow } from './store.ts'
import { refuseLoginLinks } from './webhook.ts'

export type DeliveryContext = Pick<Context, 'db' | 'clock' | 'caller' | 'webhooks'>

type DeliveryQuery = {
  readonly limit?: number
  readonly after?: string
  readonly state?: DeliveryState
  readonly event?: string
  readonly status?: number
  readonly object?: string
  readonly from?: number
  readonly to?: number
}

/** End of an id that sorts after all ids of its kind. */
const ID_END = '~'

/** Refuses an `after` that is not from a list of this kind. */
export function refuseForeignPageKey(after: string | undefined, kind: 'delivery' | 'event') {
  if (after !== undefined && !isId(kind, after))
    throw notValid({ after: ['after must be the `next` value of an earlier page.'] })
}

/** Lowest id that a delivery created at this time can have. */
const lowestDeliveryId = (seconds: number) => lowestIdAt('delivery', new Date(seconds * 1_000))

export async function listDeliveriesOf(
  { db, caller }: DeliveryContext,
  webhookId: string,
  query: DeliveryQuery,
): Promise<KeyPage<Delivery>> {
  await requireWebhook({ db, caller }, webhookId)
  refuseForeignPageKey(query.after, 'delivery')
  const { state = null, event = null, status = null, object = null, from = 0, to } = query
  const isFiltered =
    event !== null || status !== null || object !== null || state === 'delivered' || !canIssueTokens(caller)
  const reach = keyPageLimits(query.limit ?? 0, isFiltered)
  const below = to === undefined ? `dlvr_${ID_END}` : lowestDeliveryId(to + 1)
  const before = query.after !== undefined && query.after < below ? query.after : below
  const has_logins = canIssueTokens(caller)
  const filter = { state, event, status, object, has_logins, before, from: lowestDeliveryId(from), ...reach }
  return toKeyPage(await listDeliveries(db, caller, webhookId, filter), reach, viewDelivery)
}

export async function requireWebhook(
  { db, caller }: Pick<DeliveryContext, 'db' | 'caller'>,
  id: string,
): Promise<WebhookRow> {
  const row = await findWebhook(db, caller, id)
  if (row === null) throw notFound('webhook')
  return row
}

export async function getDelivery(
  { db, caller, webhooks }: DeliveryContext,
  webhookId: string,
  id: string,
): Promise<Static<typeof DeliveryDetails>> {
  const { version } = await requireWebhook({ db, caller }, webhookId)
  const row = await requireDelivery({ db, caller }, webhookId, id)
  const context = { merchant_id: caller.merchant_id, params: {}, facts: {} }
  const payload = row.kind === null ? null : webhooks.ageKind(version, row.kind, row.payload as never, context)
  return {
    ...viewDelivery(row),
    request_id: row.request_id,
    payload,
    attempts: (row.log ?? []).map(({ headers, ...attempt }) => ({ ...attempt, request_headers: headers })),
  }
}

async function requireDelivery(
  { db, caller }: Pick<DeliveryContext, 'db' | 'caller'>,
  webhookId: string,
  id: string,
): Promise<DeliveryDetailsRow> {
  const row = await findDelivery(db, caller, webhookId, id)
  if (row === null || isHiddenLogin(caller, row)) throw notFound('delivery')
  return row
}

/** True for a login link of a customer whom the caller may not log in as. */
export const isHiddenLogin = (caller: DeliveryContext['caller'], { event }: { readonly event: string }): boolean =>
  event === LOGIN_TOKEN_EVENT && !canIssueTokens(caller)

const DAY_S = 86_400
/** Maximum number of deliveries counted per webhook, newest first. The limit keeps the reply fast at any volume. */
const MAX_COUNTED = 1_000

/** Counts, for each webhook of the mode, the deliveries of the last day and how many of them have arrived. */
export async function countArrivals({ db, clock, caller }: DeliveryContext): Promise<Arrivals> {
  const from = unixSeconds(clock.now()) - DAY_S
  const rows = await listArrivals(db, caller, lowestDeliveryId(from), MAX_COUNTED)
  return {
    data: rows.map(({ webhook_id, deliveries, delivered, oldest_waiting }) => ({
      webhook_id,
      from,
      deliveries,
      is_all: deliveries < MAX_COUNTED,
      delivered,
      percentage: deliveries === 0 ? null : Math.floor((100 * delivered) / deliveries),
      oldest_waiting,
    })),
  }
}

// Replays.

/** Refuses to replay to a disabled webhook. */
export function refuseDisabledWebhook({ disabled_reason }: WebhookRow) {
  if (disabled_reason !== null)
    throw notValid({ active: ['The webhook is switched off. Set active to true, then send again.'] })
}

export async function replayDelivery(context: DeliveryContext, webhookId: string, id: string): Promise<Delivery> {
  const { db, clock, caller } = context
  refuseDisabledWebhook(await requireWebhook(context, webhookId))
  const { event_id, kind, state } = await requireDelivery(context, webhookId, id)
  if (kind === null) throw notFound('event')
  const { merchant_id } = caller
  const now = clock.now()
  await db.transaction(async (tx) => {
    if (state !== 'pending' && state !== 'retrying') return requeueEvent(tx, merchant_id, event_id, [webhookId], now)
    // If the receiver counts as dead, the delivery is queued until a probe succeeds. This announcement makes the next probe due at once.
    await announceWebhookQueues(tx, { merchant_id }, [webhookId], now, { retriesAtOnce: true })
    return makeDeliveryDue(tx, { merchant_id }, webhookId, id, now)
  })
  return viewDelivery(await requireDelivery(context, webhookId, id))
}

/** Sends an event again to these webhooks. It announces their queues, because a delivery is queued if its receiver counts as dead. */
export async function requeueEvent(
  tx: Parameters<typeof replayEvent>[0],
  merchant_id: number,
  eventId: string,
  webhookIds: readonly string[],
  now: Date,
) {
  const sortedIds = [...webhookIds].sort()
  await announceWebhookQueues(tx, { merchant_id }, sortedIds, now)
  return replayEvent(tx, { merchant_id }, eventId, sortedIds, now)
}

/** Maximum number of deliveries that one transaction replays: that of the request, or of the job that replays the rest. */
export const REPLAY_BATCH = 1_000

/** Job that replays the rest of a time range. */
export const REPLAY_JOB = 'webhooks.replay'

export type ReplayJob = {
  readonly webhookId: string
  readonly states: readonly ('failed' | 'skipped')[]
  readonly after: string
  readonly before: string
}

export async function replayDeliveriesSince(
  context: DeliveryContext,
  webhookId: string,
  {
    from,
    to,
    states,
  }: { readonly from: number; readonly to?: number; readonly states: readonly ('failed' | 'skipped')[] },
): Promise<{ replayed: number; is_done: boolean }> {
  const { db, clock, caller } = context
  const webhook = await requireWebhook(context, webhookId)
  refuseLoginLinks(caller, webhook)
  refuseDisabledWebhook(webhook)
  const before = to === undefined ? `dlvr_${ID_END}` : lowestDeliveryId(to + 1)
  const range = { webhookId, states, after: lowestDeliveryId(from), before }
  const now = clock.now()
  const job = { merchant_id: caller.merchant_id, kind: REPLAY_JOB, payload: range, runAt: now }
  const wording = { field: 'from', things: 'replays of webhooks' }
  await refuseAtJobLimit(db, job, wording)
  return db.transaction(async (tx) => {
    const replayed = await replayBatch(tx, caller.merchant_id, range, now)
    const isDone = replayed < REPLAY_BATCH
    if (!isDone) await enqueueBulk(tx, job, wording)
    return { replayed, is_done: isDone }
  })
}

/** Replays up to `REPLAY_BATCH` deliveries. They are then no longer failed or skipped, so the next call finds the following ones. */
export async function replayBatch(
  tx: Parameters<typeof replayEvent>[0],
  merchant_id: number,
  { webhookId, states, after, before }: ReplayJob,
  now: Date,
): Promise<number> {
  await announceWebhookQueues(tx, { merchant_id }, [webhookId], now)
  let replayed = 0
  for (const state of states) {
    const limit = REPLAY_BATCH - replayed
    if (limit > 0)
      replayed += (await replayDeliveries(tx, { merchant_id, webhookId, state, after, before, limit }, now)).length
  }
  return replayed
}

export async function testWebhook(
  context: DeliveryContext,
  webhookId: string,
): Promise<{ event: string; delivery: string }> {
  const { db, clock, caller } = context
  refuseDisabledWebhook(await requireWebhook(context, webhookId))
  const now = clock.now()
  const message = 'This is a test. Your webhook works.'
  const event = createEventRow(caller, { name: TEST_EVENT, payload: { message } }, now)
  const delivery = await db.transaction((tx) => insertEventForWebhook(tx, caller, event, webhookId, now))
  return { event: event.id, delivery }
}

export const viewDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event_id: row.event_id,
  event: row.event,
  object_id: row.object_id,
  state: row.state,
  attempts_made: row.attempts,
  last_status: row.last_status,
  last_error: row.last_error,
  next_attempt: row.next_attempt,
  created: row.created,
  updated: row.updated,
})
