// Interface of a job handler: its context for each run, its lane, and the wait after a failure.

import type { Database, Db, Tx } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'

export type JobContext<Payload = unknown> = {
  db: Database
  clock: Clock
  /** For messages to the operator about jobs that still do what they can. Never log personal data. */
  log: WorkerLog
  /** Payload from the enqueue, possibly by another version of the program. */
  payload: Payload
  /** 0 for the service's own jobs. */
  merchantId: number
  /** The same in every run of the job, so that the other side can recognise a repeated call. */
  jobId: string
  /** Number of the run: 1 for the first, one more after each failure. */
  run: number
  /** Fires when this run has lost the job. Pass it to network calls and check it before each side effect. */
  signal: AbortSignal
  /**
   * Ends the job in the handler's own transaction, and throws if another run has taken it over. A handler with only one transaction thereby
   * takes effect exactly once. All others must tolerate a repeated run.
   */
  finish(tx: Tx): Promise<void>
  /**
   * Writes something and ends the job in one round trip. The write happens even if this run has lost the job, so another run must be able
   * to repeat it.
   */
  endWith(write: (all: Db) => Promise<unknown>): Promise<void>
}

/** `Payload` is what the same slice enqueued; nothing validates it. */
export type JobHandler<Payload = unknown> = {
  kind: string
  /** The job is done when this resolves, and runs again later when it rejects. An error with a true `isFinal` gives the job up at once. */
  handle(context: JobContext<Payload>): Promise<void>
  /** Failures after which the job is given up. The default outlasts a day of outage. */
  maxFailures?: number
  backoff?: Backoff
  /**
   * Lane with its own slots, beside the other jobs: a hanging mail server must not delay refunds.
   * `mail`, `fetch` and `provider` are for jobs that wait for another server: for mail, for a file, or of a payment provider. Each provider
   * has its own slots; the enqueue names it (`provider`), otherwise the job runs among all others.
   * `bulk` is for work of one request that may take seconds or longer: one job at a time per shop, and the shops in turn.
   */
  lane?: 'mail' | 'fetch' | 'provider' | 'bulk'
  /** Runs before the other jobs of its lane, because it moves money or somebody waits for it to log in. */
  isUrgent?: true
}

/** Stored kind of a job. It includes the provider, so that each lane finds only its own jobs by the index. */
export const storedKind = (kind: string, provider: string | null): string =>
  provider === null ? kind : `${kind} ${provider}`

/** Logger interface of the worker; pino implements it. */
export type WorkerLog = Record<'info' | 'warn' | 'error', (details: object, message: string) => void>

/** Wait before the next run in milliseconds, after this number of failures (1, 2, …), without jitter. */
type Backoff = (failures: number) => number

const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 3_600_000

/** 1 s, 2 s, 4 s … up to an hour. */
export const doublingBackoff: Backoff = (failures) => Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS)

/** Subtracts up to a quarter at random. Jobs that failed together in an outage must not all return at the same instant. */
export const withJitter = (ms: number): number => ms * (1 - Math.random() / 4)
