// Limits what each client may cost on metered endpoints, so that none takes the time of all others. Each network that the client may hold
// has a token bucket, per shop and mode. The buckets are in memory and per process, so a check costs only a map lookup. docs/decisions/0018
// explains the limits.

import { RecentMap } from '../../lib/memory.ts'

/** Seconds of budget that a client may spend at once. Adding three hundred lines in one go stays below it. */
const BURST_SECONDS = 40

/** For IPv6 the /64, the /56 and the /48 count. Wider ones get more, because more clients may share them. */
const HEIGHTS = [1, 2, 4] as const

/** Assumed cost of a request before it is known. So a client with a full budget starts at most three hundred at once. */
const ESTIMATED_COST = 40

/** Concurrent requests of one client: twice the number of database connections. The client's other requests wait. */
const MAX_CONCURRENT = 8

/** Longer than the wait of three hundred small requests. After it the client should retry. */
const MAX_WAIT_MS = 5_000

/** Decay of a remembered high cost: forgotten after about twenty small requests for the same object. */
const DECAY = 0.9

/** About 20 MB. A client with more networks than that cannot be identified by networks. */
const MAX_BUCKETS = 100_000
const MAX_HEAVY = 10_000

/** The client: networks that it may hold, narrowest first, and its shop and mode. */
export type MeteredClient = { readonly networks: readonly string[]; readonly scope: string }

export type MeterRefusal = { readonly retryAfterSeconds: number }

export type MeteredVisit = {
  /** Null if the request may run at once. Otherwise resolves to null when it may run, or to a refusal. Long requests do not wait. */
  readonly turn: Promise<MeterRefusal | null> | null
  /**
   * Ends the request: its real cost replaces the estimate. `resultId` is the id of its result, which will cost as much to read. `keepsTurn`
   * keeps its place until `release`. A second call does nothing.
   */
  leave(cost: number, resultId?: string, keepsTurn?: boolean): void
  /** Lets the client's next request run. A second call does nothing. */
  release(): void
}

type MeteredWork = {
  /** Id of the object that the request is about. Its last high cost is the estimate for the next request. */
  readonly thing: string
  /** May wait for others, such as a gateway, and must not block its client's other requests meanwhile. */
  readonly isLong?: boolean
}

export type ClientMeter = {
  /** Starts a request, or returns in how many seconds it may be sent again. */
  enter(client: MeteredClient, work: MeteredWork): MeteredVisit | MeterRefusal
  /** Number of remembered networks. */
  readonly remembered: number
}

/** Cost of a request: about 2 for a small one, about 500 for three hundred lines with a 7 MB answer. */
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
    this.#atOnce = MAX_CONCURRENT * height
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

  /** Limited to the capacity: a more expensive request is still served to a client with a full budget. */
  reserveFor(expected: number): number {
    return Math.min(expected, this.#capacity)
  }

  /** Seconds until it holds this amount; 0 or less if it already does. */
  secondsUntil(amount: number): number {
    return (amount - this.#level) / this.rate
  }

  /** The debt is limited: a client refused for minutes has learnt its lesson. */
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

  /** True if another request of the client has ended; false after MAX_WAIT_MS without one. */
  waitForEnd(): Promise<boolean> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(wake), 1)
        resolve(false)
      }, MAX_WAIT_MS)
      this.#waiting.push(wake)
    })
  }
}

/** `perSecond` is the lasting budget of one network. `now` returns monotonic milliseconds. */
export function createClientMeter(perSecond: number, now: () => number = () => performance.now()): ClientMeter {
  const buckets = new RecentMap<Bucket>(MAX_BUCKETS)
  const heavy = new RecentMap<number>(MAX_HEAVY)

  return {
    get remembered() {
      return buckets.size
    },
    enter({ networks, scope }, { thing, isLong = false }) {
      const moment = now()
      const expected = heavy.get(`${scope} ${thing}`) ?? ESTIMATED_COST
      const ownBuckets = networks.map((network, index) => bucketOf(`${scope} ${network}`, index, moment))
      const seconds = Math.max(...ownBuckets.map((bucket) => bucket.secondsUntil(bucket.reserveFor(expected))))
      if (seconds > 0) return refusal(seconds)
      return beginVisit(ownBuckets, expected, isLong, (cost, resultId) => {
        remember(`${scope} ${thing}`, cost)
        if (resultId !== undefined) remember(`${scope} ${resultId}`, cost)
      })
    },
  }

  /** Returns the bucket, refilled up to this moment. */
  function bucketOf(key: string, index: number, moment: number): Bucket {
    const existing = buckets.get(key)
    if (existing !== undefined) {
      existing.fillUpTo(moment)
      return existing
    }
    const bucket = new Bucket(perSecond, HEIGHTS[index] ?? 1, moment)
    buckets.set(key, bucket)
    return bucket
  }

  /** Keeps a decaying maximum instead of the last cost: requests for one object are cheap and expensive by turns. */
  function remember(key: string, cost: number) {
    const expected = Math.max(cost, (heavy.get(key) ?? 0) * DECAY)
    if (expected > ESTIMATED_COST) heavy.set(key, expected)
    else heavy.delete(key)
  }
}

const refusal = (seconds: number): MeterRefusal => ({ retryAfterSeconds: Math.max(1, Math.ceil(seconds)) })

function beginVisit(
  ownBuckets: readonly Bucket[],
  expected: number,
  isLong: boolean,
  remember: (cost: number, resultId: string | undefined) => void,
): MeteredVisit {
  for (const bucket of ownBuckets) bucket.add(-bucket.reserveFor(expected))
  let isRunning = false
  let isOver = false
  const mayRun = () => isLong || ownBuckets.every((bucket) => !bucket.isFull)
  const run = () => {
    isRunning = !isLong
    if (isRunning) for (const bucket of ownBuckets) bucket.begin()
  }
  const settle = (cost: number) => {
    isOver = true
    for (const bucket of ownBuckets) bucket.add(bucket.reserveFor(expected) - cost)
  }
  const release = () => {
    if (!isRunning) return
    isRunning = false
    for (const bucket of ownBuckets) bucket.end()
  }

  /**
   * Waits for a free slot. Earlier requests may have used up the budget by then, so the request may still be refused. An unused turn goes
   * to the next one.
   */
  async function waitForTurn(): Promise<MeterRefusal | null> {
    for (;;) {
      const full = ownBuckets.find((bucket) => bucket.isFull)
      if (full === undefined) {
        run()
        return null
      }
      const hasEnded = await full.waitForEnd()
      const seconds = Math.max(...ownBuckets.map((bucket) => bucket.secondsUntil(0)))
      const isRefused = !isOver && (!hasEnded || seconds > 0)
      if (isRefused) settle(0)
      if (hasEnded && (isOver || ownBuckets.some((bucket) => bucket.isFull))) full.wakeNext()
      if (isRefused) return refusal(seconds)
      if (isOver) return null
    }
  }

  const canRun = mayRun()
  if (canRun) run()
  return {
    turn: canRun ? null : waitForTurn(),
    leave(cost, resultId, keepsTurn = false) {
      if (isOver) return
      remember(cost, resultId)
      settle(cost)
      if (!keepsTurn) release()
    },
    release,
  }
}
