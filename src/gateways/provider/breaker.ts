// Notices that a provider is down, for each gateway of a merchant by itself: after a few outages in a row nobody is sent there for a moment,
// so that shoppers hear at once that they have to pay in another way, and no place is taken by calls that hang. Then one call tries it. Only
// what `GatewayUnavailable` calls an outage counts; a decline is an answer. Each process sees for itself: what it knows is only how its own
// last calls went, and no money depends on it.

import { GatewayUnavailable } from '../call.ts'

/** So many outages in a row, with no answer between them. */
const OUTAGES = 5
const PAUSE_MS = 10_000
/** After a try that has failed the pause counts from when it began: one that hangs for seconds must not keep a provider out that is back. */
const LEAST_PAUSE_MS = 2_000
const FORGOTTEN_MS = 60_000
/** Of gateways that have failed lately. More than that, and the oldest is asked as if it had not. */
const MOST = 10_000

type State = { outages: number; openUntil: number; isProbed: boolean }

const isDown = (state: State | undefined): boolean => state !== undefined && state.outages >= OUTAGES

/** Nobody was asked. */
export class ProviderLeftAlone extends GatewayUnavailable {
  /** After how many it is worth a try. */
  readonly seconds: number

  constructor(seconds: number) {
    super(`The provider is down, and is asked again in ${seconds} s.`, { isNothingCharged: true })
    this.seconds = seconds
  }
}

export type Breaker = {
  /** After how many seconds it is worth a try; null: now. */
  secondsUntilTry(name: string): number | null
  /**
   * Throws `ProviderLeftAlone` without asking, while it is known to be down. `hasAnswered`: whether the provider has said something in it; work that
   * ends without having asked tells nothing of it.
   */
  run<T>(name: string, work: () => Promise<T>, hasAnswered?: () => boolean): Promise<T>
  /**
   * The same for a look that no shopper waits for. How it ends is not remembered: it may read long lists, and that these take too long is no
   * reason to turn shoppers away.
   */
  runAside<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** `now` in milliseconds, never backwards. */
export function openBreaker(now: () => number = () => performance.now()): Breaker {
  const states = new Map<string, State>()

  function secondsUntilTry(name: string): number | null {
    const state = states.get(name)
    if (state === undefined || !isDown(state)) return null
    const left = state.openUntil - now()
    if (left > 0) return Math.ceil(left / 1_000)
    return state.isProbed ? 1 : null
  }

  /** Counted anew when the last one is long ago, unless it was a try that failed: five outages in a year are none. */
  function noteOutage(name: string) {
    const before = states.get(name)
    const counts = before !== undefined && now() < before.openUntil + FORGOTTEN_MS
    note(name, (counts ? before.outages : 0) + 1, now() + PAUSE_MS)
  }

  function note(name: string, outages: number, openUntil: number) {
    states.delete(name)
    states.set(name, { outages, openUntil, isProbed: false })
    const [oldest] = states.keys()
    if (states.size > MOST && oldest !== undefined) states.delete(oldest)
  }

  function refuseWhileOpen(name: string) {
    const seconds = secondsUntilTry(name)
    if (seconds !== null) throw new ProviderLeftAlone(seconds)
  }

  return {
    secondsUntilTry,
    async runAside(name, work) {
      refuseWhileOpen(name)
      return work()
    },
    async run(name, work, hasAnswered = () => true) {
      refuseWhileOpen(name)
      const begun = now()
      const state = states.get(name)
      const isProbe = state !== undefined && isDown(state)
      if (isProbe) state.isProbed = true
      const noteAnswer = () => {
        if (hasAnswered()) states.delete(name)
        // The next one may try.
        else if (isProbe) state.isProbed = false
      }
      try {
        const answer = await work()
        noteAnswer()
        return answer
      } catch (error) {
        const isOutage = error instanceof GatewayUnavailable && error.isOutage
        if (!isOutage) noteAnswer()
        else if (isProbe) note(name, OUTAGES, Math.max(begun + PAUSE_MS, now() + LEAST_PAUSE_MS))
        // One that was sent before it was noticed tells nothing new, however late it ends.
        else if (!isDown(states.get(name))) noteOutage(name)
        throw error
      }
    },
  }
}
