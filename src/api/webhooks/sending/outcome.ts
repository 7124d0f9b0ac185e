// The consequences of a failed attempt for the delivery and its webhook. Pure functions over rows, without I/O.

import type { AfterFailure } from '../../../events/deliveries/store.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Waits between the attempts: three days and three hours in total, with ten attempts. */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, DAY] as const
export const MAX_ATTEMPTS = WAITS.length + 1

/** Upper limit for the Retry-After of a receiver. */
export const LONGEST_RETRY_AFTER_MS = DAY

/**
 * A receiver counts as dead after this many failures in a row, of at least two deliveries. Failures of one delivery say nothing about
 * others.
 */
const DEAD_AFTER = 5
const DEAD_DELIVERIES = 2

/** The merchant is warned after failing for these times. */
const WARNINGS = [DAY, 3 * DAY] as const
/** The webhook is switched off after this time without a success, and this many failures. */
const OFF_AFTER_MS = 5 * DAY
const OFF_FAILURES = 10

const GONE = 410

/** Health of a receiver. */
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

export type FailedAttempt = {
  /** Earlier attempts of this delivery since it was requested. */
  readonly attemptsBefore: number
  /** The delivery was sent alone, to check whether the receiver is back. */
  readonly isProbe: boolean
  /** True for a listening webhook. It has no queue to hold, because its client fetches what is due. */
  readonly isFetched: boolean
  readonly status: number | null
  readonly retryAfterMs: number | null
}

export type Consequence = {
  readonly delivery: AfterFailure
  readonly health: Health
  readonly disabled: DisabledReason | null
  /** The notice to send to the merchant, or null. */
  readonly notice: 'failing' | 'off' | null
}

/** `random` is from 0 to 1 and makes waits up to a tenth longer. Never shorter, because three days of retries are documented. */
export function decideAfterFailure(
  health: Health,
  failed: FailedAttempt,
  now: Date,
  random = Math.random(),
): Consequence {
  const since = health.failing_since ?? now
  const countedHealth = {
    ...health,
    failing_since: since,
    failures: health.failures + 1,
    first_failures: health.first_failures + (failed.attemptsBefore === 0 ? 1 : 0),
  }
  const timeAfter = (wait: number) => new Date(now.getTime() + wait * (1 + random / 10))
  const failingMs = now.getTime() - since.getTime()
  const disabled = reasonToStop(failed.status, failingMs, countedHealth.failures)
  if (disabled !== null) {
    const disabledHealth = { ...countedHealth, is_held: false, probes: 0, turn_at: null }
    return { delivery: { state: 'failed' }, health: disabledHealth, disabled, notice: 'off' }
  }
  const isOver = failed.attemptsBefore + 1 >= MAX_ATTEMPTS
  const seemsDead = countedHealth.failures >= DEAD_AFTER && countedHealth.first_failures >= DEAD_DELIVERIES
  const isDead = !failed.isFetched && (health.is_held || seemsDead)
  const warningCount = WARNINGS.filter((age) => failingMs >= age).length
  const warnedHealth = { ...countedHealth, warnings: Math.max(warningCount, health.warnings) }
  const notice = warningCount > health.warnings ? ('failing' as const) : null
  if (!isDead) {
    const retryAt = timeAfter(failed.retryAfterMs ?? waitAfter(failed.attemptsBefore + 1))
    return {
      delivery: isOver ? { state: 'failed' } : { state: 'retrying', retryAt },
      health: warnedHealth,
      disabled: null,
      notice,
    }
  }
  // Other deliveries in progress at that time bring no news. Only a failed probe postpones the next probe.
  const isNews = !health.is_held || failed.isProbe
  const probes = isNews ? health.probes + 1 : health.probes
  const turnAt = isNews ? timeAfter(failed.retryAfterMs ?? waitAfter(probes)) : (health.turn_at ?? now)
  return {
    delivery: isOver ? { state: 'failed' } : { state: 'retrying', isInLine: true },
    health: { ...warnedHealth, is_held: true, probes, turn_at: turnAt },
    disabled: null,
    notice,
  }
}

/** `failures` is 1 after the first failure. */
const waitAfter = (failures: number): number => WAITS[Math.min(failures, WAITS.length) - 1] ?? DAY

function reasonToStop(status: number | null, failingMs: number, failures: number): DisabledReason | null {
  if (status === GONE) return 'gone'
  return failingMs >= OFF_AFTER_MS && failures >= OFF_FAILURES ? 'failures' : null
}
