// The places from which a process sends, and who may have how many: each webhook a few, each shop some more, and those whose receivers are slow
// share a part of all. Kept in memory, as they say nothing of what is to be sent.

/** At once, in all: to receivers that are quick, and to those that are not. */
const QUICK_PLACES = 48
const SLOW_PLACES = 16
const OF_SHOP = 24
/** Of a webhook at once, by how its receiver has been: quick, or slow, failing or not known yet. */
const OF_QUICK_WEBHOOK = 8
const OF_OTHER_WEBHOOK = 2
/** Taken for a quick one, those that wait for their turn here included. */
const AHEAD = 4
/** Taken in all and waiting for a place; more is left in the database. */
const MOST_WAITING = 512
/** What is under way for longer makes room for others. */
const SLOW_AFTER_MS = 2_000
/** So many receivers are remembered; which are forgotten matters little. */
const MOST_REMEMBERED = 10_000

/** Sends one, and tells whether it arrived quickly. Never rejects. */
type Run<Item> = (item: Item, isProbe: boolean) => Promise<boolean>

type Waiting<Item> = { readonly item: Item; readonly isProbe: boolean }

type Lane<Item> = { readonly merchantId: number; readonly waiting: Waiting<Item>[]; active: number }

export const laneKey = (merchantId: number, webhookId: string): string => `${merchantId} ${webhookId}`

export class Lanes<Item> {
  readonly #run: Run<Item>
  readonly #onRoom: () => void
  /** Those with something waiting or under way. */
  readonly #lanes = new Map<string, Lane<Item>>()
  readonly #isQuick = new Map<string, boolean>()
  readonly #ofShop = new Map<number, number>()
  readonly #running = new Set<Promise<void>>()
  #quick = 0
  #slow = 0
  #waiting = 0
  #isClosed = false

  /** `onRoom` is called whenever something has ended. */
  constructor(run: Run<Item>, onRoom: () => void) {
    this.#run = run
    this.#onRoom = onRoom
  }

  hasRoom(): boolean {
    return !this.#isClosed && this.#waiting < MOST_WAITING
  }

  ownerOf(key: string): [merchantId: number, webhookId: string] {
    const [merchantId = '', webhookId = ''] = key.split(' ')
    return [Number(merchantId), webhookId]
  }

  /** How many more may be taken for this webhook. */
  roomOf(key: string): number {
    const lane = this.#lanes.get(key)
    const most = this.#isQuick.get(key) === true ? OF_QUICK_WEBHOOK * AHEAD : OF_OTHER_WEBHOOK
    return Math.max(0, most - (lane === undefined ? 0 : lane.active + lane.waiting.length))
  }

  /** What there is room for, and what has to wait in line, in the order in which it came. */
  divide<Found>(found: readonly Found[], keyOf: (one: Found) => string): { fitting: Found[]; rest: Found[] } {
    const rooms = new Map<string, number>()
    const fitting: Found[] = []
    const rest: Found[] = []
    for (const one of found) {
      const key = keyOf(one)
      const room = rooms.get(key) ?? this.roomOf(key)
      rooms.set(key, room - 1)
      if (room > 0) fitting.push(one)
      else rest.push(one)
    }
    return { fitting, rest }
  }

  add(key: string, item: Item, isProbe = false): void {
    if (this.#isClosed) return
    const [merchantId] = this.ownerOf(key)
    const lane = this.#lanes.get(key) ?? { merchantId, waiting: [], active: 0 }
    this.#lanes.set(key, lane)
    lane.waiting.push({ item, isProbe })
    this.#waiting += 1
    this.#start(key, lane)
  }

  /** Begins nothing more. What waited here is sent by another when its lease is over. */
  close(): void {
    this.#isClosed = true
    for (const lane of this.#lanes.values()) lane.waiting.length = 0
    this.#waiting = 0
  }

  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #start(key: string, lane: Lane<Item>): void {
    const isQuick = this.#isQuick.get(key)
    const most = isQuick === true ? OF_QUICK_WEBHOOK : OF_OTHER_WEBHOOK
    while (lane.active < most && (this.#ofShop.get(lane.merchantId) ?? 0) < OF_SHOP) {
      const isSlow = isQuick === false
      if (isSlow ? this.#slow >= SLOW_PLACES : this.#quick >= QUICK_PLACES) return
      const next = lane.waiting.shift()
      if (next === undefined) return
      this.#waiting -= 1
      const running = this.#send(key, lane, next, isSlow).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }
  }

  async #send(key: string, lane: Lane<Item>, { item, isProbe }: Waiting<Item>, beganSlow: boolean): Promise<void> {
    let isSlow = beganSlow
    const count = (by: 1 | -1) => {
      if (isSlow) this.#slow += by
      else this.#quick += by
    }
    count(1)
    lane.active += 1
    this.#ofShop.set(lane.merchantId, (this.#ofShop.get(lane.merchantId) ?? 0) + 1)
    const becomesSlow = setTimeout(() => {
      count(-1)
      isSlow = true
      count(1)
      this.#remember(key, false)
      this.#startAll()
    }, SLOW_AFTER_MS)
    try {
      this.#remember(key, await this.#run(item, isProbe))
    } finally {
      clearTimeout(becomesSlow)
      count(-1)
      lane.active -= 1
      const ofShop = (this.#ofShop.get(lane.merchantId) ?? 1) - 1
      if (ofShop > 0) this.#ofShop.set(lane.merchantId, ofShop)
      else this.#ofShop.delete(lane.merchantId)
      if (lane.active === 0 && lane.waiting.length === 0) this.#lanes.delete(key)
      this.#startAll()
      this.#onRoom()
    }
  }

  #startAll(): void {
    for (const [key, lane] of this.#lanes) if (lane.waiting.length > 0) this.#start(key, lane)
  }

  #remember(key: string, isQuick: boolean): void {
    if (this.#isQuick.size >= MOST_REMEMBERED) this.#isQuick.clear()
    this.#isQuick.set(key, isQuick)
  }
}
