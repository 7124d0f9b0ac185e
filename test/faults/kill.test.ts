// @alone
// F1: kill -9 of the server at every checkpoint of capture. Captures are parked, each exactly behind a durable step, and then their process
// is killed; the next process settles what they left, and the clients, who send the same again, get their orders.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { lengthened, patient } from '../support/database.ts'
import { prove, seconds, size } from './prove.ts'
import { act, CHECKPOINTS, type Client, newClient, PLACES, SCENES, type Scene, sceneOf } from './scenes.ts'
import { buy, cardPayment, inTurns, openWorld, times, type World } from './world.ts'

const timeout = patient(size(120_000, 1_200_000))
const ROUNDS = size(1, 5)
/** Transactions are parked with their connections. */
const POOL = 40
const SETTLE_SECONDS = lengthened(1)
const BUSY_SETTLE_SECONDS = 16
/** Two thirds of it are the gateway's, which answers in time also on a busy machine: nothing but the kill is to be survived. */
const VICTIM_SETTLE_SECONDS = 30
/** The next process comes so much later, and what the victim has left is due four seconds after it was begun. */
const LATER = { clockAheadMs: (VICTIM_SETTLE_SECONDS - lengthened(4)) * 1_000 }
const WITHIN_SECONDS = size(patient(60), 60)
const NEIGHBOURS = 4

// Each with a database of its own: the completer goes through all that it finds.
const [requests, busy, settling, claiming] = [
  await openWorld(),
  await openWorld(),
  await openWorld(),
  await openWorld(),
]

type Place = { scene: Scene; checkpoint: string }

/** A server without a completer, with one capture parked at each place; and then it is killed. */
async function dieAt(world: World, places: readonly Place[]): Promise<Client[]> {
  const victim = await world.start({ withJobs: false, poolSize: POOL, settleSeconds: VICTIM_SETTLE_SECONDS })
  await openGateways(world)
  const clients = await inTurns(places.length, async (index) => {
    const { scene } = places[index] as Place
    const client = await newClient(world, scene)
    await scene.before?.(world, client)
    return client
  })
  const answers: Promise<{ status: number }>[] = []
  for (const [index, { scene, checkpoint }] of places.entries()) {
    await victim.tell({ park: { [checkpoint]: 1 } })
    answers.push(act(world, scene, clients[index] as Client))
    await victim.untilParked(index + 1).catch((error: Error) => {
      throw new Error(`${scene.title} does not pass ${checkpoint}: ${error.message}`)
    })
  }
  expect(await world.kill(victim)).toMatchObject({ signal: 'SIGKILL' })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(places.map(() => 0))
  return clients
}

const opened = new Set<World>()

/** Once for each shop, by whichever server comes first. */
async function openGateways(world: World) {
  if (opened.has(world)) return
  opened.add(world)
  await world.openGateways()
}

/** The next process: half of the clients ask again at once, the others when all is settled. Gives how long settling took. */
async function heal(world: World, clients: readonly Client[], diedAt: number): Promise<number> {
  const healer = await world.start({ settleSeconds: SETTLE_SECONDS, ...LATER })
  const isHasty = (_: unknown, index: number) => index % 2 === 0
  const hasty = clients.filter(isHasty).map(({ token, body }) => buy(world, token, body))
  const settledIn = await world.settled(diedAt)
  await world.expectOracles()
  const waiting = clients
    .filter((client, index) => !isHasty(client, index))
    .map(({ token, body }) => buy(world, token, body))
  for (const { order } of await Promise.all([...hasty, ...waiting]))
    expect(await world.orders(order.checkout_token_id)).toEqual([order.id])
  await world.expectOracles()
  await world.kill(healer)
  return settledIn
}

describe('kill -9', () => {
  it('at every checkpoint that a request passes leaves nothing that is not settled, or bought twice', { timeout }, () =>
    prove(
      {
        id: 'F1',
        done: 'kill -9 of the server with a capture parked behind each durable step, for card, manual, redirect and free orders',
        size: `${PLACES.length} places × ${ROUNDS}`,
      },
      async () => {
        const world = requests
        const took: number[] = []
        for (let round = 0; round < ROUNDS; round++) {
          // Turned by one each round, so that who was hasty is patient the next time.
          const places = [...PLACES.slice(round), ...PLACES.slice(0, round)]
          const clients = await dieAt(world, places)
          took.push(await heal(world, clients, performance.now()))
        }
        expect(Math.max(...took)).toBeLessThan(WITHIN_SECONDS)
        const orders = await world.count('orders')
        expect(orders).toBe(PLACES.length * ROUNDS)
        return `${orders} orders of ${PLACES.length * ROUNDS} tokens, O1–O6 hold, settled within ${seconds(Math.max(...took))}`
      },
    ),
  )

  it('of a busy server, in the moment of one of its captures, is survived by all of them', { timeout }, () => {
    // Each with a process that dies by itself; in `npm test` a few of them.
    const places = PLACES.filter((_, index) => index % size(19, 1) === 0)
    return prove(
      {
        id: 'F1c',
        done: 'kill -9 at one place at a time, with the completer at work and others buying on; they go on with the next process',
        size: `${places.length} kills, ${NEIGHBOURS} others each`,
      },
      async () => {
        let kills = 0
        // Each comes later than the one before, so that what that has left is due a second after it was begun.
        const startNext = () =>
          busy.start({ settleSeconds: BUSY_SETTLE_SECONDS, clockAheadMs: kills++ * (BUSY_SETTLE_SECONDS - 1) * 1_000 })
        let server = await startNext()
        await openGateways(busy)
        // One that all want: they wait for each other's locks.
        const shared = await busy.product(places.length * NEIGHBOURS)
        const took: number[] = []
        for (const { scene, checkpoint } of places) {
          const client = await newClient(busy, scene)
          await scene.before?.(busy, client)
          const tokens = await times(NEIGHBOURS, () => busy.token(shared))
          await server.tell({ killAt: checkpoint })
          const neighbours = tokens.map((token) => buy(busy, token, busy.body(cardPayment())))
          const [, { signal }] = await Promise.all([act(busy, scene, client), server.ended])
          expect(signal).toBe('SIGKILL')
          busy.servers.pop()
          const diedAt = performance.now()
          server = await startNext()
          const bought = await Promise.all([...neighbours, buy(busy, client.token, client.body)])
          for (const { order } of bought) expect(await busy.orders(order.checkout_token_id)).toEqual([order.id])
          took.push(await busy.settled(diedAt))
          await busy.expectOracles()
        }
        expect(Math.max(...took)).toBeLessThan(WITHIN_SECONDS)
        expect(await busy.count('orders')).toBe(places.length * (NEIGHBOURS + 1))
        return `every token has its one order, O1–O6 hold each time, settled within ${seconds(Math.max(...took))}`
      },
    )
  })

  it('at every step of the completer leaves the rest to the next process', { timeout }, () =>
    prove(
      {
        id: 'F1b',
        done: 'kill -9 of the process that settles what the killed one left, at each step of settling',
        size: `${COMPLETER_PLACES} places × ${ROUNDS}`,
      },
      async () => {
        const took = await Promise.all([
          dieSettling(settling, settlingScenes, settlingQuotas),
          dieSettling(claiming, claimedScenes, claimedQuotas),
        ])
        expect(Math.max(...took.flat())).toBeLessThan(WITHIN_SECONDS)
        return `every token has its one order, O1–O6 hold, settled within ${seconds(Math.max(...took.flat()))}`
      },
    ),
  )

  it('is tried at every checkpoint of the source', () => {
    const tried = [
      ...PLACES.map(({ checkpoint }) => checkpoint),
      ...Object.keys({ ...settlingQuotas, ...claimedQuotas }),
    ]
    expect([...new Set(tried)].sort()).toEqual([...new Set(CHECKPOINTS)])
    expect(new Set(SCENES.map(({ kind }) => kind))).toEqual(new Set(['card', 'manual', 'redirect', 'free']))
  })
})

const at = (checkpoint: string, ...titles: string[]): Place[] =>
  titles.map((title) => ({ scene: sceneOf(title), checkpoint }))

/** What the completer finds, no more than it takes at a time; and where it is parked with it. */
const settlingScenes = [
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
const claimedScenes = [
  ...at('capture.reserved', 'a card that pays', 'a payment by hand', 'an order of which nothing is due'),
  ...at('capture.charged', 'a card that pays', 'a redirect'),
]
const claimedQuotas: Record<string, number> = { 'capture.claimed': 1 }
const COMPLETER_PLACES = Object.keys(settlingQuotas).length + Object.keys(claimedQuotas).length

async function dieSettling(
  world: World,
  places: readonly Place[],
  park: Readonly<Record<string, number>>,
): Promise<number[]> {
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const clients = await dieAt(world, places)
    // All of them are due, so that the completer takes them together.
    await pause(SETTLE_SECONDS * 1_000 + 200)
    const dying = await world.start({ park, poolSize: POOL, settleSeconds: SETTLE_SECONDS, ...LATER })
    await dying.untilParked(Object.values(park).reduce((sum, one) => sum + one, 0))
    expect(Object.fromEntries(dying.parked)).toEqual(park)
    await world.kill(dying)
    took.push(await heal(world, clients, performance.now()))
  }
  expect(await world.count('orders')).toBe(places.length * ROUNDS)
  return took
}
