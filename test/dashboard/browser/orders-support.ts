// Shops whose orders are looked at and changed: one that sells through its checkout, and one whose orders a test makes as it wants them.

import { expect } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { ADDRESS } from '../../api/checkouts/capture-support.ts'
import { openShop as openOrders } from '../../api/orders/support.ts'
import type { Body } from '../../support/shop.ts'
import { type House, withLogins } from './support.ts'

type Purchase = {
  readonly name?: string
  readonly email?: string
  readonly lines?: readonly (readonly [product: { id: string }, quantity: number])[]
  readonly isByHand?: boolean
  readonly more?: Body
}

/** A shop that sells mugs and prints, of which it counts the stock, by the test card and by bank transfer. */
export async function openTrade({ app, openShop, work }: House) {
  const shop = await openShop()
  const { api } = shop
  await api(201, 'POST', 'gateways', { code: 'manual', config: { name: 'Bank transfer' } })
  const inventory = { managed: true, available: 100 }
  const mug = await shop.product({ name: 'Mug', price: 12.5, sku: 'MUG-1', inventory })
  const print = await shop.product({ name: 'Print', price: 30, inventory })
  const buy = async (purchase: Purchase = {}) => {
    const { name = 'Ada Lovelace', email = 'ada@example.com', lines = [[mug, 2]], isByHand, more } = purchase
    const [firstname, lastname] = name.split(' ')
    const token = await shop.token(...lines.map(([{ id }, quantity]) => ({ id, quantity })))
    const order = await shop.order(
      token,
      shop.body({
        customer: { email, firstname, lastname },
        shipping: { ...ADDRESS, name },
        ...(isByHand ? { payment: { gateway: 'manual' } } : {}),
        ...more,
      }),
    )
    // Lists do not sort what happened within one second.
    app.clock.advance(1)
    return order
  }
  type Mail = { to: string; subject: string }
  return {
    ...shop,
    mug,
    print,
    buy,
    get: (id: string) => api<Order>(200, 'GET', `orders/${id}`),
    stockOf: async ({ id }: { id: string }) =>
      (await api<{ inventory: { available: number } }>(200, 'GET', `products/${id}`)).inventory.available,
    /** Waits until so many mails with these words in their subject were written to a customer. */
    hears: async (email: string, words: string, times: number) => {
      let written = 0
      await work(async () => {
        const mails = await shop.list<Mail>('developer/outbox?limit=50')
        written = mails.filter(({ to, subject }) => to === email && subject.includes(words)).length
        return written >= times
      })
      expect(written).toBe(times)
    },
  }
}

/** A shop whose orders are made without a checkout. */
export async function openDrafts({ app }: House) {
  const { app: watched, opened } = withLogins(app)
  const shop = await openOrders(watched)
  return { ...shop, owner: opened.login }
}
