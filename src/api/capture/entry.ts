// An attempt as its gateway is asked about it, from the row alone: whichever process asks, it asks the same. And where its shopper comes back
// to from a provider's page.

import type { GatewayConfig } from '../../gateways/call.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
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

/** Who pays on a page of ours has no key and has not logged in anywhere, and comes back to it; everybody else has a storefront. */
export const isOnPage = ({
  keyId,
  session,
  account,
}: Partial<Pick<Caller, 'keyId' | 'session' | 'account'>>): boolean =>
  keyId === null && session === null && account === undefined

/** In the query of the address that a shopper comes back to. */
export const ON_PAGE = 'hosted'

/** Of this very attempt: an earlier one of the token has an end of its own. */
export const returnPath = (
  { merchant_id, checkout_id, id }: Pick<AttemptRow, 'merchant_id' | 'checkout_id' | 'id'>,
  isHosted: boolean,
): string => `/checkout/${merchant_id}/pay/${checkout_id}/back?payment=${id}${isHosted ? `&${ON_PAGE}=1` : ''}`

/** A merchant may have told a provider where its storefront takes shoppers back. Who has paid on our page comes back to that. */
export function configFor({ return_url: _, ...config }: GatewayConfig, isHosted: boolean): GatewayConfig {
  return isHosted || _ === undefined ? config : { ...config, return_url: _ }
}
