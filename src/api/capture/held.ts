// What a waiting attempt of the same token holds counts as free for the capture that takes its place: it is given back before anything
// is reserved. Here it only keeps that capture from being refused too early; whether it is enough is decided when it is taken.

import type { CheckoutRow } from '../checkouts/read-store.ts'
import type { LineRow } from '../lines/line.ts'
import type { HeldByWaiting } from './hold-store.ts'

/** The token with its code and its card as they will be. */
export const withHeldCodes = (row: CheckoutRow, held: HeldByWaiting): CheckoutRow => ({
  ...row,
  discount: (held.is_discount_applied ? held.discount : null) ?? row.discount,
  gift_card: (held.is_gift_card_applied ? held.gift_card : null) ?? row.gift_card,
})

/** The lines with the stock that there will be. */
export const withHeldStock = (lines: readonly LineRow[], { stock }: HeldByWaiting): LineRow[] =>
  lines.map((line) => {
    const { product, variant, product_id } = line
    return {
      ...line,
      product: product && { ...product, available: product.available + (stock[product_id] ?? 0) },
      variant:
        variant === null || variant.inventory === null
          ? variant
          : { ...variant, inventory: variant.inventory + (stock[variant.id] ?? 0) },
    }
  })
