// An order says nothing of charges to come; before, it listed them as `future_payments`, and in `order` as `future_charges`. There
// never were any here.
import { type Change, inTurn, isJsonObject, set } from './change.ts'

export default {
  summary: 'Orders no longer carry `future_payments`, nor `future_charges` in their `order`.',
  kinds: {
    order: inTurn(
      set('future_payments', []),
      set('order', ({ order = {} }) => (isJsonObject(order) ? { ...order, future_charges: [] } : order)),
    ),
  },
} satisfies Change
