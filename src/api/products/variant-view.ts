// A row → the variant in its newest form, field by field.

import { priceOf } from '../../lib/money.ts'
import { type Addresses, viewAsset } from '../assets/view.ts'
import type { Variant } from './variant-schema.ts'
import type { StockedVariantRow, VariantRow } from './variant-store.ts'
import type { Viewer } from './view.ts'

export const viewVariant = (row: VariantRow, currency: string, addresses: Addresses): Variant => ({
  id: row.id,
  sku: row.sku,
  description: row.description,
  inventory: row.inventory,
  price: row.price === null ? null : priceOf(row.price, currency),
  is_valid: row.invalid_reason_code === null,
  invalid_reason_code: row.invalid_reason_code,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
  options: row.options,
  assets: row.assets.map((asset) => viewAsset(asset, addresses)),
})

/** As its own routes show it: to a secret key also with what captures under way hold of it. */
export const viewStockedVariant = (row: StockedVariantRow, { caller, addresses }: Viewer): Variant => ({
  ...viewVariant(row, caller.currency, addresses),
  ...(caller.isSecret ? { held: row.held, on_hand: onHandOf(row) } : {}),
})

const onHandOf = ({ inventory, held }: StockedVariantRow): number | null =>
  inventory === null || held === null ? null : inventory + held
