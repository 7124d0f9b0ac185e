// PUT /v1/shipping_zones/{id}: what is sent replaces, what is left out stays; methods keep their ids.

import { describe, expect, it } from 'vitest'
import type { ShippingZone } from '../../../src/api/shipping/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { malformed, notValid, price } from '../../support/shop.ts'
import { openZoneShop, shownMethod } from './support.ts'

const app = await sharedApp()
const shop = await openZoneShop(app)

const change = async (zone: ShippingZone, body: unknown) => {
  app.clock.advance(1)
  const answer = await shop.call('PUT', `/${zone.id}`, body)
  expect(answer.status, answer.text).toBe(200)
  expect((await shop.call('GET', `/${zone.id}`)).body).toEqual(answer.body)
  return answer.body as ShippingZone
}

describe('PUT /v1/shipping_zones/{id}', () => {
  it('merges regions by country; null makes the country whole again', async () => {
    const zone = await shop.create({ countries: ['CA', 'US'], regions: { CA: ['BC'], US: ['NY'] } })
    expect((await change(zone, { regions: { US: ['US-CA'] } })).regions).toEqual({ CA: ['BC'], US: ['CA'] })
    expect((await change(zone, { regions: { CA: null } })).regions).toEqual({ US: ['CA'] })
  })

  it('drops the regions of a country that leaves the zone', async () => {
    const zone = await shop.create({ countries: ['CA', 'US'], regions: { CA: ['BC'], US: ['NY'] } })
    const changed = await change(zone, { countries: ['US', 'FR'], regions: { FR: ['IDF'] } })
    expect([changed.countries, changed.regions]).toEqual([['US', 'FR'], { FR: ['IDF'], US: ['NY'] }])
  })

  it('keeps a method whose id is sent, with what is not sent of it, and makes one of an entry without', async () => {
    const zone = await shop.create({
      methods: [
        { description: 'Post', price: 5, max_weight: 900 },
        { description: 'Courier', price: 9, on_own: 1, max_order_value: 50 },
        { description: 'Pigeon', price: 1 },
      ],
    })
    const [post, courier] = zone.methods
    const { methods } = await change(zone, {
      methods: [
        { description: 'Drone', price: 20 },
        { id: courier?.id, price: '8.50', max_order_value: null, min_weight: 10 },
        { id: post?.id },
      ],
    })
    expect(methods).toEqual([
      shownMethod({ description: 'Drone', price: price(20, '20.00') }),
      { ...courier, price: price(8.5, '8.50'), max_order_value: null, min_weight: 10 },
      post,
    ])
    expect(zone.methods.map(({ id }) => id)).not.toContain(methods[0]?.id)
    expect((await change(zone, { methods: [] })).methods).toEqual([])
  })

  it.each<
    [string, (zone: ShippingZone, other: ShippingZone) => unknown, 'malformed' | 'refused', Record<string, string[]>]
  >([
    [
      'a new method without description and price',
      () => ({ methods: [{ on_own: 1 }] }),
      'malformed',
      {
        'methods.0.description': ['methods.0.description is required.'],
        'methods.0.price': ['methods.0.price is required.'],
      },
    ],
    [
      'a method of another zone',
      (_, other) => ({ methods: [{ id: other.methods[0]?.id }] }),
      'refused',
      { 'methods.0.id': ['methods.0.id is not a method of this zone.'] },
    ],
    [
      'a method twice',
      ({ methods }) => ({ methods: [{ id: methods[0]?.id }, { id: methods[0]?.id }] }),
      'refused',
      { 'methods.1.id': ['methods.1.id is listed twice.'] },
    ],
    [
      'a bound that leaves the band empty with the one that is kept',
      ({ methods }) => ({ methods: [{ id: methods[0]?.id, min_weight: 901 }] }),
      'refused',
      { 'methods.0.max_weight': ['methods.0.max_weight must not be below methods.0.min_weight.'] },
    ],
    [
      'regions of a country that is not in the zone',
      () => ({ regions: { US: ['CA'] } }),
      'refused',
      { 'regions.US': ['regions.US must be for one of the countries of the zone.'] },
    ],
  ])('refuses %s, and changes nothing', async (_, body, kind, errors) => {
    const zone = await shop.create({ methods: [{ description: 'Post', price: 5, max_weight: 900 }] })
    const other = await shop.create()
    const answer = await shop.call('PUT', `/${zone.id}`, body(zone, other))
    expect([answer.status, answer.body]).toEqual([422, kind === 'malformed' ? malformed(errors) : notValid(errors)])
    expect((await shop.call('GET', `/${zone.id}`)).body).toEqual(zone)
    expect((await shop.call('GET', `/${other.id}`)).body).toEqual(other)
  })

  it('ends with the methods of one of two lists sent at the same moment', async () => {
    const zone = await shop.create()
    const [kept] = zone.methods
    for (let round = 0; round < 5; round++) {
      const lists = ['A', 'B'].map((name) => [
        { id: kept?.id, description: name },
        { description: `${name}2`, price: 1 },
      ])
      const answers = await Promise.all(lists.map((methods) => shop.call('PUT', `/${zone.id}`, { methods })))
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const { body } = await shop.call('GET', `/${zone.id}`)
      const names = (body as ShippingZone).methods.map(({ description }) => description)
      expect([
        ['A', 'A2'],
        ['B', 'B2'],
      ]).toContainEqual(names)
    }
  })
})
