// A cart's applied discount stands in `discount`; before, the field was called `discount_code`.
import { type Change, rename } from './change.ts'

export default {
  summary: 'The field `discount_code` of carts is now called `discount`.',
  kinds: { cart: rename('discount', 'discount_code') },
} satisfies Change
