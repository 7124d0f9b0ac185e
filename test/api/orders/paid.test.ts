// orders.paid: once in the life of an order, when the whole amount has arrived, however it arrives and whoever says so at the same time.

import { afterAll, describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { testApp } from '../../support/app.ts'
import { atOnce } from '../../support/shop.ts'
import { openShop, orderEvent } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
afterAll(async () => expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([]))

const pending = async (order: Order) =>
  (await shop.get(order.id)).transactions.find(({ status }) => status === 'pending')?.id

describe('orders.paid', () => {
  it('is told with the order that is paid as it is made, also with a free one', async () => {
    const order = await shop.order()
    const events = await shop.events(order)
    expect(events.map(({ name }) => name)).toEqual(['orders.create', 'orders.paid'])
    expect(events[1]).toEqual(orderEvent('orders.paid', order))
    const free = await shop.order({ total_due: 0 })
    expect([free.status_payment, await shop.told(free)]).toEqual(['paid', ['orders.create', 'orders.paid']])
  })

  it('is told when a payment by hand is completed, with the order as it then is, and never again', async () => {
    const order = await shop.order({}, 'manual')
    expect(await shop.told(order)).toEqual(['orders.create'])
    app.clock.advance(60)
    expect((await shop.complete(order)).status).toBe(200)
    const [, paid, update] = await shop.events(order)
    const after = await shop.get(order.id)
    expect([paid?.name, update?.name, after.status_payment]).toEqual(['orders.paid', 'orders.update', 'paid'])
    expect([paid?.payload, update?.payload]).toEqual([after, after])
    // Later changes do not tell it again: a second word, a note, a change, a refund.
    const path = `/${order.id}/transactions/${order.transactions[0]?.id}`
    expect((await shop.complete(order)).status).toBe(200)
    expect((await shop.call('PUT', path, { notes: 'Seen on the statement.' })).status).toBe(200)
    expect((await shop.call('PUT', `/${order.id}`, { meta: { box: 1 } })).status).toBe(200)
    expect((await shop.call('POST', `/${order.id}/refund`, { amount: 5 })).status).toBe(200)
    expect((await shop.call('PUT', path, { notes: 'A part went back.' })).status).toBe(200)
    expect((await shop.told(order)).filter((name) => name === 'orders.paid')).toEqual(['orders.paid'])
  })

  it('is told with the last part, not with those before it', async () => {
    const order = await shop.order({}, 'manual')
    app.clock.advance(1)
    expect((await shop.complete(order, { amount: 5 })).status).toBe(200)
    expect(await shop.told(order)).toEqual(['orders.create', 'orders.update'])
    app.clock.advance(1)
    expect((await shop.complete(order, {}, await pending(order))).status).toBe(200)
    expect(await shop.told(order)).toEqual(['orders.create', 'orders.update', 'orders.paid', 'orders.update'])
  })

  it('is not told of an order that was cancelled before it was paid', async () => {
    const order = await shop.order({}, 'manual')
    app.clock.advance(1)
    expect((await shop.call('POST', `/${order.id}/cancel`, {})).status).toBe(200)
    expect((await shop.complete(order)).status).toBe(422)
    expect(await shop.told(order)).toEqual(['orders.create', 'orders.cancel'])
  })

  it.each(['manual', 'authorized'] as const)('is told once by many who complete a payment at once (%s)', async (by) => {
    for (let round = 0; round < 3; round++) {
      const order = await shop.order({}, by)
      const answers = await atOnce(6, () => shop.complete(order))
      // To say it again of a payment by hand does no harm.
      expect(answers.map(({ status }) => status)).toContain(200)
      if (by === 'manual') expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      const after = await shop.get(order.id)
      expect([after.status_payment, after.transactions.length, after.order.total_paid.raw]).toEqual(['paid', 1, 20])
      expect((await shop.told(order)).filter((name) => name === 'orders.paid')).toEqual(['orders.paid'])
    }
  })
})
