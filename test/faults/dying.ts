// Kills a server while requests are parked behind durable steps, and lets the next process settle the rest.

import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { lengthened, patient } from '../support/database.ts'
import { inTurns, type Reply, type World } from './world.ts'

/** A parked transaction keeps its connection. */
const POOL = 40
const SETTLE_SECONDS = lengthened(1)
/** The gateway gets two thirds of this time, so it answers in time even on a busy machine: the kill is the only fault. */
const [VICTIM_SETTLE_SECONDS, HEALER_SETTLE_SECONDS] = [30, lengthened(6)]
/** The next process's clock is ahead by this much, so the victim's work is due four seconds after it began. */
const LATER = { clockAheadMs: (VICTIM_SETTLE_SECONDS - lengthened(4)) * 1_000 }
const WITHIN_SECONDS = patient(60)

/** A request during which its server dies. */
export type Flight = {
  act(): Promise<Reply>
  /** Repeats the request until it succeeds, like a client that got no response. */
  insist?(): Promise<void>
  /** Expects that the request took effect exactly once. */
  expectDone(): Promise<void>
}

export type Place = {
  readonly title: string
  readonly checkpoint: string
  /** Stops the request somewhere other than at one of our checkpoints. */
  readonly stop?: { begin(): void; isReached(): boolean }
  prepare(world: World): Promise<Flight>
}

/** Starts a server without jobs, parks one request at each place, and kills the server. */
export async function dieAt<Of extends Place>(
  world: Pick<World, 'start' | 'kill'>,
  places: readonly Of[],
  prepare: (places: readonly Of[]) => Promise<Flight[]>,
): Promise<Flight[]> {
  const victim = await world.start({ withJobs: false, poolSize: POOL, settleSeconds: VICTIM_SETTLE_SECONDS })
  const flights = await prepare(places)
  const answers: Promise<Reply>[] = []
  let parked = 0
  for (const [index, { title, checkpoint, stop }] of places.entries()) {
    if (stop === undefined) await victim.tell({ park: { [checkpoint]: 1 } })
    else stop.begin()
    const answer = (flights[index] as Flight).act()
    answers.push(answer)
    const early = answer.then((reply) => {
      throw new Error(`It was answered: ${JSON.stringify(reply)}`)
    })
    early.catch(() => undefined)
    const reached =
      stop === undefined
        ? victim.untilParked(++parked)
        : expect.poll(stop.isReached, { timeout: patient(60_000), interval: 5 }).toBe(true)
    await Promise.race([reached, early]).catch((error: Error) => {
      throw new Error(`${title} does not pass ${checkpoint}: ${error.message}`)
    })
  }
  expect(await world.kill(victim)).toMatchObject({ signal: 'SIGKILL' })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(places.map(() => 0))
  return flights
}

/** The same in a shop with test gateways. */
export const dieInShop = (world: World, places: readonly Place[]): Promise<Flight[]> =>
  dieAt(world, places, async () => {
    await openGateways(world)
    return inTurns(places.length, (index) => (places[index] as Place).prepare(world))
  })

const opened = new Set<World>()

/** Sets up the gateways once per shop, through its first server. */
export async function openGateways(world: World) {
  if (opened.has(world)) return
  opened.add(world)
  await world.openGateways()
}

/** Starts the next process. Half of the clients retry at once, the others when everything is settled. Returns the seconds until then. */
export async function heal(
  world: Pick<World, 'start' | 'kill' | 'settled' | 'expectOracles'>,
  flights: readonly Flight[],
  later = LATER,
): Promise<number> {
  const diedAt = performance.now()
  const healer = await world.start({ settleSeconds: HEALER_SETTLE_SECONDS, ...later })
  const hasty = flights.filter((_, index) => index % 2 === 0).map((flight) => flight.insist?.())
  const settledIn = await world.settled(diedAt)
  expect(settledIn).toBeLessThan(WITHIN_SECONDS)
  await Promise.all(hasty)
  await world.expectOracles()
  for (const flight of flights) await flight.expectDone()
  await world.settled(performance.now())
  await world.expectOracles()
  await world.kill(healer)
  return settledIn
}

/** Parks and kills the settling process as well. The third process settles everything. */
export async function dieSettling(
  world: World,
  places: readonly Place[],
  park: Readonly<Record<string, number>>,
): Promise<number> {
  const flights = await dieInShop(world, places)
  // All attempts are due, so the completer claims them together.
  await pause(SETTLE_SECONDS * 1_000 + 200)
  const dying = await world.start({ park, poolSize: POOL, settleSeconds: SETTLE_SECONDS, ...LATER })
  await dying.untilParked(Object.values(park).reduce((sum, one) => sum + one, 0))
  expect(Object.fromEntries(dying.parked)).toEqual(park)
  await world.kill(dying)
  return heal(world, flights)
}
