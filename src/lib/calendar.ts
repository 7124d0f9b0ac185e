// Dates of the calendar, without a time of day.

/** A day that exists, written as YYYY-MM-DD. */
export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const moment = new Date(`${value}T00:00:00Z`)
  // Date turns the thirtieth of February into a day of March; a date that does not come back the same does not exist.
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(value)
}
