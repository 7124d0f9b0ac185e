// What the tests of tax zones share: a shop to call, the least a new zone has, and the zone that becomes of it.

import type { TaxZone } from '../../../src/api/tax/schema.ts'
import type { TestApp } from '../../support/app.ts'
import { type Call, matching, missing, openShopAt, unixNow } from '../../support/shop.ts'

export const UNKNOWN_ID = `taxz_${'0'.repeat(26)}`

export const NOT_FOUND = missing('tax zone')

/** The least a new zone must have. */
export const draft = (more: Record<string, unknown> = {}) => ({
  country: 'US',
  rates: [{ type: 'state', rate: 0.06 }],
  ...more,
})

/** The zone that `draft()` becomes at this moment. */
export const shown = (app: TestApp, more: Record<string, unknown> = {}) => ({
  id: matching('taxz_'),
  country: 'US',
  region: null,
  postal_prefix: null,
  rates: [{ type: 'state', rate: 0.06, rate_percentage: '6%', digital_rate: null }],
  created: unixNow(app),
  updated: unixNow(app),
  ...more,
})

export type TaxShop = {
  id: number
  call: Call
  create(more?: Record<string, unknown>): Promise<TaxZone>
  publicKey: string
}

/** One for each test that creates zones: a merchant has one zone for each place. */
export async function openTaxShop(app: TestApp): Promise<TaxShop> {
  const { id, keys, call, succeed } = await openShopAt(app, 'tax_zones')
  return {
    id,
    call,
    publicKey: keys.sandbox.public,
    create: (more) => succeed<TaxZone>(201, 'POST', '', draft(more)),
  }
}
