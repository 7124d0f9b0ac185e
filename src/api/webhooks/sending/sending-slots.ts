// Divides the sending slots of a process: each attempt in progress takes one. A webhook gets a few slots, and a shop gets more. All slow
// receivers share a part of the slots. The state is in memory only: if it is lost, no delivery is lost.

/** Slots in total for quick receivers, and for slow ones. */
const QUICK_SLOTS = 48
const SLOW_SLOTS = 16
const SLOTS_PER_SHOP = 24
/** Slots per webhook, by the last result: quick receivers, and those that are slow, failing or unknown. */
const SLOTS_PER_QUICK_WEBHOOK = 8
const SLOTS_PER_OTHER_WEBHOOK = 2
/** Number of deliveries to lease for each slot of a quick receiver: one in progress, and others that follow it at once. */
const LEASES_PER_SLOT = 4
/** Maximum number of deliveries that wait here for a slot. The others stay in the database. */
const MAX_WAITING = 512
/** A delivery in progress for longer moves to a slow slot. */
const SLOW_AFTER_MS = 2_000
/** Maximum number of receivers with a remembered speed. Above it all are forgotten, which does little harm. */
const MAX_REMEMBERED = 10_000

/** Sends one delivery and returns true if it succeeded quickly. Never rejects. */
type Run<Item> = (item: Item, isProbe: boolean) => Promise<boolean>

type WaitingItem<Item> = { readonly item: Item; readonly isProbe: boolean }

/** A webhook with deliveries waiting or in progress. */
type BusyWebhook<Item> = { readonly merchant_id: number; readonly waiting: WaitingItem<Item>[]; active: number }

/** Key of a webhook. Ids of webhooks are unique only within a shop. */
export const webhookKey = (merchant_id: number, webhookId: string): string => `${merchant_id} ${webhookId}`

export function parseWebhookKey(key: string): [merchant_id: number, webhookId: string] {
  const [merchant_id = '', webhookId = ''] = key.split(' ')
  return [Number(merchant_id), webhookId]
}

export class SendingSlots<Item> {
  readonly #run: Run<Item>
  readonly #onAttemptEnd: () => void
  readonly #busyWebhooks = new Map<string, BusyWebhook<Item>>()
  readonly #isQuick = new Map<string, boolean>()
  /** Number of attempts in progress, by shop. */
  readonly #activeOfShop = new Map<number, number>()
  readonly #running = new Set<Promise<void>>()
  #usedQuickSlots = 0
  #usedSlowSlots = 0
  #waitingItems = 0
  #isClosed = false

  /** Calls `onAttemptEnd` whenever an attempt has ended, so that more deliveries can be leased. */
  constructor(run: Run<Item>, onAttemptEnd: () => void) {
    this.#run = run
    this.#onAttemptEnd = onAttemptEnd
  }

  /** True if the process may lease further deliveries at all. */
  canLease(): boolean {
    return !this.#isClosed && this.#waitingItems < MAX_WAITING
  }

  /** Number of further deliveries that this process may lease for the webhook. */
  countLeasable(key: string): number {
    const webhook = this.#busyWebhooks.get(key)
    const most = this.#isQuick.get(key) === true ? SLOTS_PER_QUICK_WEBHOOK * LEASES_PER_SLOT : SLOTS_PER_OTHER_WEBHOOK
    return Math.max(0, most - (webhook === undefined ? 0 : webhook.active + webhook.waiting.length))
  }

  /** Splits due deliveries into those to lease and those to queue, for which there is no capacity. Keeps their order. */
  divide<Due>(items: readonly Due[], keyOf: (item: Due) => string): { toLease: Due[]; toQueue: Due[] } {
    const leasable = new Map<string, number>()
    const toLease: Due[] = []
    const toQueue: Due[] = []
    for (const item of items) {
      const key = keyOf(item)
      const count = leasable.get(key) ?? this.countLeasable(key)
      leasable.set(key, count - 1)
      if (count > 0) toLease.push(item)
      else toQueue.push(item)
    }
    return { toLease, toQueue }
  }

  /** Sends the delivery as soon as its webhook has a free slot. */
  add(key: string, item: Item, isProbe = false): void {
    if (this.#isClosed) return
    const [merchant_id] = parseWebhookKey(key)
    const webhook = this.#busyWebhooks.get(key) ?? { merchant_id, waiting: [], active: 0 }
    this.#busyWebhooks.set(key, webhook)
    webhook.waiting.push({ item, isProbe })
    this.#waitingItems += 1
    this.#start(key, webhook)
  }

  /** Drops the waiting deliveries and accepts no more. Other processes send them when their leases expire. */
  close(): void {
    this.#isClosed = true
    for (const webhook of this.#busyWebhooks.values()) webhook.waiting.length = 0
    this.#waitingItems = 0
  }

  /** Resolves when no attempt is in progress. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #start(key: string, webhook: BusyWebhook<Item>): void {
    const isQuick = this.#isQuick.get(key)
    const most = isQuick === true ? SLOTS_PER_QUICK_WEBHOOK : SLOTS_PER_OTHER_WEBHOOK
    while (webhook.active < most && (this.#activeOfShop.get(webhook.merchant_id) ?? 0) < SLOTS_PER_SHOP) {
      const isSlow = isQuick === false
      if (isSlow ? this.#usedSlowSlots >= SLOW_SLOTS : this.#usedQuickSlots >= QUICK_SLOTS) return
      const next = webhook.waiting.shift()
      if (next === undefined) return
      this.#waitingItems -= 1
      const running = this.#send(key, webhook, next, isSlow).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }
  }

  async #send(
    key: string,
    webhook: BusyWebhook<Item>,
    { item, isProbe }: WaitingItem<Item>,
    startsSlow: boolean,
  ): Promise<void> {
    let isSlow = startsSlow
    const changeUsedSlots = (by: 1 | -1) => {
      if (isSlow) this.#usedSlowSlots += by
      else this.#usedQuickSlots += by
    }
    changeUsedSlots(1)
    webhook.active += 1
    this.#activeOfShop.set(webhook.merchant_id, (this.#activeOfShop.get(webhook.merchant_id) ?? 0) + 1)
    const slowTimer = setTimeout(() => {
      changeUsedSlots(-1)
      isSlow = true
      changeUsedSlots(1)
      this.#remember(key, false)
      this.#startAll()
    }, SLOW_AFTER_MS)
    try {
      this.#remember(key, await this.#run(item, isProbe))
    } finally {
      clearTimeout(slowTimer)
      changeUsedSlots(-1)
      webhook.active -= 1
      const activeOfShop = (this.#activeOfShop.get(webhook.merchant_id) ?? 1) - 1
      if (activeOfShop > 0) this.#activeOfShop.set(webhook.merchant_id, activeOfShop)
      else this.#activeOfShop.delete(webhook.merchant_id)
      if (webhook.active === 0 && webhook.waiting.length === 0) this.#busyWebhooks.delete(key)
      this.#startAll()
      this.#onAttemptEnd()
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
