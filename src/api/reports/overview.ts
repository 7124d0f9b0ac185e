// The overview of a shop: its days and their sums. Orders that were made or cancelled and are not counted yet are added to the counted
// days. So an order shows at once.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { addDays, dayInTimeZone, daysFrom, isCalendarDate, listDays } from '../../lib/clock.ts'
import { notFound } from '../../lib/errors.ts'
import { MAX_TOTAL, type Minor, priceOf } from '../../lib/money.ts'
import { Problems } from '../../lib/problems.ts'
import { timeZoneOf } from '../merchants/settings.ts'
import { findSettings } from '../merchants/store.ts'
import { availableGateways } from '../payment-methods/available.ts'
import { type DayRange, type DaySums, type OverviewRow, readOverview } from './read-store.ts'
import { LOW_STOCK, MAX_DAYS, type Overview, type Totals } from './schema.ts'

type ReportContext = Pick<Context, 'db' | 'clock' | 'caller'>

type RequestedDays = { readonly from?: string; readonly to?: string }

const USUAL_DAYS = 30

export type ReportPeriod = { readonly days: DayRange; readonly count: number; readonly timeZone: string }

/** Checks the requested days. The default is the last thirty days in the shop's calendar. */
export async function parseReportPeriod(
  { db, clock, caller }: ReportContext,
  query: RequestedDays,
): Promise<ReportPeriod> {
  const problems = new Problems()
  for (const field of ['from', 'to'] as const) {
    const text = query[field]
    // No shop has earlier sales, and calendars cannot count back from the first years.
    if (text !== undefined && !(isCalendarDate(text) && text >= '1970'))
      problems.malformed(field, 'must be a date since 1970, written YYYY-MM-DD')
  }
  problems.throwIfAny()
  const settings = await findSettings(db, caller)
  if (settings === null) throw notFound('merchant')
  const timeZone = timeZoneOf(settings)
  const to = query.to ?? dayInTimeZone(timeZone, clock.now())
  const from = query.from ?? addDays(to, 1 - USUAL_DAYS)
  const count = daysFrom(from, to)
  if (count < 1) problems.malformed('from', `must not be after ${query.to === undefined ? `today, ${to}` : 'to'}`)
  if (count > MAX_DAYS) problems.malformed('to', `must be within ${MAX_DAYS} days of from, both included`)
  problems.throwIfAny()
  return { days: { from, to }, count, timeZone }
}

export async function getOverview(
  context: ReportContext,
  { compare = false, ...query }: RequestedDays & { readonly compare?: boolean },
): Promise<Overview> {
  const { db, caller } = context
  const { days, count, timeZone } = await parseReportPeriod(context, query)
  const before = { from: addDays(days.from, -count), to: addDays(days.from, -1) }
  const range = { from: compare ? before.from : days.from, to: days.to }
  const row = await readOverview(db, caller, range, LOW_STOCK)
  if (row === null) throw notFound('merchant')
  const sums = sumsByDay(row, timeZone)
  const { currency } = caller
  return {
    ...days,
    time_zone: timeZone,
    totals: totalsOf(sums, days.from, count, currency),
    previous: compare ? totalsOf(sums, before.from, count, currency) : null,
    days: listDays(days.from, count).map((day) => {
      const { amount, orders } = sums.get(day) ?? NOTHING
      return { day, sales: showCappedAmount(amount, currency), orders }
    }),
    to_do: {
      unshipped: row.unshipped,
      unpaid: row.unpaid,
      failing_webhooks: row.failing_webhooks,
      low_stock: row.low_stock,
    },
    check_list: {
      product: row.has_product,
      shipping: row.has_shipping,
      // Follows the rules of the checkout: in the sandbox the test gateway is on without setup.
      gateway: availableGateways(row.gateways, caller.is_sandbox).available_count > 0,
      key: row.has_key,
      test_purchase: row.has_test_purchase,
    },
  }
}

/** Caps the amount, because years of very large orders are more than a price can hold. */
export const showCappedAmount = (amount: Minor, currency: string) => priceOf(Math.min(amount, MAX_TOTAL), currency)

type Sums = Omit<DaySums, 'day'>

const NOTHING: Sums = { orders: 0, returning_orders: 0, amount: 0 }

function sumsByDay({ days, pending }: OverviewRow, timeZone: string): Map<string, Sums> {
  const sums = new Map<string, Sums>(days.map((each) => [each.day, each]))
  for (const { created, day: countedIn, amount, is_returning } of pending) {
    const sign = countedIn === null ? 1 : -1
    const day = countedIn ?? dayInTimeZone(timeZone, new Date(created * 1_000))
    const current = sums.get(day) ?? NOTHING
    sums.set(day, {
      orders: current.orders + sign,
      returning_orders: current.returning_orders + (is_returning ? sign : 0),
      amount: current.amount + sign * amount,
    })
  }
  return sums
}

function totalsOf(sums: ReadonlyMap<string, Sums>, from: string, count: number, currency: string): Totals {
  let [orders, returning, amount] = [0, 0, 0]
  for (const day of listDays(from, count)) {
    const daySums = sums.get(day) ?? NOTHING
    orders += daySums.orders
    returning += daySums.returning_orders
    amount += daySums.amount
  }
  return {
    sales: showCappedAmount(amount, currency),
    orders,
    average: showCappedAmount(orders === 0 ? 0 : Math.round(amount / orders), currency),
    returning_share: orders === 0 ? null : Math.round((returning / orders) * 10_000) / 10_000,
  }
}
