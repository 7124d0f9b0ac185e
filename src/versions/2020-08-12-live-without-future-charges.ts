// The totals of a checkout say nothing of charges to come; before, they listed them as `future_charges`. There never were any here.
import { type Change, set } from './change.ts'

export default {
  summary: 'The live object of checkouts no longer carries `future_charges`.',
  kinds: { live: set('future_charges', []) },
} satisfies Change
