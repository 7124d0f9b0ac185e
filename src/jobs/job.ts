// What a kind of job looks like to whoever writes one: a handler, what it gets for each run, and how long it waits after a failure.

import type { Database, Db, Tx } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'

export type JobContext<Payload = unknown> = {
  db: Database
  clock: Clock
  /** For what the operator should know although the job does what it can. Details of nobody. */
  log: Log
  /** As it was put in, possibly by another version of the program. */
  payload: Payload
  /** 0 for the service's own jobs. */
  merchantId: number
  /** The same in every run of the job, so that the other side can recognise a repeated call. */
  jobId: string
  /** Which run of the job this is: 1 for the first; one more after each failure. */
  run: number
  /** Fires when the job is no longer this run's own. Hand it to network calls and look at it before each side effect. */
  signal: AbortSignal
  /**
   * Ends the job in the transaction of what it did, and throws when another run has taken it over. A handler whose whole effect
   * is one transaction calls this in it and thereby takes effect exactly once; all others must bear to be run again.
   */
  finish(tx: Tx): Promise<void>
  /**
   * Writes something and ends the job, in one round trip. Only for what another run may write again: where the job is no longer this
   * run's own, it is written all the same.
   */
  endWith(write: (all: Db) => Promise<unknown>): Promise<void>
}

/** `Payload` is what the slice itself puts in; nothing checks it. */
export type JobHandler<Payload = unknown> = {
  kind: string
  /**
   * The job is done when this resolves, and runs again later when it rejects; given up at once when it rejects with an error whose
   * `isFinal` is true.
   */
  handle(context: JobContext<Payload>): Promise<void>
  /** Failures after which the job is given up. The default outlasts a day of outage. */
  maxFailures?: number
  backoff?: Backoff
  /**
   * Runs beside the others, in places of its own: a mail server that hangs for minutes must not hold up refunds. For jobs that only
   * wait for somebody else's server: one that takes mails, one that has a file, or a payment provider. Of those each has its own
   * places: a job says which when it is put in (`provider`), and one that says none runs among all others.
   * `bulk` is for work that one request causes and that may take seconds or longer: one job at a time for each shop, and the shops in turn.
   */
  lane?: 'mail' | 'fetch' | 'provider' | 'bulk'
  /** Goes before the other jobs of its lane, because it moves money or because somebody waits for it to log in. */
  isUrgent?: true
}

/** What a job is stored under, so that each lane finds its own, and nothing else, by the index. */
export const kindAt = (kind: string, provider: string | null): string =>
  provider === null ? kind : `${kind} ${provider}`

/** What the worker needs of a logger; pino is one. */
export type Log = Record<'info' | 'warn' | 'error', (details: object, message: string) => void>

/** How long a failed job waits before it runs again: milliseconds, after this number of failures (1, 2, …), before jitter. */
type Backoff = (failures: number) => number

const FIRST_MS = 1_000
const LONGEST_MS = 3_600_000

/** 1 s, 2 s, 4 s … up to an hour. */
export const doubling: Backoff = (failures) => Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)

/** Takes away up to a quarter: jobs that failed together, as in an outage, must not all come back in the same instant. */
export const withJitter = (ms: number): number => ms * (1 - Math.random() / 4)
