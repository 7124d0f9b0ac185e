// Which methods a checkout is offered: by what is bought, and by where it goes.

import { beforeAll, describe, expect, it } from 'vitest'
import { findProducts } from '../../../src/api/products/store.ts'
import { isOfferedIn, servesAll } from '../../../src/api/shipping/methods.ts'
import type { ShippingZone } from '../../../src/api/shipping/schema.ts'
import { OFFERS_JSON, type ShippingOfferRow } from '../../../src/api/shipping/store.ts'
import { sharedApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { openShop } from '../products/support.ts'
import { draft } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const key = shop.keys.sandbox.secret

const list = sql<{ offers: ShippingOfferRow[] }>`select ${OFFERS_JSON} as offers`
const listOffers = async (merchant_id: number, productIds: string[]) => {
  const { offers } = await app.db.one(list, { merchant_id })
  const products = await findProducts(app.db, { merchant_id, is_sandbox: true, isSecret: true }, productIds)
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

  it('are none for a product that names no zone any more', async () => {
    const closing = await addZone({ methods: [{ description: 'Closing', price: 1 }] })
    const { id } = await shop.create({ delivery: { shipping_zones: [closing.id] } })
    expect(await offered(id)).toEqual(['Closing'])
    expect((await app.call('DELETE', `/v1/shipping_zones/${closing.id}`, { key })).status).toBe(204)
    expect(await offered(id)).toEqual([])
  })
})

describe('an offer for Canada and, of the United States, New York', () => {
  const offer: Pick<ShippingOfferRow, 'countries' | 'regions'> = { countries: ['CA', 'US'], regions: { US: ['NY'] } }

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
