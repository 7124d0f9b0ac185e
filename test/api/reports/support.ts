// What the tests of reports share: a shop that orders are made for, the sweep that counts them, and how a day's sums look.

import { countSales } from '../../../src/api/reports/sales.ts'
import type { Overview } from '../../../src/api/reports/schema.ts'
import type { TestApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { openShop as openOrderShop } from '../orders/support.ts'

export const countAll = (app: TestApp, signal = new AbortController().signal) =>
  countSales.run({ db: app.db, clock: app.clock, signal })

export async function openReportShop(app: TestApp, name = 'Report') {
  const shop = await openOrderShop(app, { name })
  const key = shop.keys.sandbox.secret
  const ask = (path: string, by = key) => app.call('GET', `/v1/reports/${path}`, { key: by, headers: HTTPS })
  return {
    ...shop,
    ask,
    async overview(query = '', by = key): Promise<Overview> {
      const { status, text, body } = await ask(`overview?${query}`, by)
      if (status !== 200) throw new Error(text)
      return body as Overview
    },
    /** Of both modes. */
    zone: (time_zone: string) =>
      app.call('PUT', '/v1/merchants', { key: shop.keys.live.secret, headers: HTTPS, body: { time_zone } }),
    cancel: (id: string) => shop.succeed(200, 'POST', `/${id}/cancel`, {}),
  }
}

const HTTPS = { 'x-forwarded-proto': 'https' }

/** Days on which something was sold, as [day, orders, sales]. */
export const soldOn = ({ days }: Overview) =>
  days.filter(({ orders }) => orders > 0).map(({ day, orders, sales }) => [day, orders, sales.raw])

const selectSums = sql<{ sums: string | null }>`
  select (
    select string_agg(day || ' ' || orders || ' ' || returning_orders || ' ' || amount, ', ' order by is_sandbox, day)
    from order_days where merchant_id = :merchant_id and orders <> 0
  ) || ' | ' || (
    select string_agg(day || ' ' || product_id || ' ' || quantity || ' ' || amount, ', ' order by is_sandbox, day, product_id)
    from sales_days where merchant_id = :merchant_id and quantity <> 0
  ) as sums`

/** All that is counted of a shop, as one text. */
export const sumsOf = async (app: TestApp, merchant_id: number) => (await app.db.one(selectSums, { merchant_id })).sums
