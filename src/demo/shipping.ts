// Where the demo shop ships to and for how much: a price for everything, by the piece, by what is bought and by weight.

import type { NewZone } from '../api/shipping/schema.ts'

/** Names of zones, for products that are not sent everywhere. */
export const CLOSE_BY = ['British Columbia', 'Canada', 'United States'] as const

export const demoShippingZones: readonly NewZone[] = [
  {
    name: 'British Columbia',
    countries: ['CA'],
    regions: { CA: ['BC'] },
    methods: [{ description: 'Pick-up at the workshop in Vancouver', price: 0 }],
  },
  {
    name: 'Canada',
    countries: ['CA'],
    methods: [
      { description: 'Parcel, 3 to 6 days', price: 5, on_own: 4, with_others: 1.5 },
      { description: 'Courier, next day', price: 32 },
    ],
  },
  {
    name: 'United States',
    countries: ['US'],
    methods: [
      { description: 'Ground, 3 to 5 days', price: 8.5, max_order_value: 99.99 },
      { description: 'Ground, free from $100', price: 0, min_order_value: 100 },
      { description: 'Express, up to 2 kg', price: 15, max_weight: 2_000 },
      { description: 'Express, up to 10 kg', price: 29, min_weight: 2_001, max_weight: 10_000 },
      { description: 'Freight to your door', price: 89, min_weight: 10_001 },
    ],
  },
  {
    name: 'Europe',
    countries: ['AT', 'BE', 'DE', 'DK', 'ES', 'FI', 'FR', 'IE', 'IT', 'NL', 'PL', 'PT', 'SE'],
    methods: [
      { description: 'Air parcel, up to 2 kg', price: 18, max_weight: 2_000 },
      { description: 'Air parcel, up to 10 kg', price: 36, min_weight: 2_001, max_weight: 10_000 },
      { description: 'Freight by sea', price: 140, min_weight: 10_001 },
    ],
  },
  {
    name: 'Further away',
    countries: ['AU', 'CH', 'GB', 'IS', 'JP', 'KR', 'MX', 'NO', 'NZ', 'SG'],
    methods: [{ description: 'International parcel', price: 20, on_own: 5, with_others: 6 }],
  },
]
