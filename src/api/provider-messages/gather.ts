// Combines checks for many messages of the same moment. Some providers do not sign their messages, so each is checked by a call, and
// anybody can send any number.

import { setTimeout as pause } from 'node:timers/promises'

/** Shortest time between two checks of the same name. Providers wait longer than this. */
const MOMENT_MS = 300

type Check<T> = {
  /** Resolves when the next check may begin. */
  over: Promise<void>
  /** The next check, shared by all callers that came since this one began. */
  next: Promise<T> | null
}

export type CheckBatcher<T> = (name: string, check: () => Promise<T>) => Promise<T>

/**
 * Checks at once if there was no check lately. A later caller shares the check that begins after the pause.
 * It never shares a check that is already running: the answer may be older than the event that its message is about.
 */
export function createCheckBatcher<T>(): CheckBatcher<T> {
  const checks = new Map<string, Check<T>>()

  function startCheck(name: string, check: () => Promise<T>): Promise<T> {
    const result = check()
    const over = Promise.all([result.catch(() => undefined), pause(MOMENT_MS, undefined, { ref: false })]).then(() => {
      if (current.next === null) checks.delete(name)
    })
    const current: Check<T> = { over, next: null }
    checks.set(name, current)
    return result
  }

  return (name, check) => {
    const last = checks.get(name)
    if (last === undefined) return startCheck(name, check)
    last.next ??= last.over.then(() => startCheck(name, check))
    return last.next
  }
}
