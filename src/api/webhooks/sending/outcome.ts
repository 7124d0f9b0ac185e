// What follows of an attempt that failed, for the delivery and for its webhook. Decided over rows, without I/O.

import type { AfterFailure } from '../../../events/deliveries/store.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long after each failure it is tried again: three days and three hours in all, in ten attempts. */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, DAY] as const
export const MOST_ATTEMPTS = WAITS.length + 1

/** A receiver's own Retry-After counts up to this. */
export const LONGEST_RETRY_AFTER_MS = DAY

/** So many failures in a row, of two deliveries at least, and it is taken for dead. One that is refused again and again says nothing of others. */
const DEAD_AFTER = 5
const DEAD_DELIVERIES = 2

/** After these times of failing the merchant is told. */
const WARNINGS = [DAY, 3 * DAY] as const
/** After so long without anything delivered, and so many failures, the webhook is switched off. */
const OFF_AFTER_MS = 5 * DAY
const OFF_FAILURES = 10

const GONE = 410

/** How it stands with a receiver. */
export type Health = {
  readonly failing_since: Date | null
  readonly failures: number
  readonly first_failures: number
  readonly warnings: number
  readonly is_held: boolean
  readonly probes: number
  readonly turn_at: Date | null
}

export type DisabledReason = 'by_you' | 'gone' | 'failures'

export type Failed = {
  /** Attempts of this delivery since it was asked for, this one not counted. */
  readonly earlier: number
  /** It was sent alone, to see whether the receiver is back. */
  readonly isProbe: boolean
  /** By somebody who listens: there is no line to be held, as whoever comes is given what is due. */
  readonly isFetched: boolean
  readonly status: number | null
  readonly retryAfterMs: number | null
}

export type Consequence = {
  readonly delivery: AfterFailure
  readonly health: Health
  readonly disabled: DisabledReason | null
  /** What the merchant is to be told, if anything. */
  readonly notice: 'failing' | 'off' | null
}

/** `random`: from 0 to 1. Waits are up to a tenth longer by it, never shorter: three days are promised. */
export function afterFailure(health: Health, failed: Failed, now: Date, random = Math.random()): Consequence {
  const since = health.failing_since ?? now
  const counted = {
    ...health,
    failing_since: since,
    failures: health.failures + 1,
    first_failures: health.first_failures + (failed.earlier === 0 ? 1 : 0),
  }
  const later = (wait: number) => new Date(now.getTime() + wait * (1 + random / 10))
  const failingMs = now.getTime() - since.getTime()
  const disabled = reasonToStop(failed.status, failingMs, counted.failures)
  if (disabled !== null) {
    const off = { ...counted, is_held: false, probes: 0, turn_at: null }
    return { delivery: { state: 'failed' }, health: off, disabled, notice: 'off' }
  }
  const isOver = failed.earlier + 1 >= MOST_ATTEMPTS
  const seemsDead = counted.failures >= DEAD_AFTER && counted.first_failures >= DEAD_DELIVERIES
  const isDead = !failed.isFetched && (health.is_held || seemsDead)
  const told = WARNINGS.filter((age) => failingMs >= age).length
  const warned = { ...counted, warnings: Math.max(told, health.warnings) }
  const notice = told > health.warnings ? ('failing' as const) : null
  if (!isDead) {
    const retryAt = later(failed.retryAfterMs ?? waitAfter(failed.earlier + 1))
    return {
      delivery: isOver ? { state: 'failed' } : { state: 'retrying', retryAt },
      health: warned,
      disabled: null,
      notice,
    }
  }
  // Others that were under way when it died say nothing new: only the one that was sent alone moves the next try away.
  const isNews = !health.is_held || failed.isProbe
  const probes = isNews ? health.probes + 1 : health.probes
  const turnAt = isNews ? later(failed.retryAfterMs ?? waitAfter(probes)) : (health.turn_at ?? now)
  return {
    delivery: isOver ? { state: 'failed' } : { state: 'retrying', isInLine: true },
    health: { ...warned, is_held: true, probes, turn_at: turnAt },
    disabled: null,
    notice,
  }
}

/** `failures`: 1 after the first. */
const waitAfter = (failures: number): number => WAITS[Math.min(failures, WAITS.length) - 1] ?? DAY

function reasonToStop(status: number | null, failingMs: number, failures: number): DisabledReason | null {
  if (status === GONE) return 'gone'
  return failingMs >= OFF_AFTER_MS && failures >= OFF_FAILURES ? 'failures' : null
}
