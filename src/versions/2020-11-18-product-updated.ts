// Products say when they changed as `updated`; before, it was `last_updated`.
import { type Change, rename } from './change.ts'

export default {
  summary: 'The field `last_updated` of products is now called `updated`.',
  kinds: { product: rename('updated', 'last_updated') },
} satisfies Change
