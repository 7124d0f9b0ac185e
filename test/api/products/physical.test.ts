// Whether a product is sent: as it says, and where it says nothing, if the shop has a zone and the product no downloads.

import { expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { versions } from '../../../src/versions/index.ts'
import { testApp } from '../../support/app.ts'
import { malformed } from '../../support/shop.ts'
import { addAsset, addZone, eventsOf, openShop, type Shop } from './support.ts'

const app = await testApp({ trustProxy: () => true })

/** All that tells of it, which must agree; as the secret key and as a public key see it. */
const isSent = ({ has, collects, conditionals, delivery }: Product): boolean => {
  const said = [
    has.physical_delivery,
    collects.shipping_address,
    conditionals.has_physical_delivery,
    conditionals.collects_shipping_address,
    ...(delivery === undefined ? [] : [delivery.physical]),
  ]
  expect(new Set(said).size).toBe(1)
  return has.physical_delivery
}

const read = async (shop: Shop, id: string): Promise<boolean[]> => {
  const { data } = (await shop.succeed(200, 'GET', `?query=${id}`)) as { data: Product[] }
  const seen = [
    await shop.get(id),
    await shop.get(id, shop.keys.sandbox.public),
    await shop.get(id, shop.keys.live.public),
    ...data,
  ]
  return [...new Set(seen.map(isSent))]
}

const dropZone = (shop: Shop, zone: string) =>
  app.call('DELETE', `/v1/shipping_zones/${zone}`, { key: shop.keys.sandbox.secret })

it('follows from the zones of the shop at each read, where nobody says it, in both modes at once', async () => {
  const shop = await openShop(app)
  const product = await shop.create()
  expect([isSent(product), await read(shop, product.id)]).toEqual([false, [false]])
  const [one, other] = [await addZone(app, shop), await addZone(app, shop)]
  expect(await read(shop, product.id)).toEqual([true])
  await dropZone(shop, one)
  expect(await read(shop, product.id)).toEqual([true])
  await dropZone(shop, other)
  expect(await read(shop, product.id)).toEqual([false])
  expect(isSent(await shop.create())).toBe(false)
})

it("does not follow from another shop's zones", async () => {
  const [shop, other] = [await openShop(app), await openShop(app)]
  await addZone(app, other)
  expect(await read(shop, (await shop.create()).id)).toEqual([false])
})

it('is no for downloads that nobody calls physical, and follows when they come and go', async () => {
  const shop = await openShop(app)
  await addZone(app, shop)
  const packages = [{ asset: (await addAsset(app, shop, { isImage: false })).id }]
  const { id } = await shop.create({ delivery: { digital: { packages } } })
  expect(await read(shop, id)).toEqual([false])
  await shop.update(id, { delivery: { digital: null } })
  expect(await read(shop, id)).toEqual([true])
  await shop.update(id, { delivery: { digital: { packages } } })
  expect(await read(shop, id)).toEqual([false])
  await shop.update(id, { delivery: { physical: true } })
  expect(await read(shop, id)).toEqual([true])
})

it('is what the product says, with zones and without, until null leaves it open again', async () => {
  const shop = await openShop(app)
  const [sent, unsent] = [
    await shop.create({ delivery: { physical: true } }),
    await shop.create({ delivery: { physical: false } }),
  ]
  const both = async () => [...(await read(shop, sent.id)), ...(await read(shop, unsent.id))]
  expect(await both()).toEqual([true, false])
  const zone = await addZone(app, shop)
  expect(await both()).toEqual([true, false])
  // What is left out stays as it was said.
  for (const { id } of [sent, unsent]) await shop.update(id, { name: 'Other', delivery: { weight: 5 } })
  expect(await both()).toEqual([true, false])
  for (const { id } of [sent, unsent])
    expect(isSent(await shop.update(id, { delivery: { physical: null } }))).toBe(true)
  await dropZone(shop, zone)
  expect(await both()).toEqual([false, false])
})

const select = statement<{ is_physical: boolean | null }>(
  'test.said_physical',
  'select is_physical from products where merchant_id = :merchant_id and id = :id',
)

it('is stored as null where nobody says it, and shown as true or false in every version and in events', async () => {
  const shop = await openShop(app)
  await addZone(app, shop)
  const stored = async (id: string) => (await app.db.one(select, { merchant_id: shop.id, id })).is_physical
  const products = [
    await shop.create(),
    await shop.create({ delivery: { physical: null } }),
    await shop.create({ delivery: { physical: true } }),
    await shop.create({ delivery: { physical: false } }),
  ]
  expect(await Promise.all(products.map(({ id }) => stored(id)))).toEqual([null, null, true, false])
  const told = (await eventsOf(app, shop)).map(({ payload }) => (payload as Product).delivery?.physical)
  expect(told).toEqual([true, true, true, false])
  const { id } = products[0] ?? { id: '' }
  for (const { date } of versions) {
    const { body } = await app.call('GET', `/v1/products/${id}`, { key: shop.keys.sandbox.secret, version: date })
    const { has, collects } = body as Product
    expect([date, has.physical_delivery, collects.shipping_address]).toEqual([date, true, true])
  }
})

it('is asked for as true, false or null, and anything else is refused and changes nothing', async () => {
  const shop = await openShop(app)
  const { id } = await shop.create({ delivery: { physical: true } })
  for (const physical of ['yes', 1, []]) {
    const answer = await shop.call('PUT', `/${id}`, { name: 'Changed', delivery: { physical } })
    const errors = { 'delivery.physical': ['delivery.physical must be true or false or null.'] }
    expect([answer.status, answer.body]).toEqual([422, malformed(errors)])
  }
  expect((await shop.get(id)).name).toBe('Thing')
})

it('lets a product ask for an address, or not, whatever is sent', async () => {
  const shop = await openShop(app)
  const asking = await shop.create({ collects: { shipping_address: true } })
  expect([asking.has.physical_delivery, asking.collects.shipping_address]).toEqual([false, true])
})
