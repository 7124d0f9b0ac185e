// Rules of events: lists them page by page, shows one, and sends it again.

import type { Static } from 'typebox'
import { type KeyPage, keyPageLimits, toKeyPage } from '../../db/key-lists.ts'
import { type EventName, LOGIN_TOKEN_EVENT, TEST_EVENT } from '../../events/catalogue.ts'
import { canIssueTokens } from '../../http/endpoint/caller.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import {
  type DeliveryContext,
  isHiddenLogin,
  refuseDisabledWebhook,
  refuseForeignPageKey,
  requeueEvent,
  requireWebhook,
  viewDelivery,
} from '../webhooks/delivery.ts'
import type { Delivery } from '../webhooks/schema.ts'
import { listSubscribedWebhooks } from '../webhooks/store.ts'
import { type EventDetailsRow, type EventRow, findEvent, listEvents } from './list-store.ts'
import type { Event, EventDetails } from './schema.ts'

type EventQuery = {
  readonly limit?: number
  readonly after?: string
  readonly event?: string
  readonly object?: string
}

/** Sorts after all ids of events. */
const AFTER_ALL_IDS = 'evt_~'

export async function listEventPage({ db, caller }: DeliveryContext, query: EventQuery): Promise<KeyPage<Event>> {
  refuseForeignPageKey(query.after, 'event')
  const { event = null, object = null } = query
  // The page counts as filtered, because it skips events of the other mode.
  const reach = keyPageLimits(query.limit ?? 0, true)
  const filter = {
    event,
    object,
    has_logins: canIssueTokens(caller),
    before: query.after ?? AFTER_ALL_IDS,
    from: '',
    ...reach,
  }
  return toKeyPage(await listEvents(db, caller, filter), reach, viewEvent)
}

export async function getEvent({ db, caller }: DeliveryContext, id: string): Promise<Static<typeof EventDetails>> {
  const row = await requireEvent({ db, caller }, id)
  return { ...viewEvent(row), payload: row.payload, deliveries: row.deliveries.map(viewDelivery) }
}

async function requireEvent(
  { db, caller }: Pick<DeliveryContext, 'db' | 'caller'>,
  id: string,
): Promise<EventDetailsRow> {
  const row = await findEvent(db, caller, id)
  if (row === null || isHiddenLogin(caller, row)) throw notFound('event')
  return row
}

export async function resendEvent(
  context: DeliveryContext,
  id: string,
  webhookId: string | undefined,
): Promise<{ data: Delivery[] }> {
  const { db, clock, caller } = context
  const { event } = await requireEvent(context, id)
  if (webhookId === undefined && event === TEST_EVENT)
    throw notValid({ webhook_id: ['webhook_id must be the id of the webhook to test.'] })
  if (webhookId !== undefined) {
    const webhook = await requireWebhook(context, webhookId)
    refuseDisabledWebhook(webhook)
    if (event === LOGIN_TOKEN_EVENT && !webhook.subscribed_events.includes(event))
      throw notValid({
        webhook_id: [`webhook_id must be the id of a webhook that subscribes to ${LOGIN_TOKEN_EVENT}.`],
      })
  }
  const webhookIds =
    webhookId === undefined ? await listSubscribedWebhooks(db, caller, event as EventName) : [webhookId]
  await db.transaction((tx) => requeueEvent(tx, caller.merchant_id, id, webhookIds, clock.now()))
  const { deliveries } = await requireEvent(context, id)
  return { data: deliveries.filter(({ webhook_id }) => webhookIds.includes(webhook_id)).map(viewDelivery) }
}

const viewEvent = (row: EventRow): Event => ({
  id: row.id,
  event: row.event,
  object_id: row.object_id,
  sandbox: row.sandbox,
  request_id: row.request_id,
  response_code: row.response_code,
  created: row.created,
})
