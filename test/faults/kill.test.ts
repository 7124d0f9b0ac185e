// @sampled @alone: it kills servers. `npm test` kills one server that captures, cancels and refunds.
// F1: kill -9 of the server at every checkpoint of capture. The next process settles the parked captures, and clients get their orders.

import { describe, expect, it } from 'vitest'
import { isProof } from '../support/proof.ts'
import { dieInShop, dieSettling, heal, openGateways } from './dying.ts'
import { cancelAt, moveAt } from './orders.ts'
import { beginProof, seconds, timeout } from './prove.ts'
import { at, CHECKPOINTS, PLACES, SCENES } from './scenes.ts'
import { buy, cardPayment, openWorld, times } from './world.ts'

/** The second round shifts the places by one, so that clients that retried at once in the first now wait. */
const ROUNDS = 2
const BUSY_SETTLE_SECONDS = 16
const NEIGHBOURS = 4

const world = await openWorld()

it('kill -9 of one server leaves each of its captures, cancels and refunds done once', { timeout }, async () => {
  const flights = await dieInShop(world, [
    // Every second client waits: nobody repeats the cancels.
    ...at('capture.charged', 'a card that pays'),
    cancelAt('orders.cancel_begun', 'gift card'),
    ...at('capture.charged', 'a redirect'),
    cancelAt('orders.refund_asked', 'card'),
    ...at('capture.finishing', 'an order of which nothing is due'),
    ...at('capture.reserved', 'a payment by hand'),
    moveAt('orders.refund_recording', 'card and gift card'),
    moveAt('orders.take_asked', 'held'),
  ])
  await heal(world, flights)
})

describe.runIf(isProof)('kill -9', { timeout }, () => {
  it('at every checkpoint that a request passes leaves nothing that is not settled, or bought twice', async () => {
    const conclude = beginProof(
      'F1',
      'kill -9 of the server with a capture parked behind each durable step, for card, manual, redirect and free orders',
      `${PLACES.length} places × ${ROUNDS}`,
    )
    const before = await world.count('orders')
    const took: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const places = [...PLACES.slice(round), ...PLACES.slice(0, round)]
      took.push(await heal(world, await dieInShop(world, places)))
    }
    const orders = (await world.count('orders')) - before
    expect(orders).toBe(PLACES.length * ROUNDS)
    conclude(
      `${orders} orders of ${PLACES.length * ROUNDS} tokens, O1–O6 hold, settled within ${seconds(Math.max(...took))}`,
    )
  })

  it('at every step of the completer leaves the rest to the next process', async () => {
    const conclude = beginProof(
      'F1b',
      'kill -9 of the process that settles what the killed one left, at each step of settling',
      `${COMPLETER_PLACES} places`,
    )
    const before = await world.count('orders')
    const took = [
      await dieSettling(world, settlingPlaces, settlingQuotas),
      await dieSettling(world, claimedPlaces, claimedQuotas),
    ]
    expect(await world.count('orders')).toBe(before + settlingPlaces.length + claimedPlaces.length)
    conclude(`every token has its one order, O1–O6 hold, settled within ${seconds(Math.max(...took))}`)
  })

  // This runs last, because its servers' clocks run further and further ahead.
  it('of a busy server, in the moment of one of its captures, is survived by all of them', async () => {
    // Each checkpoint once, with a process that kills itself.
    const places = PLACES.filter(
      ({ checkpoint }, index) => PLACES.findIndex((place) => place.checkpoint === checkpoint) === index,
    )
    const conclude = beginProof(
      'F1c',
      'kill -9 at one checkpoint at a time, with the completer at work and others buying on; they go on with the next process',
      `${places.length} kills, ${NEIGHBOURS} others each`,
    )
    const before = await world.count('orders')
    let kills = 0
    // Each process's clock is ahead of the previous one, so that one's work is due a second after it began.
    const startNext = () =>
      world.start({ settleSeconds: BUSY_SETTLE_SECONDS, clockAheadMs: ++kills * (BUSY_SETTLE_SECONDS - 1) * 1_000 })
    let server = await startNext()
    await openGateways(world)
    // All of them buy it, so that they wait for each other's locks.
    const shared = await world.product(places.length * NEIGHBOURS)
    const took: number[] = []
    for (const { checkpoint, prepare } of places) {
      const flight = await prepare(world)
      const tokens = await times(NEIGHBOURS, () => world.token(shared))
      await server.tell({ killAt: checkpoint })
      const neighbours = tokens.map((token) => buy(world, token, world.body(cardPayment())))
      const [, { signal }] = await Promise.all([flight.act(), server.ended])
      expect(signal).toBe('SIGKILL')
      world.servers.pop()
      const diedAt = performance.now()
      server = await startNext()
      await flight.expectDone()
      for (const { order } of await Promise.all(neighbours))
        expect(await world.orders(order.checkout_token_id)).toEqual([order.id])
      took.push(await world.settled(diedAt))
      await world.expectOracles()
    }
    expect(await world.count('orders')).toBe(before + places.length * (NEIGHBOURS + 1))
    conclude(`every token has its one order, O1–O6 hold each time, settled within ${seconds(Math.max(...took))}`)
  })

  it('is tried at every checkpoint of the source', () => {
    const tried = [
      ...PLACES.map(({ checkpoint }) => checkpoint),
      ...Object.keys({ ...settlingQuotas, ...claimedQuotas }),
    ]
    expect([...new Set(tried)].sort()).toEqual([...new Set(CHECKPOINTS)])
    expect(new Set(SCENES.map(({ kind }) => kind))).toEqual(new Set(['card', 'manual', 'redirect', 'free']))
  })
})

/** The attempts that the completer finds, no more than one batch, and the places where it is parked. */
const settlingPlaces = [
  ...at('capture.reserved', 'a card that pays', 'a card that pays', 'a card that pays'),
  ...at('capture.charged', 'a card that pays', 'a redirect'),
  ...at('capture.reserved', 'a payment by hand', 'an order of which nothing is due'),
  ...at('capture.confirming', 'a card that was verified'),
]
const settlingQuotas: Record<string, number> = {
  'capture.called_off': 1,
  'capture.releasing': 1,
  'capture.released': 1,
  'capture.finishing': 2,
  'capture.finished': 1,
  'capture.waiting': 1,
  'capture.postponed': 1,
}
const claimedPlaces = [
  ...at('capture.reserved', 'a card that pays', 'a payment by hand', 'an order of which nothing is due'),
  ...at('capture.charged', 'a card that pays', 'a redirect'),
]
const claimedQuotas: Record<string, number> = { 'capture.claimed': 1 }
const COMPLETER_PLACES = Object.keys(settlingQuotas).length + Object.keys(claimedQuotas).length
