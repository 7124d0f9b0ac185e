// How many calls are under way in a lane, such as a provider or one shop's account there, and since when: what hangs is given so many places and
// no more, so that there are some for the others.

import { GatewayUnavailable } from '../call.ts'

/** `most`: how many at once. `slow`: how many slow ones, before no more are begun. */
export type Limits = { readonly most: number; readonly slow: number }

export type Lane = Limits & { readonly name: string }

const SLOW_MS = 1_000

/** After which it is worth to look again whether there is a place, or those under way have become slow. */
export const aMoment = () => new Promise<void>((resolve) => void setTimeout(resolve, SLOW_MS / 10).unref())

export type Places = ReturnType<typeof openPlaces>

export function openPlaces() {
  const lanes = new Map<string, Set<{ since: number }>>()
  const isSlowOne = ({ since }: { since: number }) => performance.now() - since >= SLOW_MS
  const isFull = ({ name, most }: Lane) => (lanes.get(name)?.size ?? 0) >= most
  const isSlow = ({ name, slow }: Lane) => [...(lanes.get(name) ?? [])].filter(isSlowOne).length >= slow
  return {
    isSlow,
    /** Who answers has a place again soon, and is waited for; who does not is not: that would hold up the others. */
    isWorthWaitingFor: (mine: readonly Lane[]) => mine.some(isFull) && !mine.some(isSlow),
    /** Gives what leaves it again. Only where there is a place in this very moment. */
    enter({ name }: Lane): () => void {
      const lane = lanes.get(name) ?? new Set()
      lanes.set(name, lane)
      const place = { since: performance.now() }
      lane.add(place)
      return () => {
        lane.delete(place)
        if (lane.size === 0) lanes.delete(name)
      }
    },
  }
}

/**
 * Of the places that the jobs of a provider have, so many one account there may take: what hangs for one shop alone must not hold up
 * the others.
 */
const OF_ACCOUNT: Limits = { most: 6, slow: 3 }

export type AccountPlaces = {
  /** Runs it in a place of the account. Throws where those before it hang: it had better be tried again later. */
  run<T>(account: string, work: () => Promise<T>): Promise<T>
}

export function openAccountPlaces(places = openPlaces()): AccountPlaces {
  return {
    async run(account, work) {
      const lane = { ...OF_ACCOUNT, name: account }
      while (places.isWorthWaitingFor([lane])) await aMoment()
      if (places.isSlow(lane))
        throw new GatewayUnavailable('The provider has not answered others yet, and is asked later.', {
          isNothingCharged: true,
        })
      const leave = places.enter(lane)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
