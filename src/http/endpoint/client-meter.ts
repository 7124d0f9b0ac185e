// What each client may cost on metered endpoints, so that none takes the time of all others: a bucket for each of the
// networks that the client may hold, for each shop and mode. In memory and per process: asking costs no more than a look into a map. The
// heights and why they are what they are: docs/decisions/0018.

import { RecentMap } from '../../lib/memory.ts'

/** How many seconds' worth a client may spend at once: whoever adds three hundred lines in one go stays below it. */
const BURST_SECONDS = 40

/** Of IPv6 the /64, the /56 and the /48 count, each for more: many may share the wider ones. */
const HEIGHTS = [1, 2, 4] as const

/** What a request is taken to cost before it is known, so that of a client who has spent nothing not more than three hundred begin. */
const UNKNOWN_COST = 40

/** So many run at once: twice as many as there are connections to the database. The others of the client wait for their turn. */
const AT_ONCE = 8

/** Longer than the turn of three hundred small ones takes; by then the client had better ask again. */
const LONGEST_WAIT_MS = 5_000

/** How fast it is forgotten that something was large: after some twenty small requests for it. */
const FADING = 0.9

/** Some 20 MB of them. Whoever comes from more networks than that at a time cannot be told by networks. */
const MOST_BUCKETS = 100_000
const MOST_HEAVY = 10_000

/** Who asks: the networks that the client may hold, the narrowest first, at this shop and in this mode. */
export type MeteredClient = { readonly networks: readonly string[]; readonly scope: string }

export type Refusal = { readonly retryAfterSeconds: number }

export type Visit = {
  /** When it may run: null for at once, else a promise of its turn, or of a refusal. It is not waited for by what may wait itself. */
  readonly turn: Promise<Refusal | null> | null
  /**
   * When it is over; what it cost then counts, and no longer what it was taken to cost. `resultId`: the id of what came of it, which will
   * cost as much. `keepsTurn`: until `release`. A second call does nothing.
   */
  leave(cost: number, resultId?: string, keepsTurn?: boolean): void
  /** The next request of the client has its turn. A second call does nothing. */
  release(): void
}

type MeteredWork = {
  /** The id of what it is about: what cost much the last time is taken to cost that again. */
  readonly thing: string
  /** It may wait for somebody else, such as a gateway, and must not hold up its client's other requests meanwhile. */
  readonly isLong?: boolean
}

export type ClientMeter = {
  /** Begins a request, or says in how many seconds it may be sent again. */
  enter(client: MeteredClient, work: MeteredWork): Visit | Refusal
  /** How many networks it remembers. */
  readonly remembered: number
}

/** What a request costs: a small one about 2, one for three hundred lines whose answer has 7 MB about 500. */
export const costOf = ({ lines, bytes }: { lines: number; bytes: number }): number => 1 + lines / 10 + bytes / 16_384

class Bucket {
  readonly rate: number
  readonly #atOnce: number
  readonly #capacity: number
  readonly #waiting: (() => void)[] = []
  #level: number
  #seenAt: number
  #running = 0

  constructor(perSecond: number, height: number, moment: number) {
    this.rate = perSecond * height
    this.#atOnce = AT_ONCE * height
    this.#capacity = this.rate * BURST_SECONDS
    this.#level = this.#capacity
    this.#seenAt = moment
  }

  get isFull(): boolean {
    return this.#running >= this.#atOnce
  }

  fillUpTo(moment: number) {
    this.#level = Math.min(this.#level + ((moment - this.#seenAt) / 1_000) * this.rate, this.#capacity)
    this.#seenAt = moment
  }

  /** Never more than it holds when it is full: what costs more than that is served to whoever has spent nothing. */
  reserveFor(expected: number): number {
    return Math.min(expected, this.#capacity)
  }

  /** How many seconds from now it holds so much; not above 0 when it does. */
  secondsUntil(amount: number): number {
    return (amount - this.#level) / this.rate
  }

  /** What is owed has an end: a client that was refused for minutes has learnt it. */
  add(amount: number) {
    this.#level = Math.max(this.#level + amount, -this.#capacity)
  }

  begin() {
    this.#running++
  }

  end() {
    this.#running--
    this.wakeNext()
  }

  wakeNext() {
    this.#waiting.shift()?.()
  }

  /** True when another request of the client has ended; false after LONGEST_WAIT_MS without one. */
  waitForEnd(): Promise<boolean> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(wake), 1)
        resolve(false)
      }, LONGEST_WAIT_MS)
      this.#waiting.push(wake)
    })
  }
}

/** `perSecond` is what one network may spend for good; `now` tells milliseconds that only grow. */
export function createClientMeter(perSecond: number, now: () => number = () => performance.now()): ClientMeter {
  const buckets = new RecentMap<Bucket>(MOST_BUCKETS)
  const heavy = new RecentMap<number>(MOST_HEAVY)

  return {
    get remembered() {
      return buckets.size
    },
    enter({ networks, scope }, { thing, isLong = false }) {
      const moment = now()
      const expected = heavy.get(`${scope} ${thing}`) ?? UNKNOWN_COST
      const held = networks.map((network, index) => bucketOf(`${scope} ${network}`, index, moment))
      const seconds = Math.max(...held.map((bucket) => bucket.secondsUntil(bucket.reserveFor(expected))))
      if (seconds > 0) return refusal(seconds)
      return beginVisit(held, expected, isLong, (cost, madeId) => {
        remember(`${scope} ${thing}`, cost)
        if (madeId !== undefined) remember(`${scope} ${madeId}`, cost)
      })
    },
  }

  /** As full as it is at this moment. */
  function bucketOf(key: string, index: number, moment: number): Bucket {
    const found = buckets.get(key)
    if (found !== undefined) {
      found.fillUpTo(moment)
      return found
    }
    const bucket = new Bucket(perSecond, HEIGHTS[index] ?? 1, moment)
    buckets.set(key, bucket)
    return bucket
  }

  /** Not by its last cost alone: what is asked of one thing costs little and much by turns. */
  function remember(key: string, cost: number) {
    const expected = Math.max(cost, (heavy.get(key) ?? 0) * FADING)
    if (expected > UNKNOWN_COST) heavy.set(key, expected)
    else heavy.delete(key)
  }
}

const refusal = (seconds: number): Refusal => ({ retryAfterSeconds: Math.max(1, Math.ceil(seconds)) })

function beginVisit(
  held: readonly Bucket[],
  expected: number,
  isLong: boolean,
  remember: (cost: number, madeId: string | undefined) => void,
): Visit {
  for (const bucket of held) bucket.add(-bucket.reserveFor(expected))
  let isRunning = false
  let isOver = false
  const mayRun = () => isLong || held.every((bucket) => !bucket.isFull)
  const run = () => {
    isRunning = !isLong
    if (isRunning) for (const bucket of held) bucket.begin()
  }
  const settle = (cost: number) => {
    isOver = true
    for (const bucket of held) bucket.add(bucket.reserveFor(expected) - cost)
  }
  const release = () => {
    if (!isRunning) return
    isRunning = false
    for (const bucket of held) bucket.end()
  }

  /** What those before it have cost shows only now: who cannot pay any more is refused after all. A turn that is not taken is the next one's. */
  async function waitForTurn(): Promise<Refusal | null> {
    for (;;) {
      const full = held.find((bucket) => bucket.isFull)
      if (full === undefined) {
        run()
        return null
      }
      const isWoken = await full.waitForEnd()
      const seconds = Math.max(...held.map((bucket) => bucket.secondsUntil(0)))
      const isRefused = !isOver && (!isWoken || seconds > 0)
      if (isRefused) settle(0)
      if (isWoken && (isOver || held.some((bucket) => bucket.isFull))) full.wakeNext()
      if (isRefused) return refusal(seconds)
      if (isOver) return null
    }
  }

  const canRun = mayRun()
  if (canRun) run()
  return {
    turn: canRun ? null : waitForTurn(),
    leave(cost, madeId, keepsTurn = false) {
      if (isOver) return
      remember(cost, madeId)
      settle(cost)
      if (!keepsTurn) release()
    },
    release,
  }
}
