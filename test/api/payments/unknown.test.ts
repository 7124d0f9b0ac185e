// Payments of which nobody can know any more whether they were made: their gateway has other credentials for good, or is gone. Each ends after a
// bounded time as something that the merchant sees and decides about, and is charged no second time.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sweepDeletedMethods } from '../../../src/api/payment-methods/store.ts'
import { openBreaker, ProviderPaused } from '../../../src/gateways/provider/breaker.ts'
import { openProviders, openToldShop } from '../../gateways/every-provider/shop.ts'
import { openStripeProvider } from '../../gateways/every-provider/stripe.ts'
import { sql } from '../../support/rows.ts'

const DAY = 86_400

const opened = await openProviders(openStripeProvider)
const { app, complete, errors } = opened
const [provider] = opened.providers
if (provider === undefined) throw new Error('There is one.')

const findOrderOf = sql<{ id: string }>`
  select id from orders where merchant_id = :merchant_id and checkout_id = :checkout_id`
const UNKNOWN = { type: 'charge', status: 'pending', status_reason: 'gateway_failure', gateway_transaction_id: null }

async function openShop() {
  const shop = await openToldShop(opened, provider as NonNullable<typeof provider>)
  return {
    ...shop,
    orderOf: async ({ id }: { id: string }): Promise<Order | null> => {
      const found = await app.db.maybe(findOrderOf, { merchant_id: shop.id, checkout_id: id })
      return found && shop.read(found)
    },
    forget: async () => {
      expect((await shop.call('DELETE', `gateways/${shop.gateway.id}`, undefined, shop.secret)).status).toBe(204)
      const clock = { now: () => new Date(app.clock.now().getTime() + 31 * DAY * 1_000) }
      await sweepDeletedMethods.run({ ...app, clock, signal: new AbortController().signal })
    },
  }
}

describe('an attempt to pay', () => {
  it('that its provider refuses to tell of for a week becomes an order that says so; the merchant looks, and calls it paid', async () => {
    const shop = await openShop()
    const { bought, body, key } = await shop.leaveOpen()
    await shop.setUp({ config: { secret_key: provider.secret.revoked } })
    for (const seconds of [31, 6 * DAY]) await complete(seconds)
    expect([await shop.orderOf(bought), await shop.sold()]).toEqual([null, 1])
    await complete(DAY)
    const order = (await shop.orderOf(bought)) as Order
    expect(order).toMatchObject({ status_payment: 'not_paid', transactions: [UNKNOWN] })
    expect(order.transactions[0]?.notes).toMatch(new RegExp(`^Nobody knows whether this was paid\\..* for ${key}\\.`))
    expect(errors.at(-1)).toEqual({ merchant_id: shop.id, attempt: key })
    expect([await shop.sold(), await complete(16)]).toEqual([1, 0])
    // The shopper's own page, loaded again, shows that order, and nobody is charged once more.
    expect((await shop.capture(bought, body)).body).toMatchObject({ id: order.id, transactions: [{ notes: '' }] })
    expect([(await shop.move(order)).status, (await shop.read(order)).status_payment]).toEqual([200, 'paid'])
    expect(provider.takenOf(key)).toBe(1)
  })

  it('whose provider is left alone because it is down has been refused nothing: it stays open for a month', async () => {
    const shop = await openShop()
    const { bought } = await shop.leaveOpen()
    const run = async () => {
      throw new ProviderPaused(1)
    }
    await complete(8 * DAY, { ...openBreaker(), run })
    expect([await shop.orderOf(bought), await shop.sold()]).toEqual([null, 1])
    await complete(DAY)
  })

  it('whose gateway is gone with its credentials becomes such an order at once; the merchant cancels it, and the goods are free', async () => {
    const shop = await openShop()
    const { bought } = await shop.leaveOpen()
    await shop.forget()
    await complete(31)
    const order = (await shop.orderOf(bought)) as Order
    expect(order).toMatchObject({ status_payment: 'not_paid', transactions: [UNKNOWN] })
    expect([order.transactions[0]?.notes, await shop.sold()]).toEqual([expect.stringContaining('was deleted'), 1])
    const cancelled = await shop.call('POST', `orders/${order.id}/cancel`, {}, shop.secret)
    expect([cancelled.status, await shop.sold()]).toEqual([200, 0])
  })
})
