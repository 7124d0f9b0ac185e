// Assets do not name their merchant; before, they did, as `merchant_id`.
import { type Change, set } from './change.ts'

export default {
  summary: 'Assets no longer carry `merchant_id`.',
  kinds: { asset: set('merchant_id', (_asset, told) => told.merchantId) },
} satisfies Change
