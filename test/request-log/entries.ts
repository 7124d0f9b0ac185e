// Requests as the log keeps them, made without sending any.

import type { Db } from '../../src/db/db.ts'
import { newId } from '../../src/lib/ids.ts'
import { createRowBuilder, type LoggedRequest } from '../../src/request-log/row.ts'
import { insertRows, openLogDay, utcDayOf } from '../../src/request-log/store.ts'

/** A plain read of the sandbox, unless told otherwise. `at`: milliseconds. */
export const loggedEntry = (merchant_id: number, at: number, more: Partial<LoggedRequest> = {}): LoggedRequest => ({
  merchant_id,
  is_sandbox: true,
  id: newId('request', new Date(at)),
  isGiven: false,
  at,
  version: '2022-07-21',
  keyId: null,
  key: null,
  account: null,
  method: 'GET',
  url: '/v1/things',
  route: '/v1/things',
  query: undefined,
  isSecure: false,
  address: '127.0.0.1',
  status: 200,
  ms: 1.5,
  userAgent: null,
  idempotencyKey: null,
  bodies: null,
  ...more,
})

const rowOf = createRowBuilder(new Map())

/** Of one shop. */
export async function keepEntries(db: Db, entries: readonly LoggedRequest[]): Promise<void> {
  for (const day of new Set(entries.map(({ at }) => utcDayOf(at)))) await openLogDay(db, day)
  await insertRows(db, { merchant_id: entries[0]?.merchant_id ?? 0 }, entries.map(rowOf))
}
