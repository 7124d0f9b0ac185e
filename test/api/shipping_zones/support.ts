// What the tests of shipping zones share: a shop to call, the least a new zone has, and the zone that becomes of it.

import type { ShippingZone } from '../../../src/api/shipping/schema.ts'
import type { TestApp } from '../../support/app.ts'
import { type Call, matching, missing, openShopAt, price, unixNow } from '../../support/shop.ts'

export const UNKNOWN_ID = `zone_${'0'.repeat(26)}`

export const NOT_FOUND = missing('shipping zone')

/** The least a new zone must have. */
export const draft = (more: Record<string, unknown> = {}) => ({
  name: 'Home',
  countries: ['CA'],
  methods: [{ description: 'Post', price: 5 }],
  ...more,
})

export const shownMethod = (more: Record<string, unknown> = {}) => ({
  id: matching('ship_'),
  description: 'Post',
  price: price(5, '5.00'),
  on_own: price(0, '0.00'),
  with_others: price(0, '0.00'),
  min_order_value: null,
  max_order_value: null,
  min_weight: null,
  max_weight: null,
  ...more,
})

/** The zone that `draft()` becomes at this moment. */
export const shown = (app: TestApp, more: Record<string, unknown> = {}) => ({
  id: matching('zone_'),
  name: 'Home',
  countries: ['CA'],
  regions: {},
  created: unixNow(app),
  updated: unixNow(app),
  methods: [shownMethod()],
  ...more,
})

export type ZoneShop = {
  id: number
  call: Call
  create(more?: Record<string, unknown>): Promise<ShippingZone>
  publicKey: string
}

export async function openZoneShop(app: TestApp, options: { currency?: string } = {}): Promise<ZoneShop> {
  const { id, keys, call, succeed } = await openShopAt(app, 'shipping_zones', options)
  return {
    id,
    call,
    publicKey: keys.sandbox.public,
    create: (more) => succeed<ShippingZone>(201, 'POST', '', draft(more)),
  }
}
