// What the demo shop charges as tax. Examples of each kind of zone, not kept up to date: a real shop sets its own.

import type { NewTaxZone } from '../api/tax/schema.ts'

/** California taxes no downloads. */
const CALIFORNIA: NewTaxZone['rates'] = [
  { type: 'state', rate: 0.06, digital_rate: 0 },
  { type: 'county', rate: 0.0125, digital_rate: 0 },
]

export const demoTaxZones: readonly NewTaxZone[] = [
  { country: 'CA', rates: [{ type: 'GST', rate: 0.05 }] },
  {
    country: 'CA',
    region: 'BC',
    rates: [
      { type: 'GST', rate: 0.05 },
      { type: 'PST', rate: 0.07 },
    ],
  },
  { country: 'US', region: 'CA', rates: CALIFORNIA },
  // Los Angeles.
  {
    country: 'US',
    region: 'CA',
    postal_prefix: '900',
    rates: [...CALIFORNIA, { type: 'district', rate: 0.0225, digital_rate: 0 }],
  },
  // Books are taxed less there, also those that are files.
  { country: 'DE', rates: [{ type: 'VAT', rate: 0.19, digital_rate: 0.07 }] },
]
