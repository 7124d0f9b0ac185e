// Turns a row into the variant of the newest API version: for lines, for the variant's own endpoints, and for its events.

import type { Caller } from '../../../http/endpoint/endpoint.ts'
import { priceOf } from '../../../lib/money.ts'
import { type FileUrls, unsignedFileUrls, viewAsset, type WriteContext } from '../../assets/view.ts'
import type { Variant } from './schema.ts'
import type { StockedVariantRow, VariantRow } from './store.ts'

export const viewVariant = (row: VariantRow, currency: string, fileUrls: FileUrls): Variant => ({
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
  assets: row.assets.map((asset) => viewAsset(asset, fileUrls)),
})

/** The variant for its own endpoints. A secret key also sees the stock held by pending captures. */
export const viewStockedVariant = (
  row: StockedVariantRow,
  caller: Pick<Caller, 'currency' | 'isSecret'>,
  fileUrls: FileUrls,
): Variant => ({
  ...viewVariant(row, caller.currency, fileUrls),
  ...(caller.isSecret ? { held: row.held, on_hand: onHandOf(row) } : {}),
})

const onHandOf = ({ inventory, held }: StockedVariantRow): number | null =>
  inventory === null || held === null ? null : inventory + held

/**
 * The variant for an event: with the fields of a secret key, and with its product's id, because the event has no path. The stock is that of
 * the mode of the change.
 */
export const viewVariantForEvent = (
  row: StockedVariantRow,
  productId: string,
  { caller: { currency }, lastingOrigin }: Pick<WriteContext, 'caller' | 'lastingOrigin'>,
) => ({
  ...viewStockedVariant(row, { currency, isSecret: true }, unsignedFileUrls(lastingOrigin)),
  product_id: productId,
})
