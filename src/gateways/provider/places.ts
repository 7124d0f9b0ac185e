// Limits the concurrent calls of a lane, such as a provider or one shop's account there.
// Calls that hang get a limited number of slots, so that other calls find a free one.

import { GatewayUnavailable } from '../call.ts'

/** `most`: maximum number of calls. `slow`: number of slow calls after which no new one starts. */
export type CallLimits = { readonly most: number; readonly slow: number }

export type Lane = CallLimits & { readonly name: string }

const SLOW_MS = 1_000

/** Waits before the next check for a free slot. */
export const waitForSlotCheck = () => new Promise<void>((resolve) => void setTimeout(resolve, SLOW_MS / 10).unref())

export type CallSlots = ReturnType<typeof openCallSlots>

export function openCallSlots() {
  const lanes = new Map<string, Set<{ since: number }>>()
  const isSlowCall = ({ since }: { since: number }) => performance.now() - since >= SLOW_MS
  const isFull = ({ name, most }: Lane) => (lanes.get(name)?.size ?? 0) >= most
  const isSlow = ({ name, slow }: Lane) => [...(lanes.get(name) ?? [])].filter(isSlowCall).length >= slow
  return {
    isSlow,
    /** True if a slot will soon be free. A lane with slow calls is not worth waiting for: that would delay the others. */
    isWorthWaitingFor: (wantedLanes: readonly Lane[]) => wantedLanes.some(isFull) && !wantedLanes.some(isSlow),
    /** Takes a slot and returns the function that frees it. Call it only right after a check for a free slot. */
    enter({ name }: Lane): () => void {
      const lane = lanes.get(name) ?? new Set()
      lanes.set(name, lane)
      const slot = { since: performance.now() }
      lane.add(slot)
      return () => {
        lane.delete(slot)
        if (lane.size === 0) lanes.delete(name)
      }
    },
  }
}

/** Share of one account in a provider's job slots. A hanging account must not delay the others. */
const ACCOUNT_LIMITS: CallLimits = { most: 6, slow: 3 }

export type AccountSlots = {
  /** Runs `work` in a slot of the account. Throws if earlier calls hang; the caller should retry later. */
  run<T>(account: string, work: () => Promise<T>): Promise<T>
}

export function openAccountSlots(places = openCallSlots()): AccountSlots {
  return {
    async run(account, work) {
      const lane = { ...ACCOUNT_LIMITS, name: account }
      while (places.isWorthWaitingFor([lane])) await waitForSlotCheck()
      if (places.isSlow(lane))
        throw new GatewayUnavailable(
          'Earlier calls to the provider still wait for an answer; this one is retried later.',
          {
            isNothingCharged: true,
          },
        )
      const leave = places.enter(lane)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
