// A row → the cart in its newest form, field by field. What it costs is price()'s to say.

import type { Caller } from '../../http/endpoint/endpoint.ts'
import { currencyOf } from '../../lib/currencies.ts'
import { onceEach } from '../../lib/memory.ts'
import { type Minor, priceOf } from '../../lib/money.ts'
import { type PricedLine, price } from '../../pricing/price.ts'
import type { AssetRow } from '../assets/store.ts'
import { type Addresses, viewAsset } from '../assets/view.ts'
import { viewAppliedDiscount } from '../discounts/discount.ts'
import { discountInput } from '../discounts/store.ts'
import { basePrice, lineInput, lineProblems, selectedOptions, variantOf } from '../lines/line.ts'
import { viewVariant } from '../products/variants/variant.ts'
import type { CartRow, LineRow } from './read-store.ts'
import type { Cart, LineItem } from './schema.ts'

/** For whom a cart is shown. */
export type Viewer = {
  readonly caller: Pick<Caller, 'merchantId' | 'currency'>
  readonly addresses: Addresses
}

export function viewCart(row: CartRow, viewer: Viewer): Cart {
  const { currency } = viewer.caller
  const { code, symbol } = currencyOf(currency)
  const totals = price({
    lines: row.lines.map(lineInput),
    discount: row.discount && discountInput(row.discount),
    shipping: 0,
    tax: null,
    giftCardBalance: null,
    customerSetPrice: null,
  })
  return {
    id: row.id,
    created: row.created,
    updated: row.updated,
    expires: row.expires,
    ...sizeOf(row.lines),
    subtotal: priceOf(totals.subtotal, currency),
    hosted_checkout_url: `${viewer.addresses.origin}/checkout/${viewer.caller.merchantId}/cart/${row.id}`,
    currency: { code, symbol },
    discount: row.discount ? [viewAppliedDiscount(row.discount, totals.amountSaved, currency)] : [],
    meta: row.meta,
    line_items: viewLines(row.lines, totals.lines, viewer),
  }
}

/** How many there are in all, and of how many lines. */
export const sizeOf = (lines: readonly { readonly quantity: number }[]) => ({
  total_items: lines.reduce((sum, { quantity }) => sum + quantity, 0),
  total_unique_items: lines.length,
})

export function viewLines(rows: readonly LineRow[], priced: readonly PricedLine[], viewer: Viewer): LineItem[] {
  const totals = new Map(priced.map((line) => [line.id, line]))
  const tooLarge = new Set(priced.filter(({ isTooLarge }) => isTooLarge).map(({ id }) => id))
  const problems = lineProblems(rows, tooLarge)
  // Lines of one product share its picture.
  const imageOf = onceEach((image: AssetRow) => viewAsset(image, viewer.addresses))
  return rows.map((row) => {
    const image = row.image && imageOf(row.image)
    return viewLine(
      row,
      { image, lineTotal: totals.get(row.id)?.lineTotal ?? 0, isValid: !problems.has(row.id) },
      viewer,
    )
  })
}

function viewLine(
  row: LineRow,
  { image, lineTotal, isValid }: Pick<LineItem, 'image'> & { lineTotal: Minor; isValid: boolean },
  { caller, addresses }: Viewer,
): LineItem {
  const { product } = row
  const variant = variantOf(row)
  const name = product?.name ?? row.name
  return {
    id: row.id,
    product_id: row.product_id,
    name,
    product_name: name,
    sku: variant?.sku ?? product?.sku ?? null,
    permalink: product?.permalink ?? null,
    quantity: row.quantity,
    price: priceOf(basePrice(row), caller.currency),
    line_total: priceOf(lineTotal, caller.currency),
    is_valid: isValid,
    product_meta: product?.meta ?? null,
    selected_options: selectedOptions(row).map((selected) => ({
      group_id: selected.group_id,
      group_name: selected.group_name,
      option_id: selected.option_id,
      option_name: selected.option_name,
      price: priceOf(selected.price_delta, caller.currency),
    })),
    variant: variant && viewVariant(variant, caller.currency, addresses),
    image,
  }
}
