// What has happened to an order, and what people write about it. Most of it is read off the order's own rows, which are kept for as long as it
// is; events, which are kept for a month, add who did it and what leaves no row.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import { unixSeconds } from '../../../lib/clock.ts'
import { notFound, notValid } from '../../../lib/errors.ts'
import { idFrom, newId } from '../../../lib/ids.ts'
import { MAX_LIMIT } from '../../../lib/page.ts'
import { Problems } from '../../../lib/problems.ts'
import { findOrder } from '../store.ts'
import type { OrderNote, TimelineEntry } from './schema.ts'
import { compare, MS_DIGITS, type Position, positionOfEvent, positionOfHistory, RANKS, tellOrder } from './sentences.ts'
import { deleteNoteRow, type HistoryBound, insertHistory, listHistory, listOrderEvents } from './store.ts'

type TimelineContext = Pick<Context, 'db' | 'clock' | 'caller'>

type Page = { readonly limit: number; readonly after?: string }

/**
 * A page, newest first. History and events are read as far as a page reaches; where one of them has more, nothing is shown that is older than
 * what was read of it, as something might belong between.
 */
export async function getTimeline(
  { db, caller }: TimelineContext,
  id: string,
  { limit: wanted, after }: Page,
): Promise<{ data: TimelineEntry[]; next: string | null }> {
  const limit = Math.min(wanted, MAX_LIMIT)
  const from = after === undefined ? null : readPosition(after)
  const read = limit + 1
  const [row, history, events] = await db.together((all) => [
    findOrder(all, caller, id),
    listHistory(all, caller, id, historyBehind(from), read),
    listOrderEvents(all, caller, id, eventsBehind(from), read),
  ])
  if (row === null) throw notFound('order')
  const reached = [
    ...(history.length === read ? history.slice(-1).map(positionOfHistory) : []),
    ...(events.length === read ? events.slice(-1).map(positionOfEvent) : []),
  ]
    .sort(compare)
    .at(-1)
  const shown = tellOrder(row, history, events).filter(
    ({ position }) =>
      (from === null || compare(position, from) < 0) && (reached === undefined || compare(position, reached) >= 0),
  )
  const page = shown.slice(0, limit)
  const last = page.length < shown.length ? page.at(-1)?.position : reached
  return { data: page.map(({ entry }) => entry), next: last === undefined ? null : textOf(last) }
}

const textOf = ({ at, rank, key }: Position): string => Buffer.from(`${at} ${rank} ${key}`).toString('base64url')

const POSITION = /^(\d{1,12}) ([012]) (\w{1,60})$/

function readPosition(after: string): Position {
  const [, at, rank, key] = POSITION.exec(Buffer.from(after, 'base64url').toString()) ?? []
  const isWhole = key !== undefined && (rank !== String(RANKS.history) || key.length > MS_DIGITS)
  if (!isWhole) throw notValid({ after: ['after must be the `next` of a page before.'] })
  return { at: Number(at), rank: Number(rank), key }
}

const moment = (seconds: number) => new Date(seconds * 1_000)
const END_OF_TIME = moment(253_402_300_799)

function historyBehind(from: Position | null): HistoryBound {
  if (from === null) return { at: END_OF_TIME, id: '' }
  if (from.rank !== RANKS.history) return { at: moment(from.at), id: '' }
  return { at: new Date(Number(from.key.slice(0, MS_DIGITS))), id: from.key.slice(MS_DIGITS) }
}

/** Ids of events sort by when they were made. */
function eventsBehind(from: Position | null): string {
  if (from === null) return idFrom('event', END_OF_TIME)
  if (from.rank === RANKS.event) return from.key
  return idFrom('event', moment(from.rank === RANKS.history ? from.at + 1 : from.at))
}

/** Whoever has a key may be any program. */
const BY_KEY = 'API'

export async function addNote(
  { db, clock, caller }: TimelineContext,
  orderId: string,
  { text: sent }: { readonly text: string },
): Promise<OrderNote> {
  const text = sent.trim()
  const problems = new Problems()
  if (text === '') problems.malformed('text', 'must say something')
  problems.throwIfAny()
  const now = clock.now()
  const id = newId('note', now)
  const { account } = caller
  const by = account === undefined ? BY_KEY : account.name || account.email
  const isWritten = await insertHistory(db, caller, { orderId, id, kind: 'note', content: text, person: by }, now)
  if (!isWritten) throw notFound('order')
  return { id, text, by, created: unixSeconds(now) }
}

export async function deleteNote({ db, caller }: TimelineContext, orderId: string, id: string): Promise<undefined> {
  if (!(await deleteNoteRow(db, caller, orderId, id))) throw notFound('note')
}
