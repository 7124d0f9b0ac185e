// Signed addresses: whoever holds one may do one thing with one object until it expires, without a key.
// The signature covers all of that, so that none of it can be altered: purpose, merchant, object, expiry.

import { createHmac, timingSafeEqual } from 'node:crypto'

/** What the holder may do. In the signature, so that an address to read a file does not also upload one. */
export type Purpose = 'file' | 'upload' | 'download'

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
