// A day of the shop, from its first second: filters say days, the API takes moments.

/** What the clocks of a zone show at a moment, as if it were UTC. */
function shownAt(at: number, zone: string): number {
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
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
}

/** Unix seconds at which `2026-01-31` begins there. Where clocks leave midnight out, the first moment of the day. */
export function startOf(day: string, zone: string): number {
  const wanted = Date.parse(`${day}T00:00:00Z`)
  // The distance may be another one there than here: asked twice.
  let at = wanted
  for (let times = 0; times < 2; times++) at += wanted - shownAt(at, zone)
  return Math.floor(at / 1_000)
}

export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
