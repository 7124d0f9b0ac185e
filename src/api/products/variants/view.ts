// A row → the variant in its newest form, field by field: inside of lines, as its own routes show it, and as its events tell it.

import type { Caller } from '../../../http/endpoint/endpoint.ts'
import { priceOf } from '../../../lib/money.ts'
import { type Addresses, unsigned, viewAsset, type WriteContext } from '../../assets/view.ts'
import type { Variant } from './schema.ts'
import type { StockedVariantRow, VariantRow } from './store.ts'

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
export const viewStockedVariant = (
  row: StockedVariantRow,
  caller: Pick<Caller, 'currency' | 'isSecret'>,
  addresses: Addresses,
): Variant => ({
  ...viewVariant(row, caller.currency, addresses),
  ...(caller.isSecret ? { held: row.held, on_hand: onHandOf(row) } : {}),
})

const onHandOf = ({ inventory, held }: StockedVariantRow): number | null =>
  inventory === null || held === null ? null : inventory + held

/**
 * For an event: as a secret key sees it, and with the product that it is of, which no address names there. Of no mode, like the catalogue: the
 * stock that it shows is that of the key that made the change.
 */
export const viewToldVariant = (
  row: StockedVariantRow,
  productId: string,
  { caller: { currency }, lastingOrigin }: Pick<WriteContext, 'caller' | 'lastingOrigin'>,
) => ({ ...viewStockedVariant(row, { currency, isSecret: true }, unsigned(lastingOrigin)), product_id: productId })
