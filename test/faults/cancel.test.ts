// @alone
// F1d and L17: cancelling an order that has been paid for. Whatever dies on the way, the order ends cancelled, its money given back and its
// goods in stock, once; and what is shipped in the same moment is not refunded.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/api/orders/schema.ts'
import { statement } from '../../src/db/db.ts'
import { lengthened, patient } from '../support/database.ts'
import { paymentCheckpoints } from './checkpoints.ts'
import { prove, seconds, size } from './prove.ts'
import { type Body, buy, cardPayment, errorIn, openWorld, type Reply, tally, times, type World } from './world.ts'

const timeout = patient(size(120_000, 600_000))
const ROUNDS = size(1, 5)
/** Transactions are parked with their connections. */
const POOL = 40
const SETTLE_SECONDS = lengthened(1)
/** Two thirds of it are the gateway's, which answers in time also on a busy machine: nothing but the kill is to be survived. */
const VICTIM_SETTLE_SECONDS = 30
/** The next process comes so much later, and what the victim has left is due four seconds after it was begun. */
const LATER = { clockAheadMs: (VICTIM_SETTLE_SECONDS - lengthened(4)) * 1_000 }

const [dying, settling, racing] = [await openWorld(), await openWorld(), await openWorld()]

/** Those of refunds that are no part of a cancel, and of takes: refund.test.ts. */
const CHECKPOINTS = paymentCheckpoints().filter((name) => !/^orders\.(refund_begun|take_)/.test(name))

/** How it was paid, and the checkpoints that its cancel passes. */
const SCENES: readonly { paid: 'card' | 'card and gift card' | 'gift card' | 'nothing'; passes: readonly string[] }[] =
  [
    { paid: 'card', passes: CHECKPOINTS },
    { paid: 'card and gift card', passes: CHECKPOINTS },
    { paid: 'gift card', passes: ['orders.cancel_beginning', 'orders.cancel_begun'] },
    { paid: 'nothing', passes: ['orders.cancel_begun'] },
  ]
type Paid = (typeof SCENES)[number]['paid']
const PLACES = SCENES.flatMap(({ paid, passes }) => passes.map((checkpoint) => ({ paid, checkpoint })))

/** With a product and a gift card that nobody else wants: who is parked in a transaction must hold up no other. */
async function bought(world: World, paid: Paid): Promise<Order> {
  const token = await world.token(await world.product(3))
  if (paid.includes('gift card')) {
    const value = paid === 'gift card' ? 10 : 4
    const { code } = await world.create<{ code: string }>('giftcards', { value })
    await world.succeed(200, 'GET', `/v1/checkouts/${token}/check/giftcard?code=${code}`)
  }
  const payment = paid === 'nothing' ? { gateway: 'manual' } : paid === 'gift card' ? null : cardPayment()
  return (await buy(world, token, world.body(payment))).order
}

const cancel = (world: World, { id }: Order): Promise<Reply> =>
  world.ask('POST', `/v1/orders/${id}/cancel`, { key: world.secret, body: { refund: true, reason: 'late' } })

const read = (world: World, { id }: Order) =>
  world.succeed<Order>(200, 'GET', `/v1/orders/${id}`, { key: world.secret })

const findEvents = statement<{ name: string; times: number }>(
  'test.fault_cancel_events',
  `select name, count(*) as times from events
   where merchant_id = :merchant_id and payload ->> 'id' = :id and name in ('orders.refund', 'orders.cancel')
   group by name order by name`,
)

async function expectCancelled(world: World, order: Order, paid: Paid) {
  const after = await read(world, order)
  const isPaid = paid !== 'nothing'
  expect(after).toMatchObject({
    status: 'cancelled',
    cancel_reason: 'late',
    status_payment: isPaid ? 'refunded' : 'not_paid',
    restocked: [{ quantity: 1 }],
  })
  const events = await world.db.many(findEvents, { merchant_id: world.id, id: order.id })
  expect(events).toEqual([
    { name: 'orders.cancel', times: 1 },
    ...(isPaid ? [{ name: 'orders.refund', times: 1 }] : []),
  ])
  expect(await world.available(order.order.line_items[0]?.product_id ?? '')).toBe(3)
}

/** A server without jobs, with one cancel parked at each place; and then it is killed. */
async function dieAt(world: World, places: readonly { paid: Paid; checkpoint: string }[], isFirst: boolean) {
  const victim = await world.start({ withJobs: false, poolSize: POOL, settleSeconds: VICTIM_SETTLE_SECONDS })
  if (isFirst) await world.openGateways()
  const orders: Order[] = []
  const answers: Promise<Reply>[] = []
  for (const { paid } of places) orders.push(await bought(world, paid))
  for (const [index, { paid, checkpoint }] of places.entries()) {
    await victim.tell({ park: { [checkpoint]: 1 } })
    answers.push(cancel(world, orders[index] as Order))
    await victim.untilParked(index + 1).catch((error: Error) => {
      throw new Error(`The cancel of an order paid by ${paid} does not pass ${checkpoint}: ${error.message}`)
    })
  }
  expect(await world.kill(victim)).toMatchObject({ signal: 'SIGKILL' })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(places.map(() => 0))
  return orders
}

/** Asks again until it is cancelled, as a merchant would who got no answer. Gives how long that took. */
async function insistOn(world: World, order: Order): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const reply = await cancel(world, order)
    if (reply.status === 200) break
    const isCancelled = reply.status === 422 && /cancelled already/.test(errorIn(reply).message)
    if (isCancelled) break
    expect([409, 503, 504]).toContain(reply.status)
    if (performance.now() - startedAt > patient(60_000)) throw new Error(`${order.id}: ${JSON.stringify(reply.body)}`)
    await pause(200)
  }
  return (performance.now() - startedAt) / 1_000
}

/** Without anybody asking again. */
async function settled(world: World): Promise<number> {
  const startedAt = performance.now()
  while ((await world.count('orders where cancelling_at is not null')) > 0) {
    if (performance.now() - startedAt > patient(60_000)) throw new Error('Not settled after minutes.')
    await pause(50)
  }
  return (performance.now() - startedAt) / 1_000
}

describe('kill -9 of a server that cancels', () => {
  it('leaves no order that is refunded and open, or cancelled and paid, wherever it dies', { timeout }, () =>
    prove(
      {
        id: 'F1d',
        done: 'kill -9 of the server with a cancel parked behind each durable step, for orders paid by card, by gift card, by both and not at all',
        size: `${PLACES.length} places × ${ROUNDS}`,
      },
      async () => {
        const took: number[] = []
        for (let round = 0; round < ROUNDS; round++) {
          const orders = await dieAt(dying, PLACES, round === 0)
          const healer = await dying.start({ settleSeconds: SETTLE_SECONDS })
          took.push(await settled(dying))
          for (const [index, { paid, checkpoint }] of PLACES.entries()) {
            const order = orders[index] as Order
            // Nothing had been committed: it stands as it stood, and is cancelled when it is asked for again.
            if (checkpoint === 'orders.cancel_beginning') {
              expect(await read(dying, order)).toEqual(order)
              await insistOn(dying, order)
            }
            await expectCancelled(dying, order, paid)
          }
          await dying.expectOracles()
          await dying.kill(healer)
        }
        return `${PLACES.length * ROUNDS} orders cancelled, refunded and restocked once, O1–O6 hold, settled within ${seconds(Math.max(...took))}`
      },
    ),
  )

  it('and of the process that ends it leaves the rest to whoever asks again', { timeout }, async () => {
    const places = [
      { paid: 'card', checkpoint: 'orders.cancel_begun' },
      { paid: 'card', checkpoint: 'orders.refund_asked' },
      { paid: 'card and gift card', checkpoint: 'orders.cancel_begun' },
    ] as const
    const orders = await dieAt(settling, places, true)
    // As many as the worker runs at a time.
    const park = { 'orders.refund_asked': 1, 'orders.refund_recording': 1 }
    const second = await settling.start({ park, poolSize: POOL, settleSeconds: SETTLE_SECONDS, ...LATER })
    await second.untilParked(2)
    await settling.kill(second)
    const third = await settling.start({ settleSeconds: SETTLE_SECONDS, ...LATER })
    for (const [index, { paid }] of places.entries()) {
      await insistOn(settling, orders[index] as Order)
      await expectCancelled(settling, orders[index] as Order, paid)
    }
    await settling.expectOracles()
    await settling.kill(third)
  })

  it('is tried at every checkpoint of the source', () => {
    expect(CHECKPOINTS.length).toBeGreaterThan(0)
    expect(new Set(CHECKPOINTS).size).toBe(CHECKPOINTS.length)
    expect([...new Set(PLACES.map(({ checkpoint }) => checkpoint))].sort()).toEqual([...CHECKPOINTS].sort())
  })
})

describe('a cancel with a refund', () => {
  it('beside shipments, from two processes, ends shipped and paid or cancelled, refunded and not shipped', {
    timeout,
  }, () => {
    const [rounds, shipments] = [size(20, 200), 3]
    return prove(
      {
        id: 'L17',
        done: 'cancels with a refund beside shipments of the same order, from two processes',
        size: `${rounds} orders, 2 cancels and ${shipments} shipments each`,
      },
      async () => {
        await racing.start({ settleSeconds: 30 })
        await racing.start({ settleSeconds: 30 })
        const { methods } = await racing.create<{ methods: { id: string }[] }>('shipping_zones', {
          name: 'Home',
          countries: ['US'],
          methods: [{ description: 'Post', price: 0 }],
        })
        const product = await racing.product(rounds * 5, { delivery: { physical: true } })
        const address: Body = { street: '1 Main Street', country: 'US', county_state: 'CA' }
        const more: Body = {
          shipping: { ...address, name: 'Ada', town_city: 'San Francisco', postal_zip_code: '94107' },
          fulfillment: { shipping_method: methods[0]?.id },
        }
        const replies: Reply[] = []
        let cancelled = 0
        for (let round = 0; round < rounds; round++) {
          const { order } = await buy(racing, await racing.token(product), racing.body(cardPayment(), more))
          const items = [{ id: order.fulfillment.physical.items[0]?.id, quantity: 1 }]
          const ship = () =>
            racing.ask('POST', `/v1/orders/${order.id}/fulfillments/physical/shipments`, {
              key: racing.secret,
              body: { items },
            })
          // Each of the two is sent first in half of the rounds.
          const [sent, asked] =
            round % 2 === 0
              ? await Promise.all([times(shipments, ship), times(2, () => cancel(racing, order))])
              : (await Promise.all([times(2, () => cancel(racing, order)), times(shipments, ship)])).reverse()
          const after = await read(racing, order)
          const shipped = after.fulfillment.physical.items[0]?.quantity_fulfilled
          const ok = (answers: Reply[] | undefined, status: number) =>
            (answers ?? []).filter((reply) => reply.status === status).length
          const end = [after.status, after.status_payment, shipped, ok(sent, 201), ok(asked, 200)]
          expect(
            [
              ['open', 'paid', 1, 1, 0],
              ['cancelled', 'refunded', 0, 0, 1],
            ].map((allowed) => allowed.join()),
          ).toContain(end.join())
          if (after.status === 'cancelled') cancelled++
          replies.push(...(asked ?? []))
        }
        expect(await racing.available(product)).toBe(rounds * 5 - (rounds - cancelled))
        await racing.expectOracles()
        return `${cancelled} cancelled, refunded and restocked, ${rounds - cancelled} shipped and paid; cancels ${tally(replies)}`
      },
    )
  })
})
