// The choices of a product are called `variant_groups`; before, when there were no variants of their own, `variants`.
import { type Change, rename, renameRequestField } from './change.ts'

const named = { up: renameRequestField('variants', 'variant_groups') }

export default {
  summary: 'The field `variants` of products, in replies and in requests, is now called `variant_groups`.',
  kinds: { product: rename('variant_groups', 'variants') },
  operations: { 'products.create': named, 'products.update': named },
} satisfies Change
