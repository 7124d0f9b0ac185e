// The page on which one pays, without scripting: from a token to a receipt, and everything that can be in the way.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { testApp } from '../../support/app.ts'
import { ADDRESS, CARD, cardOf, follow, load, NUMBER, openPageShop, send } from './support.ts'

const app = await testApp()
const shop = await openPageShop(app)

const receiptOf = (token: { id: string }) => shop.succeed<Order>(200, 'GET', `checkouts/${token.id}/receipt`)

describe('a checkout', () => {
  it('is paid by form alone, and its receipt is shown', async () => {
    const token = await shop.shipped()
    const page = await shop.open(token)
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.form).toMatchObject({ 'shipping[country]': 'US', 'fulfillment[shipping_method]': shop.method })
    expect(page.text).toContain('$15.00')
    const updated = await send(app, shop.path(token), page, ADDRESS, 'update')
    expect(updated.status).toBe(200)
    expect(updated.form).toMatchObject(ADDRESS)
    const paid = await send(app, shop.path(token), updated, CARD, 'pay')
    expect([paid.status, paid.location]).toEqual([303, shop.path(token, '/receipt?lang=en')])
    const order = await receiptOf(token)
    const receipt = await follow(app, paid)
    expect(receipt.status).toBe(200)
    expect(receipt.text).toContain(order.customer_reference)
    expect(order).toMatchObject({
      status_payment: 'paid',
      customer: { email: 'ada@example.com' },
      shipping: { street: '1 Main Street', country: 'US' },
      billing: { street: '1 Main Street', country: 'US' },
      order_value: { raw: 15 },
    })
  })

  it('that was paid leads to its receipt, by whichever of its addresses', async () => {
    const token = await shop.digital()
    const page = await shop.open(token)
    const typed = { 'customer[email]': 'ada@example.com', ...CARD }
    await send(app, shop.path(token), page, typed, 'pay')
    for (const below of ['', '/continue', '/wait'])
      expect((await load(app, shop.path(token, below))).location).toBe(shop.path(token, '/receipt'))
    const again = await send(app, shop.path(token), page, { ...typed, 'customer[email]': 'eve@example.com' }, 'pay')
    expect(again.location).toBe(shop.path(token, '/receipt?lang=en'))
    expect((await receiptOf(token)).customer.email).toBe('ada@example.com')
  })

  it('whose card is declined keeps all that was typed but the card, and says why', async () => {
    const token = await shop.shipped()
    const page = await shop.open(token)
    const declined = await send(app, shop.path(token), page, { ...ADDRESS, ...cardOf('9995') }, 'pay')
    expect(declined.status).toBe(402)
    expect(declined.text).toContain('insufficient funds')
    expect(declined.form).toMatchObject(ADDRESS)
    expect(declined.html).not.toContain('9995')
    const paid = await send(app, shop.path(token), declined, CARD, 'pay')
    expect(paid.location).toBe(shop.path(token, '/receipt?lang=en'))
    expect(paid.html + declined.html).not.toContain(NUMBER)
  })
})
