// The rules of deliveries: showing them, in pages, and sending them again.

import type { Static } from 'typebox'
import { type KeyPage, keyPageLimits, toKeyPage } from '../../db/key-lists.ts'
import { LOGIN_TOKEN_EVENT, TEST_EVENT } from '../../events/catalogue.ts'
import { replayDeliveries } from '../../events/deliveries/bulk/store.ts'
import { type DeliveryState, makeDeliveryDue } from '../../events/deliveries/store.ts'
import { eventRow } from '../../events/emit.ts'
import { insertEventForWebhook, replayEvent } from '../../events/store.ts'
import { canIssueTokens } from '../../http/endpoint/caller.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { isId, lowestIdAt } from '../../lib/ids.ts'
import { enqueueBulk, refuseAtJobLimit } from '../merchants/bulk.ts'
import { type DeliveryDetailsRow, type DeliveryRow, findDelivery, listArrivals, listDeliveries } from './list-store.ts'
import type { Arrivals, Delivery, DeliveryDetails } from './schema.ts'
import { announceWebhookQueues, findWebhook, type WebhookRow } from './store.ts'
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

/** Sorts after all ids. */
const END = '~'

/** Refuses a page key that is not from this kind of list. */
export function refuseForeignKey(after: string | undefined, kind: 'delivery' | 'event') {
  if (after !== undefined && !isId(kind, after))
    throw notValid({ after: ['after must be the `next` value of an earlier page.'] })
}

/** The lowest id of a delivery at this time; later ones are above it. */
const beginningOf = (seconds: number) => lowestIdAt('delivery', new Date(seconds * 1_000))

export async function listDeliveriesOf(
  { db, caller }: DeliveryContext,
  webhookId: string,
  query: DeliveryQuery,
): Promise<KeyPage<Delivery>> {
  await demandWebhook({ db, caller }, webhookId)
  refuseForeignKey(query.after, 'delivery')
  const { state = null, event = null, status = null, object = null, from = 0, to } = query
  const isFiltered =
    event !== null || status !== null || object !== null || state === 'delivered' || !canIssueTokens(caller)
  const reach = keyPageLimits(query.limit ?? 0, isFiltered)
  const below = to === undefined ? `dlvr_${END}` : beginningOf(to + 1)
  const before = query.after !== undefined && query.after < below ? query.after : below
  const has_logins = canIssueTokens(caller)
  const filter = { state, event, status, object, has_logins, before, from: beginningOf(from), ...reach }
  return toKeyPage(await listDeliveries(db, caller, webhookId, filter), reach, viewDelivery)
}

export async function demandWebhook(
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
  const { version } = await demandWebhook({ db, caller }, webhookId)
  const row = await demandDelivery({ db, caller }, webhookId, id)
  const context = { merchant_id: caller.merchant_id, params: {}, facts: {} }
  const payload = row.kind === null ? null : webhooks.ageKind(version, row.kind, row.payload as never, context)
  return {
    ...viewDelivery(row),
    request_id: row.request_id,
    payload,
    attempts: (row.log ?? []).map(({ headers, ...attempt }) => ({ ...attempt, request_headers: headers })),
  }
}

async function demandDelivery(
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
/** Number of deliveries counted per webhook, newest first, so that the reply is fast at any volume. */
const MAX_COUNTED = 1_000

/** For each webhook of the mode: how many deliveries of the last day have arrived. */
export async function countArrivals({ db, clock, caller }: DeliveryContext): Promise<Arrivals> {
  const from = unixSeconds(clock.now()) - DAY_S
  const rows = await listArrivals(db, caller, beginningOf(from), MAX_COUNTED)
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
  refuseDisabledWebhook(await demandWebhook(context, webhookId))
  const { event_id, kind, state } = await demandDelivery(context, webhookId, id)
  if (kind === null) throw notFound('event')
  const { merchant_id } = caller
  const now = clock.now()
  await db.transaction(async (tx) => {
    if (state !== 'pending' && state !== 'retrying') return requeueEvent(tx, merchant_id, event_id, [webhookId], now)
    // Queued deliveries are sent after a success. Announce the queue, so that its first delivery is tried now.
    await announceWebhookQueues(tx, { merchant_id }, [webhookId], now, true)
    return makeDeliveryDue(tx, { merchant_id }, webhookId, id, now)
  })
  return viewDelivery(await demandDelivery(context, webhookId, id))
}

/** Announces the queue, too, because the delivery is queued if the receiver counts as dead. */
export async function requeueEvent(
  tx: Parameters<typeof replayEvent>[0],
  merchant_id: number,
  eventId: string,
  webhookIds: readonly string[],
  now: Date,
) {
  const sorted = [...webhookIds].sort()
  await announceWebhookQueues(tx, { merchant_id }, sorted, now)
  return replayEvent(tx, { merchant_id }, eventId, sorted, now)
}

/** Number of deliveries that the request itself replays. A job replays the rest. */
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
  const webhook = await demandWebhook(context, webhookId)
  refuseLoginLinks(caller, webhook)
  refuseDisabledWebhook(webhook)
  const before = to === undefined ? `dlvr_${END}` : beginningOf(to + 1)
  const rest = { webhookId, states, after: beginningOf(from), before }
  const now = clock.now()
  const job = { merchant_id: caller.merchant_id, kind: REPLAY_JOB, payload: rest, runAt: now }
  const wording = { field: 'from', things: 'replays of webhooks' }
  await refuseAtJobLimit(db, job, wording)
  return db.transaction(async (tx) => {
    const replayed = await replaySome(tx, caller.merchant_id, rest, now)
    const isDone = replayed < REPLAY_BATCH
    if (!isDone) await enqueueBulk(tx, job, wording)
    return { replayed, is_done: isDone }
  })
}

/** Replays up to a limit. Replayed deliveries are no longer failed or skipped, so the next call continues after them. */
export async function replaySome(
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
  refuseDisabledWebhook(await demandWebhook(context, webhookId))
  const now = clock.now()
  const message = 'This is a test. Your webhook works.'
  const event = eventRow(caller, { name: TEST_EVENT, payload: { message } }, now)
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
