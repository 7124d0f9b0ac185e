// One clock for the whole process. Production runs it in step with the database's clock (see db/heartbeat.ts),
// so that every process agrees on what has expired; tests set it.

export interface Clock {
  /** The present moment. */
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** A timestamp as the API shows it: whole seconds since 1970. */
export const unixSeconds = (moment: Date): number => Math.floor(moment.getTime() / 1000)
