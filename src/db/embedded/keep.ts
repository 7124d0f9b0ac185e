// Keeps a postmaster running for as long as the service does: one that ends without being told to is started again, with longer and
// longer waits while that fails, for ever. Whoever needs the database meanwhile is told that it is away.

import { setTimeout as pause } from 'node:timers/promises'
import type { Begun, Postmaster, Tell } from './postmaster.ts'

type KeepOptions = {
  /** Starts one again. It tells `begun` of the process at once, and ends it and throws when `signal` fires. */
  relaunch(signal: AbortSignal, begun: (process: Begun) => void): Promise<Postmaster>
  /** A full disk is the usual reason, and room that has come back is worth a try at once. */
  freeBytes(): number
  log: Tell
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 15_000
/** A server that ran this long was well: its end does not count as one more failure in a row. */
const WELL_AFTER_MS = 30_000
const LOOK_MS = 250
const ROOM_BYTES = 8 * 1024 * 1024

/** `exited` of what it gives never resolves. */
export function keepPostmaster(first: Postmaster, { relaunch, freeBytes, log }: KeepOptions): Postmaster {
  const stopping = new AbortController()
  const { signal } = stopping
  let newest = first
  let begun: Begun = first
  let starting: Promise<void> | undefined
  let stopped: Promise<void> | undefined
  let failures = 0

  function watch(postmaster: Postmaster) {
    const since = performance.now()
    postmaster.exited.then(() => {
      if (signal.aborted) return
      if (performance.now() - since > WELL_AFTER_MS) failures = 0
      log('PostgreSQL ended by itself and is started again. Until it runs, requests are answered 503.', 'error')
      starting = startAgain().finally(() => {
        starting = undefined
      })
    })
  }

  async function startAgain() {
    const endedAt = performance.now()
    while (!signal.aborted) {
      // From the second end in a row on also before the first try: one that starts well and dies at once must not do so in a tight loop.
      if (failures > 0) await waitOrRoom(Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS))
      if (signal.aborted) return
      failures += 1
      try {
        newest = await relaunch(signal, (process) => {
          begun = process
        })
        begun = newest
        log(`PostgreSQL runs again, after ${((performance.now() - endedAt) / 1_000).toFixed(1)} s.`)
        return watch(newest)
      } catch (error) {
        if (!signal.aborted)
          log(
            `PostgreSQL could not be started again; that is tried again soon. ${error instanceof Error ? error.message : error}`,
            'error',
          )
      }
    }
  }

  async function waitOrRoom(ms: number) {
    const end = performance.now() + ms
    const before = roomOrNone()
    for (let left = ms; left > 0 && !signal.aborted; left = end - performance.now()) {
      await pause(Math.min(left, LOOK_MS), undefined, { signal }).catch(() => undefined)
      if (roomOrNone() > before + ROOM_BYTES) return
    }
  }

  function roomOrNone(): number {
    try {
      return freeBytes()
    } catch {
      return 0
    }
  }

  watch(first)
  return {
    get pid() {
      return newest.pid
    },
    exited: new Promise(() => {}),
    stop() {
      stopping.abort()
      stopped ??= Promise.resolve(starting).then(() => newest.stop())
      return stopped
    },
    stopNow() {
      stopping.abort()
      begun.stopNow()
    },
  }
}
