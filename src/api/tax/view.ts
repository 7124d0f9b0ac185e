// A row → the tax zone in its newest form, field by field.

import { rateNumber, ratePercentage } from './rate.ts'
import type { TaxZone } from './schema.ts'
import type { TaxZoneRow } from './store.ts'

export const viewTaxZone = (row: TaxZoneRow): TaxZone => ({
  id: row.id,
  country: row.country,
  region: row.region === '' ? null : row.region,
  postal_prefix: row.postal_prefix === '' ? null : row.postal_prefix,
  rates: row.rates.map(({ type, rate, digital_rate }) => ({
    type,
    rate: rateNumber(rate),
    rate_percentage: ratePercentage(rate),
    digital_rate: digital_rate === null ? null : rateNumber(digital_rate),
  })),
  created: row.created,
  updated: row.updated,
})
