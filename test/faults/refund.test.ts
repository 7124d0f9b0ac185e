// @alone
// F1e and L18: giving back a part, and taking a part of what a gateway holds. Whatever dies on the way, and however many ask at once, from two
// processes, each goes through once, and never more than there is.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/api/orders/schema.ts'
import { statement } from '../../src/db/db.ts'
import { patient } from '../support/database.ts'
import { paymentCheckpoints } from './checkpoints.ts'
import { prove, seconds, size } from './prove.ts'
import { buy, cardPayment, openWorld, type Reply, tally, times, type World } from './world.ts'

const timeout = patient(size(120_000, 900_000))
const ROUNDS = size(1, 5)
/** Transactions are parked with their connections. */
const POOL = 40
const SETTLE_SECONDS = 1
/** Two thirds of it are the gateway's, which answers in time also on a busy machine: nothing but the kill is to be survived. */
const VICTIM_SETTLE_SECONDS = 30
/** The next process comes so much later, and what the victim has left is due a second after it was begun. */
const LATER = { clockAheadMs: (VICTIM_SETTLE_SECONDS - SETTLE_SECONDS) * 1_000 }
/** Money is set aside, and taken later. */
const HELD = '4000 0000 0000 0010'

const [dying, racing] = [await openWorld(), await openWorld()]

const REFUND = ['orders.refund_begun', 'orders.refund_asked', 'orders.refund_recording', 'orders.refund_recorded']
const TAKE = ['orders.take_noted', 'orders.take_asked', 'orders.take_recorded']

type Scene = 'card' | 'card and gift card' | 'gift card' | 'held'
/** What is asked for, and the checkpoints that it passes. */
const SCENES: readonly { paid: Scene; passes: readonly string[] }[] = [
  { paid: 'card', passes: REFUND },
  { paid: 'card and gift card', passes: REFUND },
  // No gateway is asked: it is done when it has begun.
  { paid: 'gift card', passes: ['orders.refund_begun'] },
  { paid: 'held', passes: TAKE },
]
const PLACES = SCENES.flatMap(({ paid, passes }) => passes.map((checkpoint) => ({ paid, checkpoint })))

type Bought = { order: Order; card: string | null }

/** Three things at 10.00, with a product and a gift card that nobody else wants. */
async function bought(world: World, paid: Scene): Promise<Bought> {
  const token = await world.token(await world.product(3))
  let card: string | null = null
  if (paid.includes('gift card')) {
    const made = await world.create<{ id: string; code: string }>('giftcards', { value: paid === 'gift card' ? 10 : 4 })
    card = made.id
    await world.succeed(200, 'GET', `/v1/checkouts/${token}/check/giftcard?code=${made.code}`)
  }
  const payment = paid === 'gift card' ? null : cardPayment(paid === 'held' ? HELD : undefined)
  return { order: (await buy(world, token, world.body(payment))).order, card }
}

const read = (world: World, { id }: Order) =>
  world.succeed<Order>(200, 'GET', `/v1/orders/${id}`, { key: world.secret })

/** 8.00 back with its item into stock, which of a card and a gift card is 6.00 and 2.00; or 7.00 taken. */
function move(world: World, { id, order, transactions }: Order, paid: Scene, more: object = {}): Promise<Reply> {
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
  'test.fault_refund_events',
  `select name, count(*) as times from events
   where merchant_id = :merchant_id and payload ->> 'id' = :id and name in ('orders.refund', 'orders.update')
   group by name order by name`,
)

async function expectMoved(world: World, { order, card }: Bought, paid: Scene) {
  const after = await read(world, order)
  const events = await world.db.many(findEvents, { merchant_id: world.id, id: order.id })
  const product = order.order.line_items[0]?.product_id ?? ''
  if (paid === 'held') {
    expect(after).toMatchObject({ status_payment: 'partially_paid', order: { total_paid: { raw: 7 } } })
    expect(after.transactions.map(({ status, amount }) => [status, amount.raw]).toSorted()).toEqual([
      ['cancelled', 3],
      ['complete', 7],
    ])
    expect(events).toEqual([{ name: 'orders.update', times: 1 }])
    return
  }
  expect(after).toMatchObject({
    status_payment: 'partially_refunded',
    order: {
      total_refunded: { raw: 8 },
      total_refundable: { raw: 2 },
      line_items: [{ quantity_refunded: 1, quantity_restocked: 1 }],
    },
  })
  expect(events).toEqual([{ name: 'orders.refund', times: 1 }])
  expect(await world.available(product)).toBe(3)
  if (card === null) return
  const { balance } = await world.succeed<{ balance: { raw: number } }>(200, 'GET', `/v1/giftcards/${card}`, {
    key: world.secret,
  })
  expect(balance.raw).toBe(paid === 'gift card' ? 8 : 2)
}

/** A server without jobs, with one request parked at each place; and then it is killed. */
async function dieAt(world: World): Promise<Bought[]> {
  const victim = await world.start({ withJobs: false, poolSize: POOL, settleSeconds: VICTIM_SETTLE_SECONDS })
  const all: Bought[] = []
  const answers: Promise<Reply>[] = []
  for (const { paid } of PLACES) all.push(await bought(world, paid))
  for (const [index, { paid, checkpoint }] of PLACES.entries()) {
    await victim.tell({ park: { [checkpoint]: 1 } })
    answers.push(move(world, (all[index] as Bought).order, paid))
    await victim.untilParked(index + 1).catch((error: Error) => {
      throw new Error(`What is paid by ${paid} does not pass ${checkpoint}: ${error.message}`)
    })
  }
  expect(await world.kill(victim)).toMatchObject({ signal: 'SIGKILL' })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(PLACES.map(() => 0))
  return all
}

/** Without anybody asking again. */
async function settled(world: World): Promise<number> {
  const startedAt = performance.now()
  const open = `order_transactions where status = 'pending' and status_reason = 'awaiting_gateway'`
  while ((await world.count(open)) > 0) {
    if (performance.now() - startedAt > patient(60_000)) throw new Error('Not settled after minutes.')
    await pause(50)
  }
  return (performance.now() - startedAt) / 1_000
}

describe('kill -9 of a server that gives back or takes a part', () => {
  it('leaves nothing given back, taken or restocked twice or not at all, wherever it dies', { timeout }, () =>
    prove(
      {
        id: 'F1e',
        done: 'kill -9 of the server with a partial refund, or a partial take, parked behind each durable step, for orders paid by card, by gift card, by both and held',
        size: `${PLACES.length} places × ${ROUNDS}`,
      },
      async () => {
        const took: number[] = []
        for (let round = 0; round < ROUNDS; round++) {
          const all = await dieAt(dying)
          const healer = await dying.start({ settleSeconds: SETTLE_SECONDS, ...LATER })
          took.push(await settled(dying))
          for (const [index, { paid }] of PLACES.entries()) await expectMoved(dying, all[index] as Bought, paid)
          // Who got no answer asks again, and says what was left.
          const [{ order }] = all as [Bought]
          expect((await move(dying, order, 'card', { expected_left: 10 })).status).toBe(409)
          await dying.expectOracles()
          await dying.kill(healer)
        }
        return `${PLACES.length * ROUNDS} orders, each part given back or taken once, O1–O6 hold, settled within ${seconds(Math.max(...took))}`
      },
    ),
  )

  it('is tried at every checkpoint of the source that is no part of a cancel', () => {
    const others = paymentCheckpoints().filter((name) => !name.startsWith('orders.cancel_'))
    expect([...REFUND, ...TAKE].sort()).toEqual(others.sort())
  })
})

describe('partial refunds', () => {
  it('of one order, from two processes at once, never pass what was paid, and end at nothing left', { timeout }, () => {
    const [rounds, requests] = [size(8, 100), 12]
    return prove(
      {
        id: 'L18',
        done: 'partial refunds of one order in several amounts, from two processes',
        size: `${rounds} orders, ${requests} refunds each`,
      },
      async () => {
        await racing.start({ settleSeconds: 30 })
        await racing.start({ settleSeconds: 30 })
        const replies: Reply[] = []
        for (let round = 0; round < rounds; round++) {
          const { order } = await bought(racing, 'card and gift card')
          let turn = 0
          const answers = await times(requests, () =>
            racing.ask('POST', `/v1/orders/${order.id}/refund`, {
              key: racing.secret,
              body: { amount: 1 + (turn++ % 3) * 1.5 },
            }),
          )
          const after = await read(racing, order)
          const given = answers.filter(({ status }) => status === 200).length
          expect(given).toBeGreaterThan(0)
          expect(after.order.total_refunded.raw + after.order.total_refundable.raw).toBe(10)
          if (after.order.total_refundable.raw > 0)
            await racing.succeed(200, 'POST', `/v1/orders/${order.id}/refund`, { key: racing.secret, body: {} })
          expect(await read(racing, order)).toMatchObject({
            status_payment: 'refunded',
            order: { total_refunded: { raw: 10 }, total_refundable: { raw: 0 } },
          })
          replies.push(...answers)
        }
        expect(replies.filter(({ status }) => ![200, 409, 422, 503].includes(status))).toEqual([])
        await racing.expectOracles()
        return `10.00 given back of each of ${rounds} orders; refunds ${tally(replies)}`
      },
    )
  })
})
