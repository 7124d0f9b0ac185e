// Gift cards say when they changed as `updated`; before, it was `last_updated`.
import { type Change, rename } from './change.ts'

export default {
  summary: 'The field `last_updated` of gift cards is now called `updated`.',
  kinds: { gift_card: rename('updated', 'last_updated') },
} satisfies Change
