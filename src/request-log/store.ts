// SQL of the request log: rows are added in batches, found by request id, listed by key, and dropped by the day.

import { type Db, lookup, type Scope, type Shop, statement } from '../db/db.ts'
import type { Sweep } from '../jobs/schedule.ts'
import { isId, timeOfId } from '../lib/ids.ts'
import type { NewLogRow } from './row.ts'

/** A row of the log without bodies. `at`: its position in the list, in milliseconds. */
export type StoredLogRow = Omit<NewLogRow, 'is_sandbox' | 'is_given' | 'request_body' | 'response_body'> & {
  readonly created: number
}

export type WholeLogRow = StoredLogRow & Pick<NewLogRow, 'request_body' | 'response_body'>

/** SQL for a time that is given in milliseconds. */
const moment = (parameter: string) => `to_timestamp(${parameter}::double precision / 1000)`

const INSERT = `insert into request_log (
     merchant_id, is_sandbox, created_at, id, is_given, version, key_id, key_used, token_id, method, url, route, is_secure, ip_address,
     status_code, ms, user_agent, idempotency_key, request_body, response_body
   )
   select :merchant_id::integer, is_sandbox, ${moment('at')}, id, is_given, version, key_id, key_used, token_id, method, url, route,
     is_secure, ip_address, status_code, ms, user_agent, idempotency_key, request_body, response_body
   from unnest(
     :is_sandbox::boolean[], :at::double precision[], :id::text[], :is_given::boolean[], :version::text[], :key_id::text[],
     :key_used::text[], :token_id::text[], :method::text[], :url::text[], :route::text[], :is_secure::boolean[], :ip_address::text[],
     :status_code::smallint[], :ms::real[], :user_agent::text[], :idempotency_key::text[], :request_body::text[], :response_body::text[]
   ) as new (
     is_sandbox, at, id, is_given, version, key_id, key_used, token_id, method, url, route, is_secure, ip_address, status_code, ms,
     user_agent, idempotency_key, request_body, response_body
   )`

const insert = statement('request_log.insert', INSERT)

// Rows sent before a lost connection may have been written. Only then look for duplicates: it takes a quarter of the time of a write.
const insertAgain = statement(
  'request_log.insert_again',
  `${INSERT}
   on conflict (merchant_id, is_sandbox, created_at, id) do nothing`,
)

/** Inserts rows of one shop. `isAgain`: some of them may exist already. */
export const insertRows = (
  db: Db,
  { merchant_id }: Shop,
  rows: readonly NewLogRow[],
  isAgain = false,
): Promise<number> =>
  db.run(isAgain ? insertAgain : insert, {
    merchant_id,
    is_sandbox: rows.map((row) => row.is_sandbox),
    at: rows.map((row) => row.at),
    id: rows.map((row) => row.id),
    is_given: rows.map((row) => row.is_given),
    version: rows.map((row) => row.version),
    key_id: rows.map((row) => row.key_id),
    key_used: rows.map((row) => row.key_used),
    token_id: rows.map((row) => row.token_id),
    method: rows.map((row) => row.method),
    url: rows.map((row) => row.url),
    route: rows.map((row) => row.route),
    is_secure: rows.map((row) => row.is_secure),
    ip_address: rows.map((row) => row.ip_address),
    status_code: rows.map((row) => row.status_code),
    ms: rows.map((row) => row.ms),
    user_agent: rows.map((row) => row.user_agent),
    idempotency_key: rows.map((row) => row.idempotency_key),
    request_body: rows.map((row) => row.request_body),
    response_body: rows.map((row) => row.response_body),
  })

const COLUMNS = `id, unix_seconds(created_at) as created, round(extract(epoch from created_at) * 1000)::double precision as at, version, key_id,
  key_used, token_id, method, url, route, is_secure, ip_address, status_code, ms, user_agent, idempotency_key`
const WHOLE = `${COLUMNS}, request_body, response_body`
const OF_MODE = 'merchant_id = :merchant_id and is_sandbox = :is_sandbox'

const findByTime = lookup<WholeLogRow>(
  'request_log.find',
  `select ${WHOLE} from request_log where ${OF_MODE} and created_at = ${moment(':at')} and id = :id`,
)

const findGiven = lookup<WholeLogRow>(
  'request_log.find_given',
  `select ${WHOLE} from request_log where ${OF_MODE} and is_given and id = :id order by created_at desc limit 1`,
)

/** The largest time that a Date can hold. A made-up id may contain a later one. */
const LAST_MS = 8.64e15

/** Finds a row by its request id. An id from a proxy may repeat: then the newest row is returned. */
export async function findRow(db: Db, scope: Scope, id: string): Promise<WholeLogRow | null> {
  const at = isId('request', id) ? timeOfId('request', id) : LAST_MS + 1
  const own = at > LAST_MS ? null : await db.maybe(findByTime, { ...scope, at, id })
  return own ?? db.maybe(findGiven, { ...scope, id })
}

/** Key of a row in the order of the list. */
export type LogPosition = { readonly at: number; readonly id: string }

export type LogFilter = {
  /** Lowest and highest status, both included. */
  readonly status: readonly [least: number, most: number]
  readonly method: string | null
  /** Beginning of the URL; '' for all. */
  readonly path: string
  readonly keyId: string | null
  readonly version: string | null
  /** Milliseconds, included. */
  readonly from: number
  /** Only rows before this one. */
  readonly before: LogPosition
}

/** Rows scanned for a page, whatever the filter. */
export const MAX_SCANNED_ROWS = 10_000

// One scan by key from the newest row, until the page is full or the limit is reached. The last scanned row is returned too, so that the
// next page can continue behind it. There is no index for each filter: every request would pay for it.
const list = statement<StoredLogRow & { place: number; is_match: boolean }>(
  'request_log.list',
  `select id, created, at, version, key_id, key_used, token_id, method, url, route, is_secure, ip_address, status_code, ms, user_agent,
     idempotency_key, place, is_match
   from (
     select ${COLUMNS}, row_number() over (order by created_at desc, id desc) as place,
       status_code between :least_status and :most_status
         and (:method::text is null or method = :method)
         and starts_with(url, :path)
         and (:key_id::text is null or key_id = :key_id)
         and (:version::text is null or version = :version) as is_match
     from request_log
     where ${OF_MODE}
       and created_at >= ${moment(':from')}
       and created_at <= ${moment(':before')}
       and (created_at, id) < (${moment(':before')}, :before_id)
     order by created_at desc, id desc
     limit :look
   ) seen
   where is_match or place = :look
   limit :limit`,
)

export type LogPage = { readonly rows: readonly StoredLogRow[]; readonly next: LogPosition | null }

/** Newest first. A page may be short or empty although `next` is set, because only so many rows are scanned. */
export async function listRows(
  db: Db,
  scope: Scope,
  filter: LogFilter,
  limit: number,
  scanLimit = MAX_SCANNED_ROWS,
): Promise<LogPage> {
  const scannedRows = await db.many(list, {
    ...scope,
    least_status: filter.status[0],
    most_status: filter.status[1],
    method: filter.method,
    path: filter.path,
    key_id: filter.keyId,
    version: filter.version,
    from: filter.from,
    before: filter.before.at,
    before_id: filter.before.id,
    look: scanLimit,
    // One more row shows whether there are others, or where the scan ended.
    limit: limit + 1,
  })
  const matches = scannedRows.filter(({ is_match: isMatch }) => isMatch)
  const rows = matches.slice(0, limit)
  const end = scannedRows.at(-1)?.place === scanLimit ? scannedRows.at(-1) : undefined
  return { rows, next: placeOf(matches.length > limit ? rows.at(-1) : end) }
}

const placeOf = (row: StoredLogRow | undefined): LogPosition | null =>
  row === undefined ? null : { at: row.at, id: row.id }

// Reads the newest rows by key, like the list.
const countVersions = statement<{ version: string; requests: number; oldest: Date }>(
  'request_log.count_by_version',
  `select version, count(*)::integer as requests, min(created_at) as oldest
   from (
     select version, created_at
     from request_log
     where ${OF_MODE} and created_at >= :from::timestamptz
     order by created_at desc, id desc
     limit :look
   ) seen
   group by version`,
)

/** `since`: all requests after this time are counted. */
export type VersionCounts = { readonly requests: ReadonlyMap<string, number>; readonly since: Date }

/** Counts the newest `most` requests since `from`. */
export async function countByVersion(db: Db, scope: Scope, from: Date, most: number): Promise<VersionCounts> {
  const rows = await db.many(countVersions, { ...scope, from, look: most })
  const total = rows.reduce((sum, { requests }) => sum + requests, 0)
  const oldest = Math.min(...rows.map((row) => row.oldest.getTime()))
  return {
    requests: new Map(rows.map(({ version, requests }) => [version, requests])),
    since: total < most ? from : new Date(oldest),
  }
}

const openDay = statement<{ is_new: boolean }>(
  'request_log.open_day',
  'select open_request_log_day(:day::date) as is_new',
)

/** Creates the partition of a day, in the form of `utcDayOf`, unless it exists. */
export const openLogDay = (db: Db, day: string) => db.one(openDay, { day })

const dropDays = statement<{ dropped: number }>(
  'request_log.drop_before',
  'select drop_request_log_before(:day::date) as dropped',
)

export const DAY_MS = 86_400_000

export const utcDayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Drops past days, each as a whole. Keeps `keptDays` whole days and the rows of today. */
export const sweepLogDays = (keptDays: number): Sweep => ({
  name: 'old-request-logs',
  everySeconds: 3_600,
  async run({ db, clock }) {
    const { dropped } = await db.one(dropDays, { day: utcDayOf(clock.now().getTime() - keptDays * DAY_MS) })
    return dropped
  },
})
