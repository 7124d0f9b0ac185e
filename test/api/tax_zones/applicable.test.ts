// Which tax zone a place falls into: the most specific one alone, by postal prefix, then region, then country.

import { beforeAll, describe, expect, it } from 'vitest'
import { type ApplicableZone, taxZoneJson } from '../../../src/api/tax/store.ts'
import { sharedApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { openTaxShop } from './support.ts'

const app = await sharedApp()
const shop = await openTaxShop(app)

const find = sql<{ zone: ApplicableZone | null }>`
  select ${taxZoneJson({ country: ':country', region: ':region', postalCode: ':postal_code' })} as zone`
const findZone = async (
  merchant_id: number,
  ...[country, region, postal_code]: [string, string | null, string | null]
) => (await app.db.one(find, { merchant_id, country, region, postal_code })).zone

describe('the zone of a place', () => {
  beforeAll(async () => {
    const places = [
      { country: 'US' },
      { country: 'US', region: 'CA' },
      { country: 'US', region: 'NY' },
      { country: 'US', postal_prefix: '9' },
      { country: 'US', region: 'CA', postal_prefix: '941' },
      { country: 'US', region: 'NY', postal_prefix: '94105' },
      { country: 'US', postal_prefix: '94107' },
      { country: 'US', region: 'CA', postal_prefix: '94107' },
      { country: 'CA', region: 'BC', postal_prefix: 'V6B' },
    ]
    for (const place of places) {
      const type = [place.country, place.region ?? '*', place.postal_prefix ?? '*'].join(' ')
      await shop.create({ ...place, rates: [{ type, rate: 0.06 }] })
    }
    const other = await openTaxShop(app)
    await other.create({ country: 'FR' })
    await other.create({ country: 'US', region: 'CA', postal_prefix: '94105' })
  })

  it.each([
    ['US', null, null, 'US * *'],
    ['US', 'TX', '73301', 'US * *'],
    ['US', 'CA', null, 'US CA *'],
    ['US', 'CA', '', 'US CA *'],
    ['US', 'NY', '10001', 'US NY *'],
    // A prefix goes before a region.
    ['US', 'CA', '95014', 'US * 9'],
    ['US', null, '94105', 'US * 9'],
    // The longest prefix, and the region must be the zone's.
    ['US', 'CA', '94105', 'US CA 941'],
    ['US', 'CA', '94105-1234', 'US CA 941'],
    ['US', 'NY', '94105', 'US NY 94105'],
    // Of equal prefixes the one for the region.
    ['US', 'CA', '94107', 'US CA 94107'],
    ['US', 'TX', '94107', 'US * 94107'],
    // As people type it.
    ['CA', 'BC', 'v6b 1a1', 'CA BC V6B'],
    ['CA', 'BC', ' V-6 B1a1 ', 'CA BC V6B'],
    ['CA', 'BC', 'V6', null],
    ['CA', 'BC', 'X'.repeat(10_000), null],
    ['CA', 'ON', 'V6B 1A1', null],
    ['CA', null, null, null],
    ['FR', null, null, null],
    ['us', null, null, null],
  ])('in %s, region %s, postal code %s is %s', async (country, region, postalCode, type) => {
    const zone = await findZone(shop.id, country, region, postalCode)
    expect(zone?.rates.map((rate) => rate.type) ?? null).toEqual(type && [type])
  })
})
