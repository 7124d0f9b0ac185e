// Endpoints of an order's timeline and notes.

import { Type } from 'typebox'
import { defineEndpoint } from '../../../http/endpoint/endpoint.ts'
import { CreateNote, OrderNote, Timeline, TimelineQuery } from './schema.ts'
import { addNote, deleteNote, getTimeline } from './timeline.ts'

const Id = Type.Object({ id: Type.String({ description: 'The id of an order: ord_…' }) })
const NoteId = Type.Object({ id: Type.String(), note_id: Type.String({ description: 'note_…' }) })

export const timelineEndpoints = [
  defineEndpoint({
    operation: 'orders.get_timeline',
    permission: 'see',
    summary: 'Tells what has happened to an order in sentences, newest first, with the notes that were written.',
    method: 'GET',
    path: '/v1/orders/:id/timeline',
    access: 'secret',
    params: Id,
    query: TimelineQuery,
    status: 200,
    returns: Timeline,
    handle: (context) => getTimeline(context, context.params.id, context.query),
  }),
  defineEndpoint({
    operation: 'orders.add_note',
    permission: 'pack',
    summary: 'Writes a note about an order, which its customer never sees.',
    method: 'POST',
    path: '/v1/orders/:id/notes',
    access: 'secret',
    params: Id,
    body: CreateNote,
    status: 201,
    returns: OrderNote,
    handle: (context) => addNote(context, context.params.id, context.body),
  }),
  defineEndpoint({
    operation: 'orders.delete_note',
    permission: 'pack',
    summary: 'Deletes a note about an order.',
    method: 'DELETE',
    path: '/v1/orders/:id/notes/:note_id',
    access: 'secret',
    params: NoteId,
    status: 204,
    handle: (context) => deleteNote(context, context.params.id, context.params.note_id),
  }),
]
