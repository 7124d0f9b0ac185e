// Kills a server while requests are parked behind durable steps, and lets the next process settle the rest.

import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { lengthened, patient } from '../support/database.ts'
import { inTurns, type Reply, type World } from './world.ts'

/** A parked transaction keeps its connection. */
const POOL = 40
export const SETTLE_SECONDS = lengthened(1)
/** Two thirds are for the gateway, which answers in time also on a busy machine: the kill is the only fault. */
const VICTIM_SETTLE_SECONDS = 30
/** The next process runs this much ahead, so that the work of the victim is due four seconds after it began. */
export const LATER = { clockAheadMs: (VICTIM_SETTLE_SECONDS - lengthened(4)) * 1_000 }
const WITHIN_SECONDS = patient(60)

/** A request that its server dies in. */
export type Flight = {
  act(): Promise<Reply>
  /** Sends the request again until it has succeeded, as a client without an answer does. */
  insist?(): Promise<void>
  /** Expects that the request took effect exactly once. */
  expectDone(): Promise<void>
}

export type Place = { readonly title: string; readonly checkpoint: string; prepare(world: World): Promise<Flight> }

/** A server without jobs parks one request at each place, and is killed. */
export async function dieAt(world: World, places: readonly Place[]): Promise<Flight[]> {
  const victim = await world.start({ withJobs: false, poolSize: POOL, settleSeconds: VICTIM_SETTLE_SECONDS })
  await openGateways(world)
  const flights = await inTurns(places.length, (index) => (places[index] as Place).prepare(world))
  const answers: Promise<Reply>[] = []
  for (const [index, { title, checkpoint }] of places.entries()) {
    await victim.tell({ park: { [checkpoint]: 1 } })
    answers.push((flights[index] as Flight).act())
    await victim.untilParked(index + 1).catch((error: Error) => {
      throw new Error(`${title} does not pass ${checkpoint}: ${error.message}`)
    })
  }
  expect(await world.kill(victim)).toMatchObject({ signal: 'SIGKILL' })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(places.map(() => 0))
  return flights
}

const opened = new Set<World>()

/** Opens the gateways once for each shop, by its first server. */
export async function openGateways(world: World) {
  if (opened.has(world)) return
  opened.add(world)
  await world.openGateways()
}

/** The next process: half of the clients insist at once, the others when all is settled. Returns the seconds until then. */
export async function heal(world: World, flights: readonly Flight[]): Promise<number> {
  const diedAt = performance.now()
  const healer = await world.start({ settleSeconds: SETTLE_SECONDS, ...LATER })
  const hasty = flights.filter((_, index) => index % 2 === 0).map((flight) => flight.insist?.())
  const settledIn = await world.settled(diedAt)
  expect(settledIn).toBeLessThan(WITHIN_SECONDS)
  await Promise.all(hasty)
  await world.expectOracles()
  for (const flight of flights) await flight.expectDone()
  await world.expectOracles()
  await world.kill(healer)
  return settledIn
}

/** Parks the process that settles the rest as well, and kills it. The third process settles everything. */
export async function dieSettling(
  world: World,
  places: readonly Place[],
  park: Readonly<Record<string, number>>,
): Promise<number> {
  const flights = await dieAt(world, places)
  // All of them are due, so that the completer takes them together.
  await pause(SETTLE_SECONDS * 1_000 + 200)
  const dying = await world.start({ park, poolSize: POOL, settleSeconds: SETTLE_SECONDS, ...LATER })
  await dying.untilParked(Object.values(park).reduce((sum, one) => sum + one, 0))
  expect(Object.fromEntries(dying.parked)).toEqual(park)
  await world.kill(dying)
  return heal(world, flights)
}
