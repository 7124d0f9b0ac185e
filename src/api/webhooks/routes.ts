// The endpoints of /v1/webhooks.

import { Type } from 'typebox'
import { defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { keyPageOf, keyQuery, nullable, oneOf } from '../../http/endpoint/schema.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { notFound } from '../../lib/errors.ts'
import { resourceEndpoints } from '../resource.ts'
import type { Slice } from '../slice.ts'
import {
  countArrivals,
  getDelivery,
  listDeliveriesOf,
  replayDeliveriesSince,
  replayDelivery,
  testWebhook,
} from './delivery.ts'
import { webhookJobs } from './jobs.ts'
import { answerDelivery, pullDeliveries } from './listening.ts'
import { webhookNoticeJob } from './notice.ts'
import {
  Arrivals,
  CreateWebhook,
  Delivery,
  DeliveryDetails,
  DeliveryFilters,
  DeliveryParams,
  Pulled,
  Replay,
  TestEvent,
  UpdateWebhook,
  Webhook,
  WebhookDetails,
  WebhookParams,
  WebhookTest,
} from './schema.ts'
import { findWebhook, listWebhooks } from './store.ts'
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook, viewWebhook } from './webhook.ts'

/** Number of deliveries that are shown with a webhook. */
const DELIVERIES_SHOWN = 10

const seconds = (description: string) => Type.Integer({ minimum: 0, maximum: 253_402_300_799, description })

const secret = { access: 'secret' } as const

const webhookEndpoints = [
  defineEndpoint({
    ...secret,
    operation: 'webhooks.list_arrivals',
    permission: 'build',
    summary:
      'Says of each webhook how much of what happened in the last 24 hours has arrived, and since when the oldest waits.',
    method: 'GET',
    path: '/v1/webhooks/arrivals',
    status: 200,
    returns: Arrivals,
    handle: (context) => countArrivals(context),
  }),
  defineEndpoint({
    ...secret,
    operation: 'webhooks.get',
    permission: 'build',
    summary: 'Gives one webhook with its last ten deliveries.',
    method: 'GET',
    path: '/v1/webhooks/:id',
    params: WebhookParams,
    status: 200,
    returns: WebhookDetails,
    handle: async (context) => {
      const row = await findWebhook(context.db, context.caller, context.params.id)
      if (row === null) throw notFound('webhook')
      const { data } = await listDeliveriesOf(context, row.id, { limit: DELIVERIES_SHOWN })
      return { ...viewWebhook(row), history: { data } }
    },
  }),
  defineEndpoint({
    ...secret,
    operation: 'webhooks.test',
    permission: 'build',
    summary: 'Sends the event test.webhook to this webhook.',
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    params: WebhookParams,
    status: 202,
    returns: WebhookTest,
    handle: (context) => testWebhook(context, context.params.id),
  }),
  defineEndpoint({
    ...secret,
    operation: 'webhooks.rotate',
    permission: 'build',
    summary:
      'Gives the webhook another signing key, shown once. For 24 hours both sign the headers, and the former one the body; with finish_now that ends at once.',
    method: 'POST',
    path: '/v1/webhooks/:id/rotate',
    params: WebhookParams,
    body: Type.Object({ finish_now: Type.Optional(Type.Boolean({ description: 'false unless given.' })) }),
    status: 200,
    returns: Webhook,
    handle: (context) => rotateSecret(context, context.params.id, context.body.finish_now ?? false),
  }),
  defineEndpoint({
    ...secret,
    operation: 'webhooks.replay',
    permission: 'build',
    summary: 'Sends again what was not delivered in a time: those failed and skipped, unless states say otherwise.',
    method: 'POST',
    path: '/v1/webhooks/:id/replay',
    limited: true,
    params: WebhookParams,
    body: Type.Object({
      from: seconds('Unix timestamp in seconds: of events from then on.'),
      to: Type.Optional(seconds('Until then; now unless given.')),
      states: Type.Optional(Type.Array(oneOf(['failed', 'skipped']), { minItems: 1, maxItems: 2 })),
    }),
    status: 202,
    returns: Replay,
    handle: (context) => {
      const { from, to, states = ['failed', 'skipped'] } = context.body
      return replayDeliveriesSince(context, context.params.id, { from, states, ...(to !== undefined && { to }) })
    },
  }),
  defineEndpoint({
    ...secret,
    operation: 'webhooks.pull',
    permission: 'build',
    summary:
      'Gives deliveries of a webhook of transport listen, to be sent on. What is not answered within 60 seconds is given again.',
    method: 'POST',
    path: '/v1/webhooks/:id/pull',
    params: WebhookParams,
    body: Type.Object({
      wait: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 25,
          description: 'How many seconds to wait for the first delivery; 0 unless given.',
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: '10 unless given.' })),
    }),
    status: 200,
    returns: Pulled,
    handle: (context) => {
      const { wait = 0, limit = 10 } = context.body
      return pullDeliveries(context, context.params.id, { wait, limit })
    },
  }),
]

const deliveryEndpoints = [
  defineEndpoint({
    ...secret,
    operation: 'webhooks.list_deliveries',
    permission: 'build',
    summary: 'Lists the deliveries of a webhook, newest first.',
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    params: WebhookParams,
    query: keyQuery(DeliveryFilters),
    status: 200,
    returns: keyPageOf(Delivery),
    handle: (context) => listDeliveriesOf(context, context.params.id, context.query),
  }),
  defineEndpoint({
    ...secret,
    operation: 'webhooks.get_delivery',
    permission: 'build',
    summary: 'Gives one delivery with its payload and what each attempt sent and heard.',
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries/:delivery_id',
    params: DeliveryParams,
    status: 200,
    returns: DeliveryDetails,
    handle: (context) => getDelivery(context, context.params.id, context.params.delivery_id),
  }),
  defineEndpoint({
    ...secret,
    operation: 'webhooks.replay_delivery',
    permission: 'build',
    summary: 'Sends one delivery again, also one that arrived; one that waits for its next attempt is tried at once.',
    method: 'POST',
    path: '/v1/webhooks/:id/deliveries/:delivery_id/replay',
    params: DeliveryParams,
    status: 202,
    returns: Delivery,
    handle: (context) => replayDelivery(context, context.params.id, context.params.delivery_id),
  }),
  defineEndpoint({
    ...secret,
    operation: 'webhooks.answer_delivery',
    permission: 'build',
    summary: 'Reports the result of a delivery that was fetched.',
    method: 'POST',
    path: '/v1/webhooks/:id/deliveries/:delivery_id/answer',
    params: DeliveryParams,
    body: Type.Object({
      attempt: Type.Integer({ minimum: 1, description: 'As it was given.' }),
      status: nullable(Type.Integer({ minimum: 100, maximum: 599 }), {
        description: 'null where there was no answer.',
      }),
      ms: Type.Integer({ minimum: 0, maximum: 86_400_000 }),
      error: nullable(Type.String({ maxLength: 500 })),
      answer: Type.Optional(Type.String({ maxLength: 65_536, description: 'The first 2 KB are kept.' })),
    }),
    status: 200,
    returns: Delivery,
    handle: (context) => answerDelivery(context, context.params.id, context.params.delivery_id, context.body),
  }),
]

export const webhooks: Slice = {
  kinds: [Webhook, WebhookDetails, WebhookTest, Replay, Delivery, DeliveryDetails, Arrivals, Pulled, TestEvent],
  endpoints: [
    ...resourceEndpoints(
      {
        name: 'webhooks',
        kind: Webhook,
        one: 'a webhook',
        idPrefix: 'wbhk',
        permissions: { read: 'build', write: 'build' },
      },
      {
        list: { read: ({ db, caller }, page) => listWebhooks(db, caller, page) },
        create: {
          summary: 'Sets up a webhook. Its signing key is shown once.',
          body: CreateWebhook,
          run: (context, body) => createWebhook(context, body, context.version),
        },
        update: { body: UpdateWebhook, run: updateWebhook },
        delete: { summary: 'Deletes a webhook and the records of its deliveries.', run: deleteWebhook },
        view: viewWebhook,
      },
    ),
    ...webhookEndpoints,
    ...deliveryEndpoints,
  ],
  jobs: (services) => [...webhookJobs, webhookNoticeJob(services) as JobHandler],
}
