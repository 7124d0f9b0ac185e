// The endpoints of /v1/events.

import { Type } from 'typebox'
import { defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { keyPageOf, keyQuery } from '../../http/endpoint/schema.ts'
import type { Slice } from '../slice.ts'
import { getEvent, listEventPage, resendEvent } from './event.ts'
import { Event, EventDetails, EventFilters, ResentEvent } from './schema.ts'

export const events: Slice = {
  kinds: [Event, EventDetails, ResentEvent],
  endpoints: [
    defineEndpoint({
      access: 'secret',
      operation: 'events.list',
      permission: 'build',
      summary: 'Lists what has happened, newest first.',
      method: 'GET',
      path: '/v1/events',
      query: keyQuery(EventFilters),
      status: 200,
      returns: keyPageOf(Event),
      handle: (context) => listEventPage(context, context.query),
    }),
    defineEndpoint({
      access: 'secret',
      operation: 'events.get',
      permission: 'build',
      summary: 'Gives one event with its payload and its deliveries.',
      method: 'GET',
      path: '/v1/events/:id',
      params: Type.Object({ id: Type.String({ description: 'The id of an event: evt_…' }) }),
      status: 200,
      returns: EventDetails,
      handle: (context) => getEvent(context, context.params.id),
    }),
    defineEndpoint({
      access: 'secret',
      operation: 'events.resend',
      permission: 'build',
      summary: 'Sends an event again, to every webhook that wants it or to one.',
      method: 'POST',
      path: '/v1/events/:id/resend',
      params: Type.Object({ id: Type.String({ description: 'The id of an event: evt_…' }) }),
      body: Type.Object({ webhook_id: Type.Optional(Type.String({ maxLength: 100 })) }),
      status: 202,
      returns: ResentEvent,
      handle: (context) => resendEvent(context, context.params.id, context.body.webhook_id),
    }),
  ],
}
