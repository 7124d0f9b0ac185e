// The delivery of a product. It is sent as it says; where it says nothing, if the shop has a zone and the product no downloads. And the
// shipping zones that it is sent to.

import { expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { notValid } from '../../support/shop.ts'
import { addAsset, addZone, openShop, type Shop } from './support.ts'

const app = await sharedApp()

/** All that tells of it, which must agree; as the secret key and as a public key see it. */
const isSent = ({ has, collects, conditionals, delivery }: Product): boolean => {
  const { has_physical_delivery, collects_shipping_address } = conditionals
  const said = [has.physical_delivery, collects.shipping_address, has_physical_delivery, collects_shipping_address]
  if (delivery !== undefined) said.push(delivery.physical)
  expect(new Set(said).size).toBe(1)
  return has.physical_delivery
}

const read = async (shop: Shop, id: string): Promise<boolean[]> => {
  const { data } = (await shop.succeed(200, 'GET', `?query=${id}`)) as { data: Product[] }
  const { sandbox, live } = shop.keys
  for (const key of [sandbox.secret, sandbox.public, live.public]) data.push(await shop.get(id, key))
  return [...new Set(data.map(isSent))]
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
  const sent = await shop.create({ delivery: { physical: true } })
  const unsent = await shop.create({ delivery: { physical: false } })
  const both = async () => [...(await read(shop, sent.id)), ...(await read(shop, unsent.id))]
  expect(await both()).toEqual([true, false])
  const zone = await addZone(app, shop)
  expect(await both()).toEqual([true, false])
  // Fields that are left out keep their value.
  for (const { id } of [sent, unsent]) await shop.update(id, { name: 'Other', delivery: { weight: 5 } })
  expect(await both()).toEqual([true, false])
  for (const { id } of [sent, unsent])
    expect(isSent(await shop.update(id, { delivery: { physical: null } }))).toBe(true)
  await dropZone(shop, zone)
  expect(await both()).toEqual([false, false])
})

/** For delivery.shipping_zones: the zones that a product is sent to, null for every one. */
const zoned = await openShop(app)

const [first, second] = [await addZone(app, zoned), await addZone(app, zoned)]
const zones = (shipping_zones: unknown) => ({ delivery: { shipping_zones } })
const kept = (shipping_zones: string[] | null) => ({
  physical: true,
  weight: null,
  digital: { packages: [], lifespan: null },
  shipping_zones,
})

it('names the zones in the order that was sent, on the product and in its list, and null for every zone', async () => {
  const product = await zoned.create(zones([second, first]))
  expect(product.delivery).toEqual(kept([second, first]))
  expect(await zoned.get(product.id)).toEqual(product)
  expect((await zoned.call('GET', `?query=${product.id}`)).body).toMatchObject({ data: [product] })
  expect((await zoned.update(product.id, zones(null))).delivery).toEqual(kept(null))
})

it('leaves out a zone that was deleted, and can be sent back as it is shown', async () => {
  const closing = await addZone(app, zoned)
  const { id } = await zoned.create(zones([closing, first]))
  const { id: only } = await zoned.create(zones([closing]))
  await app.call('DELETE', `/v1/shipping_zones/${closing}`, { key: zoned.keys.sandbox.secret })
  for (const [product, expected] of [
    [await zoned.get(id), [first]],
    [await zoned.get(only), []],
  ] as const) {
    expect(product.delivery).toEqual(kept([...expected]))
    const { delivery } = product
    expect((await zoned.update(product.id, { delivery })).delivery).toEqual(delivery)
  }
})

it('reads zones as older tools name them', async () => {
  const { delivery } = await zoned.create(zones([{ zone_id: first, rates: [{ base_rate_id: 'rate_1', on_own: 1 }] }]))
  expect(delivery).toEqual(kept([first]))
})

it("refuses an unknown zone, another merchant's, a zone twice, and changes nothing", async () => {
  const foreign = await addZone(app, await openShop(app))
  const product = await zoned.create(zones([first]))
  const unknown = (index: number) => {
    const field = `delivery.shipping_zones.${index}`
    return { [field]: [`${field} is not the id of a shipping zone.`] }
  }
  const cases: [string[], Record<string, string[]>][] = [
    [[first, `zone_${'0'.repeat(26)}`, foreign], { ...unknown(1), ...unknown(2) }],
    [[first, second, first], { 'delivery.shipping_zones.2': ['delivery.shipping_zones.2 is listed twice.'] }],
  ]
  for (const [sent, errors] of cases) {
    expect(await zoned.ask('POST', '', { name: 'Thing', price: 10, ...zones(sent) })).toEqual([422, notValid(errors)])
    expect(await zoned.ask('PUT', `/${product.id}`, zones(sent))).toEqual([422, notValid(errors)])
  }
  expect(await zoned.get(product.id)).toEqual(product)
})
