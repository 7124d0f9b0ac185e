// Webhooks and deliveries as the API shows them, and the bodies that create and change them.

import { type Static, Type } from 'typebox'
import { EVENTS, EVERY_EVENT, TEST_EVENT } from '../../events/catalogue.ts'
import { kind, nested, nullable, oneOf, SECRET, Timestamp } from '../../http/endpoint/schema.ts'

/** Payload of the event `test.webhook`. */
export const TestEvent = kind('test_event', { message: Type.String() })

const Headers = Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } })

const STATES = ['pending', 'sending', 'retrying', 'delivered', 'failed', 'skipped'] as const

const deliveryFields = {
  id: Type.String(),
  webhook_id: Type.String(),
  event_id: Type.String({ description: 'The event, and what the receiver knows it by: the header webhook-id.' }),
  event: Type.String(),
  object_id: nullable(Type.String(), { description: 'What the event is about.' }),
  state: oneOf(STATES, {
    description:
      'pending, sending and retrying are under way; failed only when nothing further is tried; skipped while the webhook was off.',
  }),
  attempts_made: Type.Integer(),
  last_status: nullable(Type.Integer(), { description: 'What the receiver answered last; null where it did not.' }),
  last_error: nullable(Type.String()),
  next_attempt: nullable(Timestamp, {
    description: 'Unix timestamp in seconds; null while it is queued, and once it has ended.',
  }),
  created: Timestamp,
  updated: Timestamp,
}

export const Delivery = kind('webhook_delivery', deliveryFields)

export type Delivery = Static<typeof Delivery>

/** A delivery with its payload and its attempts. */
export const DeliveryDetails = kind('webhook_delivery_details', {
  ...deliveryFields,
  request_id: nullable(Type.String(), { description: 'The API request that caused the event.' }),
  payload: Type.Unknown({
    description: 'The object as the webhook is sent it, in its version; null once the event is gone.',
  }),
  attempts: Type.Array(
    Type.Object({
      number: Type.Integer(),
      at: Timestamp,
      ms: Type.Integer(),
      status: nullable(Type.Integer()),
      error: nullable(Type.String()),
      request_headers: Headers,
      answer: nullable(Type.String(), {
        description: 'The beginning of the body, 2 KB at most. Show it as text only.',
      }),
    }),
  ),
})

export type DeliveryDetails = Static<typeof DeliveryDetails>

const webhookFields = {
  id: Type.String(),
  url: nullable(Type.String()),
  transport: oneOf(['http', 'listen'], {
    description: 'http: deliveries are posted to url. listen: they are fetched, as the command cartwright listen does.',
  }),
  subscribed_events: Type.Array(Type.String()),
  description: Type.String(),
  active: Type.Boolean(),
  state: oneOf(['enabled', 'failing', 'disabled']),
  disabled_reason: nullable(Type.String(), { description: 'by_you, gone (the receiver answered 410) or failures.' }),
  version: Type.String({ description: 'The API version that payloads are shaped for.' }),
  failing_since: nullable(Timestamp),
  last_delivered: nullable(Timestamp, { description: 'Unix timestamp in seconds, to the minute.' }),
  previous_key_until: nullable(Timestamp, { description: 'Until when deliveries are signed by the former key too.' }),
  created: Timestamp,
  updated: Timestamp,
  signing_key: Type.Optional(Type.String({ ...SECRET, description: 'Shown once: when it is made.' })),
}

export const Webhook = kind('webhook', webhookFields)

export type Webhook = Static<typeof Webhook>

export const WebhookDetails = kind('webhook_details', {
  ...webhookFields,
  history: Type.Object({ data: Type.Array(nested(Delivery)) }, { description: 'The last ten deliveries.' }),
})

export type WebhookDetails = Static<typeof WebhookDetails>

export const Arrivals = kind('webhook_arrivals', {
  data: Type.Array(
    Type.Object({
      webhook_id: Type.String(),
      from: Timestamp,
      deliveries: Type.Integer({ description: 'Of events since then; of the newest 1,000 where there are more.' }),
      is_all: Type.Boolean({ description: 'Whether there are no more.' }),
      delivered: Type.Integer({ description: 'Of these, those that have arrived.' }),
      percentage: nullable(Type.Integer(), {
        description: 'Whole, rounded down; null where there was nothing to send.',
      }),
      oldest_waiting: nullable(Timestamp, {
        description: 'When the oldest delivery that has not arrived yet was created.',
      }),
    }),
    { description: 'One for each webhook of the mode.' },
  ),
})

export type Arrivals = Static<typeof Arrivals>

/** Names of the events that a webhook can subscribe to. */
const EVENT_NAMES = Object.keys(EVENTS).filter((name) => name !== TEST_EVENT)

const fields = {
  subscribed_events: Type.Array(oneOf([EVERY_EVENT, ...EVENT_NAMES]), {
    minItems: 1,
    maxItems: 100,
    description: `Names of events; ${EVERY_EVENT} stands for all but customers.login.token, which holds a login.`,
  }),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  active: Type.Optional(Type.Boolean({ description: 'true unless given.' })),
  version: Type.Optional(
    Type.String({ maxLength: 20, description: 'The date of an API version; the one of this request unless given.' }),
  ),
}

const Url = Type.String({
  maxLength: 2_048,
  description: 'Where deliveries are posted; https for live ones, and on the public internet.',
})

export const CreateWebhook = Type.Object({
  ...fields,
  url: Type.Optional(Url),
  transport: Type.Optional(oneOf(['http', 'listen'], { description: 'http unless given.' })),
  signing_key: Type.Optional(
    Type.String({ ...SECRET, maxLength: 200, description: 'whsec_ and 24 to 64 bytes in base64.' }),
  ),
})

export const UpdateWebhook = Type.Partial(Type.Object({ ...fields, url: Url }))

const OptionalTimestamp = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 253_402_300_799, description: 'Unix timestamp in seconds.' }),
)

export const DeliveryFilters = {
  state: Type.Optional(oneOf(STATES)),
  event: Type.Optional(Type.String({ maxLength: 100 })),
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: 'What the receiver answered last.' })),
  object: Type.Optional(Type.String({ maxLength: 100, description: 'The id of what the event is about.' })),
  from: OptionalTimestamp,
  to: OptionalTimestamp,
}

/** Deliveries for a client to forward. */
export const Pulled = kind('pulled_deliveries', {
  data: Type.Array(
    Type.Object({
      delivery: Type.String(),
      attempt: Type.Integer(),
      event: Type.String(),
      headers: Headers,
      // Kept out of the request log, because it may contain a login link.
      body: Type.String({ ...SECRET, description: 'The very text to send: it is signed.' }),
    }),
  ),
})

/** Event and delivery of a test. */
export const WebhookTest = kind('webhook_test', { event: Type.String(), delivery: Type.String() })

export type WebhookTest = Static<typeof WebhookTest>

export const Replay = kind('webhook_replay', {
  replayed: Type.Integer({ description: 'The number of deliveries that are sent again.' }),
  is_done: Type.Boolean({ description: 'false: there are more, and they follow by themselves.' }),
})

export type Replay = Static<typeof Replay>

export const WebhookParams = Type.Object({ id: Type.String({ description: 'The id of a webhook: wbhk_…' }) })

export const DeliveryParams = Type.Object({
  id: Type.String({ description: 'The id of a webhook: wbhk_…' }),
  delivery_id: Type.String({ description: 'The id of a delivery: dlvr_…' }),
})
