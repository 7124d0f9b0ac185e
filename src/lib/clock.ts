// Time: one clock for the whole process, and dates of the calendar. Production runs it in step with the database's clock (see db/heartbeat.ts),
// so that every process agrees on what has expired; tests set it.

export interface Clock {
  /** The present moment. */
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** A timestamp as the API shows it: whole seconds since 1970. */
export const unixSeconds = (moment: Date): number => Math.floor(moment.getTime() / 1000)

// Dates of the calendar, without a time of day.

/** A day that exists, written as YYYY-MM-DD. */
export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const moment = new Date(`${value}T00:00:00Z`)
  // Date turns the thirtieth of February into a day of March; a date that does not come back the same does not exist.
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(value)
}
