// Signed URLs, which allow one action on one object until they expire, without an API key.
// The signature covers purpose, merchant, object and expiry, so that none of them can be altered.
// This file also loads the signing secrets.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { findSecret, insertSecret, readSecret } from './store.ts'

/** Permitted action. It is signed, so that a URL for reading a file cannot upload one. */
type Purpose = 'file' | 'upload' | 'download'

export type Grant = {
  readonly purpose: Purpose
  readonly merchant_id: number
  readonly id: string
  /** Unix seconds. The URL is valid before this moment. */
  readonly expires: number
}

/** Query of a signed URL: `expires=…&signature=…`. */
export const signedQuery = (secret: Uint8Array, grant: Grant): string =>
  `expires=${grant.expires}&signature=${signatureOf(secret, grant)}`

// JSON, because two different grants joined by any separator could give the same text.
const signatureOf = (secret: Uint8Array, { purpose, merchant_id, id, expires }: Grant): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([purpose, merchant_id, id, expires]))
    .digest('base64url')

const EXPIRES = /^[1-9]\d{0,11}$/
const SIGNATURE = /^[\w-]{43}$/

/** Expiry of a valid query in Unix seconds; null if it is invalid or expired. */
export function findGrantExpiry(
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
  const expectedSignature = signatureOf(secret, { ...grant, expires: until })
  // Constant time: the duration must not reveal how much of a guess was right.
  if (!timingSafeEqual(Buffer.from(expectedSignature), Buffer.from(signature))) return null
  return now.getTime() < until * 1_000 ? until : null
}

// Signing secrets: created on first use and stored in the database, so that all processes share them.

/** Secret with that name. It is read once per process, because it never changes. */
export type SigningSecrets = (name: string) => Promise<Uint8Array>

const BYTES = 32

export function signingSecrets(db: Db, clock: Clock): SigningSecrets {
  const secretsByName = new Map<string, Promise<Uint8Array>>()

  async function load(name: string): Promise<Uint8Array> {
    const storedSecret = await findSecret(db, name)
    if (storedSecret !== null) return storedSecret
    await insertSecret(db, name, randomBytes(BYTES), clock.now())
    return readSecret(db, name)
  }

  return (name) => {
    const secret = secretsByName.get(name)
    if (secret) return secret
    const loading = load(name)
    secretsByName.set(name, loading)
    // A failed load must not be cached.
    loading.catch(() => secretsByName.delete(name))
    return loading
  }
}
