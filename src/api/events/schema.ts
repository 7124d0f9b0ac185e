// Events as the API shows them.

import { type Static, Type } from 'typebox'
import { kind, nested, nullable, Timestamp } from '../../http/endpoint/schema.ts'
import { Delivery } from '../webhooks/schema.ts'

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

export type EventDetails = Static<typeof EventDetails>

/** The deliveries of an event that was sent again. */
export const ResentEvent = kind('resent_event', { data: Type.Array(nested(Delivery)) })

export type ResentEvent = Static<typeof ResentEvent>

export const EventFilters = {
  event: Type.Optional(Type.String({ maxLength: 100 })),
  object: Type.Optional(Type.String({ maxLength: 100, description: 'The id of what it is about, such as an order.' })),
}
