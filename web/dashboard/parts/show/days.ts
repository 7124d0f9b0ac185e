// Converts a day of the shop to the moment when it begins, because filters use days and the API uses moments.

/** The wall-clock time of a zone at a moment, written as if it were UTC. */
function wallClockAt(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const field = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(field('year'), field('month') - 1, field('day'), field('hour'), field('minute'), field('second'))
}

/** Unix seconds at which a day such as `2026-01-31` begins in the zone. If clocks skip midnight, the first moment of the day. */
export function startOfDay(day: string, zone: string): number {
  const utcMidnight = Date.parse(`${day}T00:00:00Z`)
  // Run twice, because the offset at the result may differ from the offset at the first guess.
  let at = utcMidnight
  for (let times = 0; times < 2; times++) at += utcMidnight - wallClockAt(at, zone)
  return Math.floor(at / 1_000)
}

export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
