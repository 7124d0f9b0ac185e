// @alone
// F1 and F1e with each provider: kill -9 of the server with a capture, a refund, a take or a release parked behind each checkpoint, or while
// the provider has done what it was asked for and its answer is on the way. Another process settles what is left: one order and one charge in
// the provider's books, one refund, one take, one release; or nothing, and everything given back.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { patient } from '../../support/database.ts'
import { paymentCheckpoints } from '../checkpoints.ts'
import { isFull, prove, seconds, size } from '../prove.ts'
import { CHECKPOINTS, type Client } from '../scenes.ts'
import { inTurns, type Reply } from '../world.ts'
import type { Code, Provider } from './books.ts'
import { DUE, type Movement, move, movementsOf, type Scene, scenesOf } from './scenes.ts'
import { openProviderWorld } from './world.ts'

const timeout = patient(size(60_000, 1_200_000))
const ROUNDS = size(1, 3)
/** Transactions are parked with their connections. */
const POOL = 40
/** Half a minute until somebody else sees to it, the minute of Square’s lists, a quarter of one until it is tried again; and some for a busy machine. */
const WITHIN_SECONDS = size(patient(120), 120)
/** Square's lists are behind: before a minute has passed nobody believes that a payment which they do not show was never made. */
const LATER_MS = 65_000

const world = await openProviderWorld()
const [SCENES, MOVEMENTS] = [scenesOf(world), movementsOf(world)]

type Place = { readonly code: Code; readonly at: string | RegExp } & (
  | { readonly scene: Scene; readonly movement?: never }
  | { readonly movement: Movement; readonly scene?: never }
)

const ALL: readonly Place[] = [
  ...SCENES.flatMap((scene) => scene.passes.map((at): Place => ({ code: scene.code, at, scene }))),
  ...MOVEMENTS.flatMap((movement) => movement.passes.map((at): Place => ({ code: movement.code, at, movement }))),
]

/** For `npm test`: each checkpoint once, with one provider after the other; and dying during requests by which money moves. */
function fewOf(places: readonly Place[]): Place[] {
  const names = [...new Set(places.map(({ at }) => at).filter((at) => typeof at === 'string'))]
  const inTurn = names.flatMap((name, index) => {
    const candidates = places.filter(({ at }) => at === name)
    return candidates[index % candidates.length] ?? []
  })
  const { stripe, square, razorpay, paypal } = world
  const moving = [stripe, square, razorpay, paypal].map(({ requests }) => requests.charge)
  const during = [
    ...moving,
    ...[paypal.requests.begin, razorpay.requests.refund, square.requests.refund],
    ...square.requests.part,
  ].flatMap((request) => places.find(({ at }) => at === request) ?? [])
  return [...inTurn, ...during]
}

const providerOf = (code: Code): Provider => world[code]
const shown = ({ code, at, scene, movement }: Place) => `${code}, ${scene?.title ?? movement?.kind} at ${at}`

type Prepared = { client: Client; order?: never } | { order: Order; client?: never }

async function bought(code: Code): Promise<Order> {
  const provider = providerOf(code)
  const token = await world.token(await world.product(3))
  return (await world.buy(provider, token, world.body(provider.payment()))).order
}

/** What is taken later, or let go of, was paid while the shop only had it set aside. */
async function prepare(places: readonly Place[]): Promise<Prepared[]> {
  const prepared: Prepared[] = []
  const isOfHeld = ({ movement }: Place) => movement !== undefined && movement.kind !== 'refund'
  if (places.some(isOfHeld)) await world.setUp('manual')
  await inTurns(places.length, async (index) => {
    const place = places[index] as Place
    if (isOfHeld(place)) prepared[index] = { order: await bought(place.code) }
  })
  await world.setUp()
  await inTurns(places.length, async (index) => {
    const place = places[index] as Place
    if (place.scene !== undefined) prepared[index] = { client: await place.scene.prepare(world) }
    else if (!isOfHeld(place)) prepared[index] = { order: await bought(place.code) }
  })
  return prepared
}

function act({ scene, movement }: Place, { client, order }: Prepared): Promise<Reply> {
  if (client === undefined) return move(world, movement as Movement, order)
  return scene?.last?.(world, client) ?? world.capture(client.token, client.body)
}

/** A server without jobs, with one request parked at each place; and then it is killed. */
async function dieAt(places: readonly Place[]): Promise<Prepared[]> {
  const victim = await world.start({ withJobs: false, poolSize: POOL, settleSeconds: 30 })
  await world.setUp()
  await world.refuseCards()
  const prepared = await prepare(places)
  const answers: Promise<Reply>[] = []
  let parked = 0
  for (const [index, place] of places.entries()) {
    const { double } = providerOf(place.code)
    const before = double.requests.length
    if (typeof place.at === 'string') await victim.tell({ park: { [place.at]: 1 } })
    // It is done, and nobody hears of it.
    else double.trouble({ slowMs: 600_000 }, { on: place.at })
    const answer = act(place, prepared[index] as Prepared)
    answers.push(answer)
    const early = answer.then((reply) => {
      throw new Error(`${shown(place)} was answered: ${JSON.stringify(reply)}`)
    })
    early.catch(() => undefined)
    const { at } = place
    const reached =
      typeof at === 'string'
        ? victim.untilParked(++parked)
        : expect
            .poll(() => double.requests.slice(before).some(({ method, path }) => at.test(`${method} ${path}`)), {
              timeout: 60_000,
              interval: 5,
            })
            .toBe(true)
    await Promise.race([reached, early]).catch((error: Error) => {
      throw new Error(`${shown(place)} was not reached: ${error.message}`)
    })
  }
  expect(await world.kill(victim)).toMatchObject({ signal: 'SIGKILL' })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(places.map(() => 0))
  for (const { double } of world.all) double.calm()
  return prepared
}

/** Another process. Half of the clients ask again at once, the others only when all is settled. Gives how long settling took. */
async function heal(places: readonly Place[], prepared: readonly Prepared[], clockAheadMs: number): Promise<number> {
  const diedAt = performance.now()
  const healer = await world.start({ settleSeconds: 3, ...(clockAheadMs === 0 ? {} : { clockAheadMs }) })
  const clients = prepared.flatMap(({ client }, index) =>
    client === undefined ? [] : [{ ...client, provider: providerOf((places[index] as Place).code) }],
  )
  const buy = async ({ provider, token, body }: (typeof clients)[number]) => {
    const { order } = await world.buy(provider, token, body, { amount: DUE, withinMs: patient(180_000) })
    expect(await world.orders(token)).toEqual([order.id])
  }
  const isHasty = (_: unknown, index: number) => index % 2 === 0
  await Promise.all(clients.filter(isHasty).map(buy))
  const settledIn = await world.settled(diedAt, patient(180_000))
  for (const { token } of clients) expect((await world.orders(token)).length).toBeLessThan(2)
  await world.expectBooks()
  await world.expectOracles()
  await Promise.all(clients.filter((client, index) => !isHasty(client, index)).map(buy))
  for (const [index, { movement }] of places.entries())
    if (movement !== undefined) await expectMoved(movement, prepared[index]?.order as Order)
  await world.settled(performance.now(), patient(180_000))
  await world.expectBooks()
  await world.expectOracles()
  await world.kill(healer)
  return settledIn
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
  await world.expectBooks()
  await world.expectOracles()
  await world.kill(healer)
  return settledIn
}

/** By provider. In full each provider dies by itself, the first time until the real minute has passed. */
async function dieEverywhere(): Promise<Map<Code, Figures>> {
  const figures = new Map<Code, Figures>()
  const batches = isFull ? world.all.map(({ code }) => ALL.filter((place) => place.code === code)) : [fewOf(ALL)]
  for (let round = 0; round < ROUNDS; round++)
    for (const batch of batches) {
      // Turned by one each round, so that who was hasty is patient the next time.
      const places = [...batch.slice(round), ...batch.slice(0, round)]
      const settledIn = await heal(places, await dieAt(places), isFull && round === 0 ? 0 : LATER_MS)
      expect(settledIn).toBeLessThan(WITHIN_SECONDS)
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

describe('kill -9, with each provider', () => {
  it('leaves one order and one charge, refund or take in its books, or nothing, wherever it dies', {
    timeout,
  }, async () => {
    const dying = dieEverywhere()
    dying.catch(() => undefined)
    const sizeOf = (count: number) => `${count / ROUNDS} places × ${ROUNDS}`
    for (const { code, name } of world.all) {
      const places = (isFull ? ALL : fewOf(ALL)).filter((place) => place.code === code)
      const captures = places.filter(({ scene }) => scene !== undefined).length * ROUNDS
      const movements = places.length * ROUNDS - captures
      await prove(
        {
          id: `F1-${code}`,
          done: `kill -9 of the server with a capture by ${name} parked behind each durable step, or with ${name} having done what it was asked for and not heard; another process settles it`,
          size: sizeOf(captures),
        },
        async () => {
          const found = (await dying).get(code) as Figures
          expect(found.places).toBe(captures)
          return `${found.places} orders of ${found.places} tokens, one charge in ${name}’s books for each that was paid by it and no other, O1–O6 hold, settled within ${seconds(found.settledIn)}`
        },
      )
      await prove(
        {
          id: `F1e-${code}`,
          done: `kill -9 of the server with a refund of a part, or with what ${name} has set aside being taken, taken in part or let go of, parked in the same way`,
          size: sizeOf(movements),
        },
        async () => {
          const found = (await dying).get(code) as Figures
          expect(found.movements).toBe(movements)
          // They were killed and settled in the same runs: the seconds stand there.
          return `${found.movements} orders, each refund, take and release once in ${name}’s books, settled together with F1-${code}`
        },
      )
    }
  })

  it('of who lets go of what was set aside leaves it to another, who hears that it is done', { timeout }, async () => {
    const letting = world.all.filter(({ requests }) => requests.release !== undefined)
    await prove(
      {
        id: 'F1f',
        done: 'kill -9 of the server while the provider has let go of what it had set aside for an order that was cancelled, and its answer is on the way',
        size: `${letting.length} providers × ${ROUNDS}`,
      },
      async () => {
        const took: number[] = []
        for (let round = 0; round < ROUNDS; round++) took.push(await dieLettingGo(letting))
        return `${letting.length * ROUNDS} orders cancelled, nothing held or taken in any provider’s books, settled within ${seconds(Math.max(...took))}`
      },
    )
  })

  it('is tried at every checkpoint that a provider’s payments pass', () => {
    const tried = new Set(ALL.map(({ at }) => at).filter((at) => typeof at === 'string'))
    // The completer’s own are those of test/faults/kill.test.ts, where it is killed; cancels of what was paid are those of cancel.test.ts.
    const others = ['capture.claimed', 'capture.postponed', 'orders.cancel_beginning']
    const all = [...CHECKPOINTS, ...paymentCheckpoints()]
    expect([...tried].sort()).toEqual([...new Set(all.filter((name) => !others.includes(name)))].sort())
    const few = new Set(fewOf(ALL).map(({ at }) => at))
    expect([...tried].filter((name) => !few.has(name))).toEqual([])
  })
})
