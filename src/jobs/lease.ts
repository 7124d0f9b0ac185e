// Renews a lease while its work runs, and stops the work if the lease is lost. Jobs, sweeps and requests with an Idempotency-Key use it.

import type { Clock } from '../lib/clock.ts'
import { LeaseLostError } from './queue.ts'

export type LeaseTimes = {
  /** Lifetime of a lease without renewal. */
  readonly leaseMs: number
  /** Time between two renewals. */
  readonly renewMs: number
}

/**
 * The lease is short enough that a job of a dead process continues within 15 seconds, including two seconds for the poll.
 * It is long enough that a process or a database may pause for eight seconds. A job shorter than four seconds never renews its lease.
 */
export const LEASE: LeaseTimes = { leaseMs: 13_000, renewMs: 4_000 }

export type Lease = {
  /** Fires when the lease is lost or abandoned. */
  readonly signal: AbortSignal
  /** Tells the work to stop and renews no more. */
  abandon(reason: Error): void
  /** Ends the lease after the work. */
  end(): void
}

type LeaseOptions = LeaseTimes & {
  clock: Clock
  leasedUntil: Date
  /** Renews the lease in the database. Resolves to false if another run has taken over the work. */
  renew(leasedUntil: Date): Promise<boolean>
}

export function keepLease({ clock, leasedUntil, leaseMs, renewMs, renew }: LeaseOptions): Lease {
  const controller = new AbortController()
  let until = leasedUntil
  let isOver = false
  let renewal: NodeJS.Timeout | undefined
  let deadline: NodeJS.Timeout | undefined

  const end = () => {
    isOver = true
    clearTimeout(renewal)
    clearTimeout(deadline)
  }
  const abandon = (reason: Error) => {
    end()
    controller.abort(reason)
  }
  const lose = () => abandon(new LeaseLostError('The lease ran out.'))
  const hasRunOut = () => clock.now() >= until

  const renewAfter = (ms: number) => {
    if (!isOver) renewal = setTimeout(renewNow, ms)
  }
  const renewNow = async () => {
    // A process that was suspended for minutes wakes here. The clock already shows that its lease has expired; the database is not needed.
    if (hasRunOut()) return lose()
    const next = new Date(clock.now().getTime() + leaseMs)
    try {
      if (!(await renew(next))) return lose()
      until = next
      renewAfter(renewMs)
    } catch {
      // The database is unreachable. There is time for several more tries before the lease runs out.
      renewAfter(renewMs / 4)
    }
  }
  // This check is separate from the renewals, because a renewal may hang on a half-open connection for longer than the lease.
  const watch = () => {
    if (hasRunOut()) return lose()
    deadline = setTimeout(watch, Math.max(until.getTime() - clock.now().getTime(), 1))
  }

  renewAfter(renewMs)
  watch()
  return { signal: controller.signal, abandon, end }
}
