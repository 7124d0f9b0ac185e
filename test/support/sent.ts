// What the service sends to PostgreSQL while a test does something, seen where it is handed to the client library.

import pg from 'pg'

/** `values` are there where they go beside the text. */
export type Sent = { name?: string; text: string; values?: unknown[] }

/** A round trip: the connection that it went by, and its statements in order. */
export type RoundTrip = { client: unknown; statements: readonly Sent[] }

/** The round trips made while `work` runs, by whichever connection. */
export async function roundTripsOf(work: () => Promise<unknown>): Promise<RoundTrip[]> {
  const made: RoundTrip[] = []
  const prototype = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown }
  const { query } = prototype
  prototype.query = function (config, ...rest) {
    made.push({ client: this, statements: statementsOf(config) })
    return query.call(this, config, ...rest)
  }
  try {
    await work()
  } finally {
    prototype.query = query
  }
  return made
}

/** src/db/round-trips/round.ts has a list of them; a text is sent as it is. */
const statementsOf = (config: unknown): readonly Sent[] =>
  typeof config === 'string' ? [{ text: config }] : ((config as { statements?: Sent[] }).statements ?? [config as Sent])
