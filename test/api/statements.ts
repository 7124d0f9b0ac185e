// What a request costs: the names of the statements that the process sends for it.

import { roundTripsOf } from '../support/sent.ts'

/** The heartbeat, the last uses of keys, most look-ups of a key and the settings of a new connection belong to no request. */
const BESIDE = /^(heartbeat\.|merchants\.(find_caller|note_key_uses)|select set_config\()/

/** The statements that are sent while `work` runs, by round trips. */
export async function tripsOf(work: () => Promise<unknown>): Promise<string[][]> {
  const names = (await roundTripsOf(work)).map(({ statements }) => statements.map(({ name, text }) => name ?? text))
  return names.map((trip) => trip.filter((name) => !BESIDE.test(name))).filter((trip) => trip.length > 0)
}

export const statementsOf = async (work: () => Promise<unknown>): Promise<string[]> => (await tripsOf(work)).flat()
