// Time limits of the service that do not pass while a test looks at something else: a machine that pauses would trip them.

import { onTestFinished, vi } from 'vitest'

const LONG_MS = 600_000

/** Timers of exactly so many milliseconds that are set from now on wait for minutes: until what is returned is called, or the test ends. */
export function holdTimers(ms: number): () => void {
  const usual = setTimeout
  const held = (work: (...given: unknown[]) => void, after?: number, ...given: unknown[]) =>
    usual(work, after === ms ? LONG_MS : after, ...given)
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(held as typeof setTimeout)
  const letGo = () => void spy.mockRestore()
  onTestFinished(letGo)
  return letGo
}
