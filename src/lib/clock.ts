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

// Days are reckoned with as text and whole numbers: none is longer than another here, whatever clocks do in spring and autumn.

const DAY_MS = 86_400_000

const momentOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

const dayAt = (moment: number): string => new Date(moment).toISOString().slice(0, 10)

export const addDays = (day: string, days: number): string => dayAt(momentOf(day) + days * DAY_MS)

/** How many days from one to the other, both included; less than one where `to` comes first. */
export const daysFrom = (from: string, to: string): number => (momentOf(to) - momentOf(from)) / DAY_MS + 1

/** Each of `count` days from this one on. */
export const everyDay = (from: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => addDays(from, index))

// Which day and time it is in a time zone.

export const DEFAULT_TIME_ZONE = 'UTC'

/** Names alone: what is an offset, `+01:00`, knows no summer. */
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

/** By time zone. Making one takes a thousand times as long as asking it. */
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockIn(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  clocks.set(timeZone, made)
  return made
}

/** What a clock on the wall shows there: `YYYY-MM-DD HH:MM:SS`. */
export function timeIn(timeZone: string, moment: Date): string {
  const parts = new Map(
    clockIn(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}`
}

export const dayIn = (timeZone: string, moment: Date): string => timeIn(timeZone, moment).slice(0, 10)
