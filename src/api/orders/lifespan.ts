// How long and how often what was bought can be downloaded: from when it was paid, in words, and how large it is.

import type { OrderLineDraft } from './draft.ts'

export type Lifespan = OrderLineDraft['lifespan']

const DAY_MS = 86_400_000
const DAYS = { days: 1, weeks: 7 } as const

/** When it ends; null where it never does. */
export function endOf(lifespan: Lifespan, paidAt: Date): Date | null {
  if (lifespan === null || lifespan.duration === null || lifespan.period === null) return null
  const { duration, period } = lifespan
  return period === 'months'
    ? monthsAfter(paidAt, duration)
    : new Date(paidAt.getTime() + duration * DAYS[period] * DAY_MS)
}

/** The same day of a later month, or its last: a month after the 31st of January is the 28th or 29th of February, not the 3rd of March. */
function monthsAfter(moment: Date, months: number): Date {
  const later = new Date(moment)
  later.setUTCMonth(moment.getUTCMonth() + months)
  if (later.getUTCDate() !== moment.getUTCDate()) later.setUTCDate(0)
  return later
}

export function describeLifespan(lifespan: Lifespan): string {
  const limit = lifespan?.downloadLimit ?? null
  const often = limit === null ? '' : limit === 1 ? 'once' : `${limit} times`
  const long = durationText(lifespan)
  if (often !== '') return `It can be downloaded ${often}${long === '' ? '' : ` within ${long} of payment`}.`
  return long === '' ? 'It can be downloaded at any time.' : `It can be downloaded for ${long} after payment.`
}

function durationText(lifespan: Lifespan): string {
  if (lifespan === null || lifespan.duration === null || lifespan.period === null) return ''
  const { duration, period } = lifespan
  return duration === 1 ? `1 ${period.slice(0, -1)}` : `${duration} ${period}`
}

const UNITS = ['KB', 'MB', 'GB', 'TB'] as const

/** `38.71 KB`, where 1 KB is 1024 bytes. */
export function describeSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  let size = bytes / 1_024
  let unit = 0
  // Not at 1024: what rounds to 1024.00 KB is shown as 1.00 MB.
  for (; size >= 1_023.995 && unit < UNITS.length - 1; unit++) size /= 1_024
  return `${size.toFixed(2)} ${UNITS[unit]}`
}
