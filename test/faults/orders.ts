// Cancels, refunds and takes of paid orders: the places where a server dies, and the only allowed result.

import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Order } from '../../src/api/orders/schema.ts'
import { statement } from '../../src/db/db.ts'
import { patient } from '../support/database.ts'
import { paymentCheckpoints } from './checkpoints.ts'
import type { Place } from './dying.ts'
import { buy, cardPayment, errorIn, type Reply, type World } from './world.ts'

/** A test card: the gateway only authorizes its payment, and the merchant takes it later. */
const HELD = '4000 0000 0000 0010'

export type Paid = 'card' | 'card and gift card' | 'gift card' | 'nothing' | 'held'
export type Bought = { order: Order; card: string | null }

/** Creates an order of 10.00, with its own product and gift card: a parked transaction must not block another request. */
export async function bought(world: World, paid: Paid): Promise<Bought> {
  const token = await world.token(await world.product(3))
  let card: string | null = null
  if (paid.includes('gift card')) {
    const made = await world.create<{ id: string; code: string }>('giftcards', { value: paid === 'gift card' ? 10 : 4 })
    card = made.id
    await world.succeed(200, 'GET', `/v1/checkouts/${token}/check/giftcard?code=${made.code}`)
  }
  const payments = { 'gift card': null, nothing: { gateway: 'manual' }, held: cardPayment(HELD) }
  const payment = paid in payments ? payments[paid as keyof typeof payments] : cardPayment()
  return { order: (await buy(world, token, world.body(payment))).order, card }
}

export const read = (world: World, { id }: Order) =>
  world.succeed<Order>(200, 'GET', `/v1/orders/${id}`, { key: world.secret })

export const cancel = (world: World, { id }: Order): Promise<Reply> =>
  world.ask('POST', `/v1/orders/${id}/cancel`, { key: world.secret, body: { refund: true, reason: 'late' } })

/**
 * Refunds 8.00 and restocks the item: 6.00 to the card and 2.00 to the gift card, if both paid. For a held payment, it takes 7.00 instead.
 */
function move(world: World, { id, order, transactions }: Order, paid: Paid, more: object = {}): Promise<Reply> {
  const { secret: key } = world
  if (paid === 'held')
    return world.ask('PUT', `/v1/orders/${id}/transactions/${transactions[0]?.id}`, {
      key,
      body: { status: 'complete', amount: 7 },
    })
  const items = [{ line_item_id: order.line_items[0]?.id, quantity: 1 }]
  return world.ask('POST', `/v1/orders/${id}/refund`, { key, body: { amount: 8, items, restock: true, ...more } })
}

const findEvents = statement<{ name: string; times: number }>(
  'test.fault_order_events',
  `select name, count(*) as times from events
   where merchant_id = :merchant_id and payload ->> 'id' = :id
     and name in ('orders.refund', 'orders.cancel', 'orders.update')
   group by name order by name`,
)

const expectEvents = async (world: World, { id }: Order, ...names: string[]) =>
  expect(await world.db.many(findEvents, { merchant_id: world.id, id })).toEqual(
    names.map((name) => ({ name, times: 1 })),
  )

const productOf = ({ order }: Order) => order.line_items[0]?.product_id ?? ''

async function expectCancelled(world: World, order: Order, paid: Paid) {
  const isPaid = paid !== 'nothing'
  expect(await read(world, order)).toMatchObject({
    status: 'cancelled',
    cancel_reason: 'late',
    status_payment: isPaid ? 'refunded' : 'not_paid',
    restocked: [{ quantity: 1 }],
  })
  await expectEvents(world, order, 'orders.cancel', ...(isPaid ? ['orders.refund'] : []))
  expect(await world.available(productOf(order))).toBe(3)
}

async function expectMoved(world: World, { order, card }: Bought, paid: Paid) {
  const after = await read(world, order)
  if (paid === 'held') {
    expect(after).toMatchObject({ status_payment: 'partially_paid', order: { total_paid: { raw: 7 } } })
    expect(after.transactions.map(({ status, amount }) => [status, amount.raw]).toSorted()).toEqual([
      ['cancelled', 3],
      ['complete', 7],
    ])
    return expectEvents(world, order, 'orders.update')
  }
  expect(after).toMatchObject({
    status_payment: 'partially_refunded',
    order: {
      total_refunded: { raw: 8 },
      total_refundable: { raw: 2 },
      line_items: [{ quantity_refunded: 1, quantity_restocked: 1 }],
    },
  })
  await expectEvents(world, order, 'orders.refund')
  expect(await world.available(productOf(order))).toBe(3)
  // A client without a response retries, and states the amount that was left before.
  expect((await move(world, order, paid, { expected_left: 10 })).status).toBe(409)
  if (card === null) return
  const { balance } = await world.succeed<{ balance: { raw: number } }>(200, 'GET', `/v1/giftcards/${card}`, {
    key: world.secret,
  })
  expect(balance.raw).toBe(paid === 'gift card' ? 8 : 2)
}

/** Repeats a cancel until it is done, like a merchant who got no response. */
async function insistOn(world: World, order: Order) {
  const startedAt = performance.now()
  for (;;) {
    const reply = await cancel(world, order)
    const isCancelled = reply.status === 422 && /cancelled already/.test(errorIn(reply).message)
    if (reply.status === 200 || isCancelled) return
    expect([409, 503, 504]).toContain(reply.status)
    if (performance.now() - startedAt > patient(60_000)) throw new Error(`${order.id}: ${JSON.stringify(reply.body)}`)
    await pause(200)
  }
}

export const cancelAt = (checkpoint: string, paid: Paid): Place => ({
  title: `The cancel of an order paid by ${paid}`,
  checkpoint,
  async prepare(world) {
    const { order } = await bought(world, paid)
    let hasInsisted = false
    const insist = async () => {
      hasInsisted = true
      await insistOn(world, order)
    }
    return {
      act: () => cancel(world, order),
      insist,
      async expectDone() {
        // Nothing was committed at this checkpoint: the order is unchanged until the next request.
        if (checkpoint === 'orders.cancel_beginning' && !hasInsisted) {
          expect(await read(world, order)).toEqual(order)
          await insist()
        }
        await expectCancelled(world, order, paid)
      },
    }
  },
})

export const moveAt = (checkpoint: string, paid: Paid): Place => ({
  title: `The refund or take of an order paid by ${paid}`,
  checkpoint,
  async prepare(world) {
    const made = await bought(world, paid)
    return { act: () => move(world, made.order, paid), expectDone: () => expectMoved(world, made, paid) }
  },
})

/** Checkpoints of a cancel, without those of partial refunds and takes. */
export const CANCEL = paymentCheckpoints().filter((name) => !/^orders\.(refund_begun|take_)/.test(name))
export const REFUND = [
  'orders.refund_begun',
  'orders.refund_asked',
  'orders.refund_recording',
  'orders.refund_recorded',
]
export const TAKE = ['orders.take_noted', 'orders.take_asked', 'orders.take_recorded']

/** The payment of an order decides which checkpoints its cancel or refund passes. */
export const CANCEL_PLACES = [
  ...CANCEL.flatMap((name) => [cancelAt(name, 'card'), cancelAt(name, 'card and gift card')]),
  cancelAt('orders.cancel_beginning', 'gift card'),
  cancelAt('orders.cancel_begun', 'gift card'),
  cancelAt('orders.cancel_begun', 'nothing'),
]
export const REFUND_PLACES = [
  ...REFUND.flatMap((name) => [moveAt(name, 'card'), moveAt(name, 'card and gift card')]),
  // It calls no gateway, so it is done once it has begun.
  moveAt('orders.refund_begun', 'gift card'),
  ...TAKE.map((name) => moveAt(name, 'held')),
]
