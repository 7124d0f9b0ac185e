// How long a failed job waits before it is tried again.

/** Milliseconds to wait after the given number of failures (1, 2, …), before jitter. */
export type Backoff = (failures: number) => number

const FIRST_MS = 1_000
const LONGEST_MS = 3_600_000

/** 1 s, 2 s, 4 s … up to an hour. */
export const doubling: Backoff = (failures) => Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)

/** Takes away up to a quarter: jobs that failed together, as in an outage, must not all come back in the same instant. */
export const withJitter = (ms: number): number => ms * (1 - Math.random() / 4)
