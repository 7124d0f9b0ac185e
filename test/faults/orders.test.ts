// @proof @alone: it kills servers. kill.test.ts has a sample of it.
// F1d and F1e: cancels, refunds and partial takes. Wherever a server dies, each takes effect once, and goods are restocked once.

import { describe, expect, it } from 'vitest'
import { paymentCheckpoints } from './checkpoints.ts'
import { dieInShop, dieSettling, heal, type Place } from './dying.ts'
import { CANCEL, CANCEL_PLACES, cancelAt, REFUND, REFUND_PLACES, TAKE } from './orders.ts'
import { beginProof, seconds, timeout } from './prove.ts'
import { openWorld } from './world.ts'

/** The second round shifts the places by one, so that clients that retried at once in the first now wait. */
const ROUNDS = 2
const world = await openWorld()

/** Returns the longest settling time. */
async function dieAtAll(places: readonly Place[]): Promise<string> {
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round++)
    took.push(await heal(world, await dieInShop(world, [...places.slice(round), ...places.slice(0, round)])))
  return seconds(Math.max(...took))
}

describe('kill -9 of a server that cancels', { timeout }, () => {
  it('leaves no order that is refunded and open, or cancelled and paid, wherever it dies', async () => {
    const conclude = beginProof(
      'F1d',
      'kill -9 of the server with a cancel parked behind each durable step, for orders paid by card, by gift card, by both and not at all',
      `${CANCEL_PLACES.length} places × ${ROUNDS}`,
    )
    conclude(
      `${CANCEL_PLACES.length * ROUNDS} orders cancelled, refunded and restocked once, O1–O6 hold, settled within ${await dieAtAll(CANCEL_PLACES)}`,
    )
  })

  it('and of the process that ends it leaves the rest to the next process', async () => {
    const places = [
      cancelAt('orders.cancel_begun', 'card'),
      cancelAt('orders.refund_asked', 'card'),
      cancelAt('orders.cancel_begun', 'card and gift card'),
    ]
    // The number of jobs that the worker runs at a time.
    await dieSettling(world, places, { 'orders.refund_asked': 1, 'orders.refund_recording': 1 })
  })
})

describe('kill -9 of a server that refunds or takes a part', { timeout }, () => {
  it('leaves nothing refunded, taken or restocked twice or not at all, wherever it dies', async () => {
    const conclude = beginProof(
      'F1e',
      'kill -9 of the server with a partial refund, or a partial take, parked behind each durable step, for orders paid by card, by gift card, by both and held',
      `${REFUND_PLACES.length} places × ${ROUNDS}`,
    )
    conclude(
      `${REFUND_PLACES.length * ROUNDS} orders, each part refunded or taken once, O1–O6 hold, settled within ${await dieAtAll(REFUND_PLACES)}`,
    )
  })
})

describe('kill -9', () => {
  it('is tried at every checkpoint of the source', () => {
    expect(CANCEL.length).toBeGreaterThan(0)
    expect(new Set(CANCEL).size).toBe(CANCEL.length)
    const tried = new Set([...CANCEL, ...REFUND, ...TAKE])
    expect([...tried].sort()).toEqual([...paymentCheckpoints()].sort())
  })
})
