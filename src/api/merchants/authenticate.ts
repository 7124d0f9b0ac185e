// Resolves an API key to its caller, usually from a cache in memory, without a query.
// A change made in any process clears the cache within a second. If the heartbeat gets no answer, the cache could be
// outdated, so every request queries the database.

import type { Db } from '../../db/db.ts'
import type { Heartbeat } from '../../db/health/heartbeat.ts'
import type { Authenticate } from '../../http/endpoint/caller.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import { unauthorized } from '../../lib/errors.ts'
import { hashKey, looksLikeKey } from './merchant.ts'
import { type CallerRow, findCallerByKeyHash } from './store.ts'

/** Maximum size of each cache: enough for every key of a large installation. A new entry then replaces the oldest. */
const MAX_REMEMBERED = 10_000

const missing = () => unauthorized('Send your API key in the X-Authorization header.')
const wrong = () => unauthorized('This API key is not valid. It may have been mistyped or revoked.')

/** The authenticator calls `onUse` for each request with a valid key. */
export function createKeyAuthenticator(
  db: Db,
  news: Pick<Heartbeat, 'revision' | 'isFresh'>,
  onUse: (caller: Caller) => void = () => undefined,
): Authenticate {
  // Unknown keys have a separate cache, so that many guesses cannot push out the keys in use.
  const callers = new Map<string, Caller>()
  const unknown = new Map<string, true>()
  // Running queries, shared by concurrent requests with the same key. Otherwise, after each change, every request
  // would query the database at once. A query from before a change is not shared, because its result may be outdated.
  const lookups = new Map<string, Promise<Caller>>()
  let revision = news.revision

  return (key) => {
    if (key === undefined || key === '') throw missing()
    if (!looksLikeKey(key)) throw wrong()
    const hash = hashKey(key)
    const name = hash.toString('base64')
    if (!news.isFresh()) return reportUse(lookUp(hash, name))
    if (news.revision !== revision) {
      callers.clear()
      unknown.clear()
      lookups.clear()
      revision = news.revision
    }
    const caller = callers.get(name)
    if (caller) {
      onUse(caller)
      return caller
    }
    if (unknown.has(name)) throw wrong()
    return reportUse(lookups.get(name) ?? shareLookUp(hash, name))
  }

  async function reportUse(lookup: Promise<Caller>): Promise<Caller> {
    const caller = await lookup
    onUse(caller)
    return caller
  }

  function shareLookUp(hash: Buffer, name: string): Promise<Caller> {
    const lookup = lookUp(hash, name).finally(() => {
      // A change may have cleared the map, and a newer query may have taken this place.
      if (lookups.get(name) === lookup) lookups.delete(name)
    })
    lookups.set(name, lookup)
    return lookup
  }

  async function lookUp(hash: Buffer, name: string): Promise<Caller> {
    const revisionBefore = news.revision
    const row = await findCallerByKeyHash(db, hash)
    // After a change during the query, or without a heartbeat, the result serves only this request.
    const canCache = news.isFresh() && revisionBefore === news.revision && revisionBefore === revision
    if (row === null) {
      if (canCache) remember(unknown, name, true)
      throw wrong()
    }
    const caller = callerOf(row)
    if (canCache) remember(callers, name, caller)
    return caller
  }
}

function remember<T>(memory: Map<string, T>, name: string, value: T) {
  const oldest = memory.size >= MAX_REMEMBERED ? memory.keys().next().value : undefined
  if (oldest !== undefined) memory.delete(oldest)
  memory.set(name, value)
}

const callerOf = (row: CallerRow): Caller => ({
  merchant_id: row.merchant_id,
  keyId: row.key_id,
  session: null,
  isSecret: row.is_secret,
  is_sandbox: row.is_sandbox,
  currency: row.currency,
  apiVersion: row.api_version,
  isDisabled: row.is_disabled,
  fullSandbox: row.full_sandbox,
  sellsLive: row.sells_live,
})
