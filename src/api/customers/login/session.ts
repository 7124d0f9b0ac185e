// The session of a customer who is logged in: a signed token (JWT) with the customer, the merchant and the mode. Issues and verifies
// tokens, and turns them into the caller of a request.

import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import type { Db, Scope } from '../../../db/db.ts'
import type { Heartbeat } from '../../../db/health/heartbeat.ts'
import type { AuthenticateCustomer } from '../../../http/endpoint/caller.ts'
import type { Services } from '../../../http/endpoint/endpoint.ts'
import { SESSION_MS } from '../../../keys/session-keys.ts'
import { unixSeconds } from '../../../lib/clock.ts'
import { loginRefused, unauthorized } from '../../../lib/errors.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { findMerchantInMode, type MerchantRow } from '../../merchants/store.ts'

/** The customer of a session. */
type SessionOwner = Scope & { readonly customerId: string }

/** The only accepted algorithm. The token's own header is not trusted, because it could name `none`. */
const ALGORITHM = 'HS256'
const TYPE = 'JWT'
const ISSUER = 'cartwright'
const AUDIENCE = 'customer'

type SessionServices = Pick<Services, 'clock' | 'sessionKeys'>

/**
 * Issues a session token. Storefronts read the claim `cid`. `now` must be the time from before the customer was looked up. With a later
 * time, the session could survive a concurrent revocation. If the clock was set back, the session whose start revoked the others would
 * revoke itself.
 */
export async function issueSession(
  { sessionKeys }: Pick<SessionServices, 'sessionKeys'>,
  owner: SessionOwner,
  now: Date,
): Promise<string> {
  const { id, secret } = await sessionKeys.newest()
  const nowSeconds = unixSeconds(now)
  // `begun` is in milliseconds, because `iat`, in seconds, cannot order events within the same second.
  const claims = { cid: owner.customerId, merchant: owner.merchant_id, sandbox: owner.is_sandbox, begun: now.getTime() }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + SESSION_MS / 1_000)
    .sign(secret)
}

/** Throws `unauthorized`, with the same message for every defect. */
async function readSession(
  { clock, sessionKeys }: SessionServices,
  token: string,
): Promise<SessionOwner & { readonly begunAt: Date }> {
  const key = await sessionKeys.find(keyIdOf(token))
  if (key === null) throw sessionOverError()
  const { payload } = await jwtVerify(token, key.secret, {
    algorithms: [ALGORITHM],
    typ: TYPE,
    issuer: ISSUER,
    audience: AUDIENCE,
    currentDate: clock.now(),
    requiredClaims: ['iat', 'exp'],
  }).catch(() => {
    throw sessionOverError()
  })
  const { cid, merchant, sandbox, begun } = payload
  if (
    typeof cid !== 'string' ||
    typeof merchant !== 'number' ||
    typeof sandbox !== 'boolean' ||
    typeof begun !== 'number'
  )
    throw sessionOverError()
  return { customerId: cid, merchant_id: merchant, is_sandbox: sandbox, begunAt: new Date(begun) }
}

export const sessionOverError = () =>
  loginRefused(
    'Authorization',
    "The customer's token is not valid, or its 24 hours are over. Let the customer log in again.",
    refusal('login_over'),
  )

/** The key id in the token. It is not trusted until the signature is verified. */
function keyIdOf(token: string): string {
  try {
    const { kid } = decodeProtectedHeader(token)
    return typeof kid === 'string' ? kid : ''
  } catch {
    return ''
  }
}

/** Cache size. A full cache is cleared. */
const REMEMBERED = 10_000

/** Authenticates a customer by the session token. Currency and version belong to the merchant, and are cached until a merchant changes. */
export function customerAuthenticator(
  services: Pick<Services, 'db' | 'clock' | 'sessionKeys'>,
  heartbeat: Pick<Heartbeat, 'revision' | 'isFresh'>,
): AuthenticateCustomer {
  const merchants = new Map<string, MerchantRow>()
  let revision = heartbeat.revision

  return async (token) => {
    const { merchant_id, is_sandbox, customerId, begunAt } = await readSession(services, token)
    const merchant = await merchantOf(services.db, { merchant_id, is_sandbox })
    if (merchant === null) throw unauthorized('The shop of this token no longer exists.')
    return {
      merchant_id,
      keyId: null,
      session: { customerId, begunAt },
      isSecret: false,
      is_sandbox,
      currency: merchant.currency,
      apiVersion: merchant.api_version,
      isDisabled: merchant.is_disabled,
    }
  }

  async function merchantOf(db: Db, scope: Scope): Promise<MerchantRow | null> {
    const name = `${scope.merchant_id} ${scope.is_sandbox}`
    if (heartbeat.revision !== revision || merchants.size >= REMEMBERED) {
      merchants.clear()
      revision = heartbeat.revision
    }
    const cachedRow = heartbeat.isFresh() ? merchants.get(name) : undefined
    if (cachedRow) return cachedRow
    const before = heartbeat.revision
    const row = await findMerchantInMode(db, scope)
    // A merchant has changed during the read, so the row may be outdated. Use it for this request, but do not cache it.
    if (row !== null && heartbeat.isFresh() && before === heartbeat.revision && before === revision)
      merchants.set(name, row)
    return row
  }
}
