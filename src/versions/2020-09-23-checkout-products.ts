// A checkout token lists what is bought as `products`; before, it had `line_items` alone. These it still has, so that nothing is
// lost on the way back.
import { type Change, drop } from './change.ts'

export default {
  summary: 'Checkout tokens list what is bought as `products`; before, only as `line_items`.',
  kinds: { checkout_token: drop('products') },
} satisfies Change
