// GET /v1/customers/{id}/spending: what a customer has paid in all, less what was given back; counted by a sweep, each order once, whatever happens
// to it afterwards and however many count at the same moment.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { countSpending } from '../../../src/api/reports/spending.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { draftOf, usd } from '../orders/support.ts'
import { openReportShop } from './support.ts'

const app = await testApp({ connection: await cloneDatabase(), trustProxy: () => true })
const shop = await openReportShop(app)
const key = shop.keys.sandbox.secret

const count = () => countSpending.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })

const by = (email: string) => ({ customer: { ...draftOf().customer, email } })

const spendingOf = async ({ customer }: Order, of = key) => {
  const { status, body } = await app.call('GET', `/v1/customers/${customer.id}/spending`, {
    key: of,
    headers: { 'x-forwarded-proto': 'https' },
  })
  return status === 200 ? (body as { data: unknown[] }).data : status
}

const dollars = (orders: number, minor: number) => ({
  currency: { code: 'USD', symbol: '$' },
  orders,
  spent: usd(minor),
})

describe('what a customer has spent', () => {
  it('is what was paid for all orders, less what was given back, as it changes', async () => {
    const first = await shop.order(by('ann@example.com'))
    expect(await spendingOf(first)).toEqual([])
    await count()
    expect(await spendingOf(first)).toEqual([dollars(1, 2_000)])
    const byHand = await shop.order(by('ann@example.com'), 'manual')
    await shop.order(by('bob@example.com'))
    await count()
    // What is not paid is not spent, and others are others.
    expect(await spendingOf(first)).toEqual([dollars(1, 2_000)])
    const path = `/${byHand.id}/transactions/${byHand.transactions[0]?.id}`
    await shop.succeed(200, 'PUT', path, { status: 'complete', amount: 5 })
    // Twice in one moment, with a count between: the second is not lost.
    await shop.succeed(200, 'POST', `/${first.id}/refund`, { amount: 3 })
    await count()
    await shop.succeed(200, 'POST', `/${first.id}/refund`, { amount: 4 })
    await count()
    expect(await spendingOf(first)).toEqual([dollars(2, 2_000 - 700 + 500)])
    await shop.succeed(200, 'POST', `/${first.id}/refund`, {})
    await count()
    await count()
    expect(await spendingOf(first)).toEqual([dollars(1, 500)])
  })

  it('is kept for each currency', async () => {
    const first = await shop.order(by('cy@example.com'))
    await shop.order({ ...by('cy@example.com'), currency: 'EUR' })
    await count()
    expect(await spendingOf(first)).toMatchObject([
      { currency: { code: 'EUR' }, orders: 1, spent: { raw: 20 } },
      { currency: { code: 'USD' }, orders: 1, spent: { raw: 20 } },
    ])
  })

  it('is counted once by several who count at the same moment', async () => {
    const orders = []
    for (let made = 0; made < 12; made++) orders.push(await shop.order(by('dee@example.com')))
    await Promise.all([count(), count(), count()])
    // What one held, another has passed over.
    await count()
    expect(await spendingOf(orders[0] as Order)).toEqual([dollars(12, 24_000)])
  })

  it('goes with the customer, and is nobody else’s', async () => {
    const order = await shop.order(by('eve@example.com'))
    await count()
    expect(await spendingOf(order, shop.keys.live.secret)).toBe(404)
    expect(await spendingOf(order, (await openReportShop(app)).keys.sandbox.secret)).toBe(404)
    const { status } = await app.call('DELETE', `/v1/customers/${order.customer.id}`, { key })
    expect(status).toBe(204)
    expect(await spendingOf(order)).toBe(404)
    // The order stays, and is counted for nobody.
    await shop.succeed(200, 'POST', `/${order.id}/refund`, { amount: 1 })
    expect(await count()).toBe(1)
  })
})
