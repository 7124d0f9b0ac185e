// Interface of a job handler: the context of a run, the lane, and the wait after a failure.

import type { Database, Db, Scope, Tx } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'

export type JobContext<Payload = unknown> = {
  db: Database
  clock: Clock
  /** For problems that the operator should know although the job continues. Never log personal data. */
  log: WorkerLog
  /** Payload of the enqueued job. Another release of the program may have written it. */
  payload: Payload
  /** Shop of the job; 0 for the service's own jobs. */
  merchant_id: number
  /** Id of the job, the same in every run. Send it with a call, so that the other side can recognise a repeated one. */
  jobId: string
  /** Number of the run: 1 for the first, one more after each failure. */
  run: number
  /** Fires when this run has lost the job or must stop. Pass it to network calls and check it before each side effect. */
  signal: AbortSignal
  /**
   * Ends the job in the handler's own transaction. Throws if another run has taken over the job. A handler with only one transaction
   * therefore takes effect exactly once. All others must tolerate a repeated run.
   */
  finish(tx: Tx): Promise<void>
  /**
   * Writes something and ends the job in one round trip. The write happens even if this run has lost the job, so another run must be able
   * to repeat it.
   */
  endWith(write: (all: Db) => Promise<unknown>): Promise<void>
}

/** Scope of a job that works in one mode. Stored payloads spell it `isSandbox`. */
export const jobScope = ({ merchant_id, payload }: JobContext<{ readonly isSandbox: boolean }>): Scope => ({
  merchant_id,
  is_sandbox: payload.isSandbox,
})

/** `Payload` is the type of the payloads that the same slice enqueues. Nothing validates them. */
export type JobHandler<Payload = unknown> = {
  kind: string
  /**
   * Resolves if the job is done, and rejects if it must run again. An error with `isFinal: true` ends the job at once.
   */
  handle(context: JobContext<Payload>): Promise<void>
  /** Number of failures that end the job. With the default, a job survives an outage of a day. */
  maxFailures?: number
  backoff?: Backoff
  /**
   * Lane with its own slots. Without lanes, a hanging mail server would delay refunds.
   * `mail` jobs wait for a mail server, `fetch` jobs for a file, and `provider` jobs for a payment provider.
   * Each provider has its own slots. A job that was enqueued without a `provider` runs with the jobs that have no lane.
   * `bulk` is for work that may take seconds or longer. Each shop runs one at a time, and the shops take turns.
   */
  lane?: 'mail' | 'fetch' | 'provider' | 'bulk'
  /** Set if the jobs run before the others of their lane: they move money, or somebody needs them in order to log in. */
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

/** Waits of 1 s, 2 s, 4 s … up to an hour. */
export const doublingBackoff: Backoff = (failures) => Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS)

/** Subtracts up to a quarter at random. Jobs that failed together in an outage must not all return at the same instant. */
export const withJitter = (ms: number): number => ms * (1 - Math.random() / 4)
