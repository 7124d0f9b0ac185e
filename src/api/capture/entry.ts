// An attempt as its gateway is asked about it, from the row alone: whichever process asks, it asks the same.

import { timeOfId } from '../../lib/ids.ts'
import type { ChargeEntry } from '../payments/ask.ts'
import type { AttemptRow } from './store.ts'

/** The attempt in the books of its gateway. */
export const entryOf = (attempt: AttemptRow): ChargeEntry => ({
  merchantId: attempt.merchant_id,
  key: attempt.id,
  isSandbox: attempt.is_sandbox,
  gateway: attempt.gateway,
  methodId: attempt.payment_method_id,
  isSimulated: attempt.is_simulated,
  amount: attempt.amount,
  currency: attempt.currency,
  begunAt: new Date(timeOfId('paymentAttempt', attempt.id)),
  // Also while it is being charged again: what it once waited for is kept until it ends.
  confirmation: confirmationIn(attempt),
  reference: attempt.payment_reference,
})

const confirmationIn = ({ gateway_state: state }: AttemptRow): string | null =>
  typeof state?.confirmation === 'string' ? state.confirmation : null
