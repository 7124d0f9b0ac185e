// The session of a customer who has logged in: a signed token (JWT) that names the customer, the merchant and the mode. How it is issued,
// read, and turned into the caller of a request.

import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import type { Db, Scope } from '../../../db/db.ts'
import type { Heartbeat } from '../../../db/heartbeat.ts'
import type { AuthenticateCustomer } from '../../../http/endpoint/caller.ts'
import type { Services } from '../../../http/endpoint/endpoint.ts'
import { SESSION_MS } from '../../../keys/session-keys.ts'
import { unixSeconds } from '../../../lib/clock.ts'
import { loginRefused, unauthorized } from '../../../lib/errors.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { findMerchantInMode, type MerchantRow } from '../../merchants/store.ts'

/** Whose session it is. */
type SessionOwner = Scope & { readonly customerId: string }

/** The one algorithm, whatever a token says of itself: a token that could choose would choose `none`. */
const ALGORITHM = 'HS256'
const TYPE = 'JWT'
const ISSUER = 'cartwright'
const AUDIENCE = 'customer'

type SessionServices = Pick<Services, 'clock' | 'sessionKeys'>

/**
 * Storefronts read `cid`. `now` is read once, before the customer is looked up: read again later, the session could outlive what has
 * ended all of them in between; and where the clock was set back, the one whose beginning ended the others would have ended itself.
 */
export async function issueSession(
  { sessionKeys }: Pick<SessionServices, 'sessionKeys'>,
  owner: SessionOwner,
  now: Date,
): Promise<string> {
  const { id, secret } = await sessionKeys.newest()
  const begun = unixSeconds(now)
  // `begun` tells what `iat`, in whole seconds, cannot: whether it was before or after another moment of the same second.
  const claims = { cid: owner.customerId, merchant: owner.merchantId, sandbox: owner.isSandbox, begun: now.getTime() }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(begun)
    .setExpirationTime(begun + SESSION_MS / 1_000)
    .sign(secret)
}

/** Throws `unauthorized`, in the same words whatever is wrong with it. */
async function readSession(
  { clock, sessionKeys }: SessionServices,
  token: string,
): Promise<SessionOwner & { readonly begunAt: Date }> {
  const key = await sessionKeys.find(keyIdOf(token))
  if (key === null) throw sessionOver()
  const { payload } = await jwtVerify(token, key.secret, {
    algorithms: [ALGORITHM],
    typ: TYPE,
    issuer: ISSUER,
    audience: AUDIENCE,
    currentDate: clock.now(),
    requiredClaims: ['iat', 'exp'],
  }).catch(() => {
    throw sessionOver()
  })
  const { cid, merchant, sandbox, begun } = payload
  if (
    typeof cid !== 'string' ||
    typeof merchant !== 'number' ||
    typeof sandbox !== 'boolean' ||
    typeof begun !== 'number'
  )
    throw sessionOver()
  return { customerId: cid, merchantId: merchant, isSandbox: sandbox, begunAt: new Date(begun) }
}

export const sessionOver = () =>
  loginRefused(
    'Authorization',
    "The customer's token is not valid, or its 24 hours are over. Let the customer log in again.",
    refusal('login_over'),
  )

/** What a token says of its key, which is not to be trusted before the key has been tried. */
function keyIdOf(token: string): string {
  try {
    const { kid } = decodeProtectedHeader(token)
    return typeof kid === 'string' ? kid : ''
  } catch {
    return ''
  }
}

/** Past it, all are forgotten and simply looked up again. */
const REMEMBERED = 10_000

/** A customer's token → the caller. What the caller is besides (currency, version) is the merchant's, remembered until a merchant changes. */
export function customerAuthenticator(
  services: Pick<Services, 'db' | 'clock' | 'sessionKeys'>,
  news: Pick<Heartbeat, 'revision' | 'isFresh'>,
): AuthenticateCustomer {
  const merchants = new Map<string, MerchantRow>()
  let revision = news.revision

  return async (token) => {
    const { merchantId, isSandbox, customerId, begunAt } = await readSession(services, token)
    const merchant = await merchantOf(services.db, { merchantId, isSandbox })
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

  async function merchantOf(db: Db, scope: Scope): Promise<MerchantRow | null> {
    const name = `${scope.merchantId} ${scope.isSandbox}`
    if (news.revision !== revision || merchants.size >= REMEMBERED) {
      merchants.clear()
      revision = news.revision
    }
    const known = news.isFresh() ? merchants.get(name) : undefined
    if (known) return known
    const asOf = news.revision
    const row = await findMerchantInMode(db, scope)
    // Something changed while we read: this answer may predate it, so it serves this request and is not kept.
    if (row !== null && news.isFresh() && asOf === news.revision && asOf === revision) merchants.set(name, row)
    return row
  }
}
