// The rules of deliveries and events: how they are shown, page by page, and sent again.

import type { Static } from 'typebox'
import { type EventName, TEST_EVENT } from '../../events/catalogue.ts'
import { type DeliveryState, replayDeliveries, replayEvent } from '../../events/delivery-store.ts'
import { eventRow } from '../../events/emit.ts'
import { tellOne } from '../../events/store.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { enqueueWithCommit } from '../../jobs/queue.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { idFrom, isId } from '../../lib/ids.ts'
import { MAX_LIMIT } from '../../lib/page.ts'
import {
  type DeliveryDetailsRow,
  type DeliveryRow,
  type EventDetailsRow,
  type EventRow,
  findDelivery,
  findEvent,
  type KeyRows,
  listDeliveries,
  listEvents,
} from './list-store.ts'
import type { Delivery, DeliveryDetails, Event, EventDetails } from './schema.ts'
import { announceWebhookLines, findWebhook, listWebhooksOn, type WebhookRow } from './store.ts'

type DeliveryContext = Pick<Context, 'db' | 'clock' | 'caller' | 'webhooks'>

/** So many rows a page with a filter looks at: then it shows what it has found, and where to go on. */
const REACH = 2_000

type KeyPage<T> = { data: T[]; next: string | null }

type Wanted = { readonly limit: number; readonly isFiltered: boolean }

const reachOf = ({ limit, isFiltered }: Wanted) => (isFiltered ? REACH : limit)

/** What comes next begins below the last that was shown, or, where fewer were found than asked for, below the last that was looked at. */
function pageBy<Row extends { id: string }, T>(
  { rows, seen, last }: KeyRows<Row>,
  wanted: Wanted,
  view: (row: Row) => T,
): KeyPage<T> {
  const isFull = rows.length === wanted.limit
  const isAtEnd = seen < reachOf(wanted)
  const next = isFull ? (rows.at(-1)?.id ?? null) : last
  return { data: rows.map(view), next: isAtEnd && !isFull ? null : next }
}

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

/** Above every id. */
const END = '~'

function refuseForeignKey(after: string | undefined, kind: 'delivery' | 'event') {
  if (after !== undefined && !isId(kind, after))
    throw notValid({ after: ['after must be the `next` of a page before.'] })
}

/** The id that one made at this moment would begin with; later ones are above it. */
const beginningOf = (kind: 'delivery' | 'event', seconds: number) => idFrom(kind, new Date(seconds * 1_000))

export async function listDeliveriesOf(
  { db, caller }: DeliveryContext,
  webhookId: string,
  query: DeliveryQuery,
): Promise<KeyPage<Delivery>> {
  await demandWebhook({ db, caller }, webhookId)
  refuseForeignKey(query.after, 'delivery')
  const { state = null, event = null, status = null, object = null, from = 0, to } = query
  const limit = Math.min(query.limit ?? 0, MAX_LIMIT)
  const isFiltered = event !== null || status !== null || object !== null || state === 'delivered'
  const wanted = { limit, isFiltered }
  const below = to === undefined ? `dlvr_${END}` : beginningOf('delivery', to + 1)
  const before = query.after !== undefined && query.after < below ? query.after : below
  const filter = {
    state,
    event,
    status,
    object,
    before,
    from: beginningOf('delivery', from),
    limit,
    reach: reachOf(wanted),
  }
  return pageBy(await listDeliveries(db, caller, webhookId, filter), wanted, viewDelivery)
}

export async function listEventsOf(
  { db, caller }: DeliveryContext,
  query: Pick<DeliveryQuery, 'limit' | 'after' | 'event' | 'object'>,
): Promise<KeyPage<Event>> {
  refuseForeignKey(query.after, 'event')
  const { event = null, object = null } = query
  const limit = Math.min(query.limit ?? 0, MAX_LIMIT)
  // Events of the other mode are passed over.
  const wanted = { limit, isFiltered: true }
  const filter = { event, object, before: query.after ?? `evt_${END}`, from: 'evt_', limit, reach: reachOf(wanted) }
  return pageBy(await listEvents(db, caller, filter), wanted, viewEvent)
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
  const context = { merchantId: caller.merchantId, params: {}, facts: {} }
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
  if (row === null) throw notFound('delivery')
  return row
}

export async function getEvent({ db, caller }: DeliveryContext, id: string): Promise<Static<typeof EventDetails>> {
  const row = await demandEvent({ db, caller }, id)
  return { ...viewEvent(row), payload: row.payload, deliveries: row.deliveries.map(viewDelivery) }
}

async function demandEvent(
  { db, caller }: Pick<DeliveryContext, 'db' | 'caller'>,
  id: string,
): Promise<EventDetailsRow> {
  const row = await findEvent(db, caller, id)
  if (row === null) throw notFound('event')
  return row
}

// Sent again.

function refuseOff({ disabled_reason }: WebhookRow) {
  if (disabled_reason !== null)
    throw notValid({ active: ['The webhook is switched off. Set active to true, then send again.'] })
}

export async function replayDelivery(context: DeliveryContext, webhookId: string, id: string): Promise<Delivery> {
  const { db, clock, caller } = context
  refuseOff(await demandWebhook(context, webhookId))
  const { event_id, kind } = await demandDelivery(context, webhookId, id)
  if (kind === null) throw notFound('event')
  await db.transaction((tx) => sendAgain(tx, caller.merchantId, event_id, [webhookId], clock.now()))
  return viewDelivery(await demandDelivery(context, webhookId, id))
}

/** With its line announced: where the receiver is taken for dead it is put in line. */
async function sendAgain(
  tx: Parameters<typeof replayEvent>[0],
  merchantId: number,
  eventId: string,
  webhookIds: readonly string[],
  now: Date,
) {
  const sorted = [...webhookIds].sort()
  await announceWebhookLines(tx, merchantId, sorted, now)
  return replayEvent(tx, merchantId, eventId, sorted, now)
}

export async function resendEvent(
  context: DeliveryContext,
  id: string,
  webhookId: string | undefined,
): Promise<{ data: Delivery[] }> {
  const { db, clock, caller } = context
  const { event } = await demandEvent(context, id)
  if (webhookId === undefined && event === TEST_EVENT)
    throw notValid({ webhook_id: ['webhook_id must name the webhook that is to be tested.'] })
  if (webhookId !== undefined) refuseOff(await demandWebhook(context, webhookId))
  const wanted = webhookId === undefined ? await listWebhooksOn(db, caller, event as EventName) : [webhookId]
  await db.transaction((tx) => sendAgain(tx, caller.merchantId, id, wanted, clock.now()))
  const { deliveries } = await demandEvent(context, id)
  return { data: deliveries.filter(({ webhook_id }) => wanted.includes(webhook_id)).map(viewDelivery) }
}

/** Done by the request itself as far as this; a job does the rest. */
export const REPLAYED_AT_ONCE = 1_000

/** Sends again what is left of a time. */
export const REPLAY_REST = 'webhooks.replay'

export type ReplayRest = {
  readonly webhookId: string
  readonly states: readonly ('failed' | 'skipped')[]
  readonly after: string
  readonly before: string
}

export async function replayAll(
  context: DeliveryContext,
  webhookId: string,
  {
    from,
    to,
    states,
  }: { readonly from: number; readonly to?: number; readonly states: readonly ('failed' | 'skipped')[] },
): Promise<{ replayed: number; is_done: boolean }> {
  const { db, clock, caller } = context
  refuseOff(await demandWebhook(context, webhookId))
  const before = to === undefined ? `dlvr_${END}` : beginningOf('delivery', to + 1)
  const rest = { webhookId, states, after: beginningOf('delivery', from), before }
  const now = clock.now()
  return db.transaction(async (tx) => {
    const replayed = await replaySome(tx, caller.merchantId, rest, now)
    const isDone = replayed < REPLAYED_AT_ONCE
    if (!isDone) enqueueWithCommit(tx, { merchantId: caller.merchantId, kind: REPLAY_REST, payload: rest, runAt: now })
    return { replayed, is_done: isDone }
  })
}

/** What it puts in line is failed or skipped no more, so that the next call goes on behind it. */
export async function replaySome(
  tx: Parameters<typeof replayEvent>[0],
  merchantId: number,
  { webhookId, states, after, before }: ReplayRest,
  now: Date,
): Promise<number> {
  await announceWebhookLines(tx, merchantId, [webhookId], now)
  let replayed = 0
  for (const state of states) {
    const limit = REPLAYED_AT_ONCE - replayed
    if (limit > 0)
      replayed += (await replayDeliveries(tx, { merchantId, webhookId, state, after, before, limit }, now)).length
  }
  return replayed
}

export async function testWebhook(
  context: DeliveryContext,
  webhookId: string,
): Promise<{ event: string; delivery: string }> {
  const { db, clock, caller } = context
  refuseOff(await demandWebhook(context, webhookId))
  const now = clock.now()
  const message = 'This is a test. Your webhook works.'
  const event = eventRow(caller, { name: TEST_EVENT, payload: { message } }, now)
  const delivery = await db.transaction((tx) => tellOne(tx, caller.merchantId, event, webhookId, now))
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

const viewEvent = (row: EventRow): Event => ({
  id: row.id,
  event: row.event,
  object_id: row.object_id,
  sandbox: row.sandbox,
  request_id: row.request_id,
  response_code: row.response_code,
  created: row.created,
})
