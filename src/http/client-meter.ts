// What each client may cost on the routes of carts and checkouts, so that none takes the time of all others: a bucket for each of the
// networks that the client may hold, for each shop and mode. In memory and per process: asking costs no more than a look into a map. The
// heights and why they are what they are: docs/decisions/0018.

import { RecentMap } from '../lib/recent-map.ts'

/** How many seconds' worth a client may spend at once: whoever fills a cart with three hundred lines in one go stays below it. */
const BURST_SECONDS = 40

/** Of IPv6 the /64, the /56 and the /48 count, each for more: many may share the wider ones. */
const HEIGHTS = [1, 4, 16] as const

/** What a request is taken to cost before it is known: so many times the cost of a small one, so that not more than three hundred begin at once. */
const UNKNOWN_COST = 40

/** Some 20 MB of them; whoever comes from more networks than that in a few seconds is beyond what counting by network can tell. */
const MOST_BUCKETS = 100_000
const MOST_HEAVY = 10_000

/** Who asks: the networks that the client may hold, the narrowest first, at this shop and in this mode. */
export type Client = { readonly networks: readonly string[]; readonly scope: string }

export type Visit = {
  /** When it is over; what it cost then counts, and no longer what it was taken to cost. A second call does nothing. */
  leave(cost: number): void
}

export type ClientMeter = {
  /**
   * Begins a request, or says in how many seconds it may be sent again. `thing` is what it is about, such as one cart: what cost much
   * the last time is taken to cost that again, so that a client who has little left is still served what is small.
   */
  enter(client: Client, thing: string): Visit | { readonly retryAfterSeconds: number }
  /** How many networks it remembers. */
  readonly remembered: number
}

/** What a request costs: a small one about 2, one for three hundred lines whose answer has 7 MB about 500. */
export const costOf = ({ lines, bytes }: { lines: number; bytes: number }): number => 1 + lines / 10 + bytes / 16_384

type Bucket = { level: number; seenAt: number; readonly rate: number }

const capacityOf = ({ rate }: Bucket): number => rate * BURST_SECONDS

/** `perSecond` is what one network may spend for good; `now` tells milliseconds that only grow. */
export function createClientMeter(perSecond: number, now: () => number = () => performance.now()): ClientMeter {
  const buckets = new RecentMap<Bucket>(MOST_BUCKETS)
  const heavy = new RecentMap<number>(MOST_HEAVY)

  return {
    get remembered() {
      return buckets.size
    },
    enter({ networks, scope }, thing) {
      const moment = now()
      const known = `${scope} ${thing}`
      const expected = heavy.get(known) ?? UNKNOWN_COST
      const held = networks.map((network, index) => bucketOf(`${scope} ${network}`, index, moment))
      const waits = held.map((bucket) => (reserveOf(bucket, expected) - bucket.level) / bucket.rate)
      const longest = Math.max(...waits)
      if (longest > 0) return { retryAfterSeconds: Math.max(1, Math.ceil(longest)) }
      const reserved = held.map((bucket) => {
        const reserve = reserveOf(bucket, expected)
        bucket.level -= reserve
        return { bucket, reserve }
      })
      let isOver = false
      return {
        leave(cost) {
          if (isOver) return
          isOver = true
          if (cost > UNKNOWN_COST) heavy.set(known, cost)
          else heavy.delete(known)
          for (const { bucket, reserve } of reserved)
            bucket.level = Math.max(bucket.level + reserve - cost, -capacityOf(bucket))
        },
      }
    },
  }

  /** As full as it is at this moment. */
  function bucketOf(key: string, index: number, moment: number): Bucket {
    const found = buckets.get(key)
    if (found !== undefined) {
      const gained = ((moment - found.seenAt) / 1_000) * found.rate
      found.level = Math.min(found.level + gained, capacityOf(found))
      found.seenAt = moment
      return found
    }
    const rate = perSecond * (HEIGHTS[index] ?? 1)
    const made: Bucket = { level: rate * BURST_SECONDS, seenAt: moment, rate }
    buckets.set(key, made)
    return made
  }
}

/** Never more than a full bucket holds: what costs more than that is served to whoever has spent nothing. */
const reserveOf = (bucket: Bucket, expected: number): number => Math.min(expected, capacityOf(bucket))
