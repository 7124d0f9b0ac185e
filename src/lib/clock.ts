// Time: one clock for the whole process, calendar dates and time zones.
// In production the clock follows the database's clock (db/health/heartbeat.ts), so that all processes agree on what has expired. Tests set it.

export interface Clock {
  /** The current time. */
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** Timestamp in the API's form: whole seconds since 1970. */
export const unixSeconds = (moment: Date): number => Math.floor(moment.getTime() / 1000)

// Calendar dates, without a time of day.

/** True for an existing day, written as YYYY-MM-DD. */
export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const moment = new Date(`${value}T00:00:00Z`)
  // Date turns the thirtieth of February into a day of March. A date that does not come back the same does not exist.
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(value)
}

// Days are text and whole numbers here, so daylight saving time cannot make one longer than another.

const DAY_MS = 86_400_000

const toMillis = (day: string): number => Date.parse(`${day}T00:00:00Z`)

const toDay = (moment: number): string => new Date(moment).toISOString().slice(0, 10)

export const addDays = (day: string, days: number): string => toDay(toMillis(day) + days * DAY_MS)

/** Number of days between the two, both included. Less than one if `to` comes first. */
export const daysFrom = (from: string, to: string): number => (toMillis(to) - toMillis(from)) / DAY_MS + 1

/** The next `count` days, starting with this one. */
export const listDays = (from: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => addDays(from, index))

// Date and time in a time zone.

export const DEFAULT_TIME_ZONE = 'UTC'

/** Only names: an offset such as `+01:00` has no daylight saving time. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const TIME_ZONE_RULE = 'must be the name of a time zone such as Europe/Berlin, America/New_York or UTC'

/** Formatters by time zone. Creating one takes a thousand times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  const cachedFormatter = formatters.get(timeZone)
  if (cachedFormatter !== undefined) return cachedFormatter
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formatters.set(timeZone, formatter)
  return formatter
}

/** Wall-clock time in the zone: `YYYY-MM-DD HH:MM:SS`. */
export function timeInTimeZone(timeZone: string, moment: Date): string {
  const parts = new Map(
    formatterFor(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}`
}

export const dayInTimeZone = (timeZone: string, moment: Date): string => timeInTimeZone(timeZone, moment).slice(0, 10)
