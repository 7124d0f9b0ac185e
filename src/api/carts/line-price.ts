// What one unit of a line costs by the catalogue: the variant's own price, else the product's and what the options add. No I/O.

import type { Minor } from '../../lib/money.ts'
import type { LineInput } from '../../pricing/price.ts'
import { selectedOptions, variantOf } from './choice.ts'
import type { LineRow } from './read-store.ts'

/** What price() takes. A product that was deleted costs nothing. */
export const lineInput = (line: LineRow): LineInput => ({
  id: line.id,
  productId: line.product_id,
  quantity: line.quantity,
  unitPrice: basePrice(line),
  optionDeltas: ownPrice(line) === null ? selectedOptions(line).map(({ price_delta }) => price_delta) : [],
  isPayWhatYouWant: line.product?.is_pay_what_you_want ?? false,
  isTaxExempt: line.product?.is_tax_exempt ?? false,
  // A cart shows no tax, so that nothing asks which rate a line is taxed by.
  isDigital: false,
})

/** Of one, before what the options add. */
export const basePrice = (line: LineRow): Minor => ownPrice(line) ?? line.product?.price ?? 0

const ownPrice = (line: LineRow): Minor | null => variantOf(line)?.price ?? null
