// Signed addresses: whoever holds one may do one thing with one object until it expires, without a key.
// The signature covers all of that, so that none of it can be altered: purpose, merchant, object, expiry.
// Also the keys that sign.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { findSecret, insertSecret, readSecret } from './store.ts'

/** What the holder may do. In the signature, so that an address to read a file does not also upload one. */
type Purpose = 'file' | 'upload' | 'download'

export type Grant = {
  readonly purpose: Purpose
  readonly merchantId: number
  readonly id: string
  /** Unix seconds; the address works before this moment. */
  readonly expires: number
}

/** The query that makes an address work: `expires=…&signature=…`. */
export const signedQuery = (secret: Uint8Array, grant: Grant): string =>
  `expires=${grant.expires}&signature=${signatureOf(secret, grant)}`

// As JSON, because joined by any character two different grants could read the same.
const signatureOf = (secret: Uint8Array, { purpose, merchantId, id, expires }: Grant): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([purpose, merchantId, id, expires]))
    .digest('base64url')

const EXPIRES = /^[1-9]\d{0,11}$/
const SIGNATURE = /^[\w-]{43}$/

/** The moment until which a query allows this, in Unix seconds, or null when it does not or no longer. */
export function allowedUntil(
  secret: Uint8Array,
  grant: Omit<Grant, 'expires'>,
  query: string,
  now: Date,
): number | null {
  const parameters = new URLSearchParams(query)
  const expires = parameters.get('expires') ?? ''
  const signature = parameters.get('signature') ?? ''
  if (!EXPIRES.test(expires) || !SIGNATURE.test(signature)) return null
  const until = Number(expires)
  const right = signatureOf(secret, { ...grant, expires: until })
  // In constant time: how long a comparison takes must not tell how much of a guess was right.
  if (!timingSafeEqual(Buffer.from(right), Buffer.from(signature))) return null
  return now.getTime() < until * 1_000 ? until : null
}

// The keys that sign addresses: made when first needed, kept in the database, the same in every process.

/** The secret of that name. Read once per process: it never changes. */
export type SigningSecrets = (name: string) => Promise<Uint8Array>

const BYTES = 32

export function signingSecrets(db: Db, clock: Clock): SigningSecrets {
  const loaded = new Map<string, Promise<Uint8Array>>()

  async function load(name: string): Promise<Uint8Array> {
    const known = await findSecret(db, name)
    if (known !== null) return known
    await insertSecret(db, name, randomBytes(BYTES), clock.now())
    return readSecret(db, name)
  }

  return (name) => {
    const secret = loaded.get(name)
    if (secret) return secret
    const loading = load(name)
    loaded.set(name, loading)
    // An outage must not be remembered as the secret.
    loading.catch(() => loaded.delete(name))
    return loading
  }
}
