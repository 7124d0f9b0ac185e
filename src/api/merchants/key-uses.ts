// When each key was last used, to the minute: gathered in memory, so that no request waits for it, and written once a minute by one statement.
// A process that is killed forgets its last minute.

import type { Db } from '../../db/db.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { type KeyUse, noteKeyUses } from './store.ts'

export type KeyUses = {
  /** Never waits and never throws. */
  note(caller: Pick<Caller, 'merchantId' | 'keyId'>): void
  /** Writes what was gathered. What cannot be written waits for the next time. */
  write(): Promise<void>
  /** Writes what is left and gathers no more. */
  stop(): Promise<void>
}

type Options = { readonly clock: Clock; readonly warn: (error: unknown, message: string) => void }

const EVERY_MS = 60_000
const MINUTE_MS = 60_000

export function gatherKeyUses(db: Db, { clock, warn }: Options): KeyUses {
  /** By the id of the key. The first use since the last writing counts: it is less than a minute from the last. */
  let gathered = new Map<string, KeyUse>()
  let isFailing = false

  async function write() {
    if (gathered.size === 0) return
    const uses = gathered
    gathered = new Map()
    try {
      await noteKeyUses(db, [...uses.values()])
      isFailing = false
    } catch (error) {
      if (!isFailing) warn(error, 'when keys were last used cannot be written at the moment')
      isFailing = true
      // Those of the meantime are later.
      gathered = new Map([...uses, ...gathered])
    }
  }

  const timer = setInterval(() => void write(), EVERY_MS)
  timer.unref()

  return {
    note({ merchantId, keyId }) {
      if (keyId === null || gathered.has(keyId)) return
      const usedAt = new Date(Math.floor(clock.now().getTime() / MINUTE_MS) * MINUTE_MS)
      gathered.set(keyId, { merchantId, keyId, usedAt })
    },
    write,
    async stop() {
      clearInterval(timer)
      await write()
    },
  }
}
