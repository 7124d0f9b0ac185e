// The consequences of a failed attempt for the delivery and its webhook. Pure functions over rows, without I/O.

import type { AfterFailure } from '../../../events/deliveries/store.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Waits between the attempts. Ten attempts take three days and about three hours. */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, DAY] as const
export const MAX_ATTEMPTS = WAITS.length + 1

/** Upper limit for the Retry-After of a receiver. */
export const LONGEST_RETRY_AFTER_MS = DAY

/**
 * A receiver counts as dead after this many failures in a row, of at least two deliveries. The receiver may refuse one delivery forever and
 * still accept others.
 */
const DEAD_FAILURES = 5
const DEAD_DELIVERIES = 2

/** The merchant is warned when an outage has lasted this long. */
const WARNING_AGES = [DAY, 3 * DAY] as const
/** A webhook is disabled after this time without a success, if it also has this many failures. */
const DISABLE_AFTER_MS = 5 * DAY
const DISABLE_FAILURES = 10

/** Status of a receiver that wants no more deliveries. */
const GONE = 410

/** Health of a receiver. ../store.ts explains these columns. */
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
  /** Number of earlier attempts of this delivery that count for the backoff. */
  readonly attemptsBefore: number
  /** True if the delivery was sent only to check whether a dead receiver is back. */
  readonly isProbe: boolean
  /** True for a `listen` webhook. It never counts as dead, because its client fetches deliveries when it can take them. */
  readonly isFetched: boolean
  readonly status: number | null
  readonly retryAfterMs: number | null
}

export type Consequence = {
  readonly delivery: AfterFailure
  readonly health: Health
  /** Reason to disable the webhook, or null. */
  readonly disabledReason: DisabledReason | null
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
  const failingSince = health.failing_since ?? now
  const countedHealth = {
    ...health,
    failing_since: failingSince,
    failures: health.failures + 1,
    first_failures: health.first_failures + (failed.attemptsBefore === 0 ? 1 : 0),
  }
  const timeAfter = (wait: number) => new Date(now.getTime() + wait * (1 + random / 10))
  const failingMs = now.getTime() - failingSince.getTime()
  const disabledReason = reasonToDisable(failed.status, failingMs, countedHealth.failures)
  if (disabledReason !== null) {
    const disabledHealth = { ...countedHealth, is_held: false, probes: 0, turn_at: null }
    return { delivery: { state: 'failed' }, health: disabledHealth, disabledReason, notice: 'off' }
  }
  const isLastAttempt = failed.attemptsBefore + 1 >= MAX_ATTEMPTS
  const seemsDead = countedHealth.failures >= DEAD_FAILURES && countedHealth.first_failures >= DEAD_DELIVERIES
  const isDead = !failed.isFetched && (health.is_held || seemsDead)
  const warningCount = WARNING_AGES.filter((age) => failingMs >= age).length
  const warnedHealth = { ...countedHealth, warnings: Math.max(warningCount, health.warnings) }
  const notice = warningCount > health.warnings ? ('failing' as const) : null
  if (!isDead) {
    const retryAt = timeAfter(failed.retryAfterMs ?? waitAfter(failed.attemptsBefore + 1))
    return {
      delivery: isLastAttempt ? { state: 'failed' } : { state: 'retrying', retryAt },
      health: warnedHealth,
      disabledReason: null,
      notice,
    }
  }
  // Deliveries that were in progress when the receiver was found dead may fail later. Only a failed probe postpones the next probe.
  const postponesProbe = !health.is_held || failed.isProbe
  const probes = postponesProbe ? health.probes + 1 : health.probes
  const nextProbeAt = postponesProbe ? timeAfter(failed.retryAfterMs ?? waitAfter(probes)) : (health.turn_at ?? now)
  return {
    delivery: isLastAttempt ? { state: 'failed' } : { state: 'retrying', isQueued: true },
    health: { ...warnedHealth, is_held: true, probes, turn_at: nextProbeAt },
    disabledReason: null,
    notice,
  }
}

/** `failures` is 1 after the first failure. */
const waitAfter = (failures: number): number => WAITS[Math.min(failures, WAITS.length) - 1] ?? DAY

function reasonToDisable(status: number | null, failingMs: number, failures: number): DisabledReason | null {
  if (status === GONE) return 'gone'
  return failingMs >= DISABLE_AFTER_MS && failures >= DISABLE_FAILURES ? 'failures' : null
}
