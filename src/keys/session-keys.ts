// The keys that sign the sessions of customers, in the database so that every process has the same. The newest signs; one that has
// been replaced still opens what it signed, until the last such session is over.

import { randomBytes } from 'node:crypto'
import type { Db, Tx } from '../db/db.ts'
import type { Heartbeat } from '../db/heartbeat.ts'
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
  /** The key to sign with now. */
  newest(): Promise<SessionKey>
  /** The key of that id, if there can still be a session that it opens. */
  find(id: string): Promise<SessionKey | null>
}

/** How long a session lasts, and therefore a key that has been replaced. */
export const SESSION_MS = 86_400_000
const REPLACED_AFTER_MS = 30 * 86_400_000
/** A process that has not heard of the newer key yet goes on signing with the older: those sessions have their 24 hours, too. */
const HEARD_WITHIN_MS = 60_000
const BYTES = 32

export function sessionKeys(db: Db, clock: Clock, news: Pick<Heartbeat, 'revision' | 'isFresh'>): SessionKeys {
  let known: { keys: readonly SessionKey[]; revision: number; readAt: number } | null = null
  let reading: Promise<readonly SessionKey[]> | null = null
  let nextKey: Promise<SessionKey> | null = null

  return {
    async newest() {
      const [newest] = await current()
      if (newest !== undefined && !isOld(newest)) return newest
      nextKey ??= makeNext().finally(() => {
        nextKey = null
      })
      return nextKey
    },
    async find(id) {
      if (!isId('sessionKey', id)) return null
      const cameAt = performance.now()
      const found = opening(await current(), id)
      if (found !== null) return found
      // Another process may have made it a moment ago, before this token came: a reading that begins now must find it. Whoever sends
      // ids that do not exist thereby has the database asked, but by one reading at a time for all of them together.
      while (known === null || known.readAt < cameAt) await read()
      return opening(known.keys, id)
    },
  }

  async function current(): Promise<readonly SessionKey[]> {
    if (known !== null && news.isFresh() && known.revision === news.revision) return known.keys
    return read()
  }

  /** One at a time; who comes while it runs waits for the same. */
  function read(): Promise<readonly SessionKey[]> {
    reading ??= readNow().finally(() => {
      reading = null
    })
    return reading
  }

  async function readNow() {
    const revision = news.revision
    const readAt = performance.now()
    const keys = await listSessionKeys(db)
    known = { keys, revision, readAt }
    return keys
  }

  async function makeNext(): Promise<SessionKey> {
    const key = newKey(clock)
    await insertNextSessionKey(db, key, new Date(key.createdAt.getTime() - REPLACED_AFTER_MS))
    // A reading under way may have begun before the insert.
    await reading?.catch(() => undefined)
    const [newest] = await read()
    return newest ?? key
  }

  function isOld({ createdAt }: SessionKey): boolean {
    return clock.now().getTime() - createdAt.getTime() >= REPLACED_AFTER_MS
  }

  /** Newest first, so that the one before a key is the one that has replaced it. */
  function opening(keys: readonly SessionKey[], id: string): SessionKey | null {
    const index = keys.findIndex((key) => key.id === id)
    const replacedAt = keys[index - 1]?.createdAt.getTime() ?? Number.POSITIVE_INFINITY
    return clock.now().getTime() < replacedAt + SESSION_MS + HEARD_WITHIN_MS ? (keys[index] ?? null) : null
  }
}

/**
 * From now on a new key signs. `endsSessions`: the others are gone, and with them every session there is. To be told to all processes
 * in the same transaction (`announceChange` of merchants), or they go on with what they know.
 */
export async function replaceSessionKey(tx: Tx, clock: Clock, { endsSessions }: { endsSessions: boolean }) {
  const key = newKey(clock)
  await insertSessionKey(tx, key)
  if (endsSessions) await deleteOtherSessionKeys(tx, key.id)
}

/** Keys that no session needs any more. */
export const sweepSpentSessionKeys: Sweep = {
  name: 'spent-session-keys',
  everySeconds: 3_600,
  run: ({ db, clock }) => deleteKeysReplacedBy(db, new Date(clock.now().getTime() - SESSION_MS - HEARD_WITHIN_MS)),
}

function newKey(clock: Clock): SessionKey {
  const now = clock.now()
  return { id: newId('sessionKey', now), secret: randomBytes(BYTES), createdAt: now }
}
