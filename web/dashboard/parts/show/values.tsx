// Formats money, moments, states and other values. No screen computes a sum or formats a date itself. Amounts come from the API as text,
// and moments appear in the shop's time zone.

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Price } from '../../../../src/http/endpoint/schema.ts'
import { useSession } from '../../session.tsx'

export type { Price }

export function Money({ price }: { price: Price | null | undefined }) {
  return price === null || price === undefined ? <None /> : <span class="money">{price.formatted_with_symbol}</span>
}

/** Placeholder for a missing value. */
export function None({ says = 'none' }: { says?: string }) {
  return (
    <span class="none">
      <span aria-hidden="true">–</span>
      <span class="unseen">{says}</span>
    </span>
  )
}

const countFormat = new Intl.NumberFormat('en-US')

export const count = (value: number): string => countFormat.format(value)

/** `plural(2, 'order')` → "2 orders" */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const sinceWords = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** "3 hours ago" */
export function sinceText(at: number, now = Date.now() / 1_000): string {
  const seconds = at - now
  const size = Math.abs(seconds)
  if (size < 45) return seconds <= 0 ? 'just now' : 'in a moment'
  if (size < HOUR) return sinceWords.format(Math.round(seconds / MINUTE), 'minute')
  if (size < DAY) return sinceWords.format(Math.round(seconds / HOUR), 'hour')
  if (size < 45 * DAY) return sinceWords.format(Math.round(seconds / DAY), 'day')
  if (size < 330 * DAY) return sinceWords.format(Math.round(seconds / (30 * DAY)), 'month')
  return sinceWords.format(Math.round(seconds / (365 * DAY)), 'year')
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`
  let format = formats.get(key)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options })
    formats.set(key, format)
  }
  return format
}

/** "17 Nov 2026, 11:40" in the shop's time zone. */
export const momentText = (at: number, zone: string): string =>
  formatOf(zone, { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' }).format(
    at * 1_000,
  )

/** The shop's current day as `2026-11-17`, plus a number of days. */
export function shopDay(zone: string, days = 0): string {
  const today = formatOf(zone, { year: 'numeric', month: '2-digit', day: '2-digit' })
  const part = (type: string, at: Date) => today.formatToParts(at).find((each) => each.type === type)?.value ?? ''
  const now = new Date()
  const noon = new Date(
    Date.UTC(Number(part('year', now)), Number(part('month', now)) - 1, Number(part('day', now)) + days, 12),
  )
  return noon.toISOString().slice(0, 10)
}

/** Formats the day `2026-11-17` as "17 Nov". */
export const dayText = (day: string, isLong = false): string =>
  formatOf(
    'UTC',
    isLong ? { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' },
  ).format(new Date(`${day}T12:00:00Z`))

/** Redraws every minute, so that "just now" does not stay. */
function useMinute() {
  const [, redraw] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => redraw((times) => times + 1), MINUTE * 1_000)
    return () => clearInterval(timer)
  }, [])
}

type WhenProps = {
  /** Unix seconds. */
  readonly at: number | null | undefined
  /** Show both "3 hours ago" and the moment, if there is space. */
  readonly isFull?: boolean
  /** Text if there is no moment: "never". */
  readonly never?: string
}

/** Recent moments appear as "3 hours ago", others as a date and time. The title has the other form. */
export function When({ at, isFull = false, never = 'never' }: WhenProps) {
  const { merchant } = useSession()
  useMinute()
  if (at === null || at === undefined) return <None says={never} />
  const zone = merchant.time_zone
  const moment = momentText(at, zone)
  const since = sinceText(at)
  const isYoung = Math.abs(Date.now() / 1_000 - at) < 2 * DAY
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={isYoung ? `${moment} (${zone})` : since}>
      {isFull ? `${moment} · ${since}` : isYoung ? since : moment}
    </time>
  )
}

export type Tone = 'good' | 'bad' | 'open' | 'calm'

/** A state as a word, with a dot beside the colour. */
export function Badge({ tone = 'calm', children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span class="badge-dot" aria-hidden="true" />
      {children}
    </span>
  )
}

const STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  paid: ['good', 'Paid'],
  not_paid: ['open', 'Not paid'],
  partially_paid: ['open', 'Partly paid'],
  authorized: ['open', 'Held'],
  refunded: ['calm', 'Refunded'],
  partially_refunded: ['calm', 'Partly refunded'],
  fulfilled: ['good', 'Shipped'],
  partially_fulfilled: ['open', 'Partly shipped'],
  not_fulfilled: ['open', 'To ship'],
  returned: ['calm', 'Returned'],
  not_shippable: ['calm', 'Nothing to ship'],
  cancelled: ['calm', 'Cancelled'],
  complete: ['good', 'Complete'],
  open: ['open', 'Open'],
  active: ['good', 'Active'],
  invited: ['open', 'Invited'],
  disabled: ['calm', 'Off'],
  enabled: ['good', 'On'],
  delivered: ['good', 'Delivered'],
  succeeded: ['good', 'Succeeded'],
  failed: ['bad', 'Failed'],
  pending: ['open', 'Waiting'],
}

const wordsOf = (state: string) => STATES[state] ?? (['calm', state.replaceAll('_', ' ')] as const)

/** A state of the API, such as `not_fulfilled`. An unknown state is shown with spaces instead of underscores. */
export function Status({ state }: { state: string }) {
  const [tone, text] = wordsOf(state)
  return <Badge tone={tone}>{text}</Badge>
}

/** Options of a filter by state, in the words of `Status`. */
export const stateOptions = (...states: readonly string[]): readonly (readonly [value: string, label: string])[] => [
  ['', 'All'],
  ...states.map((state) => [state, wordsOf(state)[1]] as const),
]
