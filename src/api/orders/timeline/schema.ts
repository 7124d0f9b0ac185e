// The timeline of an order as the API shows it, and the notes that people write about it.

import { type Static, Type } from 'typebox'
import { kind, nested, nullable, oneOf, Timestamp } from '../../../http/endpoint/schema.ts'
import { MAX_LIMIT } from '../../../lib/page.ts'

export const TIMELINE_TYPES = [
  'placed',
  'payment_awaited',
  'payment_held',
  'payment_open',
  'paid',
  'payment_failed',
  'payment_released',
  'shipped',
  'delivered',
  'undelivered',
  'returned',
  'refund_open',
  'refunded',
  'refund_failed',
  'disputed',
  'dispute_ended',
  'cancelling',
  'cancelled',
  'changed',
  'receipt_asked',
  'mail',
  'note',
] as const

const TimelineEntry = kind('timeline_entry', {
  id: Type.String({
    description: 'The id of a transaction, a shipment, a note or an event. Two entries may have the same one.',
  }),
  at: Timestamp,
  type: oneOf(TIMELINE_TYPES, { description: 'Of which kind it is, for an icon. There may be others in future.' }),
  text: Type.String({ description: 'What happened, as a sentence in English: Paid $58.89 by card.' }),
  by: nullable(Type.String(), {
    description:
      'The name of the person who did it at the dashboard, or has written the note; API where a key has. null where that is not known.',
  }),
  detail: nullable(Type.String(), {
    description: 'What belongs to it: the reason of a refund, where a shipment can be followed, what a note says.',
  }),
})

export type TimelineEntry = Static<typeof TimelineEntry>

export const Timeline = kind('timeline', {
  data: Type.Array(nested(TimelineEntry), { description: 'Newest first, each thing once.' }),
  next: nullable(Type.String(), { description: '`after` of the page with what is older; null where nothing is.' }),
})

export type Timeline = Static<typeof Timeline>

const DEFAULT_LIMIT = 100

export const TimelineQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    default: DEFAULT_LIMIT,
    description: `Lines per page; at most ${MAX_LIMIT} are given. A page may have fewer.`,
  }),
  after: Type.Optional(Type.String({ maxLength: 200, description: 'The `next` of the page before.' })),
})

const LONGEST_NOTE = 2_000

export const CreateNote = Type.Object({
  text: Type.String({ minLength: 1, maxLength: LONGEST_NOTE, description: 'Plain text. The customer never sees it.' }),
})

export const OrderNote = kind('order_note', {
  id: Type.String(),
  text: Type.String(),
  by: Type.String({ description: 'Who wrote it: a name, or API where a key did.' }),
  created: Timestamp,
})

export type OrderNote = Static<typeof OrderNote>

export const timelineKinds = [TimelineEntry, Timeline, OrderNote] as const
