// delivery.shipping_zones of a product: the zones it is sent to, null for every one.

import { expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { malformed, notValid } from '../../support/shop.ts'
import { addZone, openShop, shown } from './support.ts'

const app = await testApp()
const shop = await openShop(app)

const [first, second] = [await addZone(app, shop), await addZone(app, shop)]
const zones = (shipping_zones: unknown) => ({ delivery: { shipping_zones } })
const kept = (shipping_zones: string[] | null) => ({
  physical: true,
  weight: null,
  digital: { packages: [], lifespan: null },
  shipping_zones,
})

it('names the zones in the order that was sent, on the product and in its list', async () => {
  const product = await shop.create(zones([second, first]))
  expect(product).toEqual(shown(app, shop, { delivery: kept([second, first]) }))
  expect(await shop.get(product.id)).toEqual(product)
  expect((await shop.call('GET', `?query=${product.id}`)).body).toMatchObject({ data: [product] })
})

it('replaces the list, keeps it where it is left out, and takes null for every zone', async () => {
  const { id } = await shop.create(zones([first]))
  const steps: [unknown, string[] | null][] = [
    [{ delivery: { weight: null } }, [first]],
    [{}, [first]],
    [zones([second]), [second]],
    [zones(null), null],
    [zones([]), []],
  ]
  for (const [body, expected] of steps) expect((await shop.update(id, body)).delivery).toEqual(kept(expected))
})

it('leaves out a zone that was deleted, and can be sent back as it is shown', async () => {
  const closing = await addZone(app, shop)
  const { id } = await shop.create(zones([closing, first]))
  const { id: only } = await shop.create(zones([closing]))
  await app.call('DELETE', `/v1/shipping_zones/${closing}`, { key: shop.keys.sandbox.secret })
  for (const [product, expected] of [
    [await shop.get(id), [first]],
    [await shop.get(only), []],
  ] as const) {
    expect(product.delivery).toEqual(kept([...expected]))
    const { delivery } = product
    expect((await shop.update(product.id, { delivery })).delivery).toEqual(delivery)
  }
})

it('reads zones as older tools name them', async () => {
  const { delivery } = await shop.create(zones([{ zone_id: first, rates: [{ base_rate_id: 'rate_1', on_own: 1 }] }]))
  expect(delivery).toEqual(kept([first]))
})

it("refuses an unknown zone, another merchant's, a zone twice, and changes nothing", async () => {
  const foreign = await addZone(app, await openShop(app))
  const product = await shop.create(zones([first]))
  const unknown = (index: number) => {
    const field = `delivery.shipping_zones.${index}`
    return { [field]: [`${field} is not the id of a shipping zone.`] }
  }
  const cases: [string[], Record<string, string[]>][] = [
    [[first, `zone_${'0'.repeat(26)}`, foreign], { ...unknown(1), ...unknown(2) }],
    [[first, second, first], { 'delivery.shipping_zones.2': ['delivery.shipping_zones.2 stands in the list twice.'] }],
  ]
  for (const [sent, errors] of cases) {
    const created = await shop.call('POST', '', { name: 'Thing', price: 10, ...zones(sent) })
    expect([created.status, created.body]).toEqual([422, notValid(errors)])
    const updated = await shop.call('PUT', `/${product.id}`, zones(sent))
    expect([updated.status, updated.body]).toEqual([422, notValid(errors)])
  }
  expect(await shop.get(product.id)).toEqual(product)
})

it.each([
  [7, { 'delivery.shipping_zones': ['delivery.shipping_zones must be a list or null.'] }],
  [
    [{}, null],
    {
      'delivery.shipping_zones.0': ['delivery.shipping_zones.0 must be a string.'],
      'delivery.shipping_zones.1': ['delivery.shipping_zones.1 must be a string.'],
    },
  ],
  [Array(501).fill(first), { 'delivery.shipping_zones': ['delivery.shipping_zones must have at most 500 entries.'] }],
])('refuses what is no list of ids: %#', async (sent, errors) => {
  const answer = await shop.call('POST', '', { name: 'Thing', price: 10, ...zones(sent) })
  expect([answer.status, answer.body]).toEqual([422, malformed(errors)])
})
