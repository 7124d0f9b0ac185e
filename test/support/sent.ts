// Records what the service sends to PostgreSQL while a test does something, by patching the client library.

import pg from 'pg'

/** `values` is present if the values are sent separately from the text. */
export type Sent = { name?: string; text: string; values?: unknown[] }

/** A round trip: its connection, and its statements in order. */
export type RoundTrip = { client: unknown; statements: readonly Sent[] }

/** Returns the round trips on all connections while `work` runs. */
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

/** src/db/round-trips/round.ts passes a list of statements; a plain text is one statement. */
const statementsOf = (config: unknown): readonly Sent[] =>
  typeof config === 'string' ? [{ text: config }] : ((config as { statements?: Sent[] }).statements ?? [config as Sent])
