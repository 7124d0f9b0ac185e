// @proof @alone: it kills servers.
// F1 and F1e with each provider: kill -9 at each checkpoint, or while its answer is on the way. Another process settles what is left, once.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { patient } from '../../support/database.ts'
import { paymentCheckpoints } from '../checkpoints.ts'
import { dieAt, type Flight, heal } from '../dying.ts'
import { beginProof, seconds, timeout } from '../prove.ts'
import { CHECKPOINTS } from '../scenes.ts'
import { inTurns } from '../world.ts'
import type { Code, Provider } from './books.ts'
import { DUE, type Movement, move, movementsOf, type Scene, scenesOf } from './scenes.ts'
import { openProviderWorld } from './world.ts'

/** The second round turns the places by one, so that the hasty clients of the first are patient. */
const ROUNDS = 2
/** Square's lists are behind: before a minute has passed nobody believes that a payment which they do not show was never made. */
const LATER_MS = 65_000

const world = await openProviderWorld()
const [SCENES, MOVEMENTS] = [scenesOf(world), movementsOf(world)]

type Passed = { readonly code: Code; readonly at: string | RegExp } & (
  | { readonly scene: Scene; readonly movement?: never }
  | { readonly movement: Movement; readonly scene?: never }
)

const placeOf = (passed: Passed) => {
  const { code, at, scene, movement } = passed
  const { double } = world[code]
  let before = 0
  return {
    ...passed,
    title: `${code}, ${scene?.title ?? movement?.kind}`,
    checkpoint: String(at),
    // The provider has done it, and nobody hears of it.
    ...(typeof at !== 'string' && {
      stop: {
        begin() {
          before = double.requests.length
          double.trouble({ slowMs: 600_000 }, { on: at })
        },
        isReached: () => double.requests.slice(before).some(({ method, path }) => at.test(`${method} ${path}`)),
      },
    }),
    prepare: () => (scene === undefined ? inMovement(code, movement) : inScene(code, scene)),
  }
}
type Place = ReturnType<typeof placeOf>

const ALL: readonly Place[] = [
  ...SCENES.flatMap((scene) => scene.passes.map((at): Passed => ({ code: scene.code, at, scene }))),
  ...MOVEMENTS.flatMap((movement) => movement.passes.map((at): Passed => ({ code: movement.code, at, movement }))),
].map(placeOf)

async function bought(code: Code): Promise<Order> {
  const provider = world[code]
  const token = await world.token(await world.product(3))
  return (await world.buy(provider, token, world.body(provider.payment()))).order
}

async function inMovement(code: Code, movement: Movement): Promise<Flight> {
  const order = await bought(code)
  return { act: () => move(world, movement, order), expectDone: () => expectMoved(movement, order) }
}

async function inScene(code: Code, scene: Scene): Promise<Flight> {
  const client = await scene.prepare(world)
  const { token, body } = client
  const buyOne = async () => {
    const { order } = await world.buy(world[code], token, body, { amount: DUE, withinMs: patient(180_000) })
    expect(await world.orders(token)).toEqual([order.id])
  }
  let purchase: Promise<void> | undefined
  const insist = () => {
    purchase ??= buyOne()
    return purchase
  }
  return {
    act: () => scene.last?.(world, client) ?? world.capture(token, body),
    insist,
    async expectDone() {
      expect((await world.orders(token)).length).toBeLessThan(2)
      await insist()
    },
  }
}

/** Payments that are taken or released later were made while the shop only had them authorized. */
async function prepareAll(places: readonly Place[]): Promise<Flight[]> {
  await world.setUp()
  await world.refuseCards()
  const flights: Flight[] = []
  const prepare = (isWanted: (place: Place) => boolean) =>
    inTurns(places.length, async (index) => {
      const place = places[index] as Place
      if (isWanted(place)) flights[index] = await place.prepare()
    })
  const isOfHeld = ({ movement }: Place) => movement !== undefined && movement.kind !== 'refund'
  if (places.some(isOfHeld)) await world.setUp('manual')
  await prepare(isOfHeld)
  await world.setUp()
  await prepare((place) => !isOfHeld(place))
  return flights
}

/** Kills a server at all of these places. Returns how long the next process took to settle the rest. */
async function dieAndHeal(places: readonly Place[]): Promise<number> {
  // Requests that wait for a provider come last: our server gives up on it after 20 s.
  const inOrder = places.toSorted((one, other) => Number('stop' in one) - Number('stop' in other))
  const flights = await dieAt(world, inOrder, prepareAll)
  for (const { double } of world.all) double.calm()
  return heal(world, flights, { clockAheadMs: LATER_MS })
}

const AFTER = {
  refund: { status_payment: 'partially_refunded', order: { total_refunded: { raw: 4 }, total_refundable: { raw: 6 } } },
  take: { status_payment: 'paid', order: { total_paid: { raw: 10 }, total_refunded: { raw: 0 } } },
  'take of a part': { status_payment: 'partially_paid', order: { total_paid: { raw: 4 }, total_refunded: { raw: 0 } } },
  release: { status: 'cancelled', status_payment: 'not_paid', order: { total_paid: { raw: 0 } } },
} as const satisfies Record<Movement['kind'], object>

/** Once, though who got no answer asks again. */
async function expectMoved(movement: Movement, order: Order) {
  const again = await move(world, movement, order)
  const { kind } = movement
  // What was left to give back is not left any more; what was taken is answered as it is; what was cancelled cannot be, unless it never began.
  const answers = { refund: [409], take: [200], 'take of a part': [200], release: [200, 422] }[kind]
  expect([kind, answers.includes(again.status) ? 'well' : again]).toEqual([kind, 'well'])
  const after = await world.succeed<Order>(200, 'GET', `/v1/orders/${order.id}`, { key: world.secret })
  expect(after).toMatchObject(AFTER[kind])
}

type Figures = { places: number; settledIn: number; movements: number }

/** A server with jobs, whose requests to let go are done and not answered; and then it is killed. Gives how long the other one took. */
async function dieLettingGo(providers: readonly Provider[]): Promise<number> {
  const victim = await world.start({ settleSeconds: 30 })
  await world.setUp('manual')
  const held = (): number => providers.reduce((sum, provider) => sum + provider.held().length, 0)
  const orders: Order[] = []
  for (const { code } of providers) orders.push(await bought(code))
  expect(held()).toBe(providers.length)
  for (const [index, { double, requests }] of providers.entries()) {
    double.trouble({ slowMs: 600_000 }, { on: requests.release as RegExp })
    await world.succeed(200, 'POST', `/v1/orders/${orders[index]?.id}/cancel`, { key: world.secret, body: {} })
  }
  await expect.poll(held).toBe(0)
  expect(await world.kill(victim)).toMatchObject({ signal: 'SIGKILL' })
  for (const { double } of providers) double.calm()
  const diedAt = performance.now()
  // The jobs are the dead server's for a minute.
  const healer = await world.start({ settleSeconds: 3, clockAheadMs: LATER_MS })
  const settledIn = await world.settled(diedAt, patient(60_000))
  for (const { id } of orders) {
    const after = await world.succeed<Order>(200, 'GET', `/v1/orders/${id}`, { key: world.secret })
    expect(after).toMatchObject(AFTER.release)
  }
  await world.expectOracles()
  await world.kill(healer)
  return settledIn
}

/** Servers by provider. Each provider has a server of its own that dies. */
async function dieEverywhere(): Promise<Map<Code, Figures>> {
  const figures = new Map<Code, Figures>()
  const batches = world.all.map(({ code }) => ALL.filter((place) => place.code === code))
  for (let round = 0; round < ROUNDS; round++)
    for (const batch of batches) {
      const places = [...batch.slice(round), ...batch.slice(0, round)]
      const settledIn = await dieAndHeal(places)
      for (const { code, movement } of places) {
        const before = figures.get(code) ?? { places: 0, settledIn: 0, movements: 0 }
        figures.set(code, {
          places: before.places + (movement === undefined ? 1 : 0),
          movements: before.movements + (movement === undefined ? 0 : 1),
          settledIn: Math.max(before.settledIn, settledIn),
        })
      }
    }
  return figures
}

describe('kill -9, with each provider', { timeout }, () => {
  it('leaves one order and one charge, refund or take in its books, or nothing, wherever it dies', async () => {
    const dying = dieEverywhere()
    dying.catch(() => undefined)
    const sizeOf = (count: number) => `${count / ROUNDS} places × ${ROUNDS}`
    for (const { code, name } of world.all) {
      const places = ALL.filter((place) => place.code === code)
      const captures = places.filter(({ scene }) => scene !== undefined).length * ROUNDS
      const movements = places.length * ROUNDS - captures
      const concludeCaptures = beginProof(
        `F1-${code}`,
        `kill -9 of the server with a capture by ${name} parked behind each durable step, or with ${name} having done what it was asked for and not heard; another process settles it`,
        sizeOf(captures),
      )
      const found = (await dying).get(code) as Figures
      expect(found.places).toBe(captures)
      concludeCaptures(
        `${found.places} orders of ${found.places} tokens, one charge in ${name}’s books for each that was paid by it and no other, O1–O6 hold, settled within ${seconds(found.settledIn)}`,
      )
      const conclude = beginProof(
        `F1e-${code}`,
        `kill -9 of the server with a refund of a part, or with what ${name} has set aside being taken, taken in part or let go of, parked in the same way`,
        sizeOf(movements),
      )
      expect(found.movements).toBe(movements)
      // They were killed and settled in the same runs: the seconds stand there.
      conclude(
        `${found.movements} orders, each refund, take and release once in ${name}’s books, settled together with F1-${code}`,
      )
    }
  })

  it('of who lets go of what was set aside leaves it to another, who hears that it is done', async () => {
    const letting = world.all.filter(({ requests }) => requests.release !== undefined)
    const conclude = beginProof(
      'F1f',
      'kill -9 of the server while the provider has let go of what it had set aside for an order that was cancelled, and its answer is on the way',
      `${letting.length} providers × ${ROUNDS}`,
    )
    const took: number[] = []
    for (let round = 0; round < ROUNDS; round++) took.push(await dieLettingGo(letting))
    conclude(
      `${letting.length * ROUNDS} orders cancelled, nothing held or taken in any provider’s books, settled within ${seconds(Math.max(...took))}`,
    )
  })

  it('is tried at every checkpoint that a provider’s payments pass', () => {
    const tried = new Set(ALL.map(({ at }) => at).filter((at) => typeof at === 'string'))
    // The completer’s own are those of test/faults/kill.test.ts, where it is killed; cancels of what was paid are those of orders.test.ts.
    const others = ['capture.claimed', 'capture.postponed', 'orders.cancel_beginning']
    const all = [...CHECKPOINTS, ...paymentCheckpoints()]
    expect([...tried].sort()).toEqual([...new Set(all.filter((name) => !others.includes(name)))].sort())
  })
})
