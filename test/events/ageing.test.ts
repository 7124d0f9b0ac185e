// What is told can be aged to every version: what a receiver is then sent is what that version shows of the same thing.

import { expect, it } from 'vitest'
import { sweepAbandonedCarts } from '../../src/api/carts/lifetime/abandoned.ts'
import { EVENTS } from '../../src/events/catalogue.ts'
import { registerSweep } from '../../src/jobs/schedule.ts'
import type { JsonData } from '../../src/versions/change.ts'
import { CARD, CUSTOMER } from '../api/checkouts/capture-support.ts'
import { testApp } from '../support/app.ts'
import { cloneDatabase } from '../support/database.ts'
import { DAY, eventsOf, ORIGIN, openShop } from '../support/shop.ts'
import { kinds, real } from '../versions/real.ts'
import { frozen } from '../versions/support.ts'

const app = await testApp({ connection: await cloneDatabase() })
const shop = await openShop(app)
const { secret } = shop.keys.sandbox

const abandoned = sweepAbandonedCarts({ publicUrl: ORIGIN })
await registerSweep(app.db, abandoned, app.clock.now())
const sweep = () => abandoned.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })
await sweep()

const contents = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=',
  'base64',
)
const picture = await shop.succeed<{ id: string }>(
  201,
  'POST',
  'assets',
  { filename: 'a.png', contents: contents.toString('base64') },
  secret,
)
const product = await shop.product({
  assets: [picture.id],
  variant_groups: [{ name: 'Size', options: [{ name: 'S' }] }],
})
const [group] = product.variant_groups
const options = { [group?.id ?? '']: group?.options[0]?.id ?? '' }
const variant = await shop.variant(product.id, { options, inventory: 5, assets: [picture.id] })
const bought = await shop.cart([{ id: product.id, options }])
const token = await shop.ofCart(bought.id)
await shop.succeed(200, 'POST', `checkouts/${token.id}`, { customer: CUSTOMER, payment: CARD })
const left = await shop.cart([{ id: product.id, options, quantity: 2 }])
app.clock.advance(DAY + 600)
await sweep()

const told = await eventsOf(app.db, shop.id)
const payloadOf = (name: keyof typeof EVENTS) => {
  const found = told.filter((event) => event.name === name)
  expect(found.map(({ kind }) => kind)).toEqual([EVENTS[name].kind])
  return frozen(found[0]?.payload as Record<string, JsonData>)
}
const context = { merchant_id: shop.id, params: {}, facts: {} }

it('is of a kind that the API knows, for every event of the catalogue', () => {
  expect(Object.values(EVENTS).filter(({ kind }) => kinds[kind] === undefined)).toEqual([])
})

it.each(real.dates)('at %s a payload is what is shown', async (version) => {
  const shown = async (path: string) => {
    const { status, text, body } = await app.call('GET', `/v1/${path}`, { key: secret, version })
    expect([path, status, text]).toEqual([path, 200, text])
    return body as Record<string, JsonData>
  }
  const { product_id: of, ...toldVariant } = payloadOf('variants.create')
  expect(of).toBe(product.id)
  expect(real.ageKind(version, 'variant', toldVariant, context)).toEqual(
    await shown(`products/${product.id}/variants/${variant.id}`),
  )
  expect(real.ageKind(version, 'variant', payloadOf('variants.create'), context)).toMatchObject({
    product_id: product.id,
  })
  expect(real.ageKind(version, 'cart', payloadOf('carts.abandoned'), context)).toEqual(await shown(`carts/${left.id}`))
  const paid = payloadOf('orders.paid')
  expect(real.ageKind(version, 'order', paid, context)).toEqual(await shown(`orders/${paid.id}`))
})

it('leaves what the event of a shipment has beside the shipment', async () => {
  const more = {
    order_customer_reference: 'SHP-1',
    updated: 1,
    meta: { box: 1 },
    customer: { email: 'ada@example.com', firstname: null, lastname: null },
  }
  for (const version of real.dates)
    expect(
      real.ageKind(version, 'shipment', frozen({ id: 'shpmnt_1', line_items: [], ...more }), context),
    ).toMatchObject(more)
})
