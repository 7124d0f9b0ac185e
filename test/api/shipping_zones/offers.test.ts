// Which methods a checkout is offered: by what is bought, and by where it goes.

import { beforeAll, describe, expect, it } from 'vitest'
import { findProducts } from '../../../src/api/products/store.ts'
import { isOfferedIn, rateOf, servesAll } from '../../../src/api/shipping/methods.ts'
import type { ShippingZone } from '../../../src/api/shipping/schema.ts'
import { OFFERS_JSON, type OfferRow } from '../../../src/api/shipping/store.ts'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { addAsset, openShop } from '../products/support.ts'
import { draft } from './support.ts'

const app = await testApp()
const shop = await openShop(app)
const key = shop.keys.sandbox.secret

const list = statement<{ offers: OfferRow[] }>('test.list_offers', `select ${OFFERS_JSON} as offers`)
const listOffers = async (merchantId: number, productIds: string[]) => {
  const { offers } = await app.db.one(list, { merchant_id: merchantId })
  const products = await findProducts(app.db, { merchantId, isSandbox: true, isSecret: true }, productIds)
  return offers.filter((offer) => servesAll(offer, products))
}

const addZone = async (more: Record<string, unknown>, secret = key) => {
  app.clock.advance(1)
  const { status, body, text } = await app.call('POST', '/v1/shipping_zones', { key: secret, body: draft(more) })
  expect(status, text).toBe(201)
  return body as ShippingZone
}

describe('offers', () => {
  let [home, west, abroad]: ShippingZone[] = []
  const zone = (given: ShippingZone | undefined) => given ?? expect.fail('no zone')

  beforeAll(async () => {
    const methods = [
      { description: 'Courier', price: 9, on_own: 1, with_others: 0.5, max_order_value: 50 },
      { description: 'Post', price: 5, min_weight: 1, max_weight: 900 },
    ]
    home = await addZone({ methods })
    west = await addZone({ regions: { CA: ['BC', 'AB'] }, methods: [{ description: 'Coast', price: 2 }] })
    abroad = await addZone({ countries: ['US', 'FR'], methods: [{ description: 'Air', price: 30 }] })
    const other = await app.merchant()
    await addZone({ methods: [{ description: "Another merchant's", price: 1 }] }, other.keys.sandbox.secret)
  })

  const offered = async (...ids: string[]) => (await listOffers(shop.id, ids)).map(({ description }) => description)

  it('hold all that pricing and the choice by place need', async () => {
    const { id } = await shop.create()
    const [courier, post] = zone(home).methods
    const [first] = await listOffers(shop.id, [id])
    expect(first).toEqual({
      id: courier?.id,
      zone_id: home?.id,
      description: 'Courier',
      price: 900,
      on_own: 100,
      with_others: 50,
      min_order_value: null,
      max_order_value: 5_000,
      min_weight: null,
      max_weight: null,
      countries: ['CA'],
      regions: {},
    })
    const second = (await listOffers(shop.id, [id])).find((offer) => offer.id === post?.id)
    expect(rateOf(second ?? expect.fail('no post'))).toEqual({
      price: 500,
      onOwn: 0,
      withOthers: 0,
      minOrderValue: null,
      maxOrderValue: null,
      minWeight: 1,
      maxWeight: 900,
    })
  })

  it('are those of every zone for a product that names none, zones by age and methods in their order', async () => {
    const { id } = await shop.create()
    expect(await offered(id)).toEqual(['Courier', 'Post', 'Coast', 'Air'])
  })

  it('are those of the zones that a product names', async () => {
    const { id } = await shop.create({ delivery: { shipping_zones: [abroad?.id, west?.id] } })
    expect(await offered(id)).toEqual(['Coast', 'Air'])
  })

  it('are those of the zones that serve every physical product', async () => {
    const anywhere = await shop.create()
    const [inland, outland] = [
      await shop.create({ delivery: { shipping_zones: [home?.id, west?.id] } }),
      await shop.create({ delivery: { shipping_zones: [west?.id, abroad?.id] } }),
    ]
    expect(await offered(anywhere.id, inland.id)).toEqual(['Courier', 'Post', 'Coast'])
    expect(await offered(anywhere.id, inland.id, outland.id)).toEqual(['Coast'])
    const remote = await shop.create({ delivery: { shipping_zones: [abroad?.id] } })
    expect(await offered(inland.id, remote.id)).toEqual([])
  })

  it('do not go by a product that is not shipped', async () => {
    const asset = await addAsset(app, shop)
    const digital = { packages: [{ asset: asset.id }] }
    const download = await shop.create({ delivery: { digital, shipping_zones: [] } })
    const { id } = await shop.create({ delivery: { shipping_zones: [west?.id] } })
    expect(await offered(id, download.id)).toEqual(['Coast'])
  })

  it('are none for a product that names no zone any more', async () => {
    const closing = await addZone({ methods: [{ description: 'Closing', price: 1 }] })
    const { id } = await shop.create({ delivery: { shipping_zones: [closing.id] } })
    expect(await offered(id)).toEqual(['Closing'])
    expect((await app.call('DELETE', `/v1/shipping_zones/${closing.id}`, { key })).status).toBe(204)
    expect(await offered(id)).toEqual([])
  })

  it('are not those of another merchant, nor for its products', async () => {
    const other = await openShop(app)
    const { id } = await other.create()
    expect(await listOffers(other.id, [id])).toEqual([])
  })
})

describe('an offer for Canada and, of the United States, New York', () => {
  const offer: Pick<OfferRow, 'countries' | 'regions'> = { countries: ['CA', 'US'], regions: { US: ['NY'] } }

  it.each([
    ['a region of a whole country', 'CA', 'BC', true],
    ['a region that nobody knows, of a whole country', 'CA', null, true],
    ['the region', 'US', 'NY', true],
    ['another region', 'US', 'CA', false],
    ['a region that nobody knows', 'US', null, false],
    ['the country, while no region is chosen', 'US', undefined, true],
    ['another country', 'MX', undefined, false],
    ['another country with a region of that name', 'FR', 'NY', false],
  ])('is made for %s or not, as it covers it', (_, country, region, isOffered) => {
    expect(isOfferedIn(offer, { country, region })).toBe(isOffered)
  })
})
