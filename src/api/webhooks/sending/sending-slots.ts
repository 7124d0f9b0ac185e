// Divides the sending slots of a process. Each webhook gets a few slots, and each shop gets more. All slow receivers
// share a part. The state is in memory only. If it is lost, no delivery is lost.

/** Slots in total for quick receivers, and for slow ones. */
const QUICK_SLOTS = 48
const SLOW_SLOTS = 16
const SLOTS_PER_SHOP = 24
/** Slots per webhook, by the last result: quick receivers, and those that are slow, failing or unknown. */
const SLOTS_PER_QUICK_WEBHOOK = 8
const SLOTS_PER_OTHER_WEBHOOK = 2
/** Number of deliveries to lease for each slot of a quick receiver, including those in progress. */
const AHEAD_FACTOR = 4
/** Maximum number of deliveries that wait here for a slot. The others stay in the database. */
const MAX_WAITING = 512
/** A delivery in progress for longer moves to a slow slot. */
const SLOW_AFTER_MS = 2_000
/** Maximum number of receivers with a remembered speed. Forgetting them does little harm. */
const MAX_REMEMBERED = 10_000

/** Sends one delivery and returns true if it succeeded quickly. Never rejects. */
type Run<Item> = (item: Item, isProbe: boolean) => Promise<boolean>

type Waiting<Item> = { readonly item: Item; readonly isProbe: boolean }

/** A webhook with deliveries waiting or in progress. */
type BusyWebhook<Item> = { readonly merchant_id: number; readonly waiting: Waiting<Item>[]; active: number }

/** Key of a webhook. Ids of webhooks are unique only within a shop. */
export const webhookKey = (merchant_id: number, webhookId: string): string => `${merchant_id} ${webhookId}`

export class SendingSlots<Item> {
  readonly #run: Run<Item>
  readonly #onRoom: () => void
  readonly #busyWebhooks = new Map<string, BusyWebhook<Item>>()
  readonly #isQuick = new Map<string, boolean>()
  readonly #ofShop = new Map<number, number>()
  readonly #running = new Set<Promise<void>>()
  #quick = 0
  #slow = 0
  #waiting = 0
  #isClosed = false

  /** Calls `onRoom` whenever a delivery has ended. */
  constructor(run: Run<Item>, onRoom: () => void) {
    this.#run = run
    this.#onRoom = onRoom
  }

  hasRoom(): boolean {
    return !this.#isClosed && this.#waiting < MAX_WAITING
  }

  ownerOf(key: string): [merchant_id: number, webhookId: string] {
    const [merchant_id = '', webhookId = ''] = key.split(' ')
    return [Number(merchant_id), webhookId]
  }

  /** Number of further deliveries that this process may lease for the webhook. */
  roomOf(key: string): number {
    const webhook = this.#busyWebhooks.get(key)
    const most = this.#isQuick.get(key) === true ? SLOTS_PER_QUICK_WEBHOOK * AHEAD_FACTOR : SLOTS_PER_OTHER_WEBHOOK
    return Math.max(0, most - (webhook === undefined ? 0 : webhook.active + webhook.waiting.length))
  }

  /** Splits deliveries into those that fit here and those to queue in the database. Keeps their order. */
  divide<Found>(items: readonly Found[], keyOf: (item: Found) => string): { fitting: Found[]; rest: Found[] } {
    const rooms = new Map<string, number>()
    const fitting: Found[] = []
    const rest: Found[] = []
    for (const item of items) {
      const key = keyOf(item)
      const room = rooms.get(key) ?? this.roomOf(key)
      rooms.set(key, room - 1)
      if (room > 0) fitting.push(item)
      else rest.push(item)
    }
    return { fitting, rest }
  }

  add(key: string, item: Item, isProbe = false): void {
    if (this.#isClosed) return
    const [merchant_id] = this.ownerOf(key)
    const webhook = this.#busyWebhooks.get(key) ?? { merchant_id, waiting: [], active: 0 }
    this.#busyWebhooks.set(key, webhook)
    webhook.waiting.push({ item, isProbe })
    this.#waiting += 1
    this.#start(key, webhook)
  }

  /** Drops the waiting deliveries and accepts no more. Other processes send them when their leases expire. */
  close(): void {
    this.#isClosed = true
    for (const webhook of this.#busyWebhooks.values()) webhook.waiting.length = 0
    this.#waiting = 0
  }

  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #start(key: string, webhook: BusyWebhook<Item>): void {
    const isQuick = this.#isQuick.get(key)
    const most = isQuick === true ? SLOTS_PER_QUICK_WEBHOOK : SLOTS_PER_OTHER_WEBHOOK
    while (webhook.active < most && (this.#ofShop.get(webhook.merchant_id) ?? 0) < SLOTS_PER_SHOP) {
      const isSlow = isQuick === false
      if (isSlow ? this.#slow >= SLOW_SLOTS : this.#quick >= QUICK_SLOTS) return
      const next = webhook.waiting.shift()
      if (next === undefined) return
      this.#waiting -= 1
      const running = this.#send(key, webhook, next, isSlow).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }
  }

  async #send(
    key: string,
    webhook: BusyWebhook<Item>,
    { item, isProbe }: Waiting<Item>,
    startsSlow: boolean,
  ): Promise<void> {
    let isSlow = startsSlow
    const count = (by: 1 | -1) => {
      if (isSlow) this.#slow += by
      else this.#quick += by
    }
    count(1)
    webhook.active += 1
    this.#ofShop.set(webhook.merchant_id, (this.#ofShop.get(webhook.merchant_id) ?? 0) + 1)
    const slowTimer = setTimeout(() => {
      count(-1)
      isSlow = true
      count(1)
      this.#remember(key, false)
      this.#startAll()
    }, SLOW_AFTER_MS)
    try {
      this.#remember(key, await this.#run(item, isProbe))
    } finally {
      clearTimeout(slowTimer)
      count(-1)
      webhook.active -= 1
      const ofShop = (this.#ofShop.get(webhook.merchant_id) ?? 1) - 1
      if (ofShop > 0) this.#ofShop.set(webhook.merchant_id, ofShop)
      else this.#ofShop.delete(webhook.merchant_id)
      if (webhook.active === 0 && webhook.waiting.length === 0) this.#busyWebhooks.delete(key)
      this.#startAll()
      this.#onRoom()
    }
  }

  #startAll(): void {
    for (const [key, webhook] of this.#busyWebhooks) if (webhook.waiting.length > 0) this.#start(key, webhook)
  }

  #remember(key: string, isQuick: boolean): void {
    if (this.#isQuick.size >= MAX_REMEMBERED) this.#isQuick.clear()
    this.#isQuick.set(key, isQuick)
  }
}
