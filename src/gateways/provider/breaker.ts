// Circuit breaker for each gateway of a merchant. After a few outages in a row, calls are refused for a moment.
// Shoppers then learn at once that they must pay in another way, and hanging calls do not fill the slots.
// Afterwards one call probes the provider. Only an outage of `GatewayUnavailable` counts; a decline is an answer.
// The state is per process, and no money depends on it.

import { GatewayUnavailable } from '../call.ts'

/** Outages in a row, without an answer in between, that open the breaker. */
const OUTAGES_TO_OPEN = 5
const PAUSE_MS = 10_000
/** After a failed probe the pause counts from the start of the probe. One that hung for seconds must not lock out a recovered provider. */
const MIN_PAUSE_MS = 2_000
const FORGET_AFTER_MS = 60_000
/** Maximum number of remembered gateways. Above it the oldest is forgotten, and is called as if it had not failed. */
const MAX_GATEWAYS = 10_000

type State = { outages: number; openUntil: number; isProbed: boolean }

const isDown = (state: State | undefined): boolean => state !== undefined && state.outages >= OUTAGES_TO_OPEN

/** The call was refused without contacting the provider. */
export class ProviderPaused extends GatewayUnavailable {
  /** Seconds until the next attempt makes sense. */
  readonly seconds: number

  constructor(seconds: number) {
    super(`The provider is down; calls resume in ${seconds} s.`, { isNothingCharged: true })
    this.seconds = seconds
  }
}

export type Breaker = {
  /** Seconds until the next attempt makes sense; null means now. */
  secondsUntilTry(name: string): number | null
  /**
   * Throws `ProviderPaused` without a call while the provider is down. `hasAnswered`: the provider sent a response during `work`. Work
   * that ends without a call says nothing about the provider.
   */
  run<T>(name: string, work: () => Promise<T>, hasAnswered?: () => boolean): Promise<T>
  /**
   * The same for a lookup that no shopper waits for. Its result does not count: it may read long lists, and their slowness is no reason to
   * turn shoppers away.
   */
  runUnrecorded<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** `now` is in milliseconds and never goes back. */
export function openBreaker(now: () => number = () => performance.now()): Breaker {
  const states = new Map<string, State>()

  function secondsUntilTry(name: string): number | null {
    const state = states.get(name)
    if (state === undefined || !isDown(state)) return null
    const remainingMs = state.openUntil - now()
    if (remainingMs > 0) return Math.ceil(remainingMs / 1_000)
    return state.isProbed ? 1 : null
  }

  /** Restarts the count if the last outage is long ago, unless that was a failed probe. Five outages in a year are not a failure. */
  function noteOutage(name: string) {
    const before = states.get(name)
    const isRecent = before !== undefined && now() < before.openUntil + FORGET_AFTER_MS
    note(name, (isRecent ? before.outages : 0) + 1, now() + PAUSE_MS)
  }

  function note(name: string, outages: number, openUntil: number) {
    states.delete(name)
    states.set(name, { outages, openUntil, isProbed: false })
    const [oldest] = states.keys()
    if (states.size > MAX_GATEWAYS && oldest !== undefined) states.delete(oldest)
  }

  function refuseWhileOpen(name: string) {
    const seconds = secondsUntilTry(name)
    if (seconds !== null) throw new ProviderPaused(seconds)
  }

  return {
    secondsUntilTry,
    async runUnrecorded(name, work) {
      refuseWhileOpen(name)
      return work()
    },
    async run(name, work, hasAnswered = () => true) {
      refuseWhileOpen(name)
      const startedAt = now()
      const state = states.get(name)
      const isProbe = state !== undefined && isDown(state)
      if (isProbe) state.isProbed = true
      const noteAnswer = () => {
        if (hasAnswered()) states.delete(name)
        // The next call may probe.
        else if (isProbe) state.isProbed = false
      }
      try {
        const answer = await work()
        noteAnswer()
        return answer
      } catch (error) {
        const isOutage = error instanceof GatewayUnavailable && error.isOutage
        if (!isOutage) noteAnswer()
        else if (isProbe) note(name, OUTAGES_TO_OPEN, Math.max(startedAt + PAUSE_MS, now() + MIN_PAUSE_MS))
        // A call that began before the breaker opened adds no news, however late it fails.
        else if (!isDown(states.get(name))) noteOutage(name)
        throw error
      }
    },
  }
}
