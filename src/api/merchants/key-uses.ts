// Records when each key was last used, to the minute. Uses are collected in memory, so that no request waits, and written once a minute by
// one statement. A killed process loses its last minute.

import type { Db } from '../../db/db.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { type KeyUse, updateKeyUses } from './store.ts'

export type KeyUses = {
  /** Never waits and never throws. */
  record(caller: Pick<Caller, 'merchant_id' | 'keyId'>): void
  /** Writes the collected uses. After a failure they wait for the next write. */
  write(): Promise<void>
  /** Writes the rest, and stops collecting. */
  stop(): Promise<void>
}

type Options = { readonly clock: Clock; readonly warn: (error: unknown, message: string) => void }

const EVERY_MS = 60_000
const MINUTE_MS = 60_000

export function createKeyUseRecorder(db: Db, { clock, warn }: Options): KeyUses {
  /** Keyed by the id of the key. The first use since the last write counts: it is less than a minute before the last use. */
  let pendingUses = new Map<string, KeyUse>()
  let isFailing = false

  async function write() {
    if (pendingUses.size === 0) return
    const uses = pendingUses
    pendingUses = new Map()
    try {
      await updateKeyUses(db, [...uses.values()])
      isFailing = false
    } catch (error) {
      if (!isFailing) warn(error, 'the last use of keys cannot be saved at the moment')
      isFailing = true
      // Uses that were recorded meanwhile are later, so they replace the older ones.
      pendingUses = new Map([...uses, ...pendingUses])
    }
  }

  const timer = setInterval(() => void write(), EVERY_MS)
  timer.unref()

  return {
    record({ merchant_id, keyId }) {
      if (keyId === null || pendingUses.has(keyId)) return
      const usedAt = new Date(Math.floor(clock.now().getTime() / MINUTE_MS) * MINUTE_MS)
      pendingUses.set(keyId, { merchant_id, keyId, usedAt })
    },
    write,
    async stop() {
      clearInterval(timer)
      await write()
    },
  }
}
