// A change of a customer's e-mail address: how often a customer may try one, and when it counts as the customer's own.

import type { Database } from '../../db/db.ts'
import { takeFromLimits } from '../../db/request-limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { readEmail } from '../../lib/email.ts'
import { emailKey } from './match-store.ts'
import { type Asking, type EmailProof, findCustomer, type LockedCustomer } from './store.ts'

const MOST_TRIES = 10
const HOUR_MS = 3_600_000

/**
 * Each try tells a customer whether the address is somebody's, and takes it from whoever it belongs to. Counted before the change and in
 * a transaction of its own, so that one that is then refused has counted. Throws `tooManyRequests`.
 */
export async function countEmailTry(
  db: Database,
  clock: Clock,
  caller: Asking,
  id: string,
  email: string | undefined,
): Promise<void> {
  const wanted = email === undefined ? null : readEmail(email)
  if (caller.session === null || wanted === null) return
  const current = await findCustomer(db, caller, id)
  // Storefronts send the whole form: an address that stays as it is tells nothing.
  if (current === null || emailKey(wanted) === emailKey(current.email)) return
  const limit = { subject: `email-change ${id}`, most: MOST_TRIES, windowMs: HOUR_MS }
  await db.transaction((tx) => takeFromLimits(tx, caller.merchantId, [limit], clock.now()))
}

/**
 * Orders are matched by their address, so whoever takes somebody else's would be shown what that person buys from then on. A customer
 * may change the address all the same, but orders made under it are not shown to a session until a link mailed to it is used. Which
 * orders these are is written into each when it is made (`unproven_email_key`) and not derived from times or addresses, which change.
 * The merchant, who changes it with the secret key, vouches for the new one, and may be giving the account back to its owner: whoever
 * is logged in is logged out. Sending the same address again vouches for nothing, as forms send whatever they have been given.
 */
export function proofOf(current: LockedCustomer, key: string, { session }: Asking, now: Date): EmailProof {
  const { is_email_proven, sessions_from } = current
  if (key === current.email_key) return { is_email_proven, sessions_from, isVouchedFor: false }
  if (session !== null) return { is_email_proven: false, sessions_from, isVouchedFor: false }
  return { is_email_proven: true, sessions_from: now, isVouchedFor: true }
}
