// Keeps a postmaster running as long as the service runs. If it ends by itself, it is restarted, with growing waits while that fails, for
// ever. Meanwhile requests get a 503.

import { setTimeout as pause } from 'node:timers/promises'
import type { OperatorLog, Postmaster, StartingPostmaster } from './postmaster.ts'

type KeepOptions = {
  /** Starts a new postmaster. Reports the process to `begun` at once; stops it and throws if `signal` fires. */
  relaunch(signal: AbortSignal, begun: (process: StartingPostmaster) => void): Promise<Postmaster>
  /** A full disk is the usual reason for an end. Once there is room again, a try is due at once. */
  freeBytes(): number
  log: OperatorLog
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 15_000
/** A server that ran this long was well, so its end does not count as a repeated failure. */
const HEALTHY_AFTER_MS = 30_000
const CHECK_MS = 250
const ROOM_BYTES = 8 * 1024 * 1024

/** `exited` of the returned postmaster never resolves. */
export function keepPostmaster(first: Postmaster, { relaunch, freeBytes, log }: KeepOptions): Postmaster {
  const stopping = new AbortController()
  const { signal } = stopping
  let current = first
  let currentProcess: StartingPostmaster = first
  let restart: Promise<void> | undefined
  let stopResult: Promise<void> | undefined
  let failures = 0

  function watch(postmaster: Postmaster) {
    const since = performance.now()
    postmaster.exited.then(() => {
      if (signal.aborted) return
      if (performance.now() - since > HEALTHY_AFTER_MS) failures = 0
      log('PostgreSQL stopped unexpectedly and is being restarted. Until it runs, requests get status 503.', 'error')
      restart = restartUntilRunning().finally(() => {
        restart = undefined
      })
    })
  }

  async function restartUntilRunning() {
    const endedAt = performance.now()
    while (!signal.aborted) {
      // From the second failure in a row, also wait before the first try. A server that starts and dies at once must not loop tightly.
      if (failures > 0) await waitForRoom(Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS))
      if (signal.aborted) return
      failures += 1
      try {
        current = await relaunch(signal, (process) => {
          currentProcess = process
        })
        currentProcess = current
        log(`PostgreSQL is running again after ${((performance.now() - endedAt) / 1_000).toFixed(1)} s.`)
        return watch(current)
      } catch (error) {
        if (!signal.aborted)
          log(
            `PostgreSQL could not be restarted; retrying soon. ${error instanceof Error ? error.message : error}`,
            'error',
          )
      }
    }
  }

  async function waitForRoom(ms: number) {
    const end = performance.now() + ms
    const before = readFreeBytes()
    for (let remaining = ms; remaining > 0 && !signal.aborted; remaining = end - performance.now()) {
      await pause(Math.min(remaining, CHECK_MS), undefined, { signal }).catch(() => undefined)
      if (readFreeBytes() > before + ROOM_BYTES) return
    }
  }

  function readFreeBytes(): number {
    try {
      return freeBytes()
    } catch {
      return 0
    }
  }

  watch(first)
  return {
    get pid() {
      return current.pid
    },
    exited: new Promise(() => {}),
    stop() {
      stopping.abort()
      stopResult ??= Promise.resolve(restart).then(() => current.stop())
      return stopResult
    },
    stopNow() {
      stopping.abort()
      currentProcess.stopNow()
    },
  }
}
