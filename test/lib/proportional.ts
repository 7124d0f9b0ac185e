// Whether work takes time in proportion to its size. Nothing is said of how much time: machines are slow, and pause.

import { expect } from 'vitest'

const TRIES = 2
/** Where these do not show it: what else runs in this process may have been at it. */
const MOST_TRIES = 20
/** Less than that says nothing: what is in proportion to the square takes seconds for what is tried here. */
const LEAST_MS = 20
/** Four times as much may take four times as long, and something more for a cache that is full. In proportion to the square it is sixteen. */
const MOST_TIMES = 10

/** The shortest of several tries: each may be interrupted, not all of them. Those of both sizes take turns, for a machine that gets slower. */
export function expectProportional(what: string, size: number, work: (size: number) => unknown): void {
  const shortest = { quarter: Number.POSITIVE_INFINITY, whole: Number.POSITIVE_INFINITY }
  const timesLonger = () => shortest.whole / Math.max(shortest.quarter, LEAST_MS)
  for (let tried = 0; tried < TRIES || (tried < MOST_TRIES && timesLonger() >= MOST_TIMES); tried++) {
    shortest.quarter = Math.min(
      shortest.quarter,
      timeOf(() => work(size / 4)),
    )
    shortest.whole = Math.min(
      shortest.whole,
      timeOf(() => work(size)),
    )
  }
  expect(timesLonger(), `${what}: how many times longer four times as much takes`).toBeLessThan(MOST_TIMES)
}

/** In milliseconds, of this process alone: what others do on the same cores does not count. */
export function timeOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
