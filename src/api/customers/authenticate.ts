// A customer's token → the caller. What the caller is besides (currency, version) is the merchant's, remembered until a merchant changes.

import type { Db } from '../../db/db.ts'
import type { Heartbeat } from '../../db/heartbeat.ts'
import type { Services } from '../../http/endpoint.ts'
import type { AuthenticateCustomer } from '../../http/serve-endpoint.ts'
import { unauthorized } from '../../lib/errors.ts'
import { findMerchant, type MerchantRow } from '../merchants/store.ts'
import { readSession } from './session.ts'

/** Past it, all are forgotten and simply looked up again. */
const REMEMBERED = 10_000

export function customerAuthenticator(
  services: Pick<Services, 'db' | 'clock' | 'sessionKeys'>,
  news: Pick<Heartbeat, 'revision' | 'isFresh'>,
): AuthenticateCustomer {
  const merchants = new Map<number, MerchantRow>()
  let revision = news.revision

  return async (token) => {
    const { merchantId, isSandbox, customerId, begunAt } = await readSession(services, token)
    const merchant = await merchantOf(services.db, merchantId)
    if (merchant === null) throw unauthorized('The shop that this token belongs to is no more.')
    return {
      merchantId,
      keyId: null,
      session: { customerId, begunAt },
      isSecret: false,
      isSandbox,
      currency: merchant.currency,
      apiVersion: merchant.api_version,
      isDisabled: merchant.is_disabled,
    }
  }

  async function merchantOf(db: Db, id: number): Promise<MerchantRow | null> {
    if (news.revision !== revision || merchants.size >= REMEMBERED) {
      merchants.clear()
      revision = news.revision
    }
    const known = news.isFresh() ? merchants.get(id) : undefined
    if (known) return known
    const asOf = news.revision
    const row = await findMerchant(db, id)
    // Something changed while we read: this answer may predate it, so it serves this request and is not kept.
    if (row !== null && news.isFresh() && asOf === news.revision && asOf === revision) merchants.set(id, row)
    return row
  }
}
