// The request log as its readers see it: the rows that a query selects, and how a row is shown.

import { type Static, Type } from 'typebox'
import type { Db, Scope } from '../../db/db.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import { kind, nested, nullable, Timestamp } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { lowestIdAt } from '../../lib/ids.ts'
import { Problems } from '../../lib/problems.ts'
import {
  findRow,
  type LogFilter,
  type LogPosition,
  listRows,
  MAX_SCANNED_ROWS,
  type StoredLogRow,
} from '../../request-log/store.ts'
import { listEventsOfRequest } from '../events/list-store.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 200

const line = {
  id: Type.String({ description: "The request's id, as X-Request-Id and errors name it." }),
  created: Timestamp,
  version: Type.String({ description: 'The version of the API that it was answered in.' }),
  key_used: nullable(Type.String(), {
    description:
      'How the key begins, and its last four characters; or who was logged in to the dashboard: ada@example.com (owner). null for a customer, who has none.',
  }),
  key_id: nullable(Type.String()),
  sandbox: Type.Boolean(),
  token_id: nullable(Type.String(), {
    description: 'The checkout token that the address names, without its middle: whoever has all of it may pay.',
  }),
  method: Type.String(),
  url: Type.String({ description: 'Path and query. What is secret in it is ***.' }),
  route: nullable(Type.String(), { description: 'The pattern of the path. null where there is none.' }),
  secure: Type.Boolean({ description: 'Whether it came over HTTPS.' }),
  ip_address: Type.String(),
  status_code: Type.Integer(),
  ms: Type.Number({ description: 'From the first byte of the request to the last of its answer.' }),
  user_agent: nullable(Type.String()),
  idempotency_key: nullable(Type.String()),
}

/** A line of the list. */
const LogLine = kind('log_line', line)

export type LogLine = Static<typeof LogLine>

const BODY =
  'Of writes and refusals; null of all others. Text where it was cut, at 16 KB. What is secret in it is ***, whatever it was.'

/** One request with all that is stored about it. */
export const RequestLogEntry = kind('log', {
  ...line,
  request: Type.Unsafe<unknown>({ description: `What was sent. ${BODY}` }),
  response: Type.Unsafe<unknown>({ description: `What was answered. ${BODY}` }),
  events: Type.Array(Type.String(), { description: 'The events that it has brought about.' }),
})

export type RequestLogEntry = Static<typeof RequestLogEntry>

export const logKinds = [LogLine, RequestLogEntry] as const

export const LogList = Type.Object({
  data: Type.Array(nested(LogLine)),
  next: nullable(Type.String(), {
    description: `For \`after\`: where the next page begins. null where there is none. A page may be short, or empty, while there is one: no page looks at more than ${MAX_SCANNED_ROWS} requests.`,
  }),
})

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))

export const LogQuery = Type.Object({
  status: text(3, 'Only of this status, such as 404; or of its class: 2xx, 4xx.'),
  method: text(10, 'Only of this method: GET, POST, …'),
  path: text(500, 'Only of addresses that begin so: /v1/carts.'),
  key: text(100, 'Only of this key, by its id: key_…'),
  version: text(10, 'Only of this version of the API.'),
  from: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix timestamp in seconds; from then on.' })),
  to: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix timestamp in seconds; before then.' })),
  limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
  after: text(150, '`next` of the page before.'),
})

type LogQuery = Static<typeof LogQuery>

/** End of time, for queries that name none. */
const FAR_MS = 253_402_300_799_000

export async function listLogs(db: Db, caller: Caller, query: LogQuery) {
  const { rows, next } = await listRows(db, caller, filterOf(query), query.limit ?? DEFAULT_LIMIT)
  return {
    data: rows.map((row) => viewLine(row, caller)),
    next: next === null ? null : `${next.at}-${next.id}`,
  }
}

export async function getLog(db: Db, caller: Caller, id: string) {
  const row = await findRow(db, caller, id)
  if (row === null) throw notFound('log')
  return {
    ...viewLine(row, caller),
    request: bodyOf(row.request_body),
    response: bodyOf(row.response_body),
    events: await eventsOf(db, caller, row),
  }
}

/** Maximum number of events that are read from the time of the request. */
const REACH = 2_000
/** Allows for different clocks of two processes, and for times in whole seconds. */
const MARGIN_MS = 2_000

/** Ids of the events that the request has caused: those with its id, from the time in which it ran. */
function eventsOf(db: Db, scope: Scope, { id, created, ms }: StoredLogRow): Promise<string[]> {
  const [start, end] = [created * 1_000 - MARGIN_MS - ms, created * 1_000 + MARGIN_MS + ms]
  const from = lowestIdAt('event', new Date(Math.max(0, start)))
  return listEventsOfRequest(db, scope, id, { from, before: lowestIdAt('event', new Date(end)), reach: REACH })
}

/** Field by field, because a row holds more than is shown. */
const viewLine = (row: StoredLogRow, { is_sandbox }: Scope): Static<typeof LogLine> => ({
  id: row.id,
  created: row.created,
  version: row.version,
  key_used: row.key_used,
  key_id: row.key_id,
  sandbox: is_sandbox,
  token_id: row.token_id,
  method: row.method,
  url: row.url,
  route: row.route,
  secure: row.is_secure,
  ip_address: row.ip_address,
  status_code: row.status_code,
  ms: Math.round(row.ms * 10) / 10,
  user_agent: row.user_agent,
  idempotency_key: row.idempotency_key,
})

/** A body that was cut is no valid JSON. */
function bodyOf(storedBody: string | null): unknown {
  if (storedBody === null) return null
  try {
    return JSON.parse(storedBody)
  } catch {
    return storedBody
  }
}

// Checks a query, and turns it into a filter.

const STATUS = /^([1-5])(\d\d|xx)$/i
const METHOD = /^[a-z]+$/i
const VERSION = /^\d{4}-\d\d-\d\d$/
const PLACE = /^(\d{1,15})-([\w.-]{8,100})$/

function filterOf(query: LogQuery): LogFilter {
  const { status, method, path = '', key = null, version = null, from, to, after } = query
  const problems = new Problems()
  if (status !== undefined && !STATUS.test(status))
    problems.malformed('status', 'must be a status such as 404, or a class of them such as 4xx')
  if (method !== undefined && !METHOD.test(method)) problems.malformed('method', 'must be a method such as GET or POST')
  if (path !== '' && !path.startsWith('/')) problems.malformed('path', 'must begin with a slash, such as /v1/carts')
  if (version !== null && !VERSION.test(version))
    problems.malformed('version', 'must be a version of the API, as in the header Service-Version')
  if (from !== undefined && from * 1_000 > FAR_MS) problems.malformed('from', 'must be a Unix timestamp in seconds')
  if (to !== undefined && to * 1_000 > FAR_MS) problems.malformed('to', 'must be a Unix timestamp in seconds')
  const place = after === undefined ? null : placeOf(after)
  if (after !== undefined && place === null)
    problems.malformed('after', 'must be the unchanged `next` value of an earlier page')
  problems.throwIfAny()
  const until: LogPosition = { at: to === undefined ? FAR_MS : to * 1_000, id: '' }
  return {
    status: status === undefined ? [0, 999] : rangeOf(status),
    method: method?.toUpperCase() ?? null,
    path,
    keyId: key,
    version,
    from: (from ?? 0) * 1_000,
    before: place !== null && place.at < until.at ? place : until,
  }
}

function rangeOf(status: string): readonly [number, number] {
  const [, first = '', rest = ''] = STATUS.exec(status) ?? []
  return /xx/i.test(rest) ? [Number(`${first}00`), Number(`${first}99`)] : [Number(status), Number(status)]
}

function placeOf(after: string): LogPosition | null {
  const [, at, id] = PLACE.exec(after) ?? []
  return at === undefined || id === undefined ? null : { at: Number(at), id }
}
