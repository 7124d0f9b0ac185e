// A row → the shipping zone in its newest form, field by field.

import { priceOf } from '../../lib/money.ts'
import type { ShippingZone } from './schema.ts'
import type { MethodRow, ZoneRow } from './store.ts'

export const viewZone = (row: ZoneRow, currency: string): ShippingZone => ({
  id: row.id,
  name: row.name,
  countries: row.countries,
  regions: row.regions,
  created: row.created,
  updated: row.updated,
  methods: row.methods.map((method) => viewMethod(method, currency)),
})

const viewMethod = (row: MethodRow, currency: string): ShippingZone['methods'][number] => ({
  id: row.id,
  description: row.description,
  price: priceOf(row.price, currency),
  on_own: priceOf(row.on_own, currency),
  with_others: priceOf(row.with_others, currency),
  min_order_value: row.min_order_value === null ? null : priceOf(row.min_order_value, currency),
  max_order_value: row.max_order_value === null ? null : priceOf(row.max_order_value, currency),
  min_weight: row.min_weight,
  max_weight: row.max_weight,
})
