// What the tests of shipping zones share: a shop to call, the least a new zone has, and the zone that becomes of it.

import { expect } from 'vitest'
import type { ShippingZone } from '../../../src/api/shipping/schema.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { matching, price, unixNow } from '../products/support.ts'

export const UNKNOWN_ID = `zone_${'0'.repeat(26)}`

export const NOT_FOUND = {
  error: { type: 'not_found', message: 'There is no shipping zone with that id.' },
  status_code: 404,
}

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
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, key?: string): Promise<Answer>
  create(more?: Record<string, unknown>): Promise<ShippingZone>
  publicKey: string
}

export async function openZoneShop(app: TestApp, options: { currency?: string } = {}): Promise<ZoneShop> {
  const { id, keys } = await app.merchant(options)
  const call: ZoneShop['call'] = (method, path, body, key = keys.sandbox.secret) =>
    app.call(method, `/v1/shipping_zones${path}`, { key, ...(body === undefined ? {} : { body }) })
  return {
    id,
    call,
    publicKey: keys.sandbox.public,
    create: async (more) => {
      const answer = await call('POST', '', draft(more))
      expect(answer, answer.text).toMatchObject({ status: 201 })
      return answer.body as ShippingZone
    },
  }
}
