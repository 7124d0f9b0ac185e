// Keys that sign customer sessions, stored in the database so that all processes share them.
// The newest key signs. A replaced key stays valid until the last session that it signed has ended.

import { randomBytes } from 'node:crypto'
import type { Db, Tx } from '../db/db.ts'
import type { Heartbeat } from '../db/health/heartbeat.ts'
import type { Sweep } from '../jobs/schedule.ts'
import type { Clock } from '../lib/clock.ts'
import { isId, newId } from '../lib/ids.ts'
import {
  deleteKeysReplacedBy,
  deleteOtherSessionKeys,
  insertNextSessionKey,
  insertSessionKey,
  listSessionKeys,
  type SessionKey,
} from './store.ts'

export type SessionKeys = {
  /** Key that signs new sessions. */
  newest(): Promise<SessionKey>
  /** Key with that id, if a session with it can still be valid. */
  find(id: string): Promise<SessionKey | null>
}

/** Lifetime of a session, and of a key after its replacement. */
export const SESSION_MS = 86_400_000
const REPLACED_AFTER_MS = 30 * 86_400_000
/** Allowance for processes that have not heard of a newer key yet. Sessions that they sign with the older key must last 24 hours too. */
const NOTICE_MS = 60_000
const BYTES = 32

export function sessionKeys(db: Db, clock: Clock, news: Pick<Heartbeat, 'revision' | 'isFresh'>): SessionKeys {
  let cachedKeys: { keys: readonly SessionKey[]; revision: number; readAt: number } | null = null
  let pendingRead: Promise<readonly SessionKey[]> | null = null
  let pendingKey: Promise<SessionKey> | null = null

  return {
    async newest() {
      const [newest] = await getKeys()
      if (newest !== undefined && !isOld(newest)) return newest
      pendingKey ??= createNext().finally(() => {
        pendingKey = null
      })
      return pendingKey
    },
    async find(id) {
      if (!isId('sessionKey', id)) return null
      const calledAt = performance.now()
      const usableKey = findUsable(await getKeys(), id)
      if (usableKey !== null) return usableKey
      // Another process may have created the key just now. Only a read that starts now proves that it is missing.
      // Unknown ids thus cause database reads, but only one at a time for all requests together.
      while (cachedKeys === null || cachedKeys.readAt < calledAt) await readShared()
      return findUsable(cachedKeys.keys, id)
    },
  }

  async function getKeys(): Promise<readonly SessionKey[]> {
    if (cachedKeys !== null && news.isFresh() && cachedKeys.revision === news.revision) return cachedKeys.keys
    return readShared()
  }

  /** Runs one read at a time. Concurrent callers share its result. */
  function readShared(): Promise<readonly SessionKey[]> {
    pendingRead ??= readNow().finally(() => {
      pendingRead = null
    })
    return pendingRead
  }

  async function readNow() {
    const revision = news.revision
    const readAt = performance.now()
    const keys = await listSessionKeys(db)
    cachedKeys = { keys, revision, readAt }
    return keys
  }

  async function createNext(): Promise<SessionKey> {
    const key = newKey(clock)
    await insertNextSessionKey(db, key, new Date(key.createdAt.getTime() - REPLACED_AFTER_MS))
    // A read in progress may have started before the insert.
    await pendingRead?.catch(() => undefined)
    const [newest] = await readShared()
    return newest ?? key
  }

  function isOld({ createdAt }: SessionKey): boolean {
    return clock.now().getTime() - createdAt.getTime() >= REPLACED_AFTER_MS
  }

  /** Keys are sorted newest first, so the previous entry is the key that replaced this one. */
  function findUsable(keys: readonly SessionKey[], id: string): SessionKey | null {
    const index = keys.findIndex((key) => key.id === id)
    const replacedAt = keys[index - 1]?.createdAt.getTime() ?? Number.POSITIVE_INFINITY
    return clock.now().getTime() < replacedAt + SESSION_MS + NOTICE_MS ? (keys[index] ?? null) : null
  }
}

/**
 * Adds a key that signs from now on. `endsSessions` deletes the older keys, and with them all sessions.
 * The caller must notify all processes in the same transaction (`announceChange` of merchants); otherwise they keep using their cached
 * keys.
 */
export async function replaceSessionKey(tx: Tx, clock: Clock, { endsSessions }: { endsSessions: boolean }) {
  const key = newKey(clock)
  await insertSessionKey(tx, key)
  if (endsSessions) await deleteOtherSessionKeys(tx, key.id)
}

/** Deletes keys that no session needs any more. */
export const sweepSpentSessionKeys: Sweep = {
  name: 'spent-session-keys',
  everySeconds: 3_600,
  run: ({ db, clock }) => deleteKeysReplacedBy(db, new Date(clock.now().getTime() - SESSION_MS - NOTICE_MS)),
}

function newKey(clock: Clock): SessionKey {
  const now = clock.now()
  return { id: newId('sessionKey', now), secret: randomBytes(BYTES), createdAt: now }
}
