// The timeline of an order, and the notes that people write about it. Most lines come from the order's own rows, which last as long as the
// order.
// Events add the actor, and changes that leave no row. They are stored for a month.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import { unixSeconds } from '../../../lib/clock.ts'
import { notFound, notValid } from '../../../lib/errors.ts'
import { lowestIdAt, newId } from '../../../lib/ids.ts'
import { MAX_LIMIT } from '../../../lib/page.ts'
import { Problems } from '../../../lib/problems.ts'
import { findOrder } from '../store.ts'
import type { OrderNote, TimelineEntry } from './schema.ts'
import {
  buildTimelineLines,
  compareTimelinePositions,
  MS_DIGITS,
  positionOfEvent,
  positionOfHistory,
  TIMELINE_RANKS,
  type TimelinePosition,
} from './sentences.ts'
import { deleteNoteRow, type HistoryBound, insertOrderHistory, listOrderEvents, listOrderHistory } from './store.ts'

type TimelineContext = Pick<Context, 'db' | 'clock' | 'caller'>

type Page = { readonly limit: number; readonly after?: string }

/**
 * One page, newest first.
 * History and events are read as far as a page can reach. If one of them has more, the page ends at the oldest entry read from it, because
 * unread entries may belong in between.
 */
export async function getTimeline(
  { db, caller }: TimelineContext,
  id: string,
  { limit: requestedLimit, after }: Page,
): Promise<{ data: TimelineEntry[]; next: string | null }> {
  const limit = Math.min(requestedLimit, MAX_LIMIT)
  const from = after === undefined ? null : readPosition(after)
  const readLimit = limit + 1
  const [row, history, events] = await db.together((all) => [
    findOrder(all, caller, id),
    listOrderHistory(all, caller, id, historyBefore(from), readLimit),
    listOrderEvents(all, caller, id, eventsBefore(from), readLimit),
  ])
  if (row === null) throw notFound('order')
  const readUpTo = [
    ...(history.length === readLimit ? history.slice(-1).map(positionOfHistory) : []),
    ...(events.length === readLimit ? events.slice(-1).map(positionOfEvent) : []),
  ]
    .sort(compareTimelinePositions)
    .at(-1)
  const visibleLines = buildTimelineLines(row, history, events).filter(
    ({ position }) =>
      (from === null || compareTimelinePositions(position, from) < 0) &&
      (readUpTo === undefined || compareTimelinePositions(position, readUpTo) >= 0),
  )
  const page = visibleLines.slice(0, limit)
  const last = page.length < visibleLines.length ? page.at(-1)?.position : readUpTo
  return { data: page.map(({ entry }) => entry), next: last === undefined ? null : encode(last) }
}

const encode = ({ at, rank, key }: TimelinePosition): string =>
  Buffer.from(`${at} ${rank} ${key}`).toString('base64url')

const POSITION = /^(\d{1,12}) ([012]) (\w{1,60})$/

function readPosition(after: string): TimelinePosition {
  const [, at, rank, key] = POSITION.exec(Buffer.from(after, 'base64url').toString()) ?? []
  const isWhole = key !== undefined && (rank !== String(TIMELINE_RANKS.history) || key.length > MS_DIGITS)
  if (!isWhole) throw notValid({ after: ['after must be the `next` value of an earlier page.'] })
  return { at: Number(at), rank: Number(rank), key }
}

const toDate = (seconds: number) => new Date(seconds * 1_000)
const END_OF_TIME = toDate(253_402_300_799)

function historyBefore(from: TimelinePosition | null): HistoryBound {
  if (from === null) return { at: END_OF_TIME, id: '' }
  if (from.rank !== TIMELINE_RANKS.history) return { at: toDate(from.at), id: '' }
  return { at: new Date(Number(from.key.slice(0, MS_DIGITS))), id: from.key.slice(MS_DIGITS) }
}

/** Event ids sort by creation time. */
function eventsBefore(from: TimelinePosition | null): string {
  if (from === null) return lowestIdAt('event', END_OF_TIME)
  if (from.rank === TIMELINE_RANKS.event) return from.key
  return lowestIdAt('event', toDate(from.rank === TIMELINE_RANKS.history ? from.at + 1 : from.at))
}

/** Author of a note that was written with a key: a key may belong to any program. */
const BY_KEY = 'API'

export async function addNote(
  { db, clock, caller }: TimelineContext,
  orderId: string,
  { text: rawText }: { readonly text: string },
): Promise<OrderNote> {
  const text = rawText.trim()
  const problems = new Problems()
  if (text === '') problems.malformed('text', 'must not be empty')
  problems.throwIfAny()
  const now = clock.now()
  const id = newId('note', now)
  const { account } = caller
  const by = account === undefined ? BY_KEY : account.name || account.email
  const isWritten = await insertOrderHistory(db, caller, { orderId, id, kind: 'note', content: text, person: by }, now)
  if (!isWritten) throw notFound('order')
  return { id, text, by, created: unixSeconds(now) }
}

export async function deleteNote({ db, caller }: TimelineContext, orderId: string, id: string): Promise<undefined> {
  if (!(await deleteNoteRow(db, caller, orderId, id))) throw notFound('note')
}
