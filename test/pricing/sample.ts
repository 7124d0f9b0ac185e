// Carts for the examples, with nothing in them but what the example is about.

import type { LineInput, PriceInput } from '../../src/pricing/price.ts'

export const lineOf = (id: string, unitPrice: number, more: Partial<LineInput> = {}): LineInput => ({
  id,
  productId: `prod_of_${id}`,
  quantity: 1,
  unitPrice,
  optionDeltas: [],
  isPayWhatYouWant: false,
  isTaxExempt: false,
  isDigital: false,
  ...more,
})

export const cartOf = (lines: readonly LineInput[], more: Partial<PriceInput> = {}): PriceInput => ({
  lines,
  discount: null,
  shipping: 0,
  tax: null,
  giftCardBalance: null,
  customerSetPrice: null,
  ...more,
})

/** One rate for everything, not on shipping. */
export const taxOf = (rate: number, isIncluded = false): NonNullable<PriceInput['tax']> => ({
  rates: [{ type: 'vat', rate, digitalRate: null }],
  isIncluded,
  isOnShipping: false,
})
