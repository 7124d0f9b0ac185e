// API key → caller. On the hot path the answer comes from memory without a database round trip; a change made in any process
// empties the memory within a second, and when the database falls silent every request asks it again.

import type { Db } from '../../db/db.ts'
import type { Heartbeat } from '../../db/heartbeat.ts'
import type { Authenticate } from '../../http/endpoint/caller.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import { unauthorized } from '../../lib/errors.ts'
import { hashKey, looksLikeKey } from './merchant.ts'
import { type CallerRow, findCallerByKeyHash } from './store.ts'

/** Enough for every key of a large installation; past it the oldest are forgotten and simply looked up again. */
const REMEMBERED = 10_000

const missing = () => unauthorized('Send your API key in the X-Authorization header.')
const wrong = () => unauthorized('This API key is not valid. It may have been mistyped or revoked.')

/** `onUse`: told of each request that comes with a key which opens something. */
export function keyAuthenticator(
  db: Db,
  news: Pick<Heartbeat, 'revision' | 'isFresh'>,
  onUse: (caller: Caller) => void = () => undefined,
): Authenticate {
  // Guesses have a memory of their own, so that a flood of them cannot push out the keys in use.
  const callers = new Map<string, Caller>()
  const unknown = new Map<string, true>()
  // Look-ups that have begun since the last change: who asks meanwhile shares them, or each change would let every client in
  // flight ask the database at once. None begun before a change is shared, since its answer may predate it.
  const lookups = new Map<string, Promise<Caller>>()
  let revision = news.revision

  return (key) => {
    if (key === undefined || key === '') throw missing()
    if (!looksLikeKey(key)) throw wrong()
    const hash = hashKey(key)
    const name = hash.toString('base64')
    if (!news.isFresh()) return used(lookUp(hash, name))
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
    return used(lookups.get(name) ?? shareLookUp(hash, name))
  }

  async function used(found: Promise<Caller>): Promise<Caller> {
    const caller = await found
    onUse(caller)
    return caller
  }

  function shareLookUp(hash: Buffer, name: string): Promise<Caller> {
    const lookup = lookUp(hash, name).finally(() => {
      // After a change there may be a newer one under this name.
      if (lookups.get(name) === lookup) lookups.delete(name)
    })
    lookups.set(name, lookup)
    return lookup
  }

  async function lookUp(hash: Buffer, name: string): Promise<Caller> {
    const asOf = news.revision
    const row = await findCallerByKeyHash(db, hash)
    // Something changed while we read: this answer may predate it, so it serves this request and is not kept.
    const mayKeep = news.isFresh() && asOf === news.revision && asOf === revision
    if (row === null) {
      if (mayKeep) remember(unknown, name, true)
      throw wrong()
    }
    const caller = callerOf(row)
    if (mayKeep) remember(callers, name, caller)
    return caller
  }
}

function remember<T>(memory: Map<string, T>, name: string, value: T) {
  const oldest = memory.size >= REMEMBERED ? memory.keys().next().value : undefined
  if (oldest !== undefined) memory.delete(oldest)
  memory.set(name, value)
}

const callerOf = (row: CallerRow): Caller => ({
  merchantId: row.merchant_id,
  keyId: row.key_id,
  session: null,
  isSecret: row.is_secret,
  isSandbox: row.is_sandbox,
  currency: row.currency,
  apiVersion: row.api_version,
  isDisabled: row.is_disabled,
  fullSandbox: row.full_sandbox,
  sellsLive: row.sells_live,
})
