// Webhooks, deliveries and events as the API shows them, and the bodies that make and change them.

import { type Static, type TProperties, Type } from 'typebox'
import { EVENTS, EVERY_EVENT, TEST_EVENT } from '../../events/catalogue.ts'
import { type Kind, kind, nested, nullable, oneOf, Timestamp } from '../../http/endpoint/schema.ts'
import { MAX_LIMIT } from '../../lib/page.ts'

/** The payload of `test.webhook`. */
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
    description: 'Unix timestamp in seconds; null where it waits in line, or ended.',
  }),
  created: Timestamp,
  updated: Timestamp,
}

export const Delivery = kind('webhook_delivery', deliveryFields)

export type Delivery = Static<typeof Delivery>

/** One with all that was sent and heard. */
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
  signing_key: Type.Optional(Type.String({ description: 'Shown once: when it is made.' })),
}

export const Webhook = kind('webhook', webhookFields)

export type Webhook = Static<typeof Webhook>

export const WebhookDetails = kind('webhook_details', {
  ...webhookFields,
  history: Type.Object({ data: Type.Array(nested(Delivery)) }, { description: 'The last ten deliveries.' }),
})

const NAMES = Object.keys(EVENTS).filter((name) => name !== TEST_EVENT)

const fields = {
  subscribed_events: Type.Array(oneOf([EVERY_EVENT, ...NAMES]), {
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
  signing_key: Type.Optional(Type.String({ maxLength: 200, description: 'whsec_ and 24 to 64 bytes in base64.' })),
})

export const UpdateWebhook = Type.Partial(Type.Object({ ...fields, url: Url }))

const eventFields = {
  id: Type.String(),
  event: Type.String(),
  object_id: nullable(Type.String()),
  sandbox: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'null where sandbox and live share the object.',
  }),
  request_id: nullable(Type.String(), { description: 'The API request that caused it.' }),
  response_code: Type.Integer(),
  created: Timestamp,
}

export const Event = kind('event', eventFields)

export type Event = Static<typeof Event>

export const EventDetails = kind('event_details', {
  ...eventFields,
  payload: Type.Unknown({ description: 'The object of that moment, in the newest version.' }),
  deliveries: Type.Array(nested(Delivery)),
})

const LIMIT = 20

/** The query of a list that goes by key: what it has shown is not looked at again, however much there is. */
export const keyQuery = <Filters extends TProperties>(filters: Filters) =>
  Type.Object({
    limit: Type.Integer({
      minimum: 1,
      default: LIMIT,
      description: `Entries per page; at most ${MAX_LIMIT} are given.`,
    }),
    after: Type.Optional(Type.String({ maxLength: 100, description: 'The `next` of the page before.' })),
    ...filters,
  })

export const keyPageOf = <K extends Kind>(of: K) =>
  Type.Object({
    data: Type.Array(nested(of)),
    next: nullable(Type.String(), {
      description:
        'Goes into `after` for the next page; null at the end. Where a filter finds little, a page may be short, or empty, and there is still a next one.',
    }),
  })

const Moment = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 253_402_300_799, description: 'Unix timestamp in seconds.' }),
)

export const DeliveryFilters = {
  state: Type.Optional(oneOf(STATES)),
  event: Type.Optional(Type.String({ maxLength: 100 })),
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: 'What the receiver answered last.' })),
  object: Type.Optional(Type.String({ maxLength: 100, description: 'The id of what the event is about.' })),
  from: Moment,
  to: Moment,
}

export const EventFilters = {
  event: Type.Optional(Type.String({ maxLength: 100 })),
  object: Type.Optional(Type.String({ maxLength: 100, description: 'The id of what it is about, such as an order.' })),
}

export const Pulled = Type.Object({
  data: Type.Array(
    Type.Object({
      delivery: Type.String(),
      attempt: Type.Integer(),
      event: Type.String(),
      headers: Headers,
      body: Type.String({ description: 'The very text to send: it is signed.' }),
    }),
  ),
})

export const Params = Type.Object({ id: Type.String({ description: 'The id of a webhook: wbhk_…' }) })

export const DeliveryParams = Type.Object({
  id: Type.String({ description: 'The id of a webhook: wbhk_…' }),
  delivery_id: Type.String({ description: 'The id of a delivery: dlvr_…' }),
})
