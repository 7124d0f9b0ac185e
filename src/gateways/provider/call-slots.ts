// Limits the concurrent calls to a provider, or to one account there. Each has a pool of call slots.
// Calls that hang get a limited number of slots, so that other calls find a free one.

import { GatewayUnavailable } from '../call.ts'

/** `most`: maximum number of calls. `slow`: number of slow calls after which no new one starts. */
export type CallLimits = { readonly most: number; readonly slow: number }

/** A named set of call slots with its limits. */
export type SlotPool = CallLimits & { readonly name: string }

const SLOW_MS = 1_000

/** Waits before the next check for a free slot. */
export const waitForSlotCheck = () => new Promise<void>((resolve) => void setTimeout(resolve, SLOW_MS / 10).unref())

export type CallSlots = ReturnType<typeof openCallSlots>

export function openCallSlots() {
  const takenSlots = new Map<string, Set<{ since: number }>>()
  const isSlowCall = ({ since }: { since: number }) => performance.now() - since >= SLOW_MS
  const isFull = ({ name, most }: SlotPool) => (takenSlots.get(name)?.size ?? 0) >= most
  const isSlow = ({ name, slow }: SlotPool) => [...(takenSlots.get(name) ?? [])].filter(isSlowCall).length >= slow
  return {
    isSlow,
    /** True if a slot will soon be free. A pool with slow calls is not worth waiting for: that would delay the others. */
    isWorthWaitingFor: (pools: readonly SlotPool[]) => pools.some(isFull) && !pools.some(isSlow),
    /** Takes a slot and returns the function that frees it. Call it only right after a check for a free slot. */
    enter({ name }: SlotPool): () => void {
      const slots = takenSlots.get(name) ?? new Set()
      takenSlots.set(name, slots)
      const slot = { since: performance.now() }
      slots.add(slot)
      return () => {
        slots.delete(slot)
        if (slots.size === 0) takenSlots.delete(name)
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

export function openAccountSlots(slots = openCallSlots()): AccountSlots {
  return {
    async run(account, work) {
      const pool = { ...ACCOUNT_LIMITS, name: account }
      while (slots.isWorthWaitingFor([pool])) await waitForSlotCheck()
      if (slots.isSlow(pool))
        throw new GatewayUnavailable(
          'Earlier calls to the provider still wait for an answer; this one is retried later.',
          {
            isNothingCharged: true,
          },
        )
      const leave = slots.enter(pool)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
